// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/driven_joints.hpp"
#include "limber/linear/linearize.hpp"

namespace limber {

// Poles with |pole| period beyond this are not resolved by the sampling.
inline constexpr double kResolved = 2;

// The model by which a controller propagates its estimate over one period, and for which all its gains are computed:
//   x' = x + phase (midpoint(x, u) - x),    x = (q, v), increments of q along the directions of the speeds.
// midpoint: the O(N) step of theory §5 with the inertia at its initial state.  phase: a matrix of the schedule,
// such that for small deviations from rest at its configuration
//   x' = A x + B u,   A = exp(a T), B = int_0^T exp(a s) ds b   for poles resolved by the sampling: exact phase
//   x' = -a^-1 b u                                              for all others: static compliance alone
// of dx/dt = a x + b u, the exact linearisation.  Elsewhere its only error is the change of the inertia, and it is
// bounded: both increments are, however stiff the modes.  docs/control.md, Predictor;
// docs/decisions/0022-sampled-control.md.
struct Predictor {
  LinearSystem machine;    // linearised at rest; inputs: torques on all speeds
  double period = 0;       // s
  MatrixXd spread;         // (nv x driven) Actuation::spread
  MatrixXd A, B;           // B: torques of the driven joints
  MatrixXd phase;          // (2 nv x 2 nv)
  MatrixXd midpoint;       // (2 nv x 2 nv): midpoint(x, u) - x = midpoint (a x + b u)
  MatrixXd seen, to_seen;  // z = to_seen x are the resolved coordinates, x = seen z + the static rest
  MatrixXd drift;          // a in z, per period: A = seen exp(drift) to_seen
  MatrixXd ringing;        // (2 nv x driven) ringing of the unresolved modes after a step of a torque: amplitudes of x
  double fastest = 0;      // |pole| period, the largest
};

// At rest at the configuration of x.  resolved: number of poles that the sampling resolves; 0: those within kResolved.
// O(nv^3).  Throws InputError: a period that is not above 0.
Predictor make_predictor(const Model& model, const DrivenJoints& driven, const State& x, double period,
                         int resolved = 0);

// The number of poles to resolve at all of these configurations, between which gains are interpolated: where the same
// number lies within kResolved everywhere, 0; otherwise the one with the widest gap between it and the rest.
int choose_resolved(const Model& model, const std::vector<State>& configurations, double period);

// The covariance (2 nv x 2 nv) of white noise in the accelerations with the given intensity, (standard deviation)^2,
// over one period: exact (Van Loan, IEEE Trans. Automatic Control 23, 1978), in the resolved coordinates.
MatrixXd compute_process_noise(const Predictor& predictor, double intensity);

// The covariance (2 nv x 2 nv) of unresolved ringing when each torque (driven coordinate) changes at every sample by
// random steps with these standard deviations.  Vibrations that decay more slowly than in kMemory samples are
// given this decay.
inline constexpr double kMemory = 100;
MatrixXd compute_ringing(const Predictor& predictor, const VectorXd& steps);

}  // namespace limber
