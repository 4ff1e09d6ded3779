// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/model/model.hpp"

namespace limber::test {

// Small motion about a steady state, from inverse dynamics and the mass matrix only.
struct SmallMotion {
  State x;                // the steady state
  std::vector<int> free;  // speeds that are neither locked nor prescribed
  MatrixXd M, D, K;       // of the free speeds
};

// Moves the modal coordinates of x until the modal forces are zero (Newton's method).
State find_steady_state(const Model& model, State x);

// `held`: bodies whose joints are locked or rotate at constant speed.  D only if x has nonzero speeds.
SmallMotion linearise(const Model& model, const State& x, const std::vector<int>& held);

// Circular frequencies, rising: of K x = omega^2 M x, or of lambda^2 M + lambda D + K if D is not zero.
std::vector<double> frequencies(const SmallMotion& motion);

// Real zeros s > 0 of the transfer function from the force on speed `input` to a component of a node's position.
std::vector<double> zeros(const Model& model, const SmallMotion& motion, int input, NodeRef node, int component);

}  // namespace limber::test
