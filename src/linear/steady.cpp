// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/linear/steady.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "limber/dynamics/elements.hpp"
#include "limber/model/manifold.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "motion_matrix.hpp"

namespace limber {
namespace {

constexpr double kFullTurn = 2 * std::numbers::pi;
constexpr int kFirstPoints = 17, kMaxPoints = 133;
constexpr int kMaxNewton = 30;
constexpr double kStepDone =
    1e-11;  // of a displacement, relative to one radian of the rotor; in the norm of the mass matrix
constexpr double kStalled = 1e-8;  // below this, steps that no longer decrease are rounding
constexpr double kTail = 1e-10;    // of the highest harmonics, likewise

// Derivative in 2 pi t / period of the trigonometric polynomial through an odd number of points (Trefethen, Spectral
// Methods in MATLAB, SIAM 2000, chapter 3, for an odd number).
MatrixXd fourier_derivative(int points) {
  MatrixXd D = MatrixXd::Zero(points, points);
  for (int i = 0; i < points; ++i)
    for (int j = 0; j < points; ++j)
      if (i != j) D(i, j) = ((i - j) % 2 == 0 ? 0.5 : -0.5) / std::sin((i - j) * kFullTurn / 2 / points);
  return D;
}

// Interpolates at a fraction of the period; odd number of points.
VectorXd interpolate(const MatrixXd& values, double share) {
  const auto points = static_cast<double>(values.cols());
  VectorXd weights(values.cols());
  for (Eigen::Index k = 0; k < values.cols(); ++k) {
    const double angle = kFullTurn * (share - static_cast<double>(k) / points);
    const double below = points * std::sin(angle / 2);
    weights[k] = std::abs(below) < 1e-14 * points ? 1 : std::sin(points * angle / 2) / below;
  }
  return values * weights;
}

// Newton's method for the motion at the collocation points.
class Collocation {
 public:
  Collocation(const Model& model, const RotorOptions& options, SteadyMotion& motion)
      : model_(model), options_(options), motion_(motion), matrix_(model, options) {}

  void set_points(int points) {
    MatrixXd at(model_.nv, points);
    for (int k = 0; k < points; ++k) at.col(k) = interpolate(motion_.deviations, static_cast<double>(k) / points);
    motion_.deviations = std::move(at);
    D_ = std::abs(motion_.speed) * fourier_derivative(points);
    states_.assign(static_cast<std::size_t>(points), make_zero_state(model_));
    A_.resize(states_.size());
  }

  // True: converged.
  bool solve(bool least_norm) {
    double residual = evaluate(), last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < kMaxNewton; ++k) {
      const VectorXd step = newton_step(least_norm);
      if (!step.allFinite()) return false;
      const MatrixXd before = motion_.deviations;
      const double torque = motion_.torque, old = residual;
      double share = 1;
      for (int halved = 0; halved < 10; ++halved, share /= 2) {
        motion_.deviations = before;
        take(step, share, torque);
        residual = try_evaluate();
        if (residual < old || size(step) < kStepDone) break;
      }
      ++motion_.iterations;
      if (!(residual < std::numeric_limits<double>::infinity())) return false;
      const double moved = size(step);
      if (share == 1 && (moved < kStepDone || (moved < kStalled && moved > last / 2))) return true;
      last = moved;
    }
    return false;
  }

  // The largest amplitude in the upper third of the harmonics, relative to one radian of the rotor.
  double tail() const {
    const auto points = static_cast<int>(motion_.deviations.cols());
    double out = 0;
    for (int h = points / 3; h <= points / 2; ++h) {
      VectorXd re = VectorXd::Zero(matrix_.coordinates()), im = re;
      for (int k = 0; k < points; ++k) {
        const VectorXd y = motion_.deviations.col(k)(matrix_.free());
        re += std::cos(h * k * kFullTurn / points) / points * y;
        im += std::sin(h * k * kFullTurn / points) / points * y;
      }
      out = std::max(out, std::sqrt(re.dot(M_ * re) + im.dot(M_ * im)) / scale_);
    }
    return out;
  }

 private:
  // The residual; infinite if the step left the domain of the model.
  double try_evaluate() {
    try {
      const double residual = evaluate();
      return std::isfinite(residual) ? residual : std::numeric_limits<double>::infinity();
    } catch (const InputError&) {
      return std::numeric_limits<double>::infinity();
    }
  }

  // Evaluates states, accelerations and A at all points; returns the squared norm of the residual.
  double evaluate() {
    const Eigen::Index points = motion_.deviations.cols();
    const MatrixXd rates = motion_.deviations * D_.transpose();
    motion_.speeds.resize(model_.nv, points);
    MatrixXd a(matrix_.coordinates(), points);
    for (Eigen::Index k = 0; k < points; ++k) {
      State& x = states_[static_cast<std::size_t>(k)];
      VectorXd y = motion_.deviations.col(k), rate = rates.col(k);
      y[motion_.rotor_speed] += kFullTurn * static_cast<double>(k) / static_cast<double>(points) * sign();
      rate[motion_.rotor_speed] += motion_.speed;
      chart_point(model_, motion_.start, y, x.q);
      x.v = speeds_of(x.q, y, rate);
      motion_.speeds.col(k) = x.v;
      matrix_.compute(x, motion_.torque, A_[static_cast<std::size_t>(k)]);
      a.col(k) = matrix_.acceleration()(matrix_.free());
      if (options_.free) by_torque_.conservativeResize(matrix_.coordinates(), points);
      if (options_.free) by_torque_.col(k) = matrix_.by_torque();
    }
    if (M_.size() == 0) set_scale();
    missing_ = (motion_.speeds * D_.transpose())(matrix_.free(), Eigen::all) - a;
    double sum = 0;
    for (Eigen::Index k = 0; k < points; ++k) sum += missing_.col(k).dot(M_ * missing_.col(k));
    return sum;
  }

  double sign() const { return motion_.speed > 0 ? 1 : -1; }

  // The speeds with the given rates in the chart.
  VectorXd speeds_of(const VectorXd& q, const VectorXd& y, const VectorXd& rate) const {
    if (model_.nq == model_.nv) return rate;
    MatrixXd map(model_.nv, model_.nv);
    VectorXd column(model_.nv);
    for (int k = 0; k < model_.nv; ++k) {
      chart_rate(model_, q, y, VectorXd::Unit(model_.nv, k), column);
      map.col(k) = column;
    }
    return Lu(map).solve(rate);
  }

  // Displacements are scaled by one radian of the rotor, in the norm of the mass matrix.
  void set_scale() {
    M_ = matrix_.mass(states_[0]);
    CrbaWorkspace crba_ws(model_);
    MatrixXd all(model_.nv, model_.nv);
    crba(model_, states_[0], crba_ws, all);
    const double inertia = all(motion_.rotor_speed, motion_.rotor_speed);
    scale_ = inertia > 0 ? std::sqrt(inertia) : 1;
  }

  double size(const VectorXd& step) const {
    double most = 0;
    const Eigen::Index n = matrix_.coordinates(), points = motion_.deviations.cols();
    for (Eigen::Index k = 0; k < points; ++k) {
      const VectorXd at = step.segment(k * n, n);
      most = std::max(most, at.dot(M_ * at));
    }
    return std::sqrt(most) / scale_;
  }

  // With dv = D dq - Aqq dq:  (D - Avv)(D - Aqq) dq - Avq dq = a - D v; for a free rotor also its torque, and zero mean
  // angle.
  VectorXd newton_step(bool least_norm) const {
    const Eigen::Index n = matrix_.coordinates(), points = motion_.deviations.cols(), more = options_.free ? 1 : 0;
    const MatrixXd D2 = D_ * D_;
    MatrixXd J = MatrixXd::Zero(n * points + more, n * points + more);
    VectorXd rhs = VectorXd::Zero(n * points + more);
    for (Eigen::Index j = 0; j < points; ++j) {
      const MatrixXd& A = A_[static_cast<std::size_t>(j)];
      for (Eigen::Index k = 0; k < points; ++k) {
        auto block = J.block(j * n, k * n, n, n);
        block = -D_(j, k) * (A_[static_cast<std::size_t>(k)].topLeftCorner(n, n) + A.bottomRightCorner(n, n));
        block.diagonal().array() += D2(j, k);
      }
      J.block(j * n, j * n, n, n) += A.bottomRightCorner(n, n) * A.topLeftCorner(n, n) - A.bottomLeftCorner(n, n);
      rhs.segment(j * n, n) = -missing_.col(j);
      if (more == 0) continue;
      J.col(n * points).segment(j * n, n) = -by_torque_.col(j);
      J(n * points, j * n + matrix_.place()[static_cast<std::size_t>(motion_.rotor_speed)]) = 1;
      rhs[n * points] -= motion_.deviations(motion_.rotor_speed, j);
    }
    return least_norm ? solve_least_norm(J, rhs) : Lu(J).solve(rhs);
  }

  void take(const VectorXd& step, double share, double torque) {
    const Eigen::Index n = matrix_.coordinates(), points = motion_.deviations.cols();
    VectorXd dq = VectorXd::Zero(model_.nv), q(model_.nq), y(model_.nv);
    for (Eigen::Index k = 0; k < points; ++k) {
      dq(matrix_.free()) = share * step.segment(k * n, n);
      chart_point(model_, motion_.start, motion_.deviations.col(k), q);
      move(model_, q, dq, q);
      chart_coordinates(model_, motion_.start, q, y);
      motion_.deviations.col(k) = y;
    }
    if (options_.free) motion_.torque = torque + share * step[n * points];
  }

  const Model& model_;
  const RotorOptions& options_;
  SteadyMotion& motion_;
  MotionMatrix matrix_;
  MatrixXd D_, M_, missing_, by_torque_;
  double scale_ = 1;
  std::vector<State> states_;
  std::vector<MatrixXd> A_;
};

}  // namespace

double SteadyMotion::period() const { return kFullTurn / std::abs(speed); }

State SteadyMotion::at(const Model& model, double t) const {
  State x = make_zero_state(model);
  x.t = t;
  VectorXd y = interpolate(deviations, t / period());
  y[rotor_speed] += speed * t;
  chart_point(model, start, y, x.q);
  x.v = interpolate(speeds, t / period());
  return x;
}

void check_rotor(const Model& model, const State& start, const RotorOptions& options) {
  check_state(model, start);
  if (has_elements(model))
    throw InputError("rotor: steady rotation does not support force elements and contacts; remove them from the model");
  if (options.rotor <= 0 || options.rotor >= model.body_count()) throw InputError("rotor: there is no such joint");
  const Joint& joint = model.joints[options.rotor];
  if (joint.kind != JointKind::revolute || joint.stop || (joint.stiffness.size() > 0 && joint.stiffness[0] != 0))
    throw InputError("rotor: joint '" + joint.name +
                     "' cannot rotate without limit; name a revolute one without spring and " + "travel limits");
  if (!options.held.empty() && options.held.size() != model.bodies.size())
    throw InputError("rotor: `held` needs one entry per body, or none");
  if (!options.held.empty() && options.held[static_cast<std::size_t>(options.rotor)] != 0)
    throw InputError("rotor: joint '" + joint.name + "' is the rotor and cannot be held; its speed is given");
  if (options.tau.size() != 0 && options.tau.size() != model.nv)
    throw InputError("rotor: tau needs " + std::to_string(model.nv) + " numbers, or none");
  if (!model.closures.empty())
    throw InputError("rotor: steady motions of closed chains are not computed; leave closure '" +
                     model.closures[0].name + "' out");
}

MotionMatrix::MotionMatrix(const Model& model, const RotorOptions& options)
    : model_(model),
      options_(options),
      rotor_speed_(model.joints[options.rotor].v),
      held_(options.held),
      ws_(model),
      crba_(model),
      by_q_(model.nv, model.nv),
      by_v_(by_q_),
      by_tau_(by_q_),
      M_(by_q_),
      vdot_(model.nv) {
  held_.resize(model.bodies.size(), 0);
  if (!options.free) held_[static_cast<std::size_t>(options.rotor)] = 1;
  free_ = free_speeds(model, held_, place_);
}

void MotionMatrix::compute(const State& x, double rotor_torque, MatrixXd& A) {
  tau_ = options_.tau.size() == 0 ? VectorXd::Zero(model_.nv) : options_.tau;
  if (options_.free) tau_[rotor_speed_] += rotor_torque;
  vdot_.setZero();
  check_solved(
      model_, forward_derivatives(model_, x, Forces{tau_, options_.wrenches}, held_, ws_, vdot_, by_q_, by_v_, by_tau_),
      ws_.failure());
  const int n = coordinates();
  A.setZero(2 * n, 2 * n);
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = by_q_(free_, free_);
  A.bottomRightCorner(n, n) = by_v_(free_, free_);
  add_frame_rates(model_, x, place_, A);
}

VectorXd MotionMatrix::by_torque() const { return by_tau_.col(rotor_speed_)(free_); }

MatrixXd MotionMatrix::mass(const State& x) {
  crba(model_, x, crba_, M_);
  return M_(free_, free_);
}

SteadyMotion find_steady_motion(const Model& model, const State& start, const RotorOptions& options, double speed,
                                const SteadyMotion* guess) {
  check_rotor(model, start, options);
  const Joint& joint = model.joints[options.rotor];
  if (!std::isfinite(speed) || speed == 0) throw InputError("rotor: a steady motion needs a speed other than zero");
  SteadyMotion motion;
  for (const bool least_norm : {false, true}) {
    motion = {speed, 0, joint.v, start.q, MatrixXd::Zero(model.nv, 1), {}, 0};
    if (guess != nullptr && !least_norm) {
      motion.torque = guess->torque;
      motion.start = guess->start;
      motion.deviations = guess->deviations;
    }
    Collocation points(model, options, motion);
    bool found = true;
    for (int count = kFirstPoints; found && count <= kMaxPoints; count = 2 * count - 1) {
      points.set_points(count);
      found = points.solve(least_norm);
      if (found && points.tail() < kTail) return motion;
    }
  }
  throw NumericalError(
      fmt::format("no steady motion of the machine was found at {} rad/s of '{}': a joint drifts away (hold it), or a "
                  "multiple of the speed meets a resonance (leave this speed out)",
                  speed, joint.name));
}

}  // namespace limber
