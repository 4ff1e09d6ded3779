// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/LU>
#include <memory>

#include "limber/control/driven_joints.hpp"
#include "limber/dynamics/elements.hpp"

namespace limber {

// The effect of the inputs of a controller: torques at joints, or forces f of actuators, which act on all
// speeds by J^T f, J = d length / dq.  With the columns G (nv x driven) of both, G_J those of the driven speeds:
//   torques at the driven joints = G_J inputs
//   forces on all speeds         = G G_J^-1 torques = spread() torques:  1 on the driven ones
// The rows of spread() on modes and other joints bend the bodies to which a cylinder is attached.
class Actuation {
 public:
  // Both must outlive it.
  Actuation(const Model& model, const DrivenJoints& driven);

  bool any() const { return loads_ != nullptr; }  // false: inputs are torques
  // Evaluates G at a configuration.  Not ok: an actuator has no lever arm there (a dead centre).  No allocation.
  [[nodiscard]] Status set(const State& x);
  const MatrixXd& forces() const { return G_; }  // G
  void to_inputs(ConstVec torques, Vec inputs);
  void to_torques(ConstVec inputs, Vec torques);
  MatrixXd spread() const;  // allocates

 private:
  const Model& model_;
  const DrivenJoints& driven_;
  std::unique_ptr<ElementLoads> loads_;  // nullptr: no actuators
  KinematicsWorkspace kin_;
  std::vector<double> commands_;
  MatrixXd G_, G_J_;
  Matrix6X J_;
  VectorXd without_, scratch_;
  Eigen::PartialPivLU<MatrixXd> lu_;
};

// spread() at a configuration.  Throws InputError: an actuator without a lever arm there.
MatrixXd compute_spread(const Model& model, const DrivenJoints& driven, const State& x);

}  // namespace limber
