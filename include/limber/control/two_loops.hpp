// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/attitude.hpp"
#include "limber/control/loop.hpp"

namespace limber {

// An attitude controller and a joint controller on the same machine, each at its own rate; torques and forces add up.
class TwoLoops : public Sampler, public ActuatorForces {
 public:
  // Both must outlive it.  Throws InputError: neither rate is an integer multiple of the other, a joint that both
  // drive.
  TwoLoops(const Model& plant, AttitudeLoop& attitude, ControlLoop& joints);

  double period() const override { return period_; }
  bool wants_accelerations() const override;
  Status sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) override;
  void transfer(Archive& archive) override;
  std::string failure() const override { return failed_ == nullptr ? "" : failed_->failure(); }
  double actuator_force(int element) const override { return joints_.actuator_force(element); }

  // Of both controllers, concatenated.
  Tracking tracking() const;
  // Those of the attitude are under attitude/, those of the joints under control/.
  std::vector<ExternalChannel> channels() const;

 private:
  AttitudeLoop& attitude_;
  ControlLoop& joints_;
  double period_;
  long every_attitude_ = 1, every_joints_ = 1;  // samples
  long samples_ = 0;
  VectorXd of_attitude_, of_joints_;  // (nv)
  const Sampler* failed_ = nullptr;
};

// samples of the faster one per sample of the slower one; 0: none.
long whole_ratio(double slower_period, double faster_period);

}  // namespace limber
