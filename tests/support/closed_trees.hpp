// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/engine.hpp"
#include "support/random.hpp"
#include "support/random_tree.hpp"

namespace limber::test {

// Joint kinds permitted for closures.
inline const std::vector<JointKind> kClosureKinds = {JointKind::fixed,     JointKind::revolute,
                                                     JointKind::prismatic, JointKind::universal,
                                                     JointKind::spherical, JointKind::cylindrical};

inline TreeOptions closed_tree(std::uint64_t seed) {
  TreeOptions o;
  o.bodies = 3 + static_cast<int>(seed % 6);
  o.modes = static_cast<int>(seed % 6);
  o.fidelity = seed % 2 == 0 ? Fidelity::full : Fidelity::stiffened;
  o.chain = seed % 3 == 0;
  o.beams = 0.3;
  return o;
}

// Whether closures are to the world, to another body, or random.
enum class Against { any, world, body };

// A random tree with closures between random nodes, all of one kind.
inline Model random_closed(std::uint64_t seed, JointKind kind, int count = 1, Against against = Against::any) {
  Model model = make_model(random_machine(closed_tree(seed), seed));
  Random random(seed + 1000);
  const std::vector<NodeRef> nodes = all_nodes(model);
  const double world = against == Against::any ? 0.2 : (against == Against::world ? 1 : 0);
  for (int k = 0; k < count; ++k) {
    Closure closure;
    closure.name = "pin" + std::to_string(k);
    closure.kind = kind;
    closure.axis = random.direction();
    closure.axis2 = random.direction();
    closure.a = nodes[random.index(static_cast<int>(nodes.size()))];
    do {
      closure.b = random.chance(world) ? NodeRef{} : nodes[random.index(static_cast<int>(nodes.size()))];
    } while (closure.b.body == closure.a.body);
    model.add_closure(closure);
  }
  return model;
}

}  // namespace limber::test
