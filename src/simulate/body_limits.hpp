// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// The highest mode of a family of two or more, as a measure of those that are missing.  docs/decisions/0019.
struct LastMode {
  VectorXd row;      // (modes of the body) its coordinate is row . eta
  double omega = 0;  // rad/s
  double reach = 0;  // largest displacement of a node per unit of its coordinate
  double rest = 0;   // quasi-static displacement of all higher modes, over that of this one
};

// A node that modes displace, and the axes along which they do: in the first order, in the second of `stiffened`.
struct DisplacedNode {
  int node = 0;
  std::array<bool, 3> moves{}, bends{};
};

// What a body can do within the assumptions of its modes.
struct BodyLimits {
  double length = 0, first_frequency = 0;
  std::vector<LastMode> last;
  std::vector<DisplacedNode> moving;
  std::vector<double> twist;  // (mode) displacement at the body's length of modes that only turn nodes, else 0
  double critical_load = std::numeric_limits<double>::infinity();  // N, of a beam with held root and free tip
};

BodyLimits find_limits(const Body& body);

// (body) Links of closed chains, which hold both of their ends: those between a closure's bodies and their common
// ancestor.
std::vector<bool> find_held_links(const Model& model);

}  // namespace limber
