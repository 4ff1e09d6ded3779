// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// An attachment point of a force element or a contact on a node, a body or the world.
struct ElementEnd {
  NodeRef node = {};
  Pose at = {};  // in the frame of the node; only bushings and contact shapes use its axes
};

// A quantity of the state on which a force law may depend.
struct StateChannel {
  enum class Kind {
    coordinate,  // q[index]
    rate,        // v[index]
    position,    // of a node, in world
    velocity,    // of a node, in world
    length,      // of element `index`
    extension,   // its rate
  };
  Kind kind = Kind::coordinate;
  int index = 0;
  NodeRef node = {};
  int component = 0;      // of a node: 0 ... 2
  std::string name = {};  // as in an expression: "elbow", "elbow.rate", "boom.tip.z", "boom.tip.vz", "strut.length"
};

// The force of an element as a function of time and state; smooth.
class ForceLaw {
 public:
  virtual ~ForceLaw() = default;
  // values: the length (or joint coordinate) x, its rate v, then the channels of the element; slopes: derivatives by
  // each of these.  No allocation.
  virtual double force(double t, std::span<const double> values, std::span<double> slopes) const = 0;
  // The potential of a law that depends on x alone; nullopt: its power counts as external work.
  virtual std::optional<double> energy(double) const { return std::nullopt; }
};

// A massless element that pushes its ends apart with a force (negative: pulls them together), or turns a joint.
struct ForceElement {
  enum class Kind {
    spring,    // along the line from a to b, or on a joint: -stiffness (x - length) - damping v, or a law - damping v
    bushing,   // between the frames a and b: stiffness and damping for rotations and displacements
    rope,      // from a over points to b: tension only
    actuator,  // like spring, and takes commands
  };
  std::string name = {};
  Kind kind = Kind::spring;
  ElementEnd a = {}, b = {};
  std::vector<ElementEnd> over = {};  // rope: points over which it slides without friction, from a to b
  int joint = -1;                     // instead of a and b: the body whose joint, with one coordinate, it acts on
  double stiffness = 0, damping = 0;
  double length = 0;  // unstretched; of a joint: the coordinate at rest
  std::shared_ptr<const ForceLaw> law = {};
  std::vector<StateChannel> channels = {};
  // Bushing, angular first: Q = -K x - D dx/dt with x the rotation vector and the displacement of b in frame a.
  MatrixXd K = {}, D = {};
};

// A rest position of the springs of a joint.
struct JointRest {
  int joint = 0;
  VectorXd position = {};  // (speed_count)
};

// Force elements between the bodies of a model, and rest positions of joint springs.
struct ForceElements {
  std::vector<ForceElement> list = {};
  std::vector<JointRest> rests = {};
};

// Throws InputError "element 'strut': ..." for data that do not match the model: indices, sizes, negative numbers, a
// bushing's matrices that are not symmetric and positive semidefinite.
void check_elements(const Model& model, const ForceElements& elements);

const char* to_string(ForceElement::Kind kind);  // as in model files

}  // namespace limber
