// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limber/model/elements.hpp"

namespace limber {

// A sphere, or a point, against one shape on another body or the world.  Penalty method: a spring and a damper along
// the normal that push and never pull, and Coulomb friction.
struct Contact {
  enum class Shape {
    plane,     // solid below z = 0 of the frame
    box,       // |x|, |y|, |z| up to half of `size`
    cylinder,  // about z of the frame: radius size[0], |z| up to half of size[1]
  };
  std::string name = {};
  ElementEnd point = {};  // the centre of the sphere
  double radius = 0;      // 0: a point
  ElementEnd on = {};     // the frame of the shape
  Shape shape = Shape::plane;
  Vector3d size = Vector3d::Zero();
  double stiffness = 0;                           // N/m
  double damping = 0;                             // N s/m
  std::optional<double> restitution = {};         // instead of damping: speed after over speed before
  double friction = 0;                            // coefficient
  double stick_stiffness = 0, stick_damping = 0;  // of a point that sticks: N/m and N s/m
  double slip_speed = 1e-3;                       // m/s: below it a sphere's friction falls to zero
};

// Joint stops whose damping follows from a coefficient of restitution.
struct StopRestitution {
  int joint = 0;
  double coefficient = 1;
};

struct Contacts {
  std::vector<Contact> list = {};
  std::vector<StopRestitution> stops = {};
};

// Throws InputError "contact 'foot': ..." for data that do not match the model.
void check_contacts(const Model& model, const Contacts& contacts);

const char* to_string(Contact::Shape shape);  // as in model files

// Damping for a mass m on a linear spring k that never pulls, such that it leaves with e times its impact
// speed: e = exp(-2 b cot b), cos b = d / (2 sqrt(k m)); 0 < e <= 1.  [Schwager, Poeschel 2007] (18), (20).
double damping_of_restitution(double e, double k, double m);

}  // namespace limber
