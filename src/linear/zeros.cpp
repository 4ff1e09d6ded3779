// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "limber/linear/detail/balance.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {

Balanced balance(const MatrixXd& A) {
  constexpr int kRounds = 100;
  constexpr double kEnough = 0.95;
  Balanced out{A, VectorXd::Ones(A.rows())};
  bool changed = true;
  for (int round = 0; changed && round < kRounds; ++round) {
    changed = false;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const double diagonal = std::abs(out.A(i, i));
      const double column = out.A.col(i).cwiseAbs().sum() - diagonal, row = out.A.row(i).cwiseAbs().sum() - diagonal;
      if (!(column > 0) || !(row > 0)) continue;
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (column * factor + row / factor >= kEnough * (column + row)) continue;
      out.A.col(i) *= factor;
      out.A.row(i) /= factor;
      out.scale[i] *= factor;
      changed = true;
    }
  }
  return out;
}

namespace {

struct Quadruple {
  MatrixXd A, B, C, D;
};

// An orthonormal basis whose last `rank` vectors span the row space of m (singular values of kZeroRank or more), the
// others its null space.
struct RowSpace {
  MatrixXd basis;
  Eigen::Index rank = 0;
};

RowSpace row_space(const MatrixXd& m, Eigen::Index size) {
  RowSpace out{MatrixXd::Identity(size, size), 0};
  if (m.rows() == 0 || size == 0) return out;
  const auto [none, values, V] = svd(m, SvdParts::full_v);
  for (const double value : values) out.rank += value > kZeroRank ? 1 : 0;
  out.basis.leftCols(size - out.rank) = V.rightCols(size - out.rank);
  out.basis.rightCols(out.rank) = V.leftCols(out.rank);
  return out;
}

// Removes states until D has full row rank; finite zeros are unchanged.  States seen by outputs without direct
// feedthrough are zero in a zero direction: they are removed, and their equations become outputs.  (Emami-Naeini and
// Van Dooren 1982, algorithm 1.)
void reduce(Quadruple& s) {
  while (true) {
    const RowSpace outputs = row_space(s.D.transpose(), s.D.rows());
    const Eigen::Index sigma = outputs.rank, tau = s.D.rows() - sigma, n = s.A.rows();
    if (tau == 0) return;
    const MatrixXd C = outputs.basis.transpose() * s.C, D = outputs.basis.transpose() * s.D;
    const RowSpace seen = row_space(C.topRows(tau), n);
    const Eigen::Index rho = seen.rank, left = n - rho, m = s.B.cols();
    const MatrixXd A = seen.basis.transpose() * s.A * seen.basis, B = seen.basis.transpose() * s.B;
    const MatrixXd kept = C.bottomRows(sigma) * seen.basis;
    Quadruple next{A.topLeftCorner(left, left), B.topRows(left), MatrixXd(rho + sigma, left), MatrixXd(rho + sigma, m)};
    next.C << A.bottomLeftCorner(rho, left), kept.leftCols(left);
    next.D << B.bottomRows(rho), D.bottomRows(sigma);
    s = std::move(next);
    if (rho == 0 || left == 0) return;
  }
}

Quadruple transposed(const Quadruple& s) {
  return {s.A.transpose(), s.C.transpose(), s.B.transpose(), s.D.transpose()};
}

// An orthonormal basis of the reachable subspace: B, and the new directions of A times the basis.
MatrixXd reachable(const MatrixXd& A, const MatrixXd& B) {
  const Eigen::Index n = A.rows();
  MatrixXd basis(n, 0), fresh = B;
  while (fresh.cols() > 0 && basis.cols() < n) {
    for (int twice = 0; twice < 2; ++twice) fresh -= basis * (basis.transpose() * fresh).eval();
    const auto [U, values, none] = svd(fresh, SvdParts::thin_u);
    Eigen::Index rank = 0;
    for (const double value : values) rank += value > kUnreached ? 1 : 0;
    rank = std::min(rank, n - basis.cols());
    basis.conservativeResize(n, basis.cols() + rank);
    basis.rightCols(rank) = U.leftCols(rank);
    fresh = A * U.leftCols(rank);
  }
  return basis;
}

// Removes unreachable, then unobservable states.
Quadruple minimal(Quadruple s) {
  for (int twice = 0; twice < 2; ++twice) {
    const MatrixXd V = reachable(s.A, s.B);
    s = transposed({V.transpose() * s.A * V, V.transpose() * s.B, s.C * V, s.D});
  }
  return s;
}

// Scales inputs, outputs and time such that all entries are at most about 1.
Quadruple scaled(const MatrixXd& A, const MatrixXd& B, const MatrixXd& C, const MatrixXd& D, double& rate) {
  const Balanced balanced = balance(A);
  Quadruple s{balanced.A, balanced.scale.cwiseInverse().asDiagonal() * B, C * balanced.scale.asDiagonal(), D};
  rate = balanced.A.size() == 0 ? 0 : balanced.A.norm();
  if (rate > 0) s.A /= rate;
  for (Eigen::Index j = 0; j < s.B.cols(); ++j) {
    const double size = s.B.col(j).norm();
    if (size > 0) s.B.col(j) /= size, s.D.col(j) /= size / rate;
  }
  for (Eigen::Index i = 0; i < s.C.rows(); ++i) {
    const double size = std::hypot(s.C.row(i).norm(), s.D.row(i).norm());
    if (size > 0) s.C.row(i) /= size, s.D.row(i) /= size;
  }
  return s;
}

// Zeros of a scaled system, in units of `rate`.
VectorXcd finite_zeros(Quadruple s, double rate) {
  reduce(s);
  s = transposed(s);
  reduce(s);
  if (s.A.rows() == 0 || s.D.rows() != s.D.cols()) return {};
  if (s.D.rows() > 0) s.A -= s.B * solve_full_pivoting(s.D, s.C);
  const VectorXcd all = rate * eigenvalues_general(balance(s.A).A);
  std::vector<std::complex<double>> finite;
  for (const auto& zero : all) {
    if (std::abs(zero) <= kFarZero * rate) finite.push_back(zero);
  }
  VectorXcd zeros = Eigen::Map<VectorXcd>(finite.data(), static_cast<Eigen::Index>(finite.size()));
  sort_roots(zeros);
  return zeros;
}

}  // namespace

VectorXcd compute_zeros(const MatrixXd& A, const MatrixXd& B, const MatrixXd& C, const MatrixXd& D) {
  double rate = 0;
  const Quadruple s = scaled(A, B, C, D, rate);
  return rate > 0 ? finite_zeros(s, rate) : VectorXcd();
}

VectorXcd compute_zeros(const LinearSystem& system, int input, int output) {
  double rate = 0;
  const Quadruple s =
      scaled(system.A, system.B.col(input), system.C.row(output), system.D.block(output, input, 1, 1), rate);
  return rate > 0 ? finite_zeros(minimal(s), rate) : VectorXcd();
}

}  // namespace limber
