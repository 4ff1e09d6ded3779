// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/derivatives.hpp"
#include "limber/linear/linearize.hpp"

namespace limber {

// All derivatives at an operating point, over all speeds.
struct LinearTerms {
  explicit LinearTerms(const Model& model, std::size_t nodes)
      : tau_q(model.nv, model.nv), tau_v(tau_q), M(tau_q), node_q(MatrixXd::Zero(6 * nodes, model.nv)) {
    node_v = velocity_q = node_q;
  }
  MatrixXd tau_q, tau_v, M;           // inverse dynamics
  MatrixXd vdot_q, vdot_v, vdot_tau;  // forward dynamics; open chains
  MatrixXd node_q, node_v;            // (6 per node) of accelerations
  MatrixXd velocity_q;                // (6 per node)
};

// Closed chains at an equilibrium, theory §8 (7): fills tau_q, tau_v and M with the forces of the closures, the
// acceleration, the independent speeds and the basis of the system; `free`: speeds that are not held.
void compute_closed_terms(const Model& model, const LinearizeOptions& options, const VectorXd& tau,
                          const std::vector<int>& free, DerivativesWorkspace& ws, LinearTerms& terms,
                          LinearSystem& system);

// Speeds of joints that are not held (a flag per body, or empty) and of modes; `place`: index of each speed among them,
// or -1.
std::vector<int> free_speeds(const Model& model, const std::vector<std::uint8_t>& held, std::vector<int>& place);

// d(dq)/dt = dv - v x dq for the rotations and translations of quaternion joints, whose dq are in the moving frame.
// theory §8 (6).
void add_frame_rates(const Model& model, const State& x, const std::vector<int>& place, MatrixXd& A);

// Throws InputError unless the status is ok.
void check_solved(const Model& model, Status status, int failure);

}  // namespace limber
