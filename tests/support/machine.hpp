// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>
#include <vector>

#include "limber/model/model.hpp"

namespace limber::test {

// A body as given to its constructor.  The brute-force reference supports the first two.
using BodySpec = std::variant<RigidSpec, ModalSpec, BeamSpec>;

// A plain description of a model, from which the library's Model and the brute-force reference are built. bodies[i] is
// carried by joints[i], whose parent.body counts from 1 in this order (0: ground).
struct Machine {
  Vector3d gravity = Vector3d::Zero();
  Fidelity fidelity = Fidelity::full;
  std::vector<BodySpec> bodies;
  std::vector<Joint> joints;
};

Model make_model(const Machine& machine, Elimination elimination = Elimination::automatic);

// A rigid body as mass points: the centre of mass, and a pair along each principal axis.
std::vector<MassPoint> mass_points(const RigidSpec& spec);

// Number of modes of a rigid or modal body.
int mode_count(const BodySpec& spec);

}  // namespace limber::test
