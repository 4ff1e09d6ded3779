// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/dynamics/forward.hpp"
#include "limber/dynamics/kinematics.hpp"
#include "limber/dynamics/rnea.hpp"
#include "support/close.hpp"

namespace limber::test {

using Wrenches = std::span<const NodeWrench>;

// All algorithms with their workspaces, for tests that need values rather than views.
class Engine {
 public:
  explicit Engine(const Model& model) : model_(model), rnea_(model), aba_(model), crba_(model), kin_(model) {}

  const Model& model() const { return model_; }
  int failure() const { return aba_.failure(); }

  VectorXd inverse(const State& x, const VectorXd& vdot, Wrenches wrenches = {}) {
    VectorXd tau(model_.nv);
    rnea(model_, x, vdot, wrenches, rnea_, tau);
    return tau;
  }
  // The test fails unless the algorithm returns ok.
  VectorXd forward(const State& x, const VectorXd& tau, Wrenches wrenches = {}) {
    VectorXd vdot(model_.nv);
    EXPECT_EQ(aba(model_, x, {tau, wrenches}, aba_, vdot), Status::ok);
    return vdot;
  }
  Status forward_status(const State& x, const VectorXd& tau, VectorXd& vdot, Wrenches wrenches = {}) {
    vdot.resize(model_.nv);
    return aba(model_, x, {tau, wrenches}, aba_, vdot);
  }
  VectorXd dense_forward(const State& x, const VectorXd& tau, Wrenches wrenches = {}) {
    VectorXd vdot(model_.nv);
    EXPECT_EQ(crba_forward(model_, x, {tau, wrenches}, crba_, vdot), Status::ok);
    return vdot;
  }
  MatrixXd mass(const State& x) {
    MatrixXd M(model_.nv, model_.nv);
    crba(model_, x, crba_, M);
    return M;
  }
  VectorXd mass_times(const State& x, const VectorXd& a) {
    VectorXd out(model_.nv);
    multiply_mass(model_, x, a, rnea_, out);
    return out;
  }
  VectorXd mass_solve(const State& x, const VectorXd& f) {
    VectorXd out(model_.nv);
    EXPECT_EQ(solve_mass(model_, x, f, aba_, out), Status::ok);
    return out;
  }
  // vdot: on entry the prescribed joint accelerations, on return all.  Returns the torques.
  VectorXd mixed(const State& x, const VectorXd& tau, const std::vector<std::uint8_t>& prescribed, VectorXd& vdot,
                 Wrenches wrenches = {}) {
    VectorXd out(model_.nv);
    EXPECT_EQ(hybrid(model_, x, {tau, wrenches}, prescribed, aba_, vdot, out), Status::ok);
    return out;
  }
  const Kinematics& kinematics(const State& x) {
    compute_kinematics(model_, x, kin_);
    compute_world_poses(model_, kin_);
    return kin_;
  }
  Matrix6X jacobian(const State& x, NodeRef node) {
    Matrix6X J(6, model_.nv);
    compute_node_jacobian(model_, kinematics(x), node, J);
    return J;
  }
  Energy energy(const State& x) { return compute_energy(model_, x, rnea_); }
  Momentum momentum(const State& x) { return compute_momentum(model_, x, rnea_); }
  Vector3d center_of_mass(const State& x) { return compute_center_of_mass(model_, kinematics(x)); }

 private:
  const Model& model_;
  RneaWorkspace rnea_;
  AbaWorkspace aba_;
  CrbaWorkspace crba_;
  KinematicsWorkspace kin_;
};

// Names of the forward dynamics algorithms for general models: all but `book`.
inline std::vector<std::string> general_algorithms() {
  std::vector<std::string> names = forward_dynamics_names();
  std::erase(names, "book");
  return names;
}

// Every node and frame of a model.
inline std::vector<NodeRef> all_nodes(const Model& model) {
  std::vector<NodeRef> nodes;
  for (int i = 1; i < model.body_count(); ++i) {
    for (int k = kBodyFrame; k < static_cast<int>(model.body(i).nodes.size()); ++k) nodes.push_back({i, k});
  }
  return nodes;
}

// Error bound of a force accurate to rounding: every term of M vdot + h passes through at most `bodies` frames, and
// each transformation rounds a dozen products of its size.
inline double force_bound(const Model& model, const MatrixXd& M, const VectorXd& vdot, double h) {
  return 16 * kEps * model.body_count() * (M.norm() * vdot.norm() + h);
}

}  // namespace limber::test
