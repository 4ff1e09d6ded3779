// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "limber/control/driven_joints.hpp"
#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/rnea.hpp"
#include "limber/simulate/archive.hpp"

namespace limber {

struct ElementStep;  // force elements and contacts: src/control/element_step.hpp

// The inertia that the driven joints feel instantaneously, with modes and other joints free: torques = N accelerations,
// N = M_JJ - M_JF M_FF^-1 M_FJ, the inverse of the driven block of M^-1.  It is what remains of the articulated
// inertias when the driven joints are not eliminated; O(N) to factor and to apply.  docs/control.md, Natural gain.
class NaturalGain {
 public:
  // period: see ForceCorrection.  weight, s^2: of the modes in balance().
  NaturalGain(const Model& model, const DrivenJoints& driven, double period = 0, double weight = 0);
  ~NaturalGain();
  // Factors N at a configuration; time and speeds of x are ignored.
  [[nodiscard]] Status set(const State& x);
  // torques (coordinate) += N accelerations (coordinate).
  void add(ConstVec accelerations, Vec torques);
  // The changes of the accelerations of the driven joints for errors (nv) of all accelerations that
  // minimise |errors of driven joints|^2_N + |errors of the others|^2_Q, Q^-1 = M_FF^-1 + (weight K_FF)^-1: one
  // solution with M + weight K_FF.  Without weight: the errors of the driven joints.  O(N).  docs/control.md, Modal
  // correction.
  void balance(ConstVec errors, Vec changes);
  void transfer(Archive& archive);

 private:
  const Model& model_;
  const DrivenJoints& driven_;
  double period_, weight_;
  AbaWorkspace ws_;
  std::optional<AbaWorkspace> weighted_;  // M + weight K_FF
  SweepWorkspace sweep_;
  State at_;  // of the last set
  VectorXd dv_, f_, right_, torque_;
  std::unique_ptr<ElementStep> elements_;  // nullptr: none
};

struct CorrectionOptions {
  double tolerance = 1e-9;   // rad/s^2 or m/s^2: accepted discrepancy of a driven joint
  int most = 10;             // number of corrections
  double modes = 0;          // weight of modal accelerations; 0: driven joints only.  Times 1/w1^2 it is the
                             // weight of NaturalGain, w1: slowest vibration with the driven joints locked
  double modal_ratio = 0.1;  // desired damping ratio of that vibration, if there is a weight
};

// Result of a correction.
struct Correction {
  Status status = Status::ok;
  int count = 0;               // number of corrections
  double first = 0, last = 0;  // largest discrepancy, before the first and after the last correction
  bool converged = false;
};

// Mean accelerations of a machine over the coming period under constant torques, by the implicit midpoint rule, theory
// §5: stable for stiff modes.  A period of 0: instantaneous accelerations.  With force elements and contacts, without
// dry friction and joint stops.
enum class DrivenBy { torques, inputs };  // torques at the joints; or inputs, DrivenJoints::actuators
class MeanAccelerations {
 public:
  MeanAccelerations(const Model& model, const DrivenJoints& driven, double period, DrivenBy by = DrivenBy::torques);
  ~MeanAccelerations();
  // Call it at the beginning of a period: sets ropes slack or taut, contacts open or closed, from x.
  void set_phases(const State& x);
  // From torques, or inputs, (coordinate) to all accelerations.
  [[nodiscard]] Status forward(const State& x, ConstVec torques);
  // From accelerations (coordinate) of the driven joints to their torques and all accelerations.  [JR] §4
  [[nodiscard]] Status hybrid(const State& x, ConstVec accelerations, Vec torques);
  // Replaces forces (nv) by the change of all accelerations of the last call due to them.
  void respond(Vec forces);
  // forces (nv) += the change of the force elements for deviations dq and dv (nv) from the state of the last call.
  void add_element_forces(ConstVec dq, ConstVec dv, Vec forces);
  // (nv) accelerations of the last call, and the initial guess of the next.
  const VectorXd& now() const { return a_; }
  void reset() { a_.setZero(); }
  void guess(const VectorXd& a) { a_ = a; }
  void transfer(Archive& archive);
  // State at the middle of the period, with the last accelerations.
  const State& middle(const State& x);
  const AbaWorkspace& workspace() const { return ws_; }

 private:
  const Model& model_;
  const DrivenJoints& driven_;
  double period_;
  AbaWorkspace ws_;
  DrivenBy by_;
  State middle_;
  VectorXd a_, tau_, dq_, needed_;
  std::unique_ptr<ElementStep> elements_;  // nullptr: none
};

// The correction of the specified body forces, [Pat] claim 1, FIG. 6 processors 125-144: computes the accelerations
// that torques would give, compares those of the driven joints with the desired ones and corrects the torques by the
// natural gain times the discrepancy, until it is below the tolerance.  Desired accelerations of the modes enter
// through NaturalGain::balance.
class ForceCorrection {
 public:
  // weight, s^2: see NaturalGain.
  ForceCorrection(const Model& model, const DrivenJoints& driven, double period = 0,
                  const CorrectionOptions& options = {}, double weight = 0);
  // Set it at this state (claim 1), or keep that of an earlier one (claim 6).
  NaturalGain& gain() { return gain_; }
  // desired: accelerations (coordinate) of the driven joints.  torques (coordinate): initial guess on entry.
  Correction operator()(const State& x, ConstVec desired, Vec torques);
  // The same in two parts, [Pat] claim 6: prepare() does everything that does not need the readings of a sample, at the
  // state expected then, under the torques (coordinate) acting until then; correct_prepared() does one correction, with
  // these articulated inertias, residual forces and accelerations, revised by the elastic forces of the deviation of x
  // from the expected state.
  [[nodiscard]] Status prepare(const State& expected, ConstVec torques);
  Correction correct_prepared(const State& x, ConstVec desired, Vec torques);
  // All accelerations of the last comparison, and the articulated-body quantities.
  MeanAccelerations& accelerations() { return predicted_; }
  void transfer(Archive& archive);

 private:
  const Model& model_;
  const DrivenJoints& driven_;
  double period_;
  CorrectionOptions options_;
  NaturalGain gain_;
  MeanAccelerations predicted_;
  VectorXd error_;  // (coordinate)
  // Of the last prepare: its state, torques (coordinate), and initial guess of accelerations (nv).
  State expected_;
  VectorXd base_, guess_;
  bool prepared_ = false;
  VectorXd dx_, dv_, force_;  // (nv)
};

}  // namespace limber
