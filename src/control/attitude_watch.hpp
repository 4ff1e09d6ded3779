// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/attitude.hpp"

namespace limber {

// Tracking errors of a body relative to its desired attitude, about its own axes, and the motion of its appendages
// after the end, relative to the body.
struct AttitudeWatch {
  AttitudeWatch(const Model& plant, int body, const AttitudeOptions& options, const AttitudePath& path);
  void add(double t, const Attitude& desired, const Kinematics& kin);  // no allocation
  void transfer(Archive& archive);

  Tracking tracking;
  bool limited = false;  // in the last sample the actuators were saturated

 private:
  void add_motion(const Kinematics& kin);

  const Model* plant_;
  int body_;
  std::vector<NodeRef> tips_;
  int most_ = -1;        // index of the one that moves most after the end
  VectorXd low_, high_;  // (3 per tip) in the body's axes, after the end
};

}  // namespace limber
