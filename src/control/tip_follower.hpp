// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "limber/control/tip_path.hpp"
#include "limber/dynamics/rnea.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {

// Solves for the joints at one time of the path.
class TipFollower {
 public:
  TipFollower(const Model& model, const DrivenJoints& driven, const TipPath& path, const State& start, bool flexible)
      : model_(model), driven_(driven), path_(path), flexible_(flexible), ws_(model), x_(start) {
    x_.v.setZero();
    for (int k = 0; k < 3; ++k) {
      if (path.position[k]) rows_.push_back(k);
    }
    J_.setZero(6, model.nv);
  }

  // The driven joints at x_ are the initial guess; v, a: their motion.
  void solve(double t, const VectorXd& v, const VectorXd& a) {
    for (int k = 0; k < driven_.size(); ++k) x_.v[driven_.v[k]] = v[k];
    VectorXd left(static_cast<Eigen::Index>(rows_.size()));
    for (int step = 0; step < kMaxSteps; ++step) {
      if (flexible_ && !settle_modes(model_, driven_, a, x_)) break;
      compute_kinematics(model_, x_, ws_.kinematics());
      compute_world_poses(model_, ws_.kinematics());
      const Vector3d now = node_pose(model_, ws_.kinematics(), path_.node).p;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        left[static_cast<Eigen::Index>(r)] = path_.position[rows_[r]]->at(t).value - now[rows_[r]];
      }
      if (left.norm() < kArrived) return;
      compute_node_jacobian(model_, ws_.kinematics(), path_.node, J_);
      MatrixXd J(left.size(), driven_.size());
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        for (int k = 0; k < driven_.size(); ++k) J(static_cast<Eigen::Index>(r), k) = J_(3 + rows_[r], driven_.v[k]);
      }
      const VectorXd dq = solve_least_norm(J, left);
      const double scale = std::min(1.0, 0.3 / std::max(dq.norm(), 1e-300));
      for (int k = 0; k < driven_.size(); ++k) x_.q[driven_.q[k]] += scale * dq[k];
    }
    throw InputError("the node does not reach the path at t = " + text(t, 4) + " s: it stays " + text(left.norm(), 3) +
                     " m away");
  }
  const State& state() const { return x_; }
  const std::vector<int>& rows() const { return rows_; }  // prescribed components of the position
  void back_to(const State& x) { x_.q = x.q; }

 private:
  static constexpr int kMaxSteps = 100;
  static constexpr double kArrived = 1e-12;  // m
  const Model& model_;
  const DrivenJoints& driven_;
  const TipPath& path_;
  bool flexible_;
  RneaWorkspace ws_;
  State x_;
  std::vector<int> rows_;
  Matrix6X J_;
};

}  // namespace limber
