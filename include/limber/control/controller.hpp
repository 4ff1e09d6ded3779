// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <memory>
#include <optional>
#include <string_view>

#include "limber/control/correction.hpp"
#include "limber/control/estimator.hpp"
#include "limber/control/reference.hpp"
#include "limber/control/servo.hpp"
#include "limber/control/shaping.hpp"

namespace limber {

// Torques from the errors of hinges: kp e + kd de/dt + ki times the integral of e.
struct PidOptions {
  VectorX kp, kd, ki;    // (hinge coordinate)
  bool gravity = false;  // and the torques that hold the weight where the hinges are
};

// Accelerations from the errors of hinges, a = a_desired + 2 ratio w de/dt + w^2 e, w = 2 pi frequency.
struct TrackingOptions {
  double frequency = 0.5;  // Hz
  double ratio = 1;        // of damping
};

// The gains that give each hinge alone, the others held and nothing bending, this frequency and damping at x.
PidOptions make_pid(const Model& model, const DrivenJoints& hinges, const State& x, const TrackingOptions& wanted);

// How the configuration that the accelerations are computed for is known.
enum class Embodiment {
  propagated,  // from the accelerations of the last step, [Pat] claim 6
  sensed       // hinges from sensors, modes propagated and corrected, [Pat] claim 7
};

struct ShapingOptions {
  Shaper kind = Shaper::zvd;
  int vibrations = 1;  // so many of the slowest, with the hinges held, where the motion ends
};

// DrivenJoints yield to the vibration so as to damp it, with accelerations c M_JF w, where w are the rates of the modes
// less those of the deflection that the desired motion needs: the power that they take from w is c |M_JF w|^2.
// docs/control.md, Damping.
struct DampingOptions {
  double ratio = 0.1;  // wanted of the slowest vibration with the hinges held
};

struct ControlOptions {
  double rate = 1000;                  // Hz
  int latency = 0;                     // periods from a reading to the torques that come from it: 0, or 1 over a wire
  std::shared_ptr<const Model> model;  // of the machine as the controller believes it to be
  DrivenJoints hinges;                 // of that model
  std::vector<Signal> desired;         // (hinge coordinate)
  double end = 0;                      // when the desired motion comes to rest
  FeedForward feed_forward = FeedForward::none;
  std::optional<PidOptions> pid;
  std::optional<TrackingOptions> computed_torque;  // through hybrid dynamics
  std::optional<TrackingOptions> correction;       // through the correction of forces: the patent's method
  CorrectionOptions correcting;
  Embodiment embodiment = Embodiment::sensed;
  std::optional<LqrOptions> lqr;
  std::optional<ShapingOptions> shaping;
  std::optional<DampingOptions> damping;
  KalmanOptions kalman;
  int schedule = 5;                  // configurations along the motion for which gains are computed
  SensorOptions sensors;             // what the estimator believes of them
  std::vector<ServoOptions> servos;  // (hinge coordinate); empty: ideal

  // Whether the laws chosen need the whole state of the machine.
  bool estimates() const { return computed_torque || correction || lqr; }
};

// Throws InputError: what is missing, contradicts or does not fit; in one line.
void check_control(const ControlOptions& options);

// A number that a controller shows, for recordings.
struct ControlChannel {
  std::string path;  // "control/desired"
  std::vector<std::string> names, units;
  const VectorX* values;
};

// The digital controller of a flexible arm.  update() is called once per period; it neither allocates nor waits.
class Controller {
 public:
  explicit Controller(ControlOptions options);  // checks
  // At rest or not, somewhere: modes and other joints as in x (of the controller's model).
  [[nodiscard]] Status start(const State& x);
  // From what sensors say now to the torques (hinge coordinate) of the next period.
  [[nodiscard]] Status update(const Measurement& y, Vec torques);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  // After a failure: what went wrong.
  const std::string& failure() const { return failure_; }

  const ControlOptions& options() const { return options_; }
  double period() const { return 1 / options_.rate; }
  const State& reference() const { return reference_.state(); }
  const State& estimate() const { return estimator_ ? estimator_->state() : reference_.state(); }
  const Correction& last_correction() const { return correction_result_; }
  // (hinge) where they should be less where they are, in the last update.
  const VectorX& errors() const { return error_; }
  // The largest of the hinges: where sensors say they are less where the observer expected them; 0 without one.
  double innovation() const { return estimator_ ? estimator_->hinge_innovation() : 0; }
  std::vector<ControlChannel> channels() const;

 private:
  void read_joints(const Measurement& y);
  void add_pid(const Measurement& y);
  [[nodiscard]] Status add_tracking(const TrackingOptions& tracking);
  void yield_to_vibration();
  void find_vibration();
  void add_lqr();
  [[nodiscard]] Status fail(Status status, std::string_view what);

  ControlOptions options_;
  Reference reference_;
  std::unique_ptr<Estimator> estimator_;
  std::unique_ptr<ForceCorrection> correction_;
  Schedule lqr_;
  Servos servos_;
  std::unique_ptr<MeanAccelerations> mean_;
  RneaWorkspace rnea_;
  double damping_ = 0, leak_ = 0;  // c; rad/s with which hinges come back
  bool ready_ = false;             // static_ is of the last sample
  Correction correction_result_;
  State ref_;                                                         // where the machine should be now
  State x_;                                                           // scratch
  VectorX desired_, desired_rate_, wanted_;                           // (hinge) with what it yields; accelerations
  VectorX measured_, measured_rate_, error_, error_rate_, integral_;  // (hinge)
  VectorX yield_, yield_rate_, yield_acceleration_;                   // (hinge) to the vibration
  VectorX feed_forward_, feedback_, command_, torque_;                // (hinge)
  VectorX discrepancy_;                                               // of the correction: first, last, count
  VectorX full_, full2_, dx_, modes_;                                 // (nv), (nv), (2 nv), (all modes) estimated
  VectorX static_, static_before_;              // (nv) modes that the desired motion needs, without vibration
  std::vector<Eigen::LLT<MatrixX>> stiffness_;  // (body) of its modes
  std::vector<std::string> mode_names_;
  std::vector<int> mode_indices_;
  std::string failure_;
};

}  // namespace limber
