// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "spline.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <limits>
#include <sstream>
#include <vector>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr int kMaxDegree = 5;
constexpr double kTiny = std::numeric_limits<double>::min();

// B-splines over knots.
struct Basis {
  int degree;
  std::vector<double> knots;

  // The span i with knots[i] <= t < knots[i + 1] (the last span at the end).
  int span(double t) const {
    const auto first = knots.begin() + degree, last = knots.end() - degree - 1;
    return static_cast<int>(std::upper_bound(first + 1, last, t) - knots.begin()) - 1;
  }

  // The p + 1 basis functions of degree p that are not zero on the span, at t.  [de Boor, ch. X (8)]
  void values(int p, int i, double t, double* out) const {
    double left[kMaxDegree + 1], right[kMaxDegree + 1];
    out[0] = 1;
    for (int j = 1; j <= p; ++j) {
      left[j] = t - knots[i + 1 - j];
      right[j] = knots[i + j] - t;
      double saved = 0;
      for (int r = 0; r < j; ++r) {
        const double term = out[r] / (right[r + 1] + left[j - r]);
        out[r] = saved + right[r + 1] * term;
        saved = left[j - r] * term;
      }
      out[j] = saved;
    }
  }

  // Taylor coefficients at t, on the span i, of the spline with these B-spline coefficients: successive derivatives,
  // each a spline of one degree less.  [de Boor, ch. X (15)]
  void taylor(int i, double t, const VectorXd& coefficients, double* out) const {
    double d[kMaxDegree + 1];
    for (int r = 0; r <= degree; ++r) d[r] = coefficients[i - degree + r];
    double factorial = 1;
    for (int j = 0; j <= degree; ++j) {
      double b[kMaxDegree + 1];
      values(degree - j, i, t, b);
      out[j] = 0;
      for (int r = 0; r <= degree - j; ++r) out[j] += b[r] * d[r];
      if (j > 0) factorial *= j;
      out[j] /= factorial;
      for (int r = 0; r < degree - j; ++r) {
        const int k = i - degree + j + 1 + r;
        d[r] = (degree - j) * (d[r + 1] - d[r]) / (knots[k + degree - j] - knots[k]);
      }
    }
  }
};

// Times with gaps too uneven for a spline in double precision.
[[noreturn]] void refuse_times(const VectorXd& t) {
  const Eigen::Index n = t.size();
  const VectorXd gaps = t.tail(n - 1) - t.head(n - 1);
  std::ostringstream text;
  text << "no smooth curve goes through times with gaps from " << gaps.minCoeff() << " to " << gaps.maxCoeff()
       << " s; space them more evenly, or write interpolate: linear";
  throw InputError(text.str());
}

// Coefficients of the B-splines; refuses the times if they do not reproduce the values.
VectorXd solve_spline(const Eigen::SparseMatrix<double>& A, const VectorXd& t, const VectorXd& y) {
  constexpr double kTolerance = 1e-9;
  const Eigen::Map<const VectorXd> entries(A.valuePtr(), A.nonZeros());
  if (!entries.allFinite()) refuse_times(t);
  const Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(A);
  if (lu.info() != Eigen::Success) refuse_times(t);
  const VectorXd x = lu.solve(y);
  const double error = (A * x - y).cwiseAbs().maxCoeff();
  if (!x.allFinite() || !(error <= kTolerance * std::max(y.cwiseAbs().maxCoeff(), kTiny))) refuse_times(t);
  return x;
}

}  // namespace

MatrixXd compute_spline(const VectorXd& t, const VectorXd& y, int degree) {
  const int n = static_cast<int>(t.size());
  if (n == 1) return MatrixXd(1, 0);
  Basis basis{std::min(degree, n - 1), {}};
  const int p = basis.degree;
  // Not-a-knot: (p - 1) / 2 points next to either end are not knots.
  basis.knots.assign(p + 1, t[0]);
  const int skip = (p + 1) / 2;
  for (int k = 0; k < n - p - 1; ++k) basis.knots.push_back(t[skip + k]);
  basis.knots.insert(basis.knots.end(), p + 1, t[n - 1]);

  Eigen::SparseMatrix<double> A(n, n);
  A.reserve(Eigen::VectorXi::Constant(n, 2 * p + 2));
  double b[kMaxDegree + 1];
  for (int r = 0; r < n; ++r) {
    const int i = basis.span(t[r]);
    basis.values(p, i, t[r], b);
    for (int j = 0; j <= p; ++j) {
      if (b[j] != 0) A.coeffRef(r, i - p + j) = b[j];
    }
  }
  A.makeCompressed();
  const VectorXd coefficients = solve_spline(A, t, y);
  MatrixXd out = MatrixXd::Zero(p + 1, n - 1);
  for (int k = 0; k + 1 < n; ++k) basis.taylor(basis.span(t[k]), t[k], coefficients, out.col(k).data());
  if (!out.allFinite()) refuse_times(t);
  // The values are reproduced exactly.
  for (int k = 0; k + 1 < n; ++k) out(0, k) = y[k];
  return out;
}

}  // namespace limber
