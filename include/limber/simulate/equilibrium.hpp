// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/system.hpp"

namespace limber {

struct Equilibrium {
  State x;  // at rest
  int iterations = 0;
  double residual = 0;  // largest force that is left, beside the largest that acts
  bool stable = true;   // a small push comes back
};

// Static equilibrium near `start` under gravity, springs, stops and the inputs that are constant; prescribed joints
// stand where their motion has them at start.t.  Throws InputError when there is none within reach: which coordinate
// keeps a force and what to do.  Newton's method with the exact tangent, solved by an articulated stiffness where the
// machine is a tree (dynamics/statics.hpp, docs/decisions/0013): O(N) per iteration.
Equilibrium find_equilibrium(const Model& model, const Inputs& inputs, const State& start);

}  // namespace limber
