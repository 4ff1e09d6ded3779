// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/controller.hpp"
#include "limber/control/element_rnea.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {

// Modal motion relative to the quasi-static deflection in the desired motion, i.e. the vibration:
class VibrationRates {
 public:
  explicit VibrationRates(const ControlOptions& options);
  void reset() { has_previous_ = false; }
  // (nv) modal rates of the estimate minus the quasi-static ones; zero for joints.  Call once per sample.
  const VectorXd& update(const ControlSample& sample);
  void transfer(Archive& archive) { archive(has_previous_, static_, static_before_); }

 private:
  const Model& model_;
  const DrivenJoints& joints_;
  double rate_;
  std::vector<Cholesky> stiffness_;  // (body) of its modes
  ElementRnea rnea_;
  State x_;
  VectorXd rates_, forces_;  // (nv)
  VectorXd static_,
      static_before_;  // (nv) quasi-static modes of the desired motion, at this sample and the previous one
  bool has_previous_ = false;
};

// The slowest vibration with the driven joints locked at the end of the desired motion, rad/s; 0: none.
double slowest_locked_vibration(const ControlOptions& options);

// Return rate of joint offsets due to damping, relative to that frequency.
inline constexpr double kReturn = 0.1;

}  // namespace limber
