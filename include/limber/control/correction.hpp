// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/driven_joints.hpp"
#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/rnea.hpp"

namespace limber {

// The inertia that hinge torques feel at once, modes and other joints yielding as they like: torques = N accelerations
// with N = M_JJ - M_JF M_FF^-1 M_FJ, the inverse of the block of M^-1 on the hinges.  It is what is left of the
// articulated inertias when the hinges are not eliminated, O(N) to factor and to apply.  docs/control.md, Natural gain.
class NaturalGain {
 public:
  // period: see ForceCorrection.
  NaturalGain(const Model& model, const DrivenJoints& hinges, double period = 0);
  // At a state, whose time and speeds do not matter.
  [[nodiscard]] Status set(const State& x);
  // torques (coordinate) += N accelerations (coordinate).
  void add(ConstVec accelerations, Vec torques);

 private:
  const Model& model_;
  const DrivenJoints& hinges_;
  AbaWorkspace ws_;
  LinearSweep sweep_;
  VectorX dv_, f_;
};

struct CorrectionOptions {
  double tolerance = 1e-9;  // rad/s^2 or m/s^2: the largest discrepancy of a hinge that is left alone
  int most = 10;            // corrections
};

// How a correction went.
struct Correction {
  Status status = Status::ok;
  int count = 0;               // corrections
  double first = 0, last = 0;  // the largest discrepancy of a hinge, before the first and after the last
  bool converged = false;
};

// The accelerations of a machine over a coming period under constant torques, which is what a digital controller has to
// do with: those of the implicit midpoint rule, theory §5, so that stiff modes do no harm.  A period of 0: at once.
class MeanAccelerations {
 public:
  MeanAccelerations(const Model& model, const DrivenJoints& hinges, double period);
  // From torques (coordinate) on the hinges to all accelerations.
  [[nodiscard]] Status forward(const State& x, ConstVec torques);
  // From accelerations (coordinate) of the hinges to their torques and all accelerations.  [JR] §4
  [[nodiscard]] Status hybrid(const State& x, ConstVec accelerations, Vec torques);
  // (nv), the guess of the next call.
  const VectorX& now() const { return a_; }
  void forget() { a_.setZero(); }
  // The state in the middle of the period, with the last accelerations.
  const State& middle(const State& x);
  const AbaWorkspace& workspace() const { return ws_; }

 private:
  const Model& model_;
  const DrivenJoints& hinges_;
  double period_;
  AbaWorkspace ws_;
  State middle_;
  VectorX a_, tau_, dq_;
};

// The correction of the specified body forces, [Pat] claim 1, FIG. 6 processors 125-144: computes the accelerations
// that torques would give, compares those of the hinges with the desired ones and corrects the torques by the natural
// gain times the discrepancy, until that is below the tolerance.
class ForceCorrection {
 public:
  ForceCorrection(const Model& model, const DrivenJoints& hinges, double period = 0,
                  const CorrectionOptions& options = {});
  // With a gain from this state (claim 1) or, where it is left as it was, from an earlier one (claim 6).
  NaturalGain& gain() { return gain_; }
  // torques (coordinate): on entry a guess.
  Correction operator()(const State& x, ConstVec desired, Vec torques);
  // The accelerations of the last comparison: hinges, modes and the rest; and the articulated-body quantities.
  MeanAccelerations& accelerations() { return predicted_; }

 private:
  const DrivenJoints& hinges_;
  CorrectionOptions options_;
  NaturalGain gain_;
  MeanAccelerations predicted_;
  VectorX error_;
};

}  // namespace limber
