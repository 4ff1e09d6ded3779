// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/dynamics/energy.hpp"
#include "support/jet.hpp"
#include "support/machine.hpp"

namespace limber::test {

struct PoseJet {
  Jet<RMat3> R;
  Jet<RVec3> p;
};

// The equations of motion without recursion and without modal integrals: the position of every mass point is a function
// of q (theory §2-3, poses only), its velocity and acceleration are exact derivatives along a curve q(t), and Newton's
// law is projected on them:  M = sum m J^T J,  h = sum m J^T (a_bias - g) + springs and dampers.
// Computed in Real and rounded to double at the end.  No beams.
class BruteForce {
 public:
  BruteForce(const Machine& machine, const State& x);

  int nv() const { return nv_; }
  const MatrixXd& mass() const { return mass_; }    // M with armature
  const VectorXd& bias() const { return bias_; }    // tau = M vdot + bias - wrenches
  const VectorXd& gross() const { return gross_; }  // the same sum as bias with all terms positive: a scale for errors
  const Energy& energy() const { return energy_; }
  const Momentum& momentum() const { return momentum_; }
  const Vector3d& center_of_mass() const { return com_; }
  double total_mass() const { return total_mass_; }

  Pose node_pose(NodeRef node) const;
  Matrix6X node_jacobian(NodeRef node) const;
  Vector6 node_bias_acceleration(NodeRef node) const;
  // Generalised force of the wrenches, sum J^T w.
  VectorXd wrench_force(std::span<const NodeWrench> wrenches) const;
  // vdot by a dense factorisation in Real.
  VectorXd acceleration(const VectorXd& tau, std::span<const NodeWrench> wrenches = {}) const;

 private:
  struct Frames {  // along one curve
    std::vector<PoseJet> body;
    std::vector<Jet<RVec>> eta;
  };
  Frames trace(const State& x, const VectorXd& v) const;
  PoseJet node_in_body(int body, int node, const Jet<RVec>& eta) const;
  PoseJet node_in_world(const Frames& frames, NodeRef node) const;
  PoseJet joint_pose(const Joint& joint, const State& x, const VectorXd& v) const;
  void number_coordinates();
  void add_points();
  void add_elastic(const State& x);
  void add_joint_forces(const State& x);

  Machine machine_;
  std::vector<std::vector<MassPoint>> points_;  // per body
  std::vector<int> modes_;
  int nv_ = 0;
  std::vector<Frames> columns_;  // (nv) with v = e_j
  Frames coasting_;              // with the state's v, vdot = 0
  Frames moving_;                // the same; in ruthless including the modal speeds
  RMat M_;
  RVec h_;
  MatrixXd mass_;
  VectorXd bias_, gross_;
  Energy energy_;
  Momentum momentum_;
  Vector3d com_ = Vector3d::Zero();
  double total_mass_ = 0;
};

}  // namespace limber::test
