// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/signal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"
#include "spline.hpp"

namespace limber {
namespace {

constexpr double kAlways = -std::numeric_limits<double>::infinity();

void check_rising(const VectorXd& t) {
  for (Eigen::Index k = 1; k < t.size(); ++k) {
    if (!(t[k] > t[k - 1])) {
      throw InputError("the times of the table must rise, but " + text(t[k]) + " comes after " + text(t[k - 1]) +
                       "; sort the points and write a jump as pieces");
    }
  }
}

}  // namespace

Signal::Signal(double constant) {
  Polynomial p;
  p.c[0] = constant;
  segments_.push_back({kAlways, p});
}

Signal Signal::expression(std::string_view text) {
  Signal out;
  Expression law(text);
  if (law.is_constant()) return Signal(law.at(0).value);
  out.segments_[0].law = std::move(law);
  return out;
}

Signal Signal::sine(double amplitude, double frequency, double phase, double offset) {
  Signal out;
  out.segments_[0].law = Sine{amplitude, 2 * std::numbers::pi * frequency, phase, offset};
  return out;
}

Signal Signal::cycloid(double start, double distance, double from, double duration) {
  constexpr double kTurn = 2 * std::numbers::pi;
  Signal out;
  out.segments_[0].law = Sine{-distance / kTurn, kTurn / duration, 0, start, distance / duration, from};
  return out;
}

Signal Signal::callback(std::function<Jet(double t)> law, const std::vector<double>& breaks) {
  if (!law) throw InputError("the law of a signal is empty; give it a function");
  Signal out;
  out.segments_[0].law = Callback{law};
  for (const double t : breaks) {
    if (!(t > out.segments_.back().begin)) throw InputError("the breaks of a signal must rise; sort them");
    out.segments_.push_back({t, Callback{law}});
  }
  return out;
}

Signal Signal::polynomial(double from, std::span<const double> c) {
  if (c.size() > std::size(Polynomial{}.c)) throw InputError("a polynomial has at most the fifth power");
  Polynomial p;
  p.from = from;
  std::copy(c.begin(), c.end(), p.c);
  Signal out;
  out.segments_[0].law = p;
  return out;
}

// Segments between the breaks of all impulses, with a fixed sum in each; `inside` selects the branch of s.
Signal Signal::shaped(const Signal& s, std::span<const Impulse> impulses) {
  if (impulses.empty()) throw InputError("a shaped signal needs at least one impulse");
  if (s.is_constant()) {
    double sum = 0;
    for (const Impulse& impulse : impulses) sum += impulse.weight;
    return Signal(sum * s.at(0).value);
  }
  const Signal from_zero = pieces({{0, Signal(s.at(0).value)}, {0, s}});
  const Sum sum{std::make_shared<const Signal>(from_zero), {impulses.begin(), impulses.end()}};
  std::vector<double> times;
  for (const Impulse& impulse : impulses) {
    for (const double t : from_zero.breaks()) times.push_back(t + impulse.delay);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  Signal out;
  out.segments_[0].law = sum;
  for (const double t : times) out.segments_.push_back({t, sum});
  return out;
}

Signal Signal::table(const VectorXd& t, const VectorXd& y, Interpolation interpolation) {
  if (t.size() == 0) throw InputError("the table is empty; write at least one time and value");
  if (t.size() != y.size()) {
    throw InputError("the table has " + std::to_string(t.size()) + " times and " + std::to_string(y.size()) +
                     " values; write as many of the one as of the other");
  }
  check_rising(t);
  constexpr int kDegrees[] = {1, 3, 5};
  const MatrixXd c = compute_spline(t, y, kDegrees[static_cast<int>(interpolation)]);
  Signal out(y[0]);
  for (Eigen::Index k = 0; k < c.cols(); ++k) {
    Polynomial p;
    p.from = t[k];
    for (Eigen::Index j = 0; j < c.rows(); ++j) p.c[j] = c(j, k);
    out.segments_.push_back({t[k], p});
  }
  if (t.size() > 1) {
    Polynomial last;
    last.c[0] = y[y.size() - 1];
    out.segments_.push_back({t[t.size() - 1], last});
  }
  return out;
}

Signal Signal::pieces(const std::vector<Piece>& pieces) {
  if (pieces.empty()) throw InputError("there are no pieces; write at least one {value: 0}");
  Signal out;
  out.segments_.clear();
  double begin = kAlways;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const bool last = i + 1 == pieces.size();
    const double end = last ? std::numeric_limits<double>::infinity() : pieces[i].until;
    if (!(end > begin)) {
      throw InputError("the ends of the pieces must rise, but " + text(end) + " comes after " + text(begin) +
                       "; sort the pieces");
    }
    const auto& from = pieces[i].signal.segments_;
    for (std::size_t k = 0; k < from.size(); ++k) {
      const double next = k + 1 < from.size() ? from[k + 1].begin : std::numeric_limits<double>::infinity();
      if (next <= begin || from[k].begin >= end) continue;
      out.segments_.push_back({std::max(begin, from[k].begin), from[k].law});
    }
    begin = end;
  }
  return out;
}

// Equally spaced breaks, as in most tables, are found at the first try.
std::size_t Signal::find(double inside) const {
  const std::size_t last = segments_.size() - 1;
  if (last == 0 || !(inside >= segments_[1].begin)) return 0;
  if (inside >= segments_[last].begin) return last;
  const double first = segments_[1].begin, share = (inside - first) / (segments_[last].begin - first);
  const std::size_t guess = 1 + std::min(last - 2, static_cast<std::size_t>(share * static_cast<double>(last - 1)));
  if (segments_[guess].begin <= inside && inside < segments_[guess + 1].begin) return guess;
  const auto after = std::upper_bound(segments_.begin() + 1, segments_.end(), inside,
                                      [](double time, const Segment& s) { return time < s.begin; });
  return static_cast<std::size_t>(after - segments_.begin()) - 1;
}

Jet Signal::at(double t, double inside) const {
  const std::size_t k = find(inside);
  if (std::holds_alternative<Sum>(segments_[k].law)) {
    // Evaluated well inside, where rounding of the delays has no effect.
    const double begin = segments_[k].begin, end = k + 1 == segments_.size() ? begin + 1 : segments_[k + 1].begin;
    inside = std::isfinite(begin) ? 0.5 * (begin + end) : end - 1;
  }
  return at(segments_[k], t, inside);
}

double Signal::value(double t, double inside) const {
  const auto* p = std::get_if<Polynomial>(&segments_[find(inside)].law);
  return p != nullptr ? p->value(t) : at(t, inside).value;
}

Jet Signal::at(const Segment& segment, double t, double inside) {
  if (const auto* p = std::get_if<Polynomial>(&segment.law)) {
    const double x = t - p->from;
    const double* c = p->c;
    return {p->value(t), c[1] + x * (2 * c[2] + x * (3 * c[3] + x * (4 * c[4] + x * 5 * c[5]))),
            2 * c[2] + x * (6 * c[3] + x * (12 * c[4] + x * 20 * c[5]))};
  }
  if (const auto* s = std::get_if<Sine>(&segment.law)) {
    const double x = t - s->from, angle = s->omega * x + s->phase;
    const double wave = s->amplitude * std::sin(angle);
    return {s->offset + s->slope * x + wave, s->slope + s->amplitude * s->omega * std::cos(angle),
            -s->omega * s->omega * wave};
  }
  if (const auto* sum = std::get_if<Sum>(&segment.law)) {
    Jet out;
    for (const Impulse& impulse : sum->impulses) {
      const Jet jet = sum->of->at(t - impulse.delay, inside - impulse.delay);
      out.value += impulse.weight * jet.value;
      out.rate += impulse.weight * jet.rate;
      out.acceleration += impulse.weight * jet.acceleration;
    }
    return out;
  }
  if (const auto* own = std::get_if<Callback>(&segment.law)) return own->law(t);
  return std::get<Expression>(segment.law).at(t);
}

std::vector<double> Signal::breaks() const {
  std::vector<double> times;
  for (std::size_t k = 1; k < segments_.size(); ++k) times.push_back(segments_[k].begin);
  return times;
}

bool Signal::is_constant() const {
  if (segments_.size() != 1) return false;
  const auto* p = std::get_if<Polynomial>(&segments_[0].law);
  return p != nullptr && std::all_of(p->c + 1, p->c + 6, [](double c) { return c == 0; });
}

}  // namespace limber
