// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "stop_events.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/simulate/detail/element_forces.hpp"
#include "simulate/backlash.hpp"
#include "simulate/friction_forces.hpp"

namespace limber {
namespace {

constexpr double kNoEvent = std::numeric_limits<double>::infinity();
constexpr double kLevel =
    16 * std::numeric_limits<double>::epsilon();  // of positions, and of 1 m or rad: rounding causes no event
constexpr double kClosureSlack = 1e-10;           // m or rad: projections displace joints by less
constexpr double kFlat = 1.0 / 16;                // of the level: at the rounding level itself
constexpr int kHalvings = 60;
constexpr double kFits = 1e-9;  // of a prescribed motion: tolerance of its polynomial
constexpr int kMotionHalvings = 20;

double node(int k, int degree) { return 0.5 * (1 - std::cos(M_PI * k / degree)); }

double largest(const Bernstein& p) {
  double out = 0;
  for (int i = 0; i <= p.degree; ++i) out = std::max(out, std::abs(p.c[i]));
  return out;
}

// All Bernstein polynomials of degree n at x.
VectorXd bernstein_values(int n, double x) {
  VectorXd b = VectorXd::Zero(n + 1);
  b[0] = 1;
  for (int j = 1; j <= n; ++j) {
    for (int i = j; i >= 0; --i) b[i] = (1 - x) * b[i] + (i > 0 ? x * b[i - 1] : 0);
  }
  return b;
}

// de Casteljau's algorithm at the midpoint: `p` becomes its left half.
Bernstein split(Bernstein& p) {
  Bernstein right;
  right.degree = p.degree;
  for (int j = 0; j <= p.degree; ++j) {
    right.c[p.degree - j] = p.c[p.degree];
    for (int i = p.degree; i > j; --i) p.c[i] = 0.5 * (p.c[i] + p.c[i - 1]);
  }
  return right;
}

// The part of p, on [from, to], that lies behind t.  de Casteljau's algorithm.
Bernstein behind(Bernstein p, double from, double to, double t) {
  const double x = to > from ? (t - from) / (to - from) : 0;
  for (int j = p.degree; j > 0; --j) {
    for (int i = 0; i < j; ++i) p.c[i] += x * (p.c[i + 1] - p.c[i]);
  }
  return p;
}

double value(Bernstein p, double x) {
  for (int j = p.degree; j > 0; --j) {
    for (int i = 0; i < j; ++i) p.c[i] += x * (p.c[i + 1] - p.c[i]);
  }
  return p.c[0];
}

// dp/dt over an interval of length h, elevated to the degree of p.
Bernstein derivative(const Bernstein& p, double h) {
  const int n = p.degree;
  Bernstein out;
  out.degree = n;
  const auto d = [&](int i) { return n / h * (p.c[i + 1] - p.c[i]); };
  for (int i = 0; i <= n; ++i) out.c[i] = ((i > 0 ? i * d(i - 1) : 0) + (i < n ? (n - i) * d(i) : 0)) / n;
  return out;
}

double rise(Bernstein p, double from, double to, double level, int depth) {
  const auto [least, most] = std::minmax_element(p.c.begin(), p.c.begin() + p.degree + 1);
  if (!(*most > level)) return kNoEvent;
  if (p.c[0] > level) return from;
  const double middle = 0.5 * (from + to);
  const bool flat = *most - *least <= kFlat * level;
  if (flat || depth == 0 || !(middle > from && middle < to)) return p.c[p.degree] > level ? to : kNoEvent;
  const Bernstein right = split(p);
  const double found = rise(p, from, middle, level, depth - 1);
  return found < kNoEvent ? found : rise(right, middle, to, level, depth - 1);
}

}  // namespace

double first_rise(const Bernstein& p, double from, double to, double level) {
  return rise(p, from, to, level, kHalvings);
}

double first_rise_of_both(Bernstein a, double level_a, Bernstein b, double level_b, double from, double to) {
  constexpr int kPasses = 8;  // each leaves out a whole interval where one of them is below its level
  for (int k = 0; k < kPasses; ++k) {
    const double one = first_rise(a, from, to, level_a);
    if (one == kNoEvent) return kNoEvent;
    b = behind(b, from, to, one);
    const double both = first_rise(b, one, to, level_b);
    if (both == kNoEvent) return kNoEvent;
    a = behind(a, from, to, both);
    b = behind(b, one, to, both);
    from = both;
    if (a.c[0] > level_a || !(to > from)) break;
  }
  return from;
}

Bernstein hermite_rate(double h, double q0, double q1, double v0, double v1) {
  const double mean = 0.5 * (v0 + v1), rounding = kLevel * std::max(std::abs(q0), std::abs(q1)) / h;
  double bend = 3 * ((q1 - q0) / h - mean);  // of the middle coefficient of degree 2
  if (std::abs(bend) <= rounding) bend = 0;
  // Elevated to degree 3.
  const double middle = mean + bend;
  return {3, {v0, (v0 + 2 * middle) / 3, (2 * middle + v1) / 3, v1}};
}

bool EventWatch::stalls(double t) {
  if (count_ == 0 || !(t - since_ <= window_)) {
    since_ = t;
    count_ = 0;
  }
  return ++count_ > kMost;
}

StopEvents::StopEvents(System& system) : system_(system) {
  for (const StopContact& stop : system.stops()) watched_.push_back({stop.q, stop.v});
  if (const FrictionForces* friction = system.friction()) {
    for (const FrictionContact& contact : friction->contacts) watched_.push_back({contact.q, contact.v});
    levels_.setZero(Bernstein::kMaxDegree + 1, 2 * static_cast<Eigen::Index>(friction->contacts.size()));
  }
  if (const BacklashForces* backlash = system.backlash()) {
    for (const Backlash& gap : backlash->gaps) {
      watched_.push_back({gap.q, gap.v});
      watched_.push_back({gap.motor_q, gap.motor_v});
    }
  }
  const auto columns = static_cast<Eigen::Index>(watched_.size());
  if (const ElementForces* forces = system.element_forces()) elements_ = forces->loads.event_count();
  if (columns == 0 && elements_ == 0) return;
  if (elements_ > 0) kin_ = std::make_unique<KinematicsWorkspace>(system.model());
  element_values_.setZero(Bernstein::kMaxDegree + 1, elements_);
  element_scales_.setZero(elements_);
  element_gaps_ = scratch_ = scratch_scales_ = element_scales_;
  slack_ = system.has_closures() ? kClosureSlack : 0;
  motion_.x = make_zero_state(system.model());
  positions_ = rates_ = MatrixXd::Zero(Bernstein::kMaxDegree + 1, columns);
  gaps_ = MatrixXd::Zero(2, columns);
  from_nodes_.resize(Bernstein::kMaxDegree + 1);
  for (int n = 1; n <= Bernstein::kMaxDegree; ++n) {
    MatrixXd values(n + 1, n + 1);
    for (int k = 0; k <= n; ++k) values.row(k) = bernstein_values(n, node(k, n)).transpose();
    from_nodes_[n] = values.inverse();
  }
}

void StopEvents::start_step() {
  FrictionForces* friction = system_.friction();
  if (friction == nullptr) return;
  for (FrictionContact& contact : friction->contacts) contact.yields = contact.slides() && contact.varies();
}

double StopEvents::first(const Motion& before, const Stepper& stepper) {
  from_ = before.x.t;
  to_ = stepper.now().x.t;
  sample(before, stepper);
  double found = kNoEvent;
  const auto consider = [&](double t, Cause cause, int joint) {
    if (t >= found) return;
    found = t;
    cause_ = cause;
    cause_joint_ = joint;
  };
  Eigen::Index column = 0;
  for (const StopContact& stop : system_.stops()) {
    const double t = stop.motion >= 0 ? first_prescribed(stop, from_, to_, kMotionHalvings)
                                      : first_of(stop, curve(column), from_, to_, gaps_.col(column));
    consider(t, Cause::stop, stop.joint);
    ++column;
  }
  if (const FrictionForces* friction = system_.friction()) {
    for (std::size_t i = 0; i < friction->contacts.size(); ++i, ++column) {
      const FrictionContact& contact = friction->contacts[i];
      if (contact.prescribed || contact.phase == FrictionContact::Phase::free) continue;
      const auto index = static_cast<Eigen::Index>(i);
      const double t = contact.slides() ? first_stick(index, curve(column), gaps_.col(column))
                                        : first_slide(index, curve(column), gaps_.col(column));
      consider(t, Cause::friction, contact.joint);
    }
  }
  if (const BacklashForces* backlash = system_.backlash()) {
    for (const Backlash& gap : backlash->gaps) {
      consider(first_of_backlash(gap, column), Cause::backlash, gap.joint);
      column += 2;
    }
  }
  if (elements_ > 0) consider(first_of_elements(), Cause::element, 0);
  return found;
}

std::string StopEvents::name_cause() const {
  if (cause_ == Cause::element) return "a rope or contact";
  const std::string joint = "joint '" + system_.model().joints[cause_joint_].name + "'";
  if (cause_ == Cause::stop) return "the stop of " + joint;
  return (cause_ == Cause::friction ? "the friction of " : "the backlash of ") + joint;
}

// The event functions of ropes and contacts are not polynomials: their interpolant at the method's nodes is used.  The
// step is cut at its root and the search repeated, so that the error falls with the length of the step.
void StopEvents::sample_elements(const State& x, int k, bool begins, const State& before) {
  const ElementLoads& loads = system_.element_forces()->loads;
  const auto evaluate = [&](const State& at) {
    compute_kinematics(system_.model(), at, *kin_);
    compute_world_poses(system_.model(), *kin_);
    loads.events(at, *kin_, scratch_, scratch_scales_);
  };
  if (begins) {
    element_scales_.setZero();
    evaluate(before);
    element_gaps_ = scratch_;
  }
  evaluate(x);
  if (begins) element_gaps_ = (element_gaps_ - scratch_).cwiseAbs();
  element_values_.row(k) = scratch_;
  element_scales_ = element_scales_.cwiseMax(scratch_scales_);
}

double StopEvents::first_of_elements() const {
  double found = kNoEvent;
  for (Eigen::Index i = 0; i < elements_; ++i) {
    Bernstein g;
    g.degree = std::max(1, degree_);
    for (int k = 0; k <= g.degree; ++k)
      g.c[k] = degree_ == 0 ? element_values_(k, i)
                            : from_nodes_[degree_].row(k).dot(element_values_.col(i).head(degree_ + 1));
    const double level = slack_ + 2 * element_gaps_[i] + kLevel * element_scales_[i];
    found = std::min(found, first_rise(g, from_, to_, level));
  }
  return found;
}

// Samples the method's own polynomial at as many points as it has coefficients; for a method without one, its ends.
void StopEvents::sample(const Motion& before, const Stepper& stepper) {
  degree_ = stepper.degree();
  const int last = std::max(1, degree_);
  const bool levels = system_.friction() != nullptr && system_.friction()->varies();
  for (int k = 0; k <= last; ++k) {
    const bool begins = k == 0, ends = k == last;
    if (degree_ > 0 && !ends) stepper.at(from_ + (to_ - from_) * node(k, last), motion_);
    const State& x = ends ? stepper.now().x : degree_ == 0 ? before.x : motion_.x;
    if (elements_ > 0) sample_elements(x, k, begins, before.x);
    if (levels) sample_levels(x, k);
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      const auto [q, v] = watched_[i];
      const auto column = static_cast<Eigen::Index>(i);
      positions_(k, column) = x.q[q];
      rates_(k, column) = x.v[v];
      if (!begins) continue;
      gaps_(0, column) = std::abs(x.q[q] - before.x.q[q]);
      gaps_(1, column) = std::abs(x.v[v] - before.x.v[v]);
    }
  }
}

StopEvents::Curve StopEvents::curve(Eigen::Index at) const {
  Curve out;
  if (degree_ == 0) {  // Hermite's cubic
    const double h = to_ - from_, q0 = positions_(0, at), q1 = positions_(1, at);
    out.position = {3, {q0, q0 + h * rates_(0, at) / 3, q1 - h * rates_(1, at) / 3, q1}};
    out.rate = hermite_rate(h, q0, q1, rates_(0, at), rates_(1, at));
    return out;
  }
  out.position.degree = out.rate.degree = degree_;
  for (int i = 0; i <= degree_; ++i) {
    const auto weights = from_nodes_[degree_].row(i);
    out.position.c[i] = weights.dot(positions_.col(at).head(degree_ + 1));
    out.rate.c[i] = weights.dot(rates_.col(at).head(degree_ + 1));
  }
  return out;
}

// A prescribed motion is not a polynomial: it is fitted by pieces of quintic Hermite polynomials, halved until they
// fit.
double StopEvents::first_prescribed(const StopContact& stop, double from, double to, int depth) const {
  const Jet a = system_.stop_motion(stop, from), b = system_.stop_motion(stop, to);
  const double h = to - from, q0 = a.value, q1 = b.value;
  Curve own;
  own.position = {5,
                  {q0, q0 + h * a.rate / 5, q0 + h * (0.4 * a.rate + h * a.acceleration / 20),
                   q1 - h * (0.4 * b.rate - h * b.acceleration / 20), q1 - h * b.rate / 5, q1}};
  own.rate = derivative(own.position, h);
  const double scale = kFits * (std::abs(stop.bound) + largest(own.position));
  bool fits = true;
  for (const double x : {0.5, 0.3}) {
    const Jet exact = system_.stop_motion(stop, from + x * h);
    fits =
        fits && std::abs(value(own.position, x) - exact.value) + h * std::abs(value(own.rate, x) - exact.rate) <= scale;
  }
  if (fits || depth == 0) return first_of(stop, own, from, to, Vector2d::Zero());
  const double middle = 0.5 * (from + to), found = first_prescribed(stop, from, middle, depth - 1);
  return found < kNoEvent ? found : first_prescribed(stop, middle, to, depth - 1);
}

// A phase ends when one of two functions rises above zero.
double StopEvents::first_of(const StopContact& stop, const Curve& curve, double from, double to,
                            const Vector2d& gap) const {
  using Phase = StopContact::Phase;
  const int n = curve.position.degree;
  Bernstein depth, push;
  depth.degree = push.degree = n;
  const double depth_sign = stop.phase == Phase::open ? 1 : -1, push_sign = stop.phase == Phase::pushing ? -1 : 1;
  for (int i = 0; i <= n; ++i) {
    depth.c[i] = depth_sign * stop.depth(curve.position.c[i]);
    push.c[i] = push_sign * stop.push(curve.position.c[i], curve.rate.c[i]);
  }
  const double level = slack_ + 2 * gap[0] + kLevel * (1 + std::abs(stop.bound) + largest(curve.position));
  double found = first_rise(depth, from, to, level);
  if (stop.phase == Phase::open || stop.damping == 0) return found;
  const double lag = stop.damping / stop.stiffness;
  return std::min(found, first_rise(push, from, to, level + lag * (2 * gap[1] + kLevel * largest(curve.rate))));
}

// Static friction that varies within a step is interpolated, like the event functions of contacts.
void StopEvents::sample_levels(const State& x, int k) {
  if (system_.compute_friction_loads(x) != Status::ok) return;  // the next step reports it
  Eigen::Index column = 0;
  for (const FrictionContact& contact : system_.friction()->contacts) {
    levels_(k, column++) = contact.static_level(1);
    levels_(k, column++) = contact.static_level(-1);
  }
}

Bernstein StopEvents::level_curve(Eigen::Index column, int degree) const {
  Bernstein out;
  out.degree = degree;
  for (int i = 0; i <= degree; ++i)
    out.c[i] = degree_ == 0 ? levels_(0, column) + (levels_(1, column) - levels_(0, column)) * i / degree
                            : from_nodes_[degree_].row(i).dot(levels_.col(column).head(degree_ + 1));
  return out;
}

// A sliding joint sticks when its velocity reverses; if the level of friction varies, also not before spring and damper
// of a sticking joint would stay below it: with a load that goes, the level falls faster, and the joint would slide
// again at once.
double StopEvents::first_stick(Eigen::Index index, const Curve& curve, const Eigen::Vector2d& gap) {
  FrictionContact& contact = system_.friction()->contacts[static_cast<std::size_t>(index)];
  const double sign = contact.sign(), level = 2 * gap[1] + kLevel * largest(curve.rate);
  const int n = curve.rate.degree;
  Bernstein reversed;
  reversed.degree = n;
  for (int i = 0; i <= n; ++i) reversed.c[i] = -sign * curve.rate.c[i];
  if (!contact.varies()) return first_rise(reversed, from_, to_, level);
  // The level minus the force of spring and damper, and its increments.
  const Bernstein most = level_curve(2 * index + (sign > 0 ? 0 : 1), n);
  const auto spare = [&](int i) {
    return most.c[i] - sign * (contact.stiffness * curve.position.c[i] + contact.damping * curve.rate.c[i]);
  };
  Bernstein gains;
  gains.degree = n - 1;
  for (int i = 0; i < n; ++i) gains.c[i] = spare(i + 1) - spare(i);
  const double rounding =
      kLevel * (largest(most) + contact.stiffness * largest(curve.position) + contact.damping * largest(curve.rate));
  const double found = first_rise_of_both(reversed, level, gains, rounding, from_, to_);
  if (found < kNoEvent) contact.yields = false;
  return found;
}

// A sticking joint slides when spring and damper exceed the static friction.
double StopEvents::first_slide(Eigen::Index index, const Curve& curve, const Eigen::Vector2d& gap) const {
  const FrictionForces& friction = *system_.friction();
  const FrictionContact& contact = friction.contacts[static_cast<std::size_t>(index)];
  const int n = curve.rate.degree;
  Bernstein f;
  f.degree = n;
  const double size = contact.stiffness * (std::abs(contact.anchor) + largest(curve.position) + slack_ + 2 * gap[0]) +
                      contact.damping * (largest(curve.rate) + 2 * gap[1]);
  double found = kNoEvent;
  for (const double sign : {1.0, -1.0}) {
    Bernstein most;
    most.degree = n;
    most.c.fill(contact.static_level(sign));
    if (friction.varies()) most = level_curve(2 * index + (sign > 0 ? 0 : 1), n);
    const double level =
        kLevel * (largest(most) + size) + 2 * contact.stiffness * (gap[0] + slack_) + 2 * contact.damping * gap[1];
    for (int i = 0; i <= n; ++i) f.c[i] = sign * contact.hold(curve.position.c[i], curve.rate.c[i]) - most.c[i];
    found = std::min(found, first_rise(f, from_, to_, level));
  }
  return found;
}

// Twist and twist rate are linear combinations of two columns each.
double StopEvents::first_of_backlash(const Backlash& gap, Eigen::Index column) const {
  const Curve joint = curve(column), motor = curve(column + 1);
  const double per_turn = gap.of->per_turn;
  Curve twist = motor;
  for (int i = 0; i <= twist.position.degree; ++i)
    twist.position.c[i] = per_turn * motor.position.c[i] - joint.position.c[i];
  for (int i = 0; i <= twist.rate.degree; ++i) twist.rate.c[i] = per_turn * motor.rate.c[i] - joint.rate.c[i];
  // The rounding is that of the two angles, not of their difference.
  Vector2d off = gaps_.col(column) + std::abs(per_turn) * gaps_.col(column + 1);
  off[0] += kLevel * (largest(joint.position) + std::abs(per_turn) * largest(motor.position));
  off[1] += kLevel * (largest(joint.rate) + std::abs(per_turn) * largest(motor.rate));
  double found = kNoEvent;
  for (const StopContact& side : gap.sides) found = std::min(found, first_of(side, twist, from_, to_, off));
  return found;
}

}  // namespace limber
