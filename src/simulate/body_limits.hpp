// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// The highest mode of a family of two or more, used to estimate the missing ones.  docs/decisions/0019.
struct LastMode {
  VectorXd row;      // (modes of the body) its coordinate is row . eta
  double omega = 0;  // rad/s
  double reach = 0;  // largest displacement of a node per unit of its coordinate
  double rest = 0;   // quasi-static displacement of all higher modes, relative to that of this one
};

// A node that modes displace, and the axes along which: in the first order, in the second of `stiffened`.
struct DisplacedNode {
  int node = 0;
  std::array<bool, 3> moves{}, bends{};
};

// Limits within which the assumptions of the modes hold.
struct BodyLimits {
  double length = 0, first_frequency = 0;
  std::vector<LastMode> last;
  std::vector<DisplacedNode> moving;
  std::vector<double>
      twist;  // (mode) for modes that only rotate nodes, their displacement at the body's length; else 0
  double critical_load = std::numeric_limits<double>::infinity();  // N, of a beam with clamped root and free tip
};

BodyLimits find_limits(const Body& body);

// (body) Links of closed chains, supported at both ends: those between the bodies of a closure and their common
// ancestor.
std::vector<bool> find_held_links(const Model& model);

}  // namespace limber
