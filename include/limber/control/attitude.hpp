// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/control/attitude_filter.hpp"
#include "limber/control/attitude_path.hpp"
#include "limber/control/thrusters.hpp"
#include "limber/control/tracking.hpp"
#include "limber/control/wheels.hpp"

namespace limber {

// Attitude control of a body: docs/attitude.md.
struct AttitudeOptions {
  std::shared_ptr<const Model> model;  // the controller's model of the machine
  std::string body;                    // the controlled body
  double rate = 10;                    // Hz
  Profile profile = Profile::cycloid;
  double begin = 0;                         // s
  std::vector<AttitudeWaypoint> waypoints;  // none: hold the initial attitude
  SlewLimits limits;
  FeedForward feed_forward = FeedForward::none;
  std::optional<TrackingOptions> feedback;  // quaternion feedback
  std::optional<ShapingOptions> shaping;
  WheelOptions wheels;
  ThrusterSetOptions thrusters;
  AttitudeSensorOptions sensors;
  std::optional<AttitudeFilterOptions> estimator;  // requires gyro and star tracker
  // Joints of the model that another controller moves, with their desired motion: for `hybrid` feed-forward. Everything
  // else assumes that they stay at their initial positions.
  std::vector<MotionInput> motions;
};

// Throws InputError for options that are missing, out of range or contradictory.
void check_attitude(const AttitudeOptions& options);

// The vibrations that the slews excite most, the largest amplitude of a node first; at most shaping->vibrations.  With
// `hybrid` feed-forward, those of the machine with its body held; otherwise, those of the free machine.
std::vector<ShapedVibration> choose_slew_vibrations(const AttitudeOptions& options, const State& x,
                                                    const AttitudePath& path);

// The fastest growing pole of the sampled feedback loop, at rest at x.  Readings are assumed exact and undelayed,
// thrust averaged.  Not judged: no feedback, closed chains, more than kMaxAttitudeSpeeds speeds.
struct AttitudeVerdict {
  bool judged = false;
  double growth = 0, frequency = 0;  // 1/s, 0: none grows; Hz
};
inline constexpr int kMaxAttitudeSpeeds = 120;
AttitudeVerdict judge_attitude(const Model& plant, const State& x, const AttitudeOptions& options,
                               const AttitudeInertia& inertia);

// An attitude controller in closed loop with a simulated machine (plant), which may differ from the controller's model.
class AttitudeLoop : public Sampler {
 public:
  // start: initial state of the plant.  Throws InputError.
  AttitudeLoop(const Model& plant, const State& start, AttitudeOptions options);
  AttitudeLoop(const Model&&, const State&, AttitudeOptions) = delete;  // it keeps a reference
  ~AttitudeLoop() override;

  double period() const override;
  bool wants_accelerations() const override;
  Status sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) override;
  void transfer(Archive& archive) override;
  std::string failure() const override;

  // Forces of the thrusters, for the inputs of the controlled System; they refer to this object.
  std::vector<WrenchLaw> wrench_laws() const;
  std::vector<ExternalChannel> channels() const;  // for recordings
  const AttitudeOptions& options() const;         // with the shaped vibrations
  const AttitudePath& path() const;               // desired
  const AttitudeInertia& inertia() const;         // of the controller's model
  const AttitudeFilter* filter() const;           // null: none
  const AttitudeSensors& sensors() const;         // of the plant
  const Thrusters* thrusters() const;             // null: none
  Tracking tracking() const;                      // tracking errors so far, about the axes of the body
  // Restarts at this state of the plant.
  void restart(const State& start);
  // Warnings before a run.
  std::vector<std::string> warnings() const;

 private:
  std::vector<std::string> slew_warnings() const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber
