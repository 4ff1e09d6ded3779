// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stable inversion of a flexible arm for its tip: the bounded solution of [Devasia, Chen, Paden 1996], computed as a
// boundary value problem.  On a grid of times, with central differences for speeds and accelerations, the unknowns are
// all coordinates, and the equations at each time are
//   forces of the modes, by rnea = 0;   node on the path;   redundant joints as in the quasi-static motion.
// At rest before and after.  Newton's method with the exact derivatives of the dynamics; its matrix is
// block-tridiagonal.
#include <algorithm>
#include <cmath>
#include <complex>

#include "control/tip_follower.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/derivatives.hpp"
#include "limber/dynamics/elements.hpp"

namespace limber {
namespace {

constexpr int kMaxIterations = 30;
constexpr double kSolved = 1e-10;     // rad, m or modal unit: the last correction
constexpr double kTail = 1e-4;        // of the internal motion; the rest is truncated before and after
constexpr double kOscillates = 1e-3;  // real part of a zero relative to its modulus that counts as zero
constexpr double kMaxIntervals = 2e5;

void check_machine(const Model& model, const DrivenJoints& driven) {
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (speed_count(joint.kind) == 0 || driven.mask[i] != 0) continue;
    throw InputError("joint '" + joint.name +
                     "' is not driven: the inversion for a node needs all joints; drive it, or "
                     "write inversion: static");
  }
}

// Mass matrix, derivatives of the inverse dynamics and Jacobian of the node; `modes`: indices of the modal speeds.
struct Split {
  std::vector<int> modes;
  MatrixXd M, dq, dv;  // (nv x nv)
  MatrixXd J;          // (rows x nv)
};

class Inverter {
 public:
  Inverter(const Model& model, const DrivenJoints& driven, const TipPath& path, const State& start)
      : model_(model),
        driven_(driven),
        path_(path),
        start_(start),
        follower_(model, driven, path_, start, true),
        derivatives_(model),
        crba_(model),
        rnea_(model),
        J_(6, model.nv) {
    for (int i = 1; i < model.body_count(); ++i) {
      for (int k = 0; k < model.body(i).modes; ++k) at_.modes.push_back(model.first_mode(i) + k);
    }
    at_.M = at_.dq = at_.dv = MatrixXd::Zero(model.nv, model.nv);
    at_.J = MatrixXd::Zero(static_cast<Eigen::Index>(follower_.rows().size()), model.nv);
    tau_.setZero(model.nv);
    x_ = start;
    x_.v.setZero();
  }

  double slowest_zero(double t);
  void lay_out(double lead, double after, int per_path);
  void solve();
  // (time x driven coordinate)
  MatrixXd joints() const { return q_(Eigen::all, driven_.v); }
  const VectorXd& times() const { return t_; }

 private:
  VectorXd position(double t) const;
  void evaluate(ConstVec q, ConstVec v, ConstVec a);
  double iterate();

  const Model& model_;
  const DrivenJoints& driven_;
  TipPath path_;
  State start_;
  TipFollower follower_;
  DerivativesWorkspace derivatives_;
  CrbaWorkspace crba_;
  RneaWorkspace rnea_;
  Matrix6X J_;
  Split at_;
  State x_;
  VectorXd tau_, node_;  // of the last evaluate: forces; position of the node
  VectorXd t_;
  MatrixXd q_, guess_;           // (time x coordinate)
  std::vector<MatrixXd> spare_;  // (time) null space of the joints' Jacobian
  double lead_ = 0, h_ = 0;
};

VectorXd Inverter::position(double t) const {
  VectorXd out(at_.J.rows());
  for (Eigen::Index r = 0; r < out.size(); ++r) {
    out[r] = path_.position[static_cast<std::size_t>(follower_.rows()[static_cast<std::size_t>(r)])]
                 ->at(std::clamp(t - lead_, 0.0, path_.end))
                 .value;
  }
  return out;
}

// Evaluates forces, their derivatives and the node, in at_, tau_ and node_.
void Inverter::evaluate(ConstVec q, ConstVec v, ConstVec a) {
  x_.q = q;
  x_.v = v;
  rnea(model_, x_, a, {}, rnea_, tau_);
  crba(model_, x_, crba_, at_.M);
  rnea_derivatives(model_, x_, a, {}, derivatives_, at_.dq, at_.dv);
  const Kinematics& kin = derivatives_.kinematics();
  compute_node_jacobian(model_, kin, path_.node, J_);
  const Vector3d p = node_pose(model_, kin, path_.node).p;
  node_.resize(at_.J.rows());
  for (Eigen::Index r = 0; r < at_.J.rows(); ++r) {
    const int row = follower_.rows()[static_cast<std::size_t>(r)];
    at_.J.row(r) = J_.row(3 + row);
    node_[r] = p[row];
  }
}

// With the node fixed, M_FF + M_FJ dJ/dF and K are those of the internal motion, s^2 (..) + K = 0.  Returns the
// smallest |Re s|.
double Inverter::slowest_zero(double t) {
  const VectorXd none = VectorXd::Zero(driven_.size()), zero = VectorXd::Zero(model_.nv);
  follower_.solve(t, none, none);
  evaluate(follower_.state().q, zero, zero);
  const auto count = static_cast<Eigen::Index>(at_.modes.size());
  if (count == 0) return 0;
  const MatrixXd by_joints = at_.J(Eigen::all, driven_.v);
  MatrixXd yields(driven_.size(), count);  // displacement of the joints per mode
  for (Eigen::Index k = 0; k < count; ++k)
    yields.col(k) = -solve_least_norm(by_joints, at_.J.col(at_.modes[static_cast<std::size_t>(k)]));
  const MatrixXd M = at_.M(at_.modes, at_.modes) + at_.M(at_.modes, driven_.v) * yields;
  const MatrixXd K = at_.dq(at_.modes, at_.modes) + at_.dq(at_.modes, driven_.v) * yields;
  double slowest = 0;
  for (const std::complex<double>& mu : eigenvalues_general(Lu(K).solve(M))) {
    if (std::abs(mu) < 1e-14) continue;  // no inertia: quasi-static
    const std::complex<double> s = std::sqrt(-1.0 / mu);
    if (std::abs(s.real()) < kOscillates * std::abs(s)) {
      throw InputError("with the node on its path the arm vibrates at " + text(std::abs(s) / 6.283185307179586, 3) +
                       " Hz without decaying either way: there is no bounded inversion; choose another node or other "
                       "components, or write inversion: static");
    }
    slowest = slowest == 0 ? std::abs(s.real()) : std::min(slowest, std::abs(s.real()));
  }
  return slowest;
}

// The grid of times, and the motion of the arm under gravity deflection alone.
void Inverter::lay_out(double lead, double after, int per_path) {
  lead_ = lead;
  const double total = lead + path_.end + after;
  const double count = std::ceil(total / path_.end * per_path);
  if (!(count < kMaxIntervals)) {
    throw InputError("the inversion needs " + text(total, 3) + " s in " + text(count, 3) +
                     " intervals; lower samples, or give a shorter lead");
  }
  t_ = VectorXd::LinSpaced(static_cast<Eigen::Index>(count) + 1, 0, total);
  h_ = t_[1];
  q_.setZero(t_.size(), model_.nv);
  const VectorXd none = VectorXd::Zero(driven_.size());
  follower_.back_to(start_);
  spare_.clear();
  for (Eigen::Index k = 0; k < t_.size(); ++k) {
    follower_.solve(std::clamp(t_[k] - lead, 0.0, path_.end), none, none);
    q_.row(k) = follower_.state().q.transpose();
    if (driven_.size() > at_.J.rows()) {
      const VectorXd zero = VectorXd::Zero(model_.nv);
      evaluate(follower_.state().q, zero, zero);
      spare_.push_back(null_space(at_.J(Eigen::all, driven_.v)));
    }
  }
  guess_ = q_;
}

// One Newton step by block elimination; the forward sweep stores, for each time, dq_k = right_k - upper_k dq_{k+1}.
double Inverter::iterate() {
  const int n = model_.nv;
  const Eigen::Index count = t_.size(), rows = at_.J.rows(), modes = static_cast<Eigen::Index>(at_.modes.size());
  std::vector<MatrixXd> upper(static_cast<std::size_t>(count), MatrixXd::Zero(n, n));
  MatrixXd right = MatrixXd::Zero(n, count), diagonal(n, n), below(n, n), both(n, n + 1);
  for (Eigen::Index k = 1; k + 1 < count; ++k) {
    const VectorXd q = q_.row(k), before = q_.row(k - 1), next = q_.row(k + 1);
    evaluate(q, (next - before) / (2 * h_), (next - 2 * q + before) / (h_ * h_));
    diagonal.setZero();
    below.setZero();
    both.setZero();
    const MatrixXd M = at_.M(at_.modes, Eigen::all) / (h_ * h_), D = at_.dv(at_.modes, Eigen::all) / (2 * h_);
    diagonal.topRows(modes) = at_.dq(at_.modes, Eigen::all) - 2 * M;
    below.topRows(modes) = M - D;
    both.topLeftCorner(modes, n) = M + D;
    both.col(n).head(modes) = -tau_(at_.modes);
    diagonal.middleRows(modes, rows) = at_.J;
    both.col(n).segment(modes, rows) = position(t_[k]) - node_;
    for (Eigen::Index r = modes + rows; r < n; ++r) {
      const VectorXd way = spare_[static_cast<std::size_t>(k)].col(r - modes - rows);
      for (int j = 0; j < driven_.size(); ++j) {
        diagonal(r, driven_.v[j]) = way[j];
        both(r, n) -= way[j] * (q[driven_.v[j]] - guess_(k, driven_.v[j]));
      }
    }
    diagonal -= below * upper[static_cast<std::size_t>(k - 1)];
    both.col(n) -= below * right.col(k - 1);
    both = Lu(diagonal).solve(both);
    upper[static_cast<std::size_t>(k)] = both.leftCols(n);
    right.col(k) = both.col(n);
  }
  double largest = 0;
  VectorXd step = VectorXd::Zero(n);
  for (Eigen::Index k = count - 2; k > 0; --k) {
    step = right.col(k) - upper[static_cast<std::size_t>(k)] * step;
    q_.row(k) += step.transpose();
    largest = std::max(largest, step.cwiseAbs().maxCoeff());
  }
  return largest;
}

void Inverter::solve() {
  for (int k = 0; k < kMaxIterations; ++k) {
    const double change = iterate();
    if (!std::isfinite(change)) break;
    if (change < kSolved * (1 + q_.cwiseAbs().maxCoeff())) return;
  }
  throw InputError(
      "the inversion for the node did not converge; give the path more time or more samples, or write "
      "inversion: static");
}

}  // namespace

TipInversion invert_tip_path(const Model& model, const DrivenJoints& driven, const TipPath& path, const State& start,
                             std::optional<double> lead) {
  check_tip_path(path);
  check_machine(model, driven);
  if (has_elements(model))
    throw InputError(
        "the inversion does not support force elements, rest positions of springs or contacts; write inversion: "
        "static");
  Inverter inverter(model, driven, path, start);
  if (static_cast<int>(path.position[0].has_value()) + path.position[1].has_value() + path.position[2].has_value() >
      driven.size())
    throw InputError("the path has more components than there are driven coordinates; leave some out");
  TipInversion out;
  const double first = inverter.slowest_zero(0), last = inverter.slowest_zero(path.end);
  out.slowest = std::min(first, last);
  out.after = out.slowest > 0 ? -std::log(kTail) / out.slowest : 0;
  out.lead = lead.value_or(out.after);
  inverter.lay_out(out.lead, out.after, path.samples);
  inverter.solve();
  const MatrixXd q = inverter.joints();
  for (int j = 0; j < driven.size(); ++j)
    out.joints.push_back(Signal::table(inverter.times(), q.col(j), Interpolation::quintic));
  out.path = path;
  for (std::optional<Signal>& position : out.path.position) {
    if (!position) continue;
    position = Signal::callback([p = *position, end = path.end, ahead = out.lead](double t) {
      return Jet{p.at(std::clamp(t - ahead, 0.0, end)).value, 0, 0};
    });
  }
  out.path.end = inverter.times()[inverter.times().size() - 1];
  return out;
}

}  // namespace limber
