// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "limber/control/actuation.hpp"
#include "limber/control/adaptation.hpp"
#include "limber/control/correction.hpp"
#include "limber/control/estimator.hpp"
#include "limber/control/handover.hpp"
#include "limber/control/laws/law.hpp"
#include "limber/control/reference.hpp"
#include "limber/control/servo.hpp"
#include "limber/control/shaping.hpp"
#include "limber/control/tip_path.hpp"

namespace limber {

struct ModelBank;

// PID: torque = kp e + kd de/dt + ki times the integral of e, for the error e of each driven coordinate.
struct PidOptions {
  VectorXd kp, kd, ki;   // (driven coordinate)
  bool gravity = false;  // with gravity compensation at the measured position
};

// PD gains that give each driven joint this frequency and damping at x, with the others locked and rigid bodies.
PidOptions make_pid(const Model& model, const DrivenJoints& driven, const State& x, const TrackingOptions& wanted);

// The source of the configuration for which accelerations are computed.
enum class Embodiment {
  propagated,  // from the accelerations of the last step, [Pat] claim 6
  sensed,      // driven joints from sensors, modes propagated and corrected, [Pat] claim 7
  pipelined    // the same, with articulated-body quantities and residual forces of the previous step: they are computed
               // while the sensors are read, [Pat] claims 6 and 7, FIG. 6
};

// A vibration for which the desired motion is shaped.
struct ShapedVibration {
  double frequency = 0, ratio = 0;  // Hz; of damping
  double residual = 0;              // m: its residual amplitude without shaping; 0: not known
  std::string node;                 // of this amplitude; empty: the frequency was given
};

struct ShapingOptions {
  Shaper kind = Shaper::zvd;
  int vibrations = 1;  // number of shaped vibrations: those that the motion excites most, choose_vibrations
  std::vector<double> frequencies;      // Hz, instead of these
  double ratio = 0;                     // of damping, of these
  std::vector<ShapedVibration> chosen;  // by prepare_control
  double delay = 0;                     // s by which it extends the motion, by prepare_control
};

// Active damping: accelerations c M_JF w of the driven joints, where w are the modal rates minus the quasi-static ones
// of the desired motion.  The power taken from w is c |M_JF w|^2.  docs/control.md, Damping.
struct DampingOptions {
  double ratio = 0.1;  // target damping ratio of the slowest vibration with the driven joints locked
};

struct ControlOptions {
  double rate = 1000;                  // Hz
  int latency = 0;                     // periods between a reading and its torques: 0, or 1 over a network
  std::shared_ptr<const Model> model;  // the controller's model of the machine
  DrivenJoints driven;                 // of that model
  std::vector<Signal> desired;         // (driven coordinate)
  double end = 0;                      // s: the desired motion comes to rest
  std::optional<TipPath> path;         // the path of `desired`, if it was made from one
  std::vector<Signal> learned;         // (driven coordinate) learned offsets to `desired`, learning.hpp; empty: none
  std::optional<AdaptationOptions> adaptation;
  FeedForward feed_forward = FeedForward::none;
  std::optional<PidOptions> pid;
  std::optional<TrackingOptions> computed_torque;  // through hybrid dynamics
  std::optional<TrackingOptions> correction;       // through the force correction: the method of the patent
  CorrectionOptions correcting;
  Embodiment embodiment = Embodiment::sensed;
  std::optional<LqrOptions> lqr;
  std::optional<ShapingOptions> shaping;
  std::optional<DampingOptions> damping;
  KalmanOptions kalman;
  int schedule = 5;                  // configurations along the motion for which gains are computed
  int resolved = 0;                  // poles that the predictor resolves at all of them; 0: by each (prepare_control)
  SensorOptions sensors;             // as the estimator models them
  std::vector<ServoOptions> servos;  // (driven coordinate); empty: ideal

  // Whether the chosen laws need the full state.
  bool estimates() const { return computed_torque || correction || lqr; }
  // The tracking law, if there is one.
  const TrackingOptions* tracking() const {
    return correction ? &*correction : computed_torque ? &*computed_torque : nullptr;
  }
  TrackingOptions* tracking() { return correction ? &*correction : computed_torque ? &*computed_torque : nullptr; }
  bool collocated() const { return tracking() != nullptr && tracking()->collocated; }
  // Whether sensors correct the estimate.
  bool senses() const { return embodiment != Embodiment::propagated; }
};

// Throws InputError for options that are missing, out of range or contradictory.
void check_control(const ControlOptions& options);

// The digital controller of a flexible arm: from readings to an estimate of the state, to the sum of the torques of its
// laws, to the servos.  update() is called once per period; it neither allocates nor blocks.
class Controller {
 public:
  explicit Controller(ControlOptions options);  // checks
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;
  // Starts from a state x of the controller's model, at rest or not.
  [[nodiscard]] Status start(const State& x);
  // Starts from rest at x, where `torques` (driven coordinate) hold the machine: the command begins with them and
  // nothing moves if the sensors are exact.  Modes and other joints begin in the equilibrium of the controller's own
  // model; integrators, observer and servos begin with the torques, and the part that no integrator takes is added as a
  // constant. docs/control.md, Static start.  Throws InputError: no such equilibrium, a servo that is too weak.
  [[nodiscard]] Status hold(const State& x, ConstVec torques);
  // For a moving machine that another controller has commanded: after start or hold, the observer follows its
  // readings y and the acting torques (driven coordinate) from its time t on, sample by sample; anew: from these
  // readings and torques alone, which allocates.  The reference follows, some steps per call, until it has
  // caught up with the machine.
  [[nodiscard]] Status listen(const Measurement& y, double t, ConstVec torques, bool anew);
  bool caught_up(double t) const;  // the next update may be for time t of the machine
  // Call it before the update with these readings, which then commands the acting torques (driven coordinate).  Within
  // `join` seconds the machine joins the desired motion, within `fade` the torques of the laws take over.  See
  // Handover.
  [[nodiscard]] Status take_over(const Measurement& y, ConstVec torques, double join, double fade);
  // Call it before an update, if the machine reports them: the torques (driven coordinate) acting since the readings.
  // Otherwise those of the last update are assumed.
  void set_acting(ConstVec torques) {
    acting_ = torques;
    told_ = true;
  }
  // Computes the servo commands (driven coordinate) of the next period from the newest readings, as torques at the
  // joints (forces of the actuators that move joints) within the limits of the servos; currents() gives them as motor
  // currents.  Torques passed to a controller have the same meaning.  In two parts: respond() is what must wait for the
  // readings, after which the commands can be sent; prepare() does the rest before the next sample.
  [[nodiscard]] Status update(const Measurement& y, Vec commands);
  [[nodiscard]] Status respond(const Measurement& y, Vec commands);
  [[nodiscard]] Status prepare();
  // (driven coordinate) motor currents of the last commands, A; 0 if the torque constant is unknown.
  const VectorXd& currents() const { return servos_.currents(); }
  // Everything that later updates depend on.
  void transfer(Archive& archive);
  // After a failure: its cause.
  const std::string& failure() const { return failure_; }

  const ControlOptions& options() const { return options_; }     // as given
  double period() const { return 1 / options_.rate; }            // s
  const State& reference() const { return reference_.state(); }  // the present desired state
  const State& estimate() const { return estimator_ ? estimator_->state() : reference_.state(); }  // else reference
  // (driven coordinate) errors fed back by the last update.
  const VectorXd& errors() const { return sample_.error; }
  // (reading) innovations of the observer, in the order of its gains; empty without an observer.
  const VectorXd& innovations() const { return estimator_ ? estimator_->innovations() : none_; }
  // The largest |measured - predicted position| of a joint; 0 without an observer.
  double innovation() const { return estimator_ ? estimator_->joint_innovation() : 0; }
  // (driven coordinate) 1: a limit was active in the last command.
  std::span<const std::uint8_t> saturated() const { return servos_.saturated(); }
  // For recordings.
  std::vector<ExternalChannel> channels() const;

 private:
  [[nodiscard]] Status start_parts(const State& x, ConstVec own_inputs);
  [[nodiscard]] Status balance_laws(const State& x, ConstVec torques);
  [[nodiscard]] Status run_laws();
  [[nodiscard]] Status correct_estimate(const Measurement& y);
  [[nodiscard]] Status propagate_estimate();
  [[nodiscard]] Status restart_estimate(Status status);
  void set_sample(const Measurement& y, const Reference& reference);
  void put_readings(const Measurement& y, double ahead);
  void hand_over();
  [[nodiscard]] Status combine(const Measurement& y);
  [[nodiscard]] Status set_actuation(const Measurement& y);
  void set_believed(ConstVec inputs);
  [[nodiscard]] Status fail(Status status, std::string_view what);

  ControlOptions options_;
  Reference reference_;
  std::unique_ptr<Estimator> estimator_;
  std::vector<std::unique_ptr<Law>> laws_;  // in the order in which they run
  std::unique_ptr<ModelBank> bank_;         // of an adaptation
  Actuation actuation_;
  Servos servos_;
  ControlSample sample_;
  Handover handover_;
  VectorXd command_;     // (driven coordinate)
  VectorXd applied_;     // (driven coordinate) by the servos
  VectorXd bias_;        // (driven coordinate) torque added to what the laws command: of a static start
  VectorXd unmodelled_;  // (driven coordinate) torque that holds the machine less that which holds the model
  VectorXd acting_;      // (driven coordinate) by set_acting
  bool told_ = false;    // acting_ is that of the coming update
  VectorXd believed_;    // (driven coordinate) scratch: what acts in the model
  State at_;             // scratch of set_actuation
  State expected_;       // at the next sample
  VectorXd shift_;       // (nv) scratch
  VectorXd none_;
  VectorXd modes_;  // (all modes) estimated
  std::vector<std::string> mode_names_;
  std::vector<int> mode_indices_;
  std::string failure_;
};

}  // namespace limber
