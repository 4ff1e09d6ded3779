// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/equilibrium.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/model/manifold.hpp"
#include "limber/spatial/detail/text.hpp"

namespace limber {
namespace {

constexpr int kMaxSpeeds = 10000;  // the tangent is dense
constexpr int kMaxIterations = 300;
constexpr double kBalanced = 1e-11;   // residual beside the largest force that acts
constexpr double kDifference = 1e-6;  // of a coordinate: forces are good to 1e-16, so the tangent is to 1e-10
constexpr double kLongestMove = 0.5;  // rad or m per iteration: Newton's steps are local
constexpr double kNeutral = 1e-10;    // stiffness beside the largest that counts as none

class Balance {
 public:
  Balance(const Model& model, const Inputs& inputs, const State& start)
      : model_(model), ws_(model), crba_(model), closures_(model), x_(start), trial_(start) {
    tau_.setZero(model.nv);
    gather(inputs);
    for (const NodeRef node : closures_.nodes) wrenches_.push_back({node, Vector6::Zero(), Frame::world});
    lambda_.setZero(closures_.count());
    std::vector<bool> held(model.nv, false);
    for (const MotionInput& input : inputs.motions) {
      const Joint& joint = model.joints[input.joint];
      for (std::size_t k = 0; k < input.motion.size(); ++k) held[joint.v + k] = true;
    }
    for (int k = 0; k < model.nv; ++k) {
      if (!held[k]) free_.push_back(k);
    }
    x_.v.setZero();
    trial_ = x_;
    dv_ = none_ = force_ = VectorX::Zero(model.nv);
    mass_.resize(model.nv, model.nv);
  }

  Equilibrium solve();

 private:
  VectorX move_closed(const MatrixX& K, const MatrixX& M, const VectorX& r, bool& stable, double& left);

  // What stays the same: constant inputs.
  void gather(const Inputs& inputs) {
    for (const SpeedInput& input : inputs.speeds) {
      if (input.force.is_constant()) tau_[input.speed] += input.force.at(0).value;
    }
    for (const WrenchInput& input : inputs.wrenches) {
      NodeWrench wrench{input.at, Vector6::Zero(), input.frame};
      for (int k = 0; k < 6; ++k) {
        if (input.wrench[k].is_constant()) wrench.wrench[k] = input.wrench[k].at(0).value;
      }
      wrenches_.push_back(wrench);
    }
    Vector3 gravity = model_.gravity;
    for (const GravityInput& input : inputs.gravities) {
      for (int k = 0; k < 3; ++k) gravity[k] += input.gravity[k].is_constant() ? input.gravity[k].at(0).value : 0;
    }
    set_gravity(gravity, ws_.kin);
  }

  // Closures pull with their multipliers.
  void set_closures(const State& x) {
    if (closures_.count() == 0) return;
    compute_kinematics(model_, x, ws_.kin);
    compute_world_poses(model_, ws_.kin);
    compute_closures(model_, ws_.kin, closures_);
    const std::size_t first = wrenches_.size() - closures_.nodes.size();
    for (std::size_t k = first; k < wrenches_.size(); ++k) wrenches_[k].wrench.setZero();
    for (int i = 0; i < closures_.count(); ++i) {
      const std::size_t at = first + 2 * static_cast<std::size_t>(closures_.rows[i].closure);
      wrenches_[at].wrench += closures_.on_a.col(i) * lambda_[i];
      wrenches_[at + 1].wrench += closures_.on_b.col(i) * lambda_[i];
    }
  }

  // Derivatives of the errors of closures by the free coordinates, at x_.
  MatrixX closure_jacobian() {
    set_closures(x_);
    MatrixX all(closures_.count(), model_.nv);
    Matrix6X scratch(6, model_.nv);
    compute_closure_jacobian(model_, ws_.kin, closures_, scratch, all);
    return all(Eigen::all, free_);
  }

  // Forces on the free speeds at rest.
  VectorX force(const State& x) {
    set_closures(x);
    rnea(model_, x, none_, wrenches_, ws_, force_);
    force_ = tau_ - force_;
    for (int i = 1; i < model_.body_count(); ++i) {
      const Joint& joint = model_.joints[i];
      if (!joint.stop) continue;
      const double q = x.q[joint.q];
      force_[joint.v] -=
          joint.stop->stiffness * (std::max(0.0, q - joint.stop->upper) - std::max(0.0, joint.stop->lower - q));
    }
    return force_(free_);
  }

  void displace(const State& from, int k, double by, State& to) {
    dv_.setZero();
    dv_[k] = by;
    move(model_, from.q, dv_, to.q);
  }

  // - d force / d q, column by column.
  MatrixX tangent() {
    MatrixX K(free_.size(), free_.size());
    for (std::size_t j = 0; j < free_.size(); ++j) {
      displace(x_, free_[j], kDifference, trial_);
      K.col(j) = force(trial_);
      displace(x_, free_[j], -kDifference, trial_);
      K.col(j) = (force(trial_) - K.col(j)) / (2 * kDifference);
    }
    return K;
  }

  // The forces that act, each for itself: what the residual is compared with.
  double acting() {
    State rest = x_;
    for (int i = 1; i < model_.body_count(); ++i) {
      rest.q.segment(model_.first_mode_q(i), model_.body(i).modes).setZero();
    }
    double largest = force(rest).lpNorm<Eigen::Infinity>();
    for (int i = 1; i < model_.body_count(); ++i) {
      const Body& body = model_.body(i);
      if (body.modes == 0) continue;
      const VectorX elastic = body.stiffness * x_.q.segment(model_.first_mode_q(i), body.modes);
      largest = std::max(largest, elastic.lpNorm<Eigen::Infinity>());
    }
    return std::max(largest, tau_.lpNorm<Eigen::Infinity>());
  }

  [[noreturn]] void refuse(const VectorX& r, int iterations) const {
    int worst = 0;
    r.cwiseAbs().maxCoeff(&worst);
    throw InputError("no static equilibrium was found: after " + std::to_string(iterations) + " iterations '" +
                     model_.speeds[free_[worst]] + "' keeps a force of " + text(r[worst]) +
                     "; hold the machine by a joint, a spring or a prescribed motion, start nearer to it, or write "
                     "equilibrium: false");
  }

  const Model& model_;
  RneaWorkspace ws_;
  CrbaWorkspace crba_;
  ClosureWorkspace closures_;
  VectorX lambda_;  // of closures
  State x_, trial_;
  VectorX tau_, dv_, none_, force_;
  std::vector<NodeWrench> wrenches_;
  std::vector<int> free_;
  MatrixX mass_;
};

// Where the tangent is not positive definite, so much of the mass matrix is added that it becomes so: then the move
// goes downhill, away from unstable equilibria.
VectorX downhill(const MatrixX& K, const MatrixX& M, const VectorX& r, bool& stable) {
  const MatrixX symmetric = 0.5 * (K + K.transpose());
  double stiffest = 0;
  for (Eigen::Index k = 0; k < K.rows(); ++k) stiffest = std::max(stiffest, std::abs(K(k, k)) / M(k, k));
  const double pushed = r.cwiseAbs().cwiseQuotient(M.diagonal()).maxCoeff();
  double shift = std::max({kNeutral * stiffest, 1e-12 * pushed, std::numeric_limits<double>::min()});
  stable = Eigen::LLT<MatrixX>(symmetric + shift * M).info() == Eigen::Success;
  if (stable) return (K + shift * M).partialPivLu().solve(r);
  for (shift = std::max(shift, 1e-6 * stiffest);; shift *= 10) {
    const Eigen::LLT<MatrixX> llt(symmetric + shift * M);
    if (llt.info() == Eigen::Success) return (symmetric + 2 * shift * M).llt().solve(r);
    if (!std::isfinite(shift)) return VectorX::Constant(r.size(), std::numeric_limits<double>::quiet_NaN());
  }
}

// With closures: the errors of these, C, go; what is left moves in the directions Z that they allow; and the
// multipliers take the forces across.
VectorX Balance::move_closed(const MatrixX& K, const MatrixX& M, const VectorX& r, bool& stable, double& left) {
  const MatrixX C = closure_jacobian();
  const Eigen::ColPivHouseholderQR<MatrixX> across(C.transpose());
  const MatrixX Q = across.householderQ();
  const MatrixX Z = Q.rightCols(Q.cols() - across.rank());
  const VectorX back = C.completeOrthogonalDecomposition().solve(-closures_.error);
  VectorX by = back;
  left = closures_.error.size() > 0 ? closures_.error.lpNorm<Eigen::Infinity>() : 0;
  if (Z.cols() > 0) {
    left = std::max(left, (Z.transpose() * r).lpNorm<Eigen::Infinity>());
    by += Z * downhill(Z.transpose() * K * Z, Z.transpose() * M * Z, Z.transpose() * (r - K * back), stable);
  }
  lambda_ += C.transpose().completeOrthogonalDecomposition().solve(K * by - r);
  return by;
}

Equilibrium Balance::solve() {
  Equilibrium out;
  VectorX r = force(x_);
  bool polished = false;
  for (; !free_.empty(); ++out.iterations) {
    const double scale = acting();
    double left = r.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(left) || out.iterations >= kMaxIterations) refuse(r, out.iterations);
    crba(model_, x_, crba_, mass_);
    const MatrixX K = tangent(), M = mass_(free_, free_);
    VectorX move_by = closures_.count() > 0 ? move_closed(K, M, r, out.stable, left) : downhill(K, M, r, out.stable);
    out.residual = scale > 0 ? left / scale : 0;
    if (polished || left == 0) break;
    const double longest = move_by.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(longest)) refuse(r, out.iterations);
    move_by = move_by.cwiseMin(kLongestMove).cwiseMax(-kLongestMove).eval();
    // The last step that Newton's method can do: from there on it is rounding.
    polished = left <= kBalanced * scale && longest <= kLongestMove;
    dv_.setZero();
    dv_(free_) = move_by;
    move(model_, x_.q, dv_, x_.q);
    r = force(x_);
  }
  out.x = x_;
  return out;
}

}  // namespace

Equilibrium find_equilibrium(const Model& model, const Inputs& inputs, const State& start) {
  check_inputs(model, inputs);
  if (model.nv > kMaxSpeeds) {
    throw InputError("the static equilibrium of " + std::to_string(model.nv) + " coordinates is too large; at most " +
                     std::to_string(kMaxSpeeds) + ", write equilibrium: false");
  }
  State x = start;
  System system(model, inputs);
  system.select_interval(start.t);
  system.prescribe(x);
  system.assemble(x);
  Equilibrium out = Balance(model, inputs, x).solve();
  system.prescribe(out.x);
  system.assemble(out.x);
  return out;
}

}  // namespace limber
