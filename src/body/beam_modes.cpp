// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "beam_modes.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "checks.hpp"

namespace limber::body_impl {
namespace {

constexpr Real kEps = std::numeric_limits<Real>::epsilon();
constexpr Real kDependent =
    1e-9L;  // sine of the angle between a shape and the span of the others; loses all but 1e-10 of accuracy
constexpr Real kRigid = 1e-7L;      // dimensionless omega; elastic shapes have 1 or more
constexpr Real kVanishes = 1e-12L;  // tip value over the largest value

// R of the QR factorisation.
MatrixR triangular_factor(const MatrixR& A) {
  const Eigen::Index n = A.cols();
  return Eigen::HouseholderQR<MatrixR>(A).matrixQR().topRows(n).triangularView<Eigen::Upper>();
}

// One-sided Jacobi: columns of A V are orthogonal on return; A becomes A V.  Small singular values keep their
// relative accuracy, which an eigenproblem of A^T A would lose.  [Demmel & Veselic 1992]
void orthogonalise_columns(MatrixR& A, MatrixR& V) {
  const Eigen::Index n = A.cols();
  V = MatrixR::Identity(n, n);
  const auto turn = [](MatrixR& M, Eigen::Index p, Eigen::Index q, Real c, Real s) {
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      const Real a = M(i, p), b = M(i, q);
      M(i, p) = c * a - s * b;
      M(i, q) = s * a + c * b;
    }
  };
  const Real rounding = kEps * static_cast<Real>(2 + n / 4);
  bool turned = true;
  for (int sweep = 0; sweep < 60 && turned; ++sweep) {
    turned = false;
    for (Eigen::Index p = 0; p + 1 < n; ++p) {
      for (Eigen::Index q = p + 1; q < n; ++q) {
        const Real aa = A.col(p).squaredNorm(), bb = A.col(q).squaredNorm(), ab = A.col(p).dot(A.col(q));
        if (std::abs(ab) <= rounding * std::sqrt(aa * bb)) continue;
        turned = true;
        const Real zeta = (bb - aa) / (2 * ab);
        const Real t = (zeta > 0 ? 1 : -1) / (std::abs(zeta) + std::hypot(1.0L, zeta));
        const Real c = 1 / std::hypot(1.0L, t);
        turn(A, p, q, c, c * t);
        turn(V, p, q, c, c * t);
      }
    }
  }
}

// Finds a shape that is (nearly) a linear combination of those before it.  Columns of R have length 1.
void check_independent(const MatrixR& R, BeamFamily family) {
  for (Eigen::Index k = 0; k < R.cols(); ++k) {
    if (std::abs(R(k, k)) > kDependent) continue;
    fail(std::string(to_string(family)) + " shape " + std::to_string(k + 1) +
             " is zero, or a linear combination of the shapes before it",
         "give fewer or independent shapes, or use basis polynomial");
  }
}

// `noise`: frequency to which rounding raises 0; `unit`: unit of frequency, rotary inertia included.
void check_elastic(const VectorR& omega, Real noise, Real unit, BeamFamily family) {
  for (Eigen::Index k = 0; k < omega.size(); ++k) {
    if (omega(k) > noise && omega(k) > kRigid * unit) continue;
    const char* cure =
        is_bending(family) ? "leave out shapes that are constant or linear in x" : "leave out shapes that are constant";
    fail(std::string(to_string(family)) + " mode " + std::to_string(k + 1) +
             " has 0 Hz: the shapes contain a rigid-body motion",
         cure);
  }
}

}  // namespace

//   R^T R = G (columns of the raw shapes scaled to length 1)       A = sqrt(bent weights) bent R^-1       A V = U omega
Reduction reduce_shapes(const ShapeTable& raw, const Weights& weights, BeamFamily family, int rigid) {
  const Eigen::Index points = weights.mass.size(), n = raw.value.cols();
  const bool turning = weights.rotary.size() > 0;
  MatrixR mass(turning ? 2 * points : points, n);
  mass.topRows(points) = weights.mass.cwiseSqrt().asDiagonal() * raw.value.topRows(points);
  if (turning) mass.bottomRows(points) = weights.rotary.cwiseSqrt().asDiagonal() * raw.slope.topRows(points);
  VectorR scale = mass.colwise().norm();
  for (Real& x : scale) x = x > 0 ? 1 / x : 0;
  const MatrixR R = triangular_factor(mass * scale.asDiagonal());
  check_independent(R, family);

  const MatrixR bent = weights.bent.cwiseSqrt().asDiagonal() * raw.bent.topRows(points) * scale.asDiagonal();
  MatrixR A = triangular_factor(R.triangularView<Eigen::Upper>().solve<Eigen::OnTheRight>(bent));
  MatrixR V;
  orthogonalise_columns(A, V);
  const VectorR omega = A.colwise().norm();

  // In order of rising frequency.
  std::vector<Eigen::Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return omega(a) < omega(b); });
  const Eigen::Index kept = n - rigid;
  Reduction out{MatrixR(n, kept), VectorR(kept)};
  const MatrixR T = scale.asDiagonal() * R.triangularView<Eigen::Upper>().solve(V);
  for (Eigen::Index k = 0; k < kept; ++k) {
    out.T.col(k) = T.col(order[static_cast<std::size_t>(rigid + k)]);
    out.omega(k) = omega(order[static_cast<std::size_t>(rigid + k)]);
  }
  const Real noise = 1e3L * kEps * omega.maxCoeff() / R.diagonal().cwiseAbs().minCoeff();
  const Real inertia = weights.mass.sum() + (turning ? weights.rotary.sum() : 0);
  check_elastic(out.omega, noise, std::sqrt(weights.bent.sum() / inertia), family);
  return out;
}

void fix_signs(FamilyModes& modes) {
  const Eigen::Index tip = modes.value.rows() - 1;
  for (int k = 0; k < modes.count(); ++k) {
    Eigen::Index at = 0;
    const Real largest = modes.value.col(k).cwiseAbs().maxCoeff(&at);
    Real sign = modes.value(tip, k);
    if (std::abs(sign) <= kVanishes * largest) sign = modes.slope(tip, k);
    if (std::abs(sign) <= kVanishes * largest) sign = modes.value(at, k);
    if (sign > 0) continue;
    modes.value.col(k) *= -1;
    modes.slope.col(k) *= -1;
  }
}

FamilyModes make_family_modes(const BeamSpec& spec, BeamFamily family, const GaussRule& rule, const VectorR& s,
                              Real rotary) {
  RawBasis raw = make_raw_basis(spec, family, s);
  FamilyModes modes{std::move(raw.omega), std::move(raw.shapes.value), std::move(raw.shapes.slope)};
  if (modes.value.cols() == 0) return modes;
  if (modes.count() > 0 && rotary == 0) {
    // Orthogonal by construction: only normalisation is needed.
    const VectorR norm = (rule.w.transpose() * modes.value.topRows(rule.x.size()).cwiseAbs2()).cwiseSqrt();
    modes.value = modes.value * norm.cwiseInverse().asDiagonal();
    modes.slope = modes.slope * norm.cwiseInverse().asDiagonal();
  } else {
    const ShapeTable table{std::move(modes.value), std::move(modes.slope), std::move(raw.shapes.bent)};
    Weights weights{rule.w, {}, rule.w};
    if (rotary > 0) weights.rotary = rotary * rule.w;
    const Reduction reduction = reduce_shapes(table, weights, family, 0);
    modes = {reduction.omega, table.value * reduction.T, table.slope * reduction.T};
  }
  fix_signs(modes);
  return modes;
}

}  // namespace limber::body_impl
