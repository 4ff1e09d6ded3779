// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/system.hpp"

namespace limber {

struct Equilibrium {
  State x;  // at rest
  int iterations = 0;
  double residual = 0;  // largest remaining force over the largest acting force
  bool stable = true;   // a small disturbance decays
};

// Static equilibrium near `start` under gravity, springs, stops and the constant inputs; prescribed joints
// are at the position of their motion at start.t.  Throws InputError if none is found: which coordinate
// keeps a force and what to do.  Newton's method with the exact tangent, solved by an articulated stiffness if the
// machine is a tree (dynamics/statics.hpp, docs/decisions/0013): O(N) per iteration.
Equilibrium find_equilibrium(const Model& model, const Inputs& inputs, const State& start);

}  // namespace limber
