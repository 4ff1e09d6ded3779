// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "limber/simulate/expression.hpp"
#include "limber/spatial/types.hpp"

namespace limber {

enum class Interpolation { linear, cubic, quintic };

// A function of time, smooth between its breaks.
class Signal {
 public:
  Signal() : Signal(0.0) {}
  Signal(double constant);  // NOLINT: a number is a signal
  // Throws InputError: what is wrong and at which character.
  static Signal expression(std::string_view text);
  // offset + amplitude sin(2 pi frequency t + phase)
  static Signal sine(double amplitude, double frequency, double phase, double offset);
  // start + distance (x - sin(2 pi x) / 2 pi), x = (t - from) / duration: at rest at both ends.  [MS] (44).
  static Signal cycloid(double start, double distance, double from, double duration);
  // c[0] + c[1] (t - from) + ... , at most to the fifth power.
  static Signal polynomial(double from, std::span<const double> c);
  // sum of weight s(t - delay): the shaped signal of s, which is constant before t = 0.
  struct Impulse {
    double delay = 0, weight = 1;
  };
  static Signal shaped(const Signal& s, std::span<const Impulse> impulses);  // s, convolved with them
  // Any function of time, smooth except at `breaks`, which increase.  Forces need only the value; a motion also needs
  // the derivatives.
  static Signal callback(std::function<Jet(double t)> law, const std::vector<double>& breaks = {});
  // Through the points (t, y): straight lines, or a spline of degree 3 or 5 with the not-a-knot condition at its ends
  // (fewer points: the polynomial through them).  Constant before the first and after the last time.
  // Throws InputError: sizes differ, no points, times that do not increase.
  static Signal table(const VectorXd& t, const VectorXd& y, Interpolation interpolation);
  // Each piece begins at the end of the previous one; the last has no end.  Throws InputError: ends that do not
  // increase.
  struct Piece;
  static Signal pieces(const std::vector<Piece>& pieces);

  // At time t on the branch that is valid at the time `inside`: a step up to a break and the next one each see
  // their own side.  O(log breaks).
  Jet at(double t, double inside) const;
  Jet at(double t) const { return at(t, t); }
  double value(double t, double inside) const;  // that of at(t, inside)

  // Times at which the signal, or one of its derivatives, jumps; increasing.
  std::vector<double> breaks() const;
  bool is_constant() const;

 private:
  struct Polynomial {
    double from = 0;
    double c[6] = {};  // of (t - from)^k
    double value(double t) const {
      const double x = t - from;
      return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * (c[4] + x * c[5]))));
    }
  };
  struct Sine {  // offset + slope (t - from) + amplitude sin(omega (t - from) + phase)
    double amplitude, omega, phase, offset;
    double slope = 0, from = 0;
  };
  struct Sum {
    std::shared_ptr<const Signal> of;
    std::vector<Impulse> impulses;
  };
  struct Callback {
    std::function<Jet(double)> law;
  };
  struct Segment {
    double begin;  // valid from here to the next; the first from -infinity
    std::variant<Polynomial, Sine, Expression, Sum, Callback> law;
  };
  std::size_t find(double inside) const;  // the segment that holds there
  static Jet at(const Segment& segment, double t, double inside);

  std::vector<Segment> segments_;
};

struct Signal::Piece {
  double until = 0;  // ignored for the last
  Signal signal;
};

}  // namespace limber
