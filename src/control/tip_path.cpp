// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/tip_path.hpp"

#include <string>

#include "limber/dynamics/rnea.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr int kMaxSettling = 100, kMaxSteps = 100;
// Each pass takes accelerations from the motion of the last one: the error shrinks by the square of (rate of the path /
// slowest vibration), while rounding between samples grows by the square of (rate of the samples / slowest vibration).
constexpr int kPasses = 3;
constexpr double kSettled = 1e-12;  // of the modal forces
constexpr double kArrived = 1e-12;  // m

// A time of the path, solved for.
class Follower {
 public:
  Follower(const Model& model, const DrivenJoints& driven, const TipPath& path, const State& start, bool flexible)
      : model_(model), driven_(driven), path_(path), flexible_(flexible), ws_(model), x_(start) {
    x_.v.setZero();
    for (int k = 0; k < 3; ++k) {
      if (path.position[k]) rows_.push_back(k);
    }
    J_.setZero(6, model.nv);
  }

  // DrivenJoints at x_ are the guess; v, a: how they move.
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
  void back_to(const State& x) { x_.q = x.q; }

 private:
  const Model& model_;
  const DrivenJoints& driven_;
  const TipPath& path_;
  bool flexible_;
  RneaWorkspace ws_;
  State x_;
  std::vector<int> rows_;
  Matrix6X J_;
};

}  // namespace

bool settle_modes(const Model& model, const DrivenJoints& driven, ConstVec a, State& x) {
  RneaWorkspace ws(model);
  VectorXd vdot = VectorXd::Zero(model.nv), tau(model.nv);
  for (int k = 0; k < driven.size(); ++k) vdot[driven.v[k]] = a[k];
  for (int i = 1; i < model.body_count(); ++i) x.v.segment(model.first_mode(i), model.body(i).modes).setZero();
  for (int step = 0; step < kMaxSettling; ++step) {
    rnea(model, x, vdot, {}, ws, tau);
    if (!tau.allFinite()) return false;
    double left = 0, acting = 0;
    for (int i = 1; i < model.body_count(); ++i) {
      const Body& body = model.body(i);
      if (body.modes == 0) continue;
      const auto force = tau.segment(model.first_mode(i), body.modes);
      auto eta = x.q.segment(model.first_mode_q(i), body.modes);
      left += force.squaredNorm();
      acting += (body.stiffness * eta).squaredNorm();
      eta -= Cholesky(body.stiffness).solve(VectorXd(force));
    }
    if (left <= kSettled * kSettled * acting || left == 0) return true;
  }
  return false;
}

std::vector<Signal> follow_tip_path(const Model& model, const DrivenJoints& driven, const TipPath& path,
                                    const State& start, bool flexible) {
  const int n = driven.size(), count = path.samples;
  Follower follower(model, driven, path, start, flexible);
  const VectorXd t = VectorXd::LinSpaced(count + 1, 0, path.end);
  MatrixXd q(count + 1, n);
  std::vector<Signal> out(static_cast<std::size_t>(n), Signal(0.0));
  // The deflection depends on the speeds and accelerations of the motion that is looked for: from those of the last
  // pass, at first none.
  VectorXd v = VectorXd::Zero(n), a = v;
  for (int pass = 0; pass < (flexible ? kPasses : 1); ++pass) {
    follower.back_to(start);
    for (int k = 0; k <= count; ++k) {
      for (int j = 0; j < n && pass > 0; ++j) {
        const Jet jet = out[static_cast<std::size_t>(j)].at(t[k], std::min(t[k] + 1e-9, path.end * (1 - 1e-9)));
        v[j] = jet.rate;
        a[j] = jet.acceleration;
      }
      follower.solve(t[k], v, a);
      for (int j = 0; j < n; ++j) q(k, j) = follower.state().q[driven.q[j]];
    }
    for (int j = 0; j < n; ++j) out[static_cast<std::size_t>(j)] = Signal::table(t, q.col(j), Interpolation::quintic);
  }
  return out;
}

}  // namespace limber
