// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/signal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "limber/simulate/inputs.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double pi = std::numbers::pi;

double value_at(const char* text, double t = 0) { return Expression(text).at(t).value; }

TEST(Expression, FollowsTheRulesOfArithmetic) {
  EXPECT_EQ(value_at("1 + 2*3"), 7);
  EXPECT_EQ(value_at("(1 + 2)*3"), 9);
  EXPECT_EQ(value_at("2 - 3 - 4"), -5);
  EXPECT_EQ(value_at("16/4/2"), 2);
  EXPECT_EQ(value_at("-2^2"), -4);
  EXPECT_EQ(value_at("2^3^2"), 512);
  EXPECT_EQ(value_at("2^-1"), 0.5);
  EXPECT_EQ(value_at("--3"), 3);
  EXPECT_EQ(value_at("1.5e-3*t", 2), 3e-3);
  EXPECT_EQ(value_at(" t\t* t ", 3), 9);
  EXPECT_DOUBLE_EQ(value_at("pi/4*(-1+72*t^3)", 0.5), pi / 4 * 8);
  EXPECT_DOUBLE_EQ(value_at("e^2"), std::exp(2));
  EXPECT_DOUBLE_EQ(value_at("sqrt(2)*sin(pi/4)"), 1);
  EXPECT_TRUE(Expression("2*pi").is_constant());
  EXPECT_FALSE(Expression("2*t").is_constant());
}

// Derivatives against fourth-order central differences, whose error is about 1e-10.
TEST(Expression, DerivativesAreExact) {
  for (const char* text : {"t", "t^3 - 2*t", "sin(3*t)*cos(t)", "exp(-t)*t^2", "1/(1 + t^2)", "tan(t/3)", "asin(t/3)",
                           "acos(t/3)", "atan(2*t)", "sinh(t)", "cosh(t)*t", "tanh(t - 1)", "log(2 + t)", "sqrt(1 + t)",
                           "(1 + t)^t", "2^t", "t^2.5", "-t/(3 - sin(t))", "((t + 1)^2)^3"}) {
    const Expression f(text);
    const double t = 0.7, h = 1e-3;
    const auto slope = [&](auto of) {
      return (8 * (of(t + h) - of(t - h)) - (of(t + 2 * h) - of(t - 2 * h))) / (12 * h);
    };
    const Jet jet = f.at(t);
    EXPECT_NEAR(jet.rate, slope([&](double x) { return f.at(x).value; }), 1e-8) << text;
    EXPECT_NEAR(jet.acceleration, slope([&](double x) { return f.at(x).rate; }), 1e-8) << text;
  }
}

TEST(Expression, PowersHaveTheirDerivativesAtZero) {
  const Jet square = Expression("t^2").at(0), cube = Expression("t^3").at(0), one = Expression("t^1").at(0);
  EXPECT_EQ(square.rate, 0);
  EXPECT_EQ(square.acceleration, 2);
  EXPECT_EQ(cube.acceleration, 0);
  EXPECT_EQ(one.rate, 1);
  EXPECT_EQ(one.acceleration, 0);
}

TEST(Expression, MistakesAreNamed) {
  const std::pair<const char*, const char*> bad[] = {
      {"", "character 1"},           {"2 +", "ends too early"},        {"(1", "')' is missing"},
      {"1)", "')' is not expected"}, {"sin t", "parentheses"},         {"x + 1", "'x' is not known"},
      {"abs(t)", "pieces"},          {"t**2", "written with ^"},       {"2t", "'t' is not expected"},
      {"1e999", "no finite number"}, {"3 $ 4", "'$' is not expected"}, {"sin()", "not expected"}};
  for (const auto& [text, part] : bad) {
    try {
      Expression{text};
      ADD_FAILURE() << text;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  }
}

TEST(Expression, DepthIsBounded) {
  EXPECT_THROW(Expression(std::string(10000, '(') + "t" + std::string(10000, ')')), InputError);
  EXPECT_THROW(Expression(std::string(100000, '-') + "t"), InputError);
  std::string right = "t";
  for (int k = 0; k < 200; ++k) right = "1+(" + right + ")";
  EXPECT_THROW(Expression{right}, InputError);
  std::string left = "t";
  for (int k = 0; k < 5000; ++k) left += "+1";
  EXPECT_EQ(Expression(left).at(0).value, 5000);
}

VectorXd times(int n) {
  VectorXd t(n);
  for (int k = 0; k < n; ++k) t[k] = 0.3 * k + 0.1 * std::sin(3.0 * k);
  return t;
}

// A polynomial of the spline's degree is reproduced, with its derivatives.
TEST(Signal, SplinesReproducePolynomials) {
  const auto poly = [](double x, int degree) {
    Jet j;
    for (int k = 0; k <= degree; ++k) {
      const double c = 1 - 0.3 * k;
      j.value += c * std::pow(x, k);
      if (k > 0) j.rate += c * k * std::pow(x, k - 1);
      if (k > 1) j.acceleration += c * k * (k - 1) * std::pow(x, k - 2);
    }
    return j;
  };
  for (const auto& [kind, degree] :
       {std::pair{Interpolation::linear, 1}, {Interpolation::cubic, 3}, {Interpolation::quintic, 5}}) {
    for (const int n : {2, 3, 4, 5, 6, 7, 12}) {
      const int d = std::min(degree, n - 1);
      const VectorXd t = times(n);
      const Signal s = Signal::table(t, t.unaryExpr([&](double x) { return poly(x, d).value; }), kind);
      for (double x = t[0] + 1e-3; x < t[n - 1]; x += 0.017) {
        EXPECT_NEAR(s.at(x).value, poly(x, d).value, 1e-11 * (1 + std::abs(poly(x, d).value)));
        EXPECT_NEAR(s.at(x).rate, poly(x, d).rate, 1e-9 * (1 + std::abs(poly(x, d).rate)));
        EXPECT_NEAR(s.at(x).acceleration, poly(x, d).acceleration, 1e-7 * (1 + std::abs(poly(x, d).acceleration)));
      }
    }
  }
}

TEST(Signal, SplinesAreSmoothAtTheirKnots) {
  const VectorXd t = times(9), y = t.unaryExpr([](double x) { return std::sin(3 * x); });
  for (const Interpolation kind : {Interpolation::cubic, Interpolation::quintic}) {
    const Signal s = Signal::table(t, y, kind);
    for (int k = 1; k < 8; ++k) {
      const Jet before = s.at(t[k], t[k] - 1e-3), after = s.at(t[k], t[k] + 1e-3);
      EXPECT_NEAR(before.value, y[k], 1e-13);
      EXPECT_EQ(after.value, y[k]);
      EXPECT_NEAR(before.rate, after.rate, 1e-11);
      EXPECT_NEAR(before.acceleration, after.acceleration, 1e-9);
    }
  }
}

TEST(Signal, TablesHoldTheirEnds) {
  const Signal s = Signal::table(VectorXd::LinSpaced(3, 1, 3), Vector3d(5, 7, 6), Interpolation::linear);
  EXPECT_EQ(s.at(0).value, 5);
  EXPECT_EQ(s.at(1.5).value, 6);
  EXPECT_EQ(s.at(1.5).rate, 2);
  EXPECT_EQ(s.at(9).value, 6);
  EXPECT_EQ(s.at(9).rate, 0);
  EXPECT_EQ(s.breaks(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(s.at(2, 1.9).rate, 2);
  EXPECT_EQ(s.at(2, 2.1).rate, -1);
}

TEST(Signal, PiecesHaveTwoSides) {
  const Signal s =
      Signal::pieces({{5, Signal(200.0)},
                      {10, Signal::expression("-200 + t")},
                      {0, Signal::table(Eigen::Vector2d(0, 20), Eigen::Vector2d(0, 20), Interpolation::linear)}});
  EXPECT_EQ(s.at(5, 4).value, 200);
  EXPECT_EQ(s.at(5, 6).value, -195);
  EXPECT_EQ(s.at(5).value, -195);
  EXPECT_EQ(s.at(12).value, 12);
  EXPECT_EQ(s.breaks(), (std::vector<double>{5, 10, 20}));
  EXPECT_FALSE(s.is_constant());
  EXPECT_TRUE(Signal(3.0).is_constant());
  EXPECT_TRUE(Signal::expression("3*pi").is_constant());
}

TEST(Signal, CycloidIsItsFormulaAndRestsAtBothEnds) {
  const Signal s = Signal::cycloid(0.3, -1.7, 2, 5);
  const Signal same = Signal::expression("0.3 - 1.7*((t - 2)/5 - sin(2*pi*(t - 2)/5)/(2*pi))");
  for (double t = 2; t <= 7; t += 0.23) {
    const Jet a = s.at(t), b = same.at(t);
    EXPECT_NEAR(a.value, b.value, 1e-15) << t;
    EXPECT_NEAR(a.rate, b.rate, 1e-15) << t;
    EXPECT_NEAR(a.acceleration, b.acceleration, 1e-15) << t;
  }
  for (const double end : {2.0, 7.0}) EXPECT_NEAR(s.at(end).rate, 0, 1e-16);
  EXPECT_EQ(s.at(2).value, 0.3);
  EXPECT_NEAR(s.at(7).value, -1.4, 1e-15);
}

TEST(Signal, SineHasItsDerivatives) {
  const Signal s = Signal::sine(2, 0.5, 0.3, 1);
  const Jet j = s.at(0.4);
  const double a = pi * 0.4 + 0.3;
  EXPECT_DOUBLE_EQ(j.value, 1 + 2 * std::sin(a));
  EXPECT_DOUBLE_EQ(j.rate, 2 * pi * std::cos(a));
  EXPECT_DOUBLE_EQ(j.acceleration, -2 * pi * pi * std::sin(a));
}

TEST(Signal, MistakesAreRefused) {
  const Eigen::Vector2d up(0, 1), down(1, 0);
  EXPECT_THROW(Signal::table(VectorXd(), VectorXd(), Interpolation::linear), InputError);
  EXPECT_THROW(Signal::table(up, Vector3d(1, 2, 3), Interpolation::linear), InputError);
  EXPECT_THROW(Signal::table(down, up, Interpolation::cubic), InputError);
  EXPECT_THROW(Signal::pieces({}), InputError);
  EXPECT_THROW(Signal::pieces({{2, Signal(1.0)}, {1, Signal(2.0)}, {0, Signal(0.0)}}), InputError);
}

TEST(Signal, BreaksThatAreNearlyOneAreOne) {
  Inputs inputs;
  inputs.speeds.push_back({0, Signal::pieces({{0.3, Signal(1.0)}, {0, Signal(2.0)}}), ""});
  inputs.speeds.push_back({0, Signal::pieces({{0.1 * 3, Signal(1.0)}, {0, Signal(2.0)}}), ""});
  EXPECT_EQ(breaks(inputs).size(), 1u);
}

}  // namespace
}  // namespace limber
