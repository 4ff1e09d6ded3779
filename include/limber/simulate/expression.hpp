// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// A quantity at a time, with its first two derivatives in time.
struct Jet {
  double value = 0, rate = 0, acceleration = 0;
};

// A smooth function of time written as text, such as "pi/4*(-1 + 72*t^3)": numbers, t, pi, e, + - * / ^, parentheses,
// and sin cos tan asin acos atan sinh cosh tanh exp log sqrt.  Functions with kinks or jumps are excluded: these
// are written as pieces, at whose ends steppers stop.  Derivatives are exact (forward mode).
class Expression {
 public:
  // Throws InputError: what is wrong and at which character.
  explicit Expression(std::string_view text);
  // The same with further names, whose values are passed to at() in this order.
  Expression(std::string_view text, std::span<const std::string> names);
  Jet at(double t) const;
  double at(double t, std::span<const double> values) const;
  // And its derivatives by these values, exact (forward mode, one evaluation each).
  double at(double t, std::span<const double> values, std::span<double> slopes) const;
  bool is_constant() const { return constant_; }

 private:
  friend class ExpressionParser;
  static constexpr int kTime = -1;
  Jet evaluate(double t, std::span<const double> values, int along = kTime) const;
  enum class Op : unsigned char;
  struct Step {
    Op op;
    double number = 0;
  };
  std::vector<Step> steps_;  // postfix
  bool constant_ = true;
};

inline constexpr int kMaxExpressionDepth = 64;  // of the stack of values

}  // namespace limber
