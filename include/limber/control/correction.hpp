// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/driven_joints.hpp"
#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/rnea.hpp"
#include "limber/simulate/archive.hpp"

namespace limber {

// The inertia that the driven joints feel instantaneously, with modes and other joints free: torques = N accelerations,
// N = M_JJ - M_JF M_FF^-1 M_FJ, the inverse of the driven block of M^-1.  It is what remains of the articulated
// inertias when the driven joints are not eliminated; O(N) to factor and to apply.  docs/control.md, Natural gain.
class NaturalGain {
 public:
  // period: see ForceCorrection.
  NaturalGain(const Model& model, const DrivenJoints& driven, double period = 0);
  // At a configuration; time and speeds of x are not used.
  [[nodiscard]] Status set(const State& x);
  // torques (coordinate) += N accelerations (coordinate).
  void add(ConstVec accelerations, Vec torques);
  void transfer(Archive& archive);

 private:
  const Model& model_;
  const DrivenJoints& driven_;
  AbaWorkspace ws_;
  SweepWorkspace sweep_;
  State at_;  // of the last set
  VectorXd dv_, f_;
};

struct CorrectionOptions {
  double tolerance = 1e-9;  // rad/s^2 or m/s^2: accepted discrepancy of a driven joint
  int most = 10;            // number of corrections
};

// Result of a correction.
struct Correction {
  Status status = Status::ok;
  int count = 0;               // number of corrections
  double first = 0, last = 0;  // largest discrepancy, before the first and after the last correction
  bool converged = false;
};

// Mean accelerations of a machine over the coming period under constant torques, by the implicit midpoint rule, theory
// §5: stable for stiff modes.  A period of 0: instantaneous accelerations.
class MeanAccelerations {
 public:
  MeanAccelerations(const Model& model, const DrivenJoints& driven, double period);
  // From torques (coordinate) on the driven joints to all accelerations.
  [[nodiscard]] Status forward(const State& x, ConstVec torques);
  // From accelerations (coordinate) of the driven joints to their torques and all accelerations.  [JR] §4
  [[nodiscard]] Status hybrid(const State& x, ConstVec accelerations, Vec torques);
  // (nv) of the last call, and the initial guess of the next.
  const VectorXd& now() const { return a_; }
  void reset() { a_.setZero(); }
  void transfer(Archive& archive) { archive(a_); }
  // State at the middle of the period, with the last accelerations.
  const State& middle(const State& x);
  const AbaWorkspace& workspace() const { return ws_; }

 private:
  const Model& model_;
  const DrivenJoints& driven_;
  double period_;
  AbaWorkspace ws_;
  State middle_;
  VectorXd a_, tau_, dq_;
};

// The correction of the specified body forces, [Pat] claim 1, FIG. 6 processors 125-144: computes the accelerations
// that torques would give, compares those of the driven joints with the desired ones and corrects the torques by the
// natural gain times the discrepancy, until that is below the tolerance.
class ForceCorrection {
 public:
  ForceCorrection(const Model& model, const DrivenJoints& driven, double period = 0,
                  const CorrectionOptions& options = {});
  // To be set at this state (claim 1), or left as set at an earlier one (claim 6).
  NaturalGain& gain() { return gain_; }
  // torques (coordinate): initial guess on entry.
  Correction operator()(const State& x, ConstVec desired, Vec torques);
  // All accelerations of the last comparison, and the articulated-body quantities.
  MeanAccelerations& accelerations() { return predicted_; }
  void transfer(Archive& archive) { archive(gain_, predicted_); }

 private:
  const DrivenJoints& driven_;
  CorrectionOptions options_;
  NaturalGain gain_;
  MeanAccelerations predicted_;
  VectorXd error_;
};

}  // namespace limber
