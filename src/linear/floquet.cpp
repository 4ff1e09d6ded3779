// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/linear/floquet.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "limber/linear/detail/balance.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

MatrixXd commutator(const MatrixXd& X, const MatrixXd& Y) { return X * Y - Y * X; }

// One step of the sixth-order Magnus expansion, A at the three Gauss points.
MatrixXd magnus_step(const MatrixXd& A1, const MatrixXd& A2, const MatrixXd& A3, double h) {
  const MatrixXd a1 = h * A2, a2 = h * std::sqrt(15.0) / 3 * (A3 - A1), a3 = 10 * h / 3 * (A3 - 2 * A2 + A1);
  const MatrixXd C1 = commutator(a1, a2), C2 = -commutator(a1, 2 * a3 + C1) / 60;
  return matrix_exponential(a1 + a3 / 12 + commutator(-20 * a1 - a3 + C1, a2 + C2) / 240);
}

// Transition matrices in balanced coordinates, S^-1 A S.
class Propagator {
 public:
  Propagator(const PeriodicSystem& system, int parts) : system_(system), parts_(parts) {
    system.state_matrix(0, A_[0]);
    scale_ = balance(A_[0]).scale;
  }
  std::vector<MatrixXd> compute(int steps) {
    const double h = system_.period / parts_ / steps;
    const double gauss = std::sqrt(0.15);
    std::vector<MatrixXd> out;
    for (int k = 0; k < parts_; ++k) {
      MatrixXd product;
      for (int i = 0; i < steps; ++i) {
        const double middle = h * (static_cast<double>(k) * steps + i + 0.5);
        for (int g = 0; g < 3; ++g) balanced(middle + (g - 1) * gauss * h, A_[g]);
        const MatrixXd step = magnus_step(A_[0], A_[1], A_[2], h);
        product = i == 0 ? step : MatrixXd(step * product);
      }
      out.push_back(std::move(product));
    }
    return out;
  }
  MatrixXd restored(const MatrixXd& part) const {
    return scale_.asDiagonal() * part * scale_.cwiseInverse().asDiagonal();
  }

 private:
  void balanced(double t, MatrixXd& A) {
    system_.state_matrix(t, A);
    A = (scale_.cwiseInverse().asDiagonal() * A * scale_.asDiagonal()).eval();
  }
  const PeriodicSystem& system_;
  int parts_;
  VectorXd scale_;
  MatrixXd A_[3];
};

double largest_difference(const std::vector<MatrixXd>& a, const std::vector<MatrixXd>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double size = b[k].cwiseAbs().maxCoeff();
    const double difference = (a[k] - b[k]).cwiseAbs().maxCoeff();
    largest = std::max(largest, std::isfinite(difference) ? difference / size : 1e300);
  }
  return largest;
}

// Orthonormalises columns by Gram-Schmidt, twice; R upper triangular.
void orthonormalize(MatrixXd& Q, MatrixXd& R) {
  const Eigen::Index n = Q.cols();
  R.setZero(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    for (int twice = 0; twice < 2; ++twice) {
      const VectorXd along = Q.leftCols(j).transpose() * Q.col(j);
      Q.col(j) -= Q.leftCols(j) * along;
      R.col(j).head(j) += along;
    }
    R(j, j) = Q.col(j).norm();
    Q.col(j) /= R(j, j);
  }
}

// A matrix product in triangular form (periodic QR): parts[k] Q[k] = Q[k+1] R[k], and Q[last] = Q[0] S with S nearly
// block diagonal.  Columns of Q are in order of increasing decay rate.
struct TriangularProduct {
  std::vector<MatrixXd> Q, R;
  MatrixXd S;
  std::vector<Eigen::Index> splits;  // first columns of the groups of decay rates; including 0 and n
};

constexpr double kSpread = 11;    // log of the ratio of multipliers up to which there is a single group
constexpr double kTurns = 24;     // iterations
constexpr double kApart = 1e-10;  // entries of S below a split

// A starting basis in general position, not a sum of invariant subspaces.
MatrixXd generic_start(Eigen::Index n) {
  MatrixXd Q(n, n), R;
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j) Q(i, j) = (i == j ? 1 : 0) + 0.3 * std::sin(1.0 + 7.1 * i + 3.7 * j + i * j);
  orthonormalize(Q, R);
  return Q;
}

void turn_once(const std::vector<MatrixXd>& parts, TriangularProduct& out) {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    out.Q[k + 1] = parts[k] * out.Q[k];
    orthonormalize(out.Q[k + 1], out.R[k]);
  }
  out.S = out.Q[0].transpose() * out.Q.back();
}

TriangularProduct triangularize(const std::vector<MatrixXd>& parts) {
  const Eigen::Index n = parts.front().rows();
  TriangularProduct out{std::vector<MatrixXd>(parts.size() + 1), std::vector<MatrixXd>(parts.size()), {}, {0}};
  out.Q[0] = generic_start(n);
  turn_once(parts, out);
  VectorXd decay = VectorXd::Zero(n);
  for (const MatrixXd& R : out.R) decay += R.diagonal().array().log().matrix();
  if (decay.maxCoeff() - decay.minCoeff() > kSpread) {
    for (int turn = 0; turn < kTurns; ++turn) {
      out.Q[0] = out.Q.back();
      turn_once(parts, out);
    }
    for (Eigen::Index at = 1; at < n; ++at) {
      if (out.S.bottomLeftCorner(n - at, at).cwiseAbs().maxCoeff() < kApart) out.splits.push_back(at);
    }
  }
  out.splits.push_back(n);
  return out;
}

// The solutions of one group, columns [a, b).  They span Q [Y; 1; 0] with R11 Y_k + R12 = Y_{k+1} R22, solved backward,
// where the recursion is contracting.
class Group {
 public:
  Group(const TriangularProduct& all, Eigen::Index a, Eigen::Index b)
      : all_(all), a_(a), w_(b - a), Y_(all.Q.size(), MatrixXd::Zero(a, b - a)) {
    if (a_ > 0) decouple();
  }
  void solve(double period, Eigen::Index first, FloquetSolutions& out) const {
    MatrixXd G = MatrixXd::Identity(w_, w_);
    double scale = 0;  // log
    for (const MatrixXd& R : all_.R) {
      G = (R.block(a_, a_, w_, w_) * G).eval();
      const double size = G.cwiseAbs().maxCoeff();
      G /= size;
      scale += std::log(size);
    }
    G = (all_.S.block(a_, a_, w_, w_) * G).eval();
    const auto [values, vectors] = eigen_general(G);
    MatrixXcd z = vectors;
    VectorXcd factor(w_);
    for (Eigen::Index i = 0; i < w_; ++i) {
      const std::complex<double> exponent = (std::log(values[i]) + scale) / period;
      out.exponents[first + i] = exponent;
      factor[i] = std::exp(-exponent * period / static_cast<double>(all_.R.size()));
    }
    for (std::size_t k = 0; k < all_.R.size(); ++k) {
      out.vectors[k].middleCols(first, w_) = basis(k) * z;
      z = (all_.R[k].block(a_, a_, w_, w_) * z * factor.asDiagonal()).eval();
    }
  }

 private:
  MatrixXd basis(std::size_t k) const { return all_.Q[k].leftCols(a_) * Y_[k] + all_.Q[k].middleCols(a_, w_); }
  void decouple() {
    constexpr double kSame = 1e-13;
    for (int turn = 0; turn < kTurns; ++turn) {
      const MatrixXd before = Y_.front();
      const auto S = [&](Eigen::Index i, Eigen::Index j, Eigen::Index m, Eigen::Index n) {
        return all_.S.block(i, j, m, n);
      };
      Y_.back() = S(0, 0, a_, a_).transpose() * (Y_.front() * S(a_, a_, w_, w_) - S(0, a_, a_, w_));
      for (std::size_t k = all_.R.size(); k-- > 0;) {
        const MatrixXd& R = all_.R[k];
        Y_[k] = Y_[k + 1] * R.block(a_, a_, w_, w_) - R.block(0, a_, a_, w_);
        R.topLeftCorner(a_, a_).triangularView<Eigen::Upper>().solveInPlace(Y_[k]);
      }
      if ((Y_.front() - before).norm() <= kSame * Y_.front().norm()) return;
    }
  }

  const TriangularProduct& all_;
  Eigen::Index a_, w_;
  std::vector<MatrixXd> Y_;
};

}  // namespace

Transition compute_transition(const PeriodicSystem& system, int parts, double tolerance) {
  constexpr double kPoor = 1e4;  // times the tolerance: above it the result is refused
  Propagator propagator(system, parts);
  std::vector<MatrixXd> coarse = propagator.compute(1), fine;
  Transition out{{}, 1, 1e300};
  while (true) {
    fine = propagator.compute(2 * out.steps);
    const double difference = largest_difference(coarse, fine);
    out.steps *= 2;
    const double error = difference / 63;  // of the finer one: sixth order
    const bool worse = error >= out.error && out.error < kPoor * tolerance;
    out.error = error;
    coarse.swap(fine);
    if (error <= tolerance || worse || 2 * out.steps * parts > kMaxMagnusSteps) break;
  }
  if (!(out.error <= kPoor * tolerance))
    throw NumericalError("the transition matrix of one revolution did not converge in " +
                         std::to_string(out.steps * parts) +
                         " steps; leave out the fastest modes, or choose a higher speed");
  for (const MatrixXd& part : coarse) out.parts.push_back(propagator.restored(part));
  return out;
}

FloquetSolutions compute_floquet(const std::vector<MatrixXd>& parts, double period) {
  const Eigen::Index n = parts.front().rows();
  FloquetSolutions out{period, VectorXcd(n), std::vector<MatrixXcd>(parts.size(), MatrixXcd(n, n))};
  if (n == 0) return out;
  const TriangularProduct all = triangularize(parts);
  for (std::size_t g = 0; g + 1 < all.splits.size(); ++g)
    Group(all, all.splits[g], all.splits[g + 1]).solve(period, all.splits[g], out);
  return out;
}

}  // namespace limber
