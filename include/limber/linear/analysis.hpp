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
  double frequency = 0;  // rad/s; undamped where modes are real, else |pole|.  0: a rigid-body motion
  double damping = 0;    // ratio; 0 for a rigid-body motion
  double growth = 0;     // 1/s: not zero where the stiffness is negative and it grows instead of vibrating
  VectorXcd shape;       // (coordinates of the system) largest entry 1
};

// Natural frequencies, rising.  At rest with a symmetric stiffness: K phi = omega^2 M phi, damping
// phi^T D phi / (2 omega); else the complex eigenvectors of A, one of each pair.
std::vector<VibrationMode> compute_modes(const LinearSystem& system);
// Whether the first of these was done.
bool has_real_modes(const LinearSystem& system);

// Eigenvalues of A, by rising modulus, then imaginary part.
VectorXcd compute_poles(const LinearSystem& system);

// Invariant zeros: the finite s where [A - s, B; C, D] has less than its usual rank, with those of modes that the
// inputs do not reach or the outputs do not see.  By the reduction of Emami-Naeini and Van Dooren (Automatica 18, 1982)
// to a system with an invertible D.  In it, singular values below kZeroRank of the largest count as zero (A, B, C, D
// scaled to about 1), and zeros beyond kFarZero times the norm of A as infinite.  Rising as poles.
inline constexpr double kZeroRank = 1e-11;
inline constexpr double kFarZero = 1e6;
VectorXcd compute_zeros(const MatrixXd& A, const MatrixXd& B, const MatrixXd& C, const MatrixXd& D);
// Zeros of the transfer function of one input and one output: the same, after modes that the input does not reach or
// the output does not see, by less than kUnreached of the largest, are taken out.
inline constexpr double kUnreached = 1e-10;
VectorXcd compute_zeros(const LinearSystem& system, int input, int output);

// D + C (s - A)^-1 B.
MatrixXcd transfer_function(const LinearSystem& system, std::complex<double> s);

}  // namespace limber
