// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <vector>

#include "limber/linear/linearize.hpp"

namespace limber {

using Eigen::MatrixXcd;
using Eigen::VectorXcd;

// A natural vibration.
struct VibrationMode {
  double frequency = 0;  // rad/s; undamped if modes are real, otherwise |pole|.  0: a rigid-body motion
  double damping = 0;    // ratio; 0 for a rigid-body motion
  double growth = 0;     // 1/s: nonzero if the stiffness is negative and the motion grows instead of vibrating
  VectorXcd shape;       // (coordinates of the system) largest entry 1
};

// Natural frequencies, increasing.  At rest with a symmetric stiffness: K phi = omega^2 M phi, damping
// phi^T D phi / (2 omega); otherwise the complex eigenvectors of A, one of each pair.
std::vector<VibrationMode> compute_modes(const LinearSystem& system);
// Whether the modes are real: at rest, with a symmetric stiffness.
bool has_real_modes(const LinearSystem& system);

// Eigenvalues of A, by increasing modulus, then imaginary part.
VectorXcd compute_poles(const LinearSystem& system);

// Invariant zeros: the finite s where [A - s, B; C, D] loses rank, including those of modes that are
// not controllable or not observable.  By the reduction of Emami-Naeini and Van Dooren (Automatica 18, 1982)
// to a system with an invertible D.  In it, singular values below kZeroRank of the largest count as zero (A, B, C, D
// scaled to about 1), and zeros beyond kFarZero times the norm of A as infinite.  In the order of poles.
inline constexpr double kZeroRank = 1e-11;
inline constexpr double kFarZero = 1e6;
VectorXcd compute_zeros(const MatrixXd& A, const MatrixXd& B, const MatrixXd& C, const MatrixXd& D);
// Zeros of the transfer function of one input and one output: the same, without modes that the input does not excite or
// the output does not measure (less than kUnreached of the largest).
inline constexpr double kUnreached = 1e-10;
VectorXcd compute_zeros(const LinearSystem& system, int input, int output);

// D + C (s - A)^-1 B.
MatrixXcd transfer_function(const LinearSystem& system, std::complex<double> s);

}  // namespace limber
