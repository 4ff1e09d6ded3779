// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/control/actuation.hpp"
#include "limber/control/shaping.hpp"
#include "limber/linear/riccati.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

// sign(G): 1 on the invariant subspace of poles with positive real part, -1 on the other; Newton iteration. [Higham
// 2008] §5.3
MatrixXd matrix_sign(MatrixXd G) {
  constexpr int kMax = 60;
  constexpr double kSame = 1e-13;
  const MatrixXd one = MatrixXd::Identity(G.rows(), G.cols());
  for (int k = 0; k < kMax; ++k) {
    const MatrixXd next = 0.5 * (G + Lu(G).solve(one));
    const double change = (next - G).norm();
    G = next;
    if (!(change > kSame * G.norm())) break;
  }
  return G;
}

// A radius near kResolved with the largest distance from the moduli of poles.  0: all poles are below.
double split_radius(const VectorXd& moduli) {
  constexpr double kFrom = 0.8 * kResolved, kTo = 1.25 * kResolved;
  std::vector<double> at(moduli.begin(), moduli.end());
  std::sort(at.begin(), at.end());
  if (at.back() <= kResolved) return 0;
  double below = kFrom, best = kResolved, widest = 0;
  const auto consider = [&](double above) {
    const double gap = std::log(std::min(above, kTo) / below);
    if (gap > widest) {
      widest = gap;
      best = std::sqrt(std::min(above, kTo) * below);
    }
  };
  for (const double modulus : at) {
    if (modulus <= kFrom) continue;
    if (below < kTo) consider(modulus);
    below = modulus;
  }
  if (below < kTo) consider(kTo);
  return best;
}

// A radius between the pole with this number, in the order of moduli, and the next.
double split_radius(const VectorXd& moduli, int resolved) {
  if (resolved == 0) return split_radius(moduli);
  if (resolved >= moduli.size()) return 0;
  std::vector<double> at(moduli.begin(), moduli.end());
  std::sort(at.begin(), at.end());
  const auto k = static_cast<std::size_t>(resolved);
  return std::sqrt(at[k - 1] * at[k]);
}

// Moduli of poles times the period, rising.
VectorXd sorted_moduli(const MatrixXd& A, double period) {
  VectorXd out = period * eigenvalues_general(A).cwiseAbs();
  std::sort(out.begin(), out.end());
  return out;
}

// Projector on the invariant subspace of the poles of a beyond the radius: (pole - r)/(pole + r) has positive real part
// for these, negative for the others.
MatrixXd project_beyond(const MatrixXd& a, double radius) {
  const MatrixXd one = MatrixXd::Identity(a.rows(), a.cols());
  return 0.5 * (one + matrix_sign(Lu(a + radius * one).solve(MatrixXd(a - radius * one))));
}

// An orthonormal basis of the range of a projector: its singular values are 0, or 1 and above.
MatrixXd range_of(const MatrixXd& projector) {
  const Svd parts = svd(projector, SvdParts::thin_u);
  const Eigen::Index rank = (parts.values.array() > 0.5).count();
  return parts.U.leftCols(rank);
}

}  // namespace

// In scaled time t / T and state (q, T v), whose matrix has the poles times T.
Predictor make_predictor(const Model& model, const DrivenJoints& driven, const State& x, double period, int resolved) {
  if (!(period > 0 && std::isfinite(period)))
    throw InputError("the period of the controller is " + text(period) + " s; it must be finite and above 0");
  Predictor out;
  out.period = period;
  out.machine = linearize_at_rest(model, x, {});
  out.spread = compute_spread(model, driven, x);
  const Eigen::Index n = model.nv, size = 2 * n;
  const MatrixXd one = MatrixXd::Identity(size, size);
  VectorXd scale = VectorXd::Ones(size);
  scale.tail(n).setConstant(period);
  const VectorXd inverse = scale.cwiseInverse();
  const auto plain = [&](const MatrixXd& map) { return MatrixXd(inverse.asDiagonal() * map * scale.asDiagonal()); };
  const MatrixXd a = period * (scale.asDiagonal() * out.machine.A * inverse.asDiagonal());
  const MatrixXd b = period * (scale.asDiagonal() * MatrixXd(out.machine.B * out.spread));
  const VectorXd moduli = eigenvalues_general(a).cwiseAbs();
  out.fastest = moduli.maxCoeff();
  MatrixXd basis = one, dual = one, unseen = MatrixXd::Zero(size, size), still = unseen;
  if (const double radius = split_radius(moduli, resolved); radius > 0) {
    unseen = project_beyond(a, radius);
    const MatrixXd seen = one - unseen;
    basis = range_of(seen);
    dual = basis.transpose() * seen;
    still = Lu(a * unseen + radius * seen).solve(unseen);  // a^-1 there
  }
  out.drift = dual * a * basis;
  const Eigen::Index seen = basis.cols();
  const Sampled step = sample(out.drift, MatrixXd::Identity(seen, seen), 1);
  const MatrixXd half = MatrixXd::Identity(seen, seen) - 0.5 * out.drift;
  out.A = plain(basis * step.A * dual);
  out.B = inverse.asDiagonal() * MatrixXd(basis * (step.B * (dual * b)) - still * b);
  out.phase = plain(basis * (step.B * half) * dual - still + 0.5 * unseen);
  out.midpoint = period * plain(Lu(one - 0.5 * a).solve(one));
  out.seen = inverse.asDiagonal() * basis;
  out.to_seen = dual * scale.asDiagonal();
  out.ringing = inverse.asDiagonal() * MatrixXd(still * b);
  return out;
}

int choose_resolved(const Model& model, const std::vector<State>& configurations, double period) {
  constexpr double kPair = 1e-3;  // gaps below are within a pair
  std::vector<VectorXd> all;
  Eigen::Index least = std::numeric_limits<Eigen::Index>::max(), most = 0;
  for (const State& x : configurations) {
    all.push_back(sorted_moduli(linearize_at_rest(model, x, {}).A, period));
    const double radius = split_radius(all.back());
    const Eigen::Index count = radius > 0 ? (all.back().array() < radius).count() : all.back().size();
    least = std::min(least, count);
    most = std::max(most, count);
  }
  if (least >= most) return 0;
  double widest = kPair;
  int out = 0;
  for (Eigen::Index k = std::max<Eigen::Index>(least, 1); k <= most; ++k) {
    double gap = std::numeric_limits<double>::infinity();
    for (const VectorXd& at : all) gap = std::min(gap, k < at.size() ? std::log(at[k] / at[k - 1]) : gap);
    if (!(gap > widest)) continue;
    widest = gap;
    out = static_cast<int>(k);
  }
  return out;
}

MatrixXd compute_process_noise(const Predictor& p, double intensity) {
  const Eigen::Index n = p.machine.coordinates(), seen = p.drift.rows();
  const MatrixXd speeds = p.to_seen.rightCols(n);
  // exp [-a q; 0 a^T] = [. a^-1 Q; 0 A^T]
  MatrixXd both = MatrixXd::Zero(2 * seen, 2 * seen);
  both.topLeftCorner(seen, seen) = -p.drift;
  both.topRightCorner(seen, seen) = intensity * p.period * speeds * speeds.transpose();
  both.bottomRightCorner(seen, seen) = p.drift.transpose();
  const MatrixXd e = matrix_exponential(both);
  const MatrixXd Q = e.bottomRightCorner(seen, seen).transpose() * e.topRightCorner(seen, seen);
  return p.seen * (0.5 * (Q + Q.transpose())) * p.seen.transpose();
}

// a S + S a^T + r r^T / T = 0: stationary covariance of vibrations under many random steps of unknown phase.  By the
// doubling algorithm for the Cayley transform (Smith, SIAM J. Appl. Math. 16, 1968).
MatrixXd compute_ringing(const Predictor& p, const VectorXd& steps) {
  const Eigen::Index n = p.machine.coordinates(), size = 2 * n;
  if (p.drift.rows() == size) return MatrixXd::Zero(size, size);
  constexpr int kMax = 40;
  constexpr double kSame = 1e-6;
  VectorXd scale = VectorXd::Ones(size);
  scale.tail(n).setConstant(p.period);
  const VectorXd inverse = scale.cwiseInverse();
  const MatrixXd one = MatrixXd::Identity(size, size);
  const MatrixXd seen = p.seen * p.to_seen;
  const MatrixXd unseen = one - scale.asDiagonal() * seen * inverse.asDiagonal();
  const MatrixXd a = p.period * (scale.asDiagonal() * p.machine.A * inverse.asDiagonal());
  const double shift = std::sqrt(kResolved * std::max(p.fastest, kResolved));
  const MatrixXd damped = a * unseen - one / kMemory - shift * (one - unseen);
  const Lu left(shift * one - damped);
  const MatrixXd r = scale.asDiagonal() * p.ringing * steps.asDiagonal();
  MatrixXd U = left.solve(MatrixXd(shift * one + damped)), first = left.solve(r);
  MatrixXd S = 2 * shift * first * first.transpose();
  for (int k = 0; k < kMax; ++k) {
    const MatrixXd more = U * S * U.transpose();
    S += more;
    if (more.norm() <= kSame * S.norm()) break;
    U = (U * U).eval();
  }
  return inverse.asDiagonal() * (0.5 * (S + S.transpose())) * inverse.asDiagonal();
}

}  // namespace limber
