// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/model/model.hpp"

namespace limber {

// Basis of a wrench: the world, or the node (a follower force).
enum class Frame { world, node };

// A wrench [torque; force] on a node, about the node's origin.
struct NodeWrench {
  NodeRef at;
  Vector6 wrench = Vector6::Zero();
  Frame frame = Frame::world;
};

// Forces besides gravity and the springs and dampers of the model.
struct Forces {
  ConstVec tau;  // (nv) hinge torques and modal forces
  std::span<const NodeWrench> wrenches{};
};

}  // namespace limber
