// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/attitude_path.hpp"
#include "limber/simulate/stepper.hpp"

namespace limber {

// The desired attitude of a body, the resulting motion of everything else, and the actuator efforts that produce it:
// exact feed-forward.  For each period the constant efforts u are found for which one step of the implicit midpoint
// rule, theory §5, ends at the desired rate; with this rule, rates at the ends are mean accelerations, so that the rest
// of the model moves as if the rotation were prescribed ([JR] §4, hybrid dynamics).  The rate is affine in u except for
// second-order terms, so that one or two corrections suffice, [Pat] claim 1.
class AttitudeReference {
 public:
  // actuators: speeds on which the efforts act.
  AttitudeReference(const Model& model, int body, std::vector<int> actuators, const AttitudePath& path, double period,
                    Inputs motions = {});
  [[nodiscard]] Status start(const State& x);
  [[nodiscard]] Status step();                    // by one period
  const VectorXd& efforts() const { return u_; }  // (actuator) over the last step
  const State& state() const { return from_.x; }  // desired
  void transfer(Archive& archive);
  const std::string& failure() const { return failure_; }  // after a failure

 private:
  [[nodiscard]] Status attempt(const VectorXd& u, Vector3d& rate);
  [[nodiscard]] Status compute_gain();
  void put(const Attitude& desired);

  const Joint& joint_;
  std::vector<int> actuators_;
  const AttitudePath& path_;
  double period_;
  System system_;
  std::unique_ptr<Stepper> stepper_;
  Motion from_;
  VectorXd u_, torques_, trial_;
  MatrixXd inverse_;  // (actuator x 3) efforts per rate at the end of a step
  std::string failure_;
};

}  // namespace limber
