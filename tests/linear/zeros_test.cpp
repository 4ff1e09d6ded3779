// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Invariant zeros of general linear systems.
#include <gtest/gtest.h>

#include "limber/linear/analysis.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/random.hpp"

namespace limber::test {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> sorted(const VectorXcd& v) {
  std::vector<Complex> out(v.begin(), v.end());
  std::sort(out.begin(), out.end(), [](Complex a, Complex b) {
    return std::abs(a.real() - b.real()) > 1e-6 ? a.real() < b.real() : a.imag() < b.imag();
  });
  return out;
}

TEST(Zeros, OfAnInvertibleDAreEigenvalues) {
  Random random(3);
  for (int n = 1; n < 8; ++n) {
    const MatrixXd A = random.matrix(n, n), B = random.matrix(n, 2), C = random.matrix(2, n), D = random.matrix(2, 2);
    const auto zeros = sorted(compute_zeros(A, B, C, D));
    const auto expected = sorted(eigenvalues_general(A - B * Lu(D).solve(C)));
    ASSERT_EQ(zeros.size(), expected.size());
    for (std::size_t k = 0; k < zeros.size(); ++k) EXPECT_NEAR(std::abs(zeros[k] - expected[k]), 0, 1e-9);
  }
}

// A square system with D = 0 and invertible C B has n - m zeros; a non-square one generically none.
TEST(Zeros, AreAsManyAsTheyShould) {
  Random random(4);
  for (int n = 3; n < 9; ++n) {
    const MatrixXd A = random.matrix(n, n), B = random.matrix(n, 2), C = random.matrix(2, n);
    const VectorXcd zeros = compute_zeros(A, B, C, MatrixXd::Zero(2, 2));
    EXPECT_EQ(zeros.size(), n - 2);
    for (const Complex& zero : zeros) {
      // The pencil is singular there; as a real matrix [Re -Im; Im Re] it has each singular value twice.
      MatrixXd pencil = MatrixXd::Zero(2 * (n + 2), 2 * (n + 2));
      for (const int at : {0, n + 2}) {
        pencil.block(at, at, n, n) = A - zero.real() * MatrixXd::Identity(n, n);
        pencil.block(at, at + n, n, 2) = B;
        pencil.block(at + n, at, 2, n) = C;
      }
      pencil.block(0, n + 2, n, n).diagonal().setConstant(zero.imag());
      pencil.block(n + 2, 0, n, n).diagonal().setConstant(-zero.imag());
      EXPECT_LT(svd(pencil, SvdParts::thin_u).values.tail(1)[0], 1e-10 * pencil.norm());
    }
    EXPECT_EQ(compute_zeros(A, B, random.matrix(3, n), MatrixXd::Zero(3, 2)).size(), 0);
    EXPECT_EQ(compute_zeros(A, B, random.matrix(1, n), MatrixXd::Zero(1, 2)).size(), 0);
  }
}

TEST(Zeros, OfModesThatNothingReachesAreTheirPoles) {
  MatrixXd A = Vector3d(-1, -2, -3).asDiagonal(), B(3, 1), C(1, 3);
  B << 1, 0, 1;  // the second state is unreachable
  C << 1, 1, 1;
  // 1/(s+1) + 1/(s+3): zero at -2, and the unreachable pole at -2.
  const VectorXcd zeros = compute_zeros(A, B, C, MatrixXd::Zero(1, 1));
  ASSERT_EQ(zeros.size(), 2);
  for (const Complex& zero : zeros) EXPECT_NEAR(std::abs(zero + 2.0), 0, 1e-7);
}

// Of these only the first is a zero of the transfer function, 1/(s+1) + 1/(s+3).
TEST(Zeros, OfATransferFunctionLeaveOutWhatIsNotReached) {
  LinearSystem system;
  system.A = Vector3d(-1, -2.5, -3).asDiagonal();
  system.B = Vector3d(1, 0, 1);
  system.C = Eigen::RowVector3d(1, 1, 1);
  system.D = MatrixXd::Zero(1, 1);
  const VectorXcd zeros = compute_zeros(system, 0, 0);
  ASSERT_EQ(zeros.size(), 1);
  EXPECT_NEAR(std::abs(zeros[0] + 2.0), 0, 1e-12);
}

TEST(Zeros, OfNothing) {
  EXPECT_EQ(compute_zeros(MatrixXd(0, 0), MatrixXd(0, 1), MatrixXd(1, 0), MatrixXd::Zero(1, 1)).size(), 0);
}

}  // namespace
}  // namespace limber::test
