// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/linear/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/linear/detail/balance.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

// The real modes: columns of `shapes` with shapes^T M shapes = 1.
struct RealModes {
  VectorXd squares;  // omega^2, rising; exactly zero for rigid-body motions
  MatrixXd shapes;
};

// omega^2 of one vector, phi^T M phi = 1, or zero if it is within rounding: of the terms of phi^T K phi, or of phi
// itself.  The solver mixes e_j = eps omega_max^2 / omega_j^2 of another eigenvector into phi, which adds e_j^2
// omega_j^2; the nearest one above contributes most.
double rayleigh_quotient(const MatrixXd& K, const VectorXd& phi, double largest, double next) {
  const double square = phi.dot(K * phi), n = static_cast<double>(phi.size());
  const double terms = phi.cwiseAbs().dot(K.cwiseAbs() * phi.cwiseAbs());
  const double turned = next > 0 ? n * std::pow(8 * n * kEps * largest, 2) / next : 0;
  return std::abs(square) <= std::max(64 * n * kEps * terms, turned) ? 0 : square;
}

// Small omega^2 from the eigensolver have an absolute error relative to the largest.  The Rayleigh quotient of the
// eigenvector is much more accurate.
RealModes real_modes(const LinearSystem& system) {
  const MatrixXd K = 0.5 * (system.stiffness + system.stiffness.transpose());
  SymmetricEigen eigen = eigen_generalized(K, system.M);
  RealModes modes{std::move(eigen.values), std::move(eigen.vectors)};
  const double largest = modes.squares.cwiseAbs().maxCoeff();
  double next = 0;  // the next larger nonzero one
  for (Eigen::Index k = modes.squares.size() - 1; k >= 0; --k) {
    modes.squares[k] = rayleigh_quotient(K, modes.shapes.col(k), largest, next);
    if (modes.squares[k] > 0) next = modes.squares[k];
  }
  return modes;
}

void scale_shape(VectorXcd& shape) {
  Eigen::Index largest = 0;
  if (shape.size() == 0) return;
  shape.cwiseAbs().maxCoeff(&largest);
  if (shape[largest] != 0.0) shape /= shape[largest];
}

std::vector<VibrationMode> real_vibrations(const LinearSystem& system) {
  const RealModes modes = real_modes(system);
  std::vector<VibrationMode> out;
  for (Eigen::Index k = 0; k < modes.squares.size(); ++k) {
    VibrationMode mode;
    const VectorXd phi = modes.shapes.col(k);
    const double square = modes.squares[k];
    if (square > 0) {
      mode.frequency = std::sqrt(square);
      mode.damping = phi.dot(system.damping * phi) / (2 * mode.frequency);
    } else {
      mode.growth = std::sqrt(-square);
    }
    mode.shape = phi.cast<std::complex<double>>();
    scale_shape(mode.shape);
    out.push_back(std::move(mode));
  }
  return out;
}

std::vector<VibrationMode> complex_vibrations(const LinearSystem& system) {
  const Balanced balanced = balance(system.A);
  const auto [poles, vectors] = eigen_general(balanced.A);
  std::vector<VibrationMode> out;
  for (Eigen::Index k = 0; k < poles.size(); ++k) {
    const std::complex<double> pole = poles[k];
    if (pole.imag() < 0) continue;
    VibrationMode mode;
    if (pole.imag() > 0) {
      mode.frequency = std::abs(pole);
      mode.damping = -pole.real() / mode.frequency;
    } else {
      mode.growth = pole.real();
    }
    const VectorXcd vector = balanced.scale.cast<std::complex<double>>().asDiagonal() * vectors.col(k);
    mode.shape = vector.head(system.coordinates());
    scale_shape(mode.shape);
    out.push_back(std::move(mode));
  }
  std::stable_sort(out.begin(), out.end(), [](const VibrationMode& a, const VibrationMode& b) {
    return a.frequency != b.frequency ? a.frequency < b.frequency : a.growth < b.growth;
  });
  return out;
}

// In the coordinates of the real modes, positions times omega: [0 omega; -omega -d], d = phi^T D phi.
MatrixXd modal_state_matrix(const LinearSystem& system) {
  const RealModes modes = real_modes(system);
  const Eigen::Index n = modes.squares.size();
  MatrixXd A = MatrixXd::Zero(2 * n, 2 * n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double size = std::sqrt(std::abs(modes.squares[k]));
    A(k, n + k) = size > 0 ? size : 1;
    A(n + k, k) = size > 0 ? -modes.squares[k] / size : 0;
  }
  A.bottomRightCorner(n, n) = -modes.shapes.transpose() * system.damping * modes.shapes;
  return A;
}

bool is_nearly_symmetric(const MatrixXd& K) {
  constexpr double kRelative = 1e-8, kOfLargest = 1e-14;
  const double largest = K.size() == 0 ? 0 : K.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < K.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const double bound = kRelative * std::max(std::abs(K(i, j)), std::abs(K(j, i))) + kOfLargest * largest;
      if (std::abs(K(i, j) - K(j, i)) > bound) return false;
    }
  }
  return true;
}

}  // namespace

bool has_real_modes(const LinearSystem& system) { return system.at_rest() && is_nearly_symmetric(system.stiffness); }

std::vector<VibrationMode> compute_modes(const LinearSystem& system) {
  if (system.coordinates() == 0) return {};
  return has_real_modes(system) ? real_vibrations(system) : complex_vibrations(system);
}

void sort_roots(VectorXcd& roots) {
  std::sort(roots.begin(), roots.end(), [](std::complex<double> a, std::complex<double> b) {
    const double difference = std::abs(a) - std::abs(b), scale = 1e-9 * (std::abs(a) + std::abs(b));
    if (std::abs(difference) > scale) return difference < 0;
    return a.imag() != b.imag() ? a.imag() < b.imag() : a.real() < b.real();
  });
}

VectorXcd compute_poles(const LinearSystem& system) {
  if (system.coordinates() == 0) return {};
  const MatrixXd A = has_real_modes(system) ? modal_state_matrix(system) : system.A;
  VectorXcd poles = eigenvalues_general(balance(A).A);
  sort_roots(poles);
  return poles;
}

MatrixXcd transfer_function(const LinearSystem& system, std::complex<double> s) {
  const Eigen::Index n = system.A.rows();
  const MatrixXcd pencil = s * MatrixXcd::Identity(n, n) - system.A;
  return system.D + system.C * solve(pencil, system.B.cast<std::complex<double>>());
}

}  // namespace limber
