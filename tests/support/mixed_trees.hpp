// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/random_tree.hpp"

namespace limber::test {

// Varied models, by the seed: all fidelities, chains and trees, fixed and free bases, up to six modes, beams.
inline TreeOptions mixed_tree(std::uint64_t seed, unsigned most_bodies = 12, double beams = 0.5) {
  constexpr Fidelity kFidelities[] = {Fidelity::ruthless, Fidelity::full, Fidelity::stiffened};
  TreeOptions o;
  o.bodies = 1 + static_cast<int>(seed % most_bodies);
  o.modes = static_cast<int>(seed % 7);
  o.fidelity = kFidelities[seed % 3];
  o.chain = seed % 4 == 0;
  o.free_base = seed % 5 == 0;
  o.beams = beams;
  return o;
}

// Models supported by `book`, by the seed: revolute and fixed joints on body frames, `full`.
inline TreeOptions rotary_chain(std::uint64_t seed, double beams = 0.5) {
  TreeOptions o;
  o.bodies = 1 + static_cast<int>(seed % 7);
  o.modes = static_cast<int>(seed % 6);
  o.joints = {JointKind::revolute, JointKind::revolute, JointKind::revolute, JointKind::fixed};
  o.chain = true;
  o.child_on_node = 0;
  o.beams = beams;
  return o;
}

// Sets modal coordinates and speeds to zero.
inline void clear_deflections(const Model& model, State& x) {
  for (int i = 1; i < model.body_count(); ++i) {
    x.q.segment(model.first_mode_q(i), model.body(i).modes).setZero();
    x.v.segment(model.first_mode(i), model.body(i).modes).setZero();
  }
}

}  // namespace limber::test
