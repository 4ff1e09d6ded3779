// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/random_tree.hpp"

namespace limber::test {

// A bit of everything, by the seed: all fidelities, chains and trees, fixed and free bases, up to six modes, beams.
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

}  // namespace limber::test
