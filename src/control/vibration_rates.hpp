// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/controller.hpp"
#include "limber/control/element_rnea.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {

// How the modes move beside those of the arm that the desired motion bends, without vibration:
//   K eta = -(inertial forces and weight of the desired motion).
class VibrationRates {
 public:
  explicit VibrationRates(const ControlOptions& options);
  void reset() { has_previous_ = false; }
  // (nv) modal rates of the estimate less those of the bent arm; zero for joints.  Once per sample.
  const VectorXd& update(const ControlSample& sample);
  void transfer(Archive& archive) { archive(has_previous_, static_, static_before_); }

 private:
  const Model& model_;
  const DrivenJoints& joints_;
  double rate_;
  std::vector<Cholesky> stiffness_;  // (body) of its modes
  ElementRnea rnea_;
  State x_;
  VectorXd rates_, forces_;          // (nv)
  VectorXd static_, static_before_;  // (nv) quasi-static modes of the desired motion, at this sample and the last
  bool has_previous_ = false;
};

// The slowest vibration with the driven joints locked where the desired motion ends, rad/s; 0: none.
double slowest_locked_vibration(const ControlOptions& options);

// Rate at which joints come back from where damping has moved them, over that frequency.
inline constexpr double kReturn = 0.1;

}  // namespace limber
