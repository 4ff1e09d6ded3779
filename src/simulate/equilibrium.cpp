// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/equilibrium.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/detail/closures.hpp"
#include "limber/dynamics/detail/derivatives.hpp"
#include "limber/dynamics/elements.hpp"
#include "limber/dynamics/statics.hpp"
#include "limber/model/detail/layout.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/elements.hpp"
#include "limber/model/manifold.hpp"
#include "limber/model/segments.hpp"
#include "limber/model/slider.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/detail/text.hpp"
#include "simulate/drive_limits.hpp"

// Newton's method with the exact tangent stiffness K, regularised as pseudo-transient continuation (Kelley & Keyes,
// SIAM J. Numer. Anal. 35, 1998): each step solves (K + sigma M) dq = r, one implicit Euler step of the gradient flow M
// dq/ds = r of length 1/sigma.  Where K is positive definite, sigma is zero and the steps are Newton's.  Elsewhere
// sigma makes K + sigma M positive definite, and the step is a descent direction, away from unstable equilibria.
// Trees: O(N) per step.
namespace limber {
namespace {

constexpr int kMaxClosedSpeeds = 3000;  // the tangent of a closed chain is dense
constexpr int kMaxIterations = 300;
constexpr double kBalanced = 1e-12;   // residual relative to the forces that cancel in it
constexpr double kClosed = 1e-12;     // m or rad: errors of closures
constexpr double kLongestMove = 0.5;  // rad or m per step: Newton's method converges only locally
constexpr double kNeutral = 1e-10;    // closed chains: stiffness relative to the largest that counts as zero
constexpr double kOvershoot = 0.9;    // largest ratio of the force along a step, reversed at its end, to that at its
                                      // start; above it the step is too long
constexpr double kOnward =
    0.3;  // smallest ratio of the force along a step, not reversed, at which a regularised step may be longer

class Balance {
 public:
  Balance(const Model& model, const Inputs& inputs, const State& start)
      : model_(model), tangent_(model), closures_(model), x_(start), kin_(model) {
    tau_.setZero(model.nv);
    dq_ = added_ = r_ = tau_;
    prescribed_.assign(model.bodies.size(), 0);
    for (const MotionInput& input : inputs.motions) prescribed_[static_cast<std::size_t>(input.joint)] = 1;
    for (int i = 1; i < model.body_count(); ++i) {
      const int hinges = speed_count(model.joints[i].kind), end = hinges + model.body(i).modes;
      for (int k = prescribed_[static_cast<std::size_t>(i)] != 0 ? hinges : 0; k < end; ++k)
        free_.push_back(model.joints[i].v + k);
      if (const int motor = motor_index(model, i).v; motor >= 0) free_.push_back(motor);
    }
    gather(inputs);
    if (has_elements(model)) {
      loads_ = std::make_unique<ElementLoads>(model);
      loads_->set_frictionless();
      first_load_ = wrenches_.size();
      for (const NodeRef node : loads_->nodes()) wrenches_.push_back({node, Vector6::Zero(), Frame::world});
    }
    for (const NodeRef node : closures_.nodes) wrenches_.push_back({node, Vector6::Zero(), Frame::world});
    lambda_.setZero(closures_.count());
    x_.v.setZero();
  }

  Equilibrium solve();

 private:
  // Collects the constant inputs.
  void gather(const Inputs& inputs) {
    for (const SpeedInput& input : inputs.speeds) {
      if (input.force.is_constant()) tau_[input.speed] += force_of_command(model_, input, input.force.at(0).value, 0);
    }
    for (const WrenchInput& input : inputs.wrenches) {
      NodeWrench wrench{input.at, Vector6::Zero(), input.frame};
      for (int k = 0; k < 6; ++k) {
        if (input.wrench[k].is_constant()) wrench.wrench[k] = input.wrench[k].at(0).value;
      }
      wrenches_.push_back(wrench);
    }
    commands_.assign(model_.elements ? model_.elements->list.size() : 0, 0);
    for (const ElementInput& input : inputs.elements) {
      if (input.force.is_constant()) commands_[static_cast<std::size_t>(input.element)] += input.force.at(0).value;
    }
    gravity_ = model_.gravity;
    for (const GravityInput& input : inputs.gravities) {
      for (int k = 0; k < 3; ++k) gravity_[k] += input.gravity[k].is_constant() ? input.gravity[k].at(0).value : 0;
    }
  }

  void set_kinematics(const State& x) {
    compute_kinematics(model_, x, kin_);
    compute_world_poses(model_, kin_);
  }

  // Elements and contacts, in the phases given by the configuration.
  void set_loads(const State& x) {
    if (!loads_) return;
    set_kinematics(x);
    loads_->update(x, kin_);
    loads_->compute(x, kin_, commands_);
    std::copy(loads_->wrenches().begin(), loads_->wrenches().end(),
              wrenches_.begin() + static_cast<std::ptrdiff_t>(first_load_));
  }

  // Closure forces by their multipliers.
  void set_closures(const State& x) {
    if (closures_.count() == 0) return;
    set_kinematics(x);
    compute_closures(model_, kin_, closures_);
    const std::size_t first = wrenches_.size() - closures_.nodes.size();
    for (std::size_t k = first; k < wrenches_.size(); ++k) wrenches_[k].wrench.setZero();
    for (int i = 0; i < closures_.count(); ++i) {
      const std::size_t at = first + 2 * static_cast<std::size_t>(closures_.rows[i].closure);
      wrenches_[at].wrench += closures_.on_a.col(i) * lambda_[i];
      wrenches_[at + 1].wrench += closures_.on_b.col(i) * lambda_[i];
    }
  }

  // Forces on the speeds at rest, r_, and the stiffness of stops in contact, added_.
  void set_forces(const State& x) {
    set_closures(x);
    set_loads(x);
    tangent_.set(x, gravity_, wrenches_);
    r_ = tau_ - tangent_.forces();
    if (loads_) r_ += loads_->torques();
    set_least_scale();
    added_.setZero();
    for (int i = 1; i < model_.body_count(); ++i) {
      const Joint& joint = model_.joints[i];
      if (!joint.stop) continue;
      const double q = x.q[joint.q];
      const double depth = std::max(0.0, q - joint.stop->upper) - std::max(0.0, joint.stop->lower - q);
      r_[joint.v] -= joint.stop->stiffness * depth;
      if (depth != 0) added_[joint.v] = joint.stop->stiffness;
    }
  }

  // The size of the terms that cancel in r_; at least the rounding error of the largest force, which affects all
  // speeds.
  double scale(int speed) const {
    return std::max(tangent_.scale()[speed] + std::abs(tau_[speed]) + (loads_ ? std::abs(loads_->torques()[speed]) : 0),
                    least_scale_ * std::sqrt(tangent_.mass()[speed]));
  }
  void set_least_scale() {
    constexpr double kReach = 1e-3;  // times kBalanced: a few rounding errors
    least_scale_ = 0;
    for (const int k : free_)
      least_scale_ = std::max(least_scale_, kReach * tangent_.scale()[k] / std::sqrt(tangent_.mass()[k]));
    if (!std::isfinite(least_scale_)) least_scale_ = 0;
  }

  // The largest residual of the free speeds relative to the terms that cancel in it.
  double imbalance() const {
    double largest = 0;
    for (const int k : free_) {
      if (r_[k] != 0)
        largest = std::max(largest, std::abs(r_[k]) / std::max(scale(k), std::numeric_limits<double>::min()));
    }
    return largest;
  }

  // The largest joint displacement in d, rad or m, or node rotation by the modes of its body.
  double longest_move(const VectorXd& d) const {
    double longest = std::numeric_limits<double>::min();
    for (int i = 1; i < model_.body_count(); ++i) {
      const int hinges = speed_count(model_.joints[i].kind);
      if (hinges > 0) longest = std::max(longest, d.segment(model_.joints[i].v, hinges).lpNorm<Eigen::Infinity>());
      if (!find_segmented(model_, i)) continue;
      for (const Node& node : model_.body(i).nodes)
        longest = std::max(longest, (node.turn * d.segment(model_.first_mode(i), model_.body(i).modes)).norm());
    }
    if (!std::isfinite(d.sum())) refuse();
    return longest;
  }

  // A motor with backlash rests where its torque twists the transmission, on the side of contact; with zero torque
  // anywhere within the backlash.
  void settle_motors() {
    for_motors(*model_.layout, [&](const Link& link, int q, int m) {
      const double gap = link.motor.gap;
      if (gap == 0) return;
      const double torque = link.motor.ratio * tau_[m];
      const double twist = torque == 0 ? std::clamp(link.motor.twist(&x_.q[link.q]), -gap, gap)
                                       : torque / link.motor.stiffness + std::copysign(gap, torque);
      x_.q[q] = link.motor.ratio * (x_.q[link.q] + twist);
    });
  }

  // Moves from `from` by t d; returns the force along d there.
  double try_step(const State& from, const VectorXd& d, double t) {
    dq_ = t * d;
    move(model_, from.q, dq_, x_.q);
    settle_motors();
    set_forces(x_);
    return r_(free_).dot(d(free_));
  }

  bool downhill_step(Equilibrium& out);
  double closed_step(Equilibrium& out);
  MatrixXd closed_tangent();

  [[noreturn]] void refuse() const {
    int worst = free_.empty() ? 0 : free_[0];
    for (const int k : free_) {
      if (!(std::abs(r_[k]) * scale(worst) <= std::abs(r_[worst]) * scale(k))) worst = k;
    }
    throw InputError("no static equilibrium was found: after " + std::to_string(iterations_) +
                     " iterations a force of " + text(r_[worst], 4) + " remains on '" + model_.speeds[worst] + "'" +
                     "; hold the machine by a joint, a spring or a prescribed motion, start nearer to it, or write "
                     "equilibrium: false");
  }

  const Model& model_;
  StaticTangent tangent_;
  ClosureData closures_;
  VectorXd lambda_;  // of closures
  std::unique_ptr<ElementLoads> loads_;
  std::size_t first_load_ = 0;  // in wrenches_
  std::vector<double> commands_;
  State x_;
  KinematicsWorkspace kin_;
  Vector3d gravity_ = Vector3d::Zero();
  VectorXd tau_, r_, added_, dq_;  // (nv)
  std::vector<std::uint8_t> prescribed_;
  std::vector<NodeWrench> wrenches_;
  std::vector<int> free_;
  double sigma_ = 0, least_scale_ = 0;
  int iterations_ = 0;
};

// One regularised step of a tree.  It is too long if the force at its end is reversed and about as large as at its
// start: then sigma grows.  It may be longer, being a descent direction, if the force along it hardly decreases.
// Returns true for a full Newton step.
bool Balance::downhill_step(Equilibrium& out) {
  const int unstable = tangent_.solve(0, added_, prescribed_, r_, dq_);
  out.stable = unstable == 0;
  double pushed = 0;  // 1/s^2 per rad or m
  for (const int k : free_) pushed = std::max(pushed, std::abs(r_[k]) / tangent_.mass()[k]);
  const double least = std::max(1e-3 * pushed, 1e-6);
  if (imbalance() <= kBalanced) {
    sigma_ = 0;  // already an equilibrium, stable or not: stay at it
  } else if (unstable > 0) {
    sigma_ = std::max(sigma_, least);
  }
  const State before = x_;
  const VectorXd force = r_;
  for (int tries = 0;; ++tries) {
    while (sigma_ > 0 && std::isfinite(sigma_) && tangent_.solve(sigma_, added_, prescribed_, force, dq_) > 0)
      sigma_ *= 8;
    const VectorXd d = dq_;
    const double farthest = kLongestMove / longest_move(d), begin = force(free_).dot(d(free_));
    double t = std::min(1.0, farthest), end = try_step(before, d, t);
    while (sigma_ > 0 && end > kOnward * begin && 2 * t <= farthest) end = try_step(before, d, t *= 2);
    if (end >= -kOvershoot * std::abs(begin) || imbalance() < 1e-6 || tries >= 20) {
      const bool newton = sigma_ == 0 && t == 1;
      sigma_ = sigma_ > least ? sigma_ / 8 : 0;
      return newton;
    }
    sigma_ = std::max(8 * sigma_, least);
    x_ = before;
    set_forces(x_);
  }
}

// K over the free coordinates; the wrenches of closures follow the nodes.
MatrixXd Balance::closed_tangent() {
  DerivativesWorkspace ws(model_);
  set_gravity(gravity_, ws->rnea.kin);
  MatrixXd K(model_.nv, model_.nv), by_v(model_.nv, model_.nv);
  rnea_derivatives(model_, x_, VectorXd::Zero(model_.nv), wrenches_, ws, K, by_v);
  set_closures(x_);
  if (closures_.count() > 0) subtract_closure_stiffness(model_, kin_, closures_, lambda_, K);
  K += added_.asDiagonal();
  if (loads_) {
    MatrixXd by_q = MatrixXd::Zero(model_.nv, model_.nv);
    const auto rows = static_cast<Eigen::Index>(6 * loads_->nodes().size());
    by_v.setZero();
    set_loads(x_);
    loads_->add_derivatives(x_, kin_, MatrixXd::Zero(rows, model_.nv), by_q, by_v);
    K -= by_q;
  }
  return K(free_, free_);
}

// If the tangent is not positive definite, a sufficient multiple of the mass matrix is added: the step is then a
// descent direction, away from unstable equilibria.
VectorXd downhill(const MatrixXd& K, const MatrixXd& M, const VectorXd& r, bool& stable) {
  const MatrixXd symmetric = 0.5 * (K + K.transpose());
  double stiffest = 0;
  for (Eigen::Index k = 0; k < K.rows(); ++k) stiffest = std::max(stiffest, std::abs(K(k, k)) / M(k, k));
  const double pushed = r.cwiseAbs().cwiseQuotient(M.diagonal()).maxCoeff();
  double shift = std::max({kNeutral * stiffest, 1e-12 * pushed, std::numeric_limits<double>::min()});
  stable = Cholesky(symmetric + shift * M).positive_definite();
  if (stable) return Lu(K + shift * M).solve(r);
  for (shift = std::max(shift, 1e-6 * stiffest);; shift *= 10) {
    if (Cholesky(symmetric + shift * M).positive_definite()) return Cholesky(symmetric + 2 * shift * M).solve(r);
    if (!std::isfinite(shift)) return VectorXd::Constant(r.size(), std::numeric_limits<double>::quiet_NaN());
  }
}

// One step of a closed chain: corrects the closure errors, with Jacobian C; reduces the residual in the null space Z of
// C; and updates the multipliers.  Returns the residual before the step, relative to the terms that cancel in it.
double Balance::closed_step(Equilibrium& out) {
  CrbaWorkspace crba_ws(model_);
  MatrixXd mass(model_.nv, model_.nv), all(closures_.count(), model_.nv);
  crba(model_, x_, crba_ws, mass);
  const MatrixXd K = closed_tangent(), M = mass(free_, free_);
  const bool closed = closures_.count() > 0;
  Matrix6X scratch(6, model_.nv);
  if (closed) compute_closure_jacobian(model_, kin_, closures_, scratch, all);
  const MatrixXd C = all(Eigen::all, free_);
  const VectorXd r = r_(free_);
  VectorXd scales(r.size());
  for (Eigen::Index k = 0; k < r.size(); ++k) scales[k] = scale(free_[static_cast<std::size_t>(k)]);
  const MatrixXd Z = closed ? null_space(C) : MatrixXd::Identity(r.size(), r.size());
  const VectorXd back = closed ? solve_least_norm(C, -closures_.error) : VectorXd::Zero(r.size());
  VectorXd by = back;
  double left = closed ? closures_.error.lpNorm<Eigen::Infinity>() / kClosed * kBalanced : 0;
  if (Z.cols() > 0) {
    const VectorXd along = Z.transpose() * r;
    const VectorXd sizes = (Z.cwiseAbs().transpose() * scales).cwiseMax(std::numeric_limits<double>::min());
    left = std::max(left, along.cwiseAbs().cwiseQuotient(sizes).maxCoeff());
    by += Z * downhill(Z.transpose() * K * Z, Z.transpose() * M * Z, Z.transpose() * (r - K * back), out.stable);
  }
  if (closed) lambda_ += solve_least_norm(C.transpose(), K * by - r);
  VectorXd d = VectorXd::Zero(model_.nv);
  d(free_) = by;
  try_step(State(x_), d, std::min(1.0, kLongestMove / longest_move(d)));
  return left;
}

Equilibrium Balance::solve() {
  Equilibrium out;
  settle_motors();
  set_forces(x_);
  // The tangent of sliders and of force elements is dense as well.
  const bool closed = closures_.count() > 0 || has_sliders(model_) || loads_;
  bool balanced = false;
  for (; !free_.empty(); ++iterations_) {
    if (!std::isfinite(r_.sum()) || iterations_ >= kMaxIterations) refuse();
    out.residual = imbalance();
    if (!closed && out.residual == 0) {
      out.stable = tangent_.solve(0, added_, prescribed_, r_, dq_) == 0;
      break;
    }
    // One more step after the tolerance is met: the last improvement of Newton's method before rounding.
    const bool last = balanced;
    if (closed) {
      out.residual = closed_step(out);
      balanced = out.residual <= kBalanced;
    } else {
      balanced = downhill_step(out) && out.residual <= kBalanced;
    }
    if (last && balanced) break;
  }
  out.iterations = iterations_;
  out.x = x_;
  return out;
}

}  // namespace

Equilibrium find_equilibrium(const Model& model, const Inputs& inputs, const State& start) {
  check_inputs(model, inputs);
  if ((!model.closures.empty() || has_elements(model)) && model.nv > kMaxClosedSpeeds) {
    throw InputError("the static equilibrium of a closed chain, or with force elements, of " +
                     std::to_string(model.nv) + " coordinates is too large; at most " +
                     std::to_string(kMaxClosedSpeeds) + ", write equilibrium: false");
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
