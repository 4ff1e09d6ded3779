// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Floquet multipliers of linear systems with known solutions.
#include "limber/linear/floquet.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/close.hpp"

namespace limber::test {
namespace {

using Complex = std::complex<double>;
constexpr double kHalfTurn = std::numbers::pi;

PeriodicSystem mathieu(double a, double q, double damping = 0) {
  return {kHalfTurn, [=](double t, MatrixXd& A) {
            A.setZero(2, 2);
            A << 0, 1, -(a - 2 * q * std::cos(2 * t)), -damping;
          }};
}

double trace_of_turn(const PeriodicSystem& system) {
  MatrixXd product = MatrixXd::Identity(2, 2);
  for (const MatrixXd& part : compute_transition(system, 8).parts) product = (part * product).eval();
  return product.trace();
}

// On the stability boundaries the multipliers are both 1 or both -1.  Characteristic values a_r and b_r at q = 1:
// Abramowitz & Stegun, table 20.1.
TEST(Floquet, FindsTheStabilityBoundariesOfMathieu) {
  const std::pair<double, double> boundaries[] = {
      {-0.4551386041, 2}, {-0.1102488170, -2}, {1.8591080725, -2}, {3.9170247730, 2}, {4.3713009827, 2}};
  for (const auto& [a, trace] : boundaries) EXPECT_NEAR(trace_of_turn(mathieu(a, 1)), trace, 2e-9) << a;
  EXPECT_LT(std::abs(trace_of_turn(mathieu(1.0 - 1.2, 1))), 2);  // stable between a0 and b1
  EXPECT_LT(trace_of_turn(mathieu(1.0, 1)), -2);                 // unstable between b1 and a1
}

// x = exp(-c t / 2) y transforms the damped equation into an undamped one: a becomes a - c^2 / 4, and exponents shift
// by -c / 2.
TEST(Floquet, DampingMovesExponents) {
  const double c = 0.3;
  const auto exponents = [](const PeriodicSystem& system) {
    VectorXcd found = compute_floquet(compute_transition(system, 8).parts, system.period).exponents;
    if (found[0].imag() < found[1].imag()) std::swap(found[0], found[1]);
    return found;
  };
  const VectorXcd damped = exponents(mathieu(2.5 + c * c / 4, 1, c)), plain = exponents(mathieu(2.5, 1));
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(plain[k].real(), 0, 1e-12);
    EXPECT_LT(std::abs(damped[k] - (plain[k] - c / 2)), 1e-11);
  }
}

// x = L(t) z, z' = R z with constant R:  A = (L' + L R) L^-1 has the exponents of R and the vectors L e.
struct Reducible {
  MatrixXd R, S;  // L = exp(S sin t)... with S^2 = 0: L = 1 + S sin t
  PeriodicSystem system(double speed) const {
    return {2 * kHalfTurn / speed, [this, speed](double t, MatrixXd& A) {
              const MatrixXd one = MatrixXd::Identity(R.rows(), R.rows());
              const MatrixXd L = one + std::sin(speed * t) * S, inverse = one - std::sin(speed * t) * S;
              A = (speed * std::cos(speed * t) * S + L * R) * inverse;
            }};
  }
};

Reducible reducible(const std::vector<Complex>& exponents) {
  const auto n = static_cast<Eigen::Index>(2 * exponents.size());
  Reducible out{MatrixXd::Zero(n, n), MatrixXd::Zero(n, n)};
  for (Eigen::Index k = 0; k < n; k += 2) {
    const Complex s = exponents[static_cast<std::size_t>(k / 2)];
    out.R.block<2, 2>(k, k) << s.real(), s.imag(), -s.imag(), s.real();
  }
  for (Eigen::Index i = 0; i < n / 2; ++i)  // maps the upper half to the lower one: nilpotent
    for (Eigen::Index j = n / 2; j < n; ++j) out.S(j, i) = 0.4 * std::sin(1.0 + 3 * i + 2 * j);
  return out;
}

TEST(Floquet, KeepsMultipliersOfAllSizes) {
  const std::vector<Complex> exact = {{-0.02, 0.3}, {-3, 0.2}, {0.01, 0.45}, {-40, 0.1}, {-0.5, 0.37}, {-41, 0.31}};
  const Reducible made = reducible(exact);
  const double speed = 1.0;
  const PeriodicSystem system = made.system(speed);
  const int parts = 64;
  const FloquetSolutions found = compute_floquet(compute_transition(system, parts).parts, system.period);
  for (const Complex& wanted : exact) {
    double nearest = 1;
    Eigen::Index at = 0;
    for (Eigen::Index k = 0; k < found.exponents.size(); ++k) {
      const double distance = std::abs(found.exponents[k] - wanted);
      if (distance < nearest) nearest = distance, at = k;
    }
    EXPECT_LT(nearest, 1e-8 * std::max(1.0, std::abs(wanted))) << wanted;
    // The vector L(t) e is periodic: at sin = 0 it is that of R; a quarter period later L changes it.
    const VectorXcd start = found.vectors[0].col(at), later = found.vectors[parts / 4].col(at);
    const VectorXcd expected = start + made.S * start;
    EXPECT_LT((later - expected).norm(), 1e-6 * expected.norm()) << wanted;
    EXPECT_LT((made.R * start - found.exponents[at] * start).norm(), 1e-6 * (1 + std::abs(wanted)) * start.norm());
  }
}

TEST(Floquet, IsExactForAConstantMatrix) {
  const Reducible made = reducible({{-0.1, 40}, {-0.3, 100}});
  const PeriodicSystem constant{2 * kHalfTurn, [&](double, MatrixXd& A) { A = made.R; }};
  const Transition transition = compute_transition(constant, 4);
  EXPECT_EQ(transition.steps, 2);
  const FloquetSolutions found = compute_floquet(transition.parts, constant.period);
  for (const Complex& exponent : found.exponents) {
    const double whole = std::remainder(exponent.imag(), 1.0);  // 40 and 100 are multiples of the speed
    EXPECT_NEAR(whole, 0, 1e-10);
    EXPECT_NEAR(std::min(std::abs(exponent.real() + 0.1), std::abs(exponent.real() + 0.3)), 0, 1e-11);
  }
}

}  // namespace
}  // namespace limber::test
