// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/driven_joints.hpp"
#include "limber/simulate/archive.hpp"

namespace limber {

// Bumpless transfer: a controller takes over a moving machine.  The deviation of the machine from the desired motion is
// added to the desired motion, and vanishes along the quintic
//   p(s) = e (1 - 10 s^3 + 15 s^4 - 6 s^5) + r T (s - 6 s^3 + 8 s^4 - 3 s^5),   s = (t - from) / T
// with e and r the differences of positions and speeds (Hermite basis of fifth degree: Farin, Curves and Surfaces for
// CAGD, chapter 7).  The difference between the acting torques and those of the laws is added to the latter, and fades
// by (1 + cos(pi s)) / 2.
class Handover {
 public:
  explicit Handover(int size);
  // Begins at time t of the desired motion.  offset, rate: (driven coordinate) of the machine, minus the desired ones;
  // torques: (driven coordinate) acting; join, fade: s, for the motion and for the torques.
  void begin(double t, ConstVec offset, ConstVec rate, ConstVec torques, double join, double fade);
  void end() { begun_ = false; }
  bool begun() const { return begun_; }

  void add_motion(const DrivenJoints& driven, State& x) const;  // to the desired motion at x.t
  void add_accelerations(double t, Vec accelerations) const;    // (driven coordinate)
  // Adds to the torques of the laws at t; initially the sum equals the acting torques.  True: this was the first call,
  // and an integrator may take rest().
  bool add_torques(double t, Vec torques);
  Vec rest() { return fading_; }

  // To or from an archive.
  void transfer(Archive& archive) { archive(begun_, first_, from_, join_, fade_, offset_, rate_, fading_); }

 private:
  bool begun_ = false, first_ = false;
  double from_ = 0, join_ = 1, fade_ = 1;  // s
  VectorXd offset_, rate_, fading_;        // (driven coordinate)
};

}  // namespace limber
