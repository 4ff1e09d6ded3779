// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/expression.hpp"

#include <charconv>
#include <cmath>
#include <numbers>
#include <string>

#include "limber/spatial/status.hpp"

namespace limber {

enum class Expression::Op : unsigned char {
  number,
  time,
  value,  // of a variable
  negate,
  add,
  subtract,
  multiply,
  divide,
  power,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  sqrt
};

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// g(u), given g, g' and g'' at u.
Jet chain(const Jet& u, double g, double slope, double second) {
  return {g, slope * u.rate, slope * u.acceleration + second * u.rate * u.rate};
}
Jet add(const Jet& a, const Jet& b) { return {a.value + b.value, a.rate + b.rate, a.acceleration + b.acceleration}; }
Jet negated(const Jet& a) { return {-a.value, -a.rate, -a.acceleration}; }
Jet multiply(const Jet& a, const Jet& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.acceleration * b.value + 2 * a.rate * b.rate + a.value * b.acceleration};
}
Jet reciprocal(const Jet& u) {
  const double r = 1 / u.value;
  return chain(u, r, -r * r, 2 * r * r * r);
}
// c u^e with 0 times anything taken as 0: the derivatives of u^2 at u = 0 exist.
double scaled_power(double c, double u, double e) { return c == 0 ? 0 : c * std::pow(u, e); }
Jet power(const Jet& u, const Jet& e) {
  if (e.rate == 0 && e.acceleration == 0) {
    const double n = e.value;
    return chain(u, std::pow(u.value, n), scaled_power(n, u.value, n - 1), scaled_power(n * (n - 1), u.value, n - 2));
  }
  // exp(e log u)
  const double r = 1 / u.value;
  const Jet exponent = multiply(e, chain(u, std::log(u.value), r, -r * r));
  const double g = std::exp(exponent.value);
  return chain(exponent, g, g, g);
}

}  // namespace

// Recursive descent: sum -> product -> sign -> power -> atom.  Emits postfix code.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::span<const std::string> names, Expression& out)
      : text_(text), names_(names), out_(out) {}

  void parse() {
    sum();
    if (peek() != '\0') fail(std::string("'") + text_[at_] + "' is not expected");
  }

 private:
  using Op = Expression::Op;

  [[noreturn]] void fail(const std::string& what) const {
    std::string names;
    for (const std::string& name : names_) names += name + ", ";
    throw InputError("the expression is wrong at character " + std::to_string(at_ + 1) + ": " + what +
                     "; write numbers, " + names + "t, pi, e, + - * / ^ ( ), and functions such as sin(pi*t)");
  }

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void push(Op op, double number = 0) {
    if (op <= Op::value) ++depth_;
    if (op >= Op::add && op <= Op::power) --depth_;
    if (depth_ > kMaxExpressionDepth) fail("it is nested too deeply");
    if (op == Op::time || op == Op::value) out_.constant_ = false;
    out_.steps_.push_back({op, number});
  }

  void sum() {
    product();
    for (;;) {
      if (take('+')) {
        product();
        push(Op::add);
      } else if (take('-')) {
        product();
        push(Op::subtract);
      } else {
        return;
      }
    }
  }
  void product() {
    sign();
    for (;;) {
      if (take('*')) {
        if (peek() == '*') fail("a power is written with ^");
        sign();
        push(Op::multiply);
      } else if (take('/')) {
        sign();
        push(Op::divide);
      } else {
        return;
      }
    }
  }
  // -t^2 is -(t^2), 2^-t is 2^(-t).
  void sign() {
    if (++nesting_ > kMaxExpressionDepth) fail("it is nested too deeply");
    if (take('-')) {
      sign();
      push(Op::negate);
    } else if (take('+')) {
      sign();
    } else {
      atom();
      if (take('^')) {
        sign();
        push(Op::power);
      }
    }
    --nesting_;
  }
  void atom() {
    const char c = peek();
    if (take('(')) {
      sum();
      if (!take(')')) fail("a ')' is missing");
    } else if (is_digit(c) || c == '.') {
      number();
    } else if (is_letter(c)) {
      word();
    } else {
      fail(c == '\0' ? "it ends too early" : std::string("'") + c + "' is not expected");
    }
  }
  void number() {
    double value = 0;
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error != std::errc()) fail("this is no finite number");
    at_ += static_cast<std::size_t>(rest - begin);
    push(Op::number, value);
  }
  void word() {
    const std::size_t begin = at_;
    const bool dots = !names_.empty();  // names of the state contain dots
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || (dots && text_[at_] == '.'))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (name == names_[k]) return push(Op::value, static_cast<double>(k));
    }
    if (name == "t") return push(Op::time);
    if (name == "pi") return push(Op::number, std::numbers::pi);
    if (name == "e") return push(Op::number, std::numbers::e);
    constexpr std::string_view kNames[] = {"sin",  "cos",  "tan",  "asin", "acos", "atan",
                                           "sinh", "cosh", "tanh", "exp",  "log",  "sqrt"};
    for (int k = 0; k < static_cast<int>(std::size(kNames)); ++k) {
      if (name != kNames[k]) continue;
      if (!take('(')) fail("'" + std::string(name) + "' needs its argument in parentheses");
      sum();
      if (!take(')')) fail("a ')' is missing");
      return push(static_cast<Op>(static_cast<int>(Op::sin) + k));
    }
    at_ = begin;
    for (const std::string_view kink : {"abs", "sign", "min", "max", "floor", "ceil", "step", "mod", "round"}) {
      if (name == kink) fail("'" + std::string(name) + "' has kinks or jumps, which must be written as pieces");
    }
    fail("'" + std::string(name.substr(0, 40)) + "' is not known");
  }

  std::string_view text_;
  std::span<const std::string> names_;
  Expression& out_;
  std::size_t at_ = 0;
  int depth_ = 0, nesting_ = 0;
};

Expression::Expression(std::string_view text) : Expression(text, {}) {}
Expression::Expression(std::string_view text, std::span<const std::string> names) {
  ExpressionParser(text, names, *this).parse();
}

namespace {

Jet apply(int function, const Jet& u) {
  const double x = u.value, s = std::sin(x), c = std::cos(x);
  switch (function) {
    case 0:
      return chain(u, s, c, -s);
    case 1:
      return chain(u, c, -s, -c);
    case 2: {
      const double g = std::tan(x), slope = 1 + g * g;
      return chain(u, g, slope, 2 * g * slope);
    }
    case 3: {
      const double r = 1 / std::sqrt(1 - x * x);
      return chain(u, std::asin(x), r, x * r * r * r);
    }
    case 4: {
      const double r = 1 / std::sqrt(1 - x * x);
      return chain(u, std::acos(x), -r, -x * r * r * r);
    }
    case 5: {
      const double r = 1 / (1 + x * x);
      return chain(u, std::atan(x), r, -2 * x * r * r);
    }
    case 6:
      return chain(u, std::sinh(x), std::cosh(x), std::sinh(x));
    case 7:
      return chain(u, std::cosh(x), std::sinh(x), std::cosh(x));
    case 8: {
      const double g = std::tanh(x), slope = 1 - g * g;
      return chain(u, g, slope, -2 * g * slope);
    }
    case 9:
      return chain(u, std::exp(x), std::exp(x), std::exp(x));
    case 10:
      return chain(u, std::log(x), 1 / x, -1 / (x * x));
    default: {
      const double g = std::sqrt(x);
      return chain(u, g, 0.5 / g, -0.25 / (x * g));
    }
  }
}

}  // namespace

Jet Expression::at(double t) const { return evaluate(t, {}); }
double Expression::at(double t, std::span<const double> values) const { return evaluate(t, values).value; }

double Expression::at(double t, std::span<const double> values, std::span<double> slopes) const {
  for (std::size_t k = 0; k < slopes.size(); ++k) slopes[k] = evaluate(t, values, static_cast<int>(k)).rate;
  return at(t, values);
}

// Derivatives in time, or in one of the variables.
Jet Expression::evaluate(double t, std::span<const double> values, int along) const {
  Jet stack[kMaxExpressionDepth + 1];
  int top = 0;
  for (const Step& step : steps_) {
    switch (step.op) {
      case Op::number:
        stack[top++] = {step.number, 0, 0};
        continue;
      case Op::time:
        stack[top++] = {t, along == kTime ? 1.0 : 0.0, 0};
        continue;
      case Op::value:
        stack[top++] = {values[static_cast<std::size_t>(step.number)], step.number == along ? 1.0 : 0.0, 0};
        continue;
      case Op::negate:
        stack[top - 1] = negated(stack[top - 1]);
        continue;
      default:
        break;
    }
    if (step.op >= Op::sin) {
      stack[top - 1] = apply(static_cast<int>(step.op) - static_cast<int>(Op::sin), stack[top - 1]);
      continue;
    }
    const Jet b = stack[--top];
    Jet& a = stack[top - 1];
    switch (step.op) {
      case Op::add:
        a = add(a, b);
        break;
      case Op::subtract:
        a = add(a, negated(b));
        break;
      case Op::multiply:
        a = multiply(a, b);
        break;
      case Op::divide:
        a = multiply(a, reciprocal(b));
        break;
      default:
        a = power(a, b);
        break;
    }
  }
  return stack[0];
}

}  // namespace limber
