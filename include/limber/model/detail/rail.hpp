// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/model/detail/layout.hpp"

// The axis of a beam with a slider: shapes at any position, with their derivatives.
//
// The constants of such a beam contain, after its own nodes, those of the rail: one with its sizes, then one per
// cell and power, whose gamma are the coefficients of (translation, twist about x) and whose second are those of Xi.
namespace limber {

// The first of them.  Its position: length, cells, powers, and 1 in the fourth lane, which is 0 in nodes.
inline bool is_rail(const NodeConstants& node) { return node.position[3] != 0; }
inline bool is_rail(const Layout& layout, const OutboardAttachment& attachment) {
  return is_rail(layout.links[attachment.body].constants->nodes[static_cast<std::size_t>(attachment.node)]);
}

// Appends the rail of a beam to its constants, and returns its index there.
int add_rail(const Body& beam, BodyConstants& constants);

// Shapes at s (m from the root) and their first three derivatives by s.  Beyond the ends of the beam the axis continues
// straight.
struct RailPlace {
  int cell = 0;
  double t = 0;          // in the cell, -1 ... 1
  double per_metre = 0;  // dt/ds
  double beyond = 0;     // m beyond an end; negative: before the root
};
RailPlace find_on_rail(const NodeConstants& rail, double s);

// Coefficients `number` of the powers of t: value and derivatives by s at a place.
template <class Coefficient>
LIMBER_INLINE void evaluate_on_rail(const NodeConstants* rail, const RailPlace& at, const Coefficient& coefficient,
                                    Vec4d (&out)[4]) {
  const int powers = static_cast<int>(rail->position[2]);
  const NodeConstants* cell = rail + 1 + at.cell * powers;
  Vec4d p = zero(), d1 = zero(), d2 = zero(), d3 = zero();  // d2, d3: over 2 and 6
  const Vec4d t = spread(at.t);
  for (int k = powers - 1; k >= 0; --k) {
    d3 = d3 * t + d2;
    d2 = d2 * t + d1;
    d1 = d1 * t + p;
    p = p * t + coefficient(cell[k]);
  }
  const double r = at.per_metre;
  out[0] = p;
  out[1] = d1 * spread(r);
  out[2] = d2 * spread(2 * r * r);
  out[3] = d3 * spread(6 * r * r * r);
  if (at.beyond == 0) return;
  out[0] += out[1] * spread(at.beyond);
  out[2] = out[3] = zero();
}

}  // namespace limber
