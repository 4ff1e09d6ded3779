// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stability of a sampled loop, the unstable mode, and possible remedies.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <utility>

#include "control/bending.hpp"
#include "control/configuration.hpp"
#include "limber/control/linear_loop.hpp"
#include "limber/control/loop.hpp"
#include "limber/control/shaping.hpp"
#include "limber/linear/analysis.hpp"
#include "limber/model/drive.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

// The linearised loop at a time; none if it cannot be linearised there.
std::optional<LinearLoop> try_linearize(const Model& plant, const SensorOptions& sensors, const ControlOptions& options,
                                        double t, PlantShape shape = PlantShape::straight,
                                        const ImplicitSteps& steps = {}) {
  try {
    return linearize_loop(plant, sensors, options, t, shape, steps);
  } catch (const InputError&) {  // reported elsewhere
    return std::nullopt;
  }
}

// The points of the schedule, or only the first and the last for a large plant.
std::vector<double> judged_times(const Model& plant, const ControlOptions& options) {
  std::vector<double> out = schedule_times(options);
  if (plant.nv > kMaxJudged && out.size() > 2) out = {out.front(), out.back()};
  return out;
}

std::string body_of(const Model& plant, int speed) {
  for (int i = plant.body_count() - 1; i > 0; --i) {
    if (speed >= plant.joints[i].v) return plant.body_names[i];
  }
  return "";
}

// "the vibration of 128 Hz, which moves 'forearm' most": of the plant with its driven joints free or held, the one
// whose pole, seen at the samples, is nearest to this one.
std::string name_mode(const Model& plant, const ControlOptions& options, const LoopPole& pole, double t) {
  const State x = translate_state(*options.model, desired_configuration(options, t), plant);
  const double T = 1 / options.rate;
  const std::complex<double> seen = std::polar(1.0, 2 * std::numbers::pi * pole.frequency * T);
  double least = std::min(0.5, 0.3 * std::abs(std::arg(seen)));  // maximum distance of a pole of the plant
  std::string name = "the feedback itself";
  if (pole.frequency * T < 1e-6) return name;
  for (const bool held : {false, true}) {
    const LinearSystem machine = linearize_at_rest(
        plant, x, held ? find_same_joints(*options.model, options.driven, plant).mask : std::vector<std::uint8_t>());
    for (const VibrationMode& mode : compute_modes(machine)) {
      if (mode.frequency <= 0 || mode.growth != 0) continue;
      const std::complex<double> own = std::polar(1.0, mode.frequency * T);
      const double distance = std::min(std::abs(own - seen), std::abs(std::conj(own) - seen));
      if (!(distance < least)) continue;
      least = distance;
      Eigen::Index most = 0;
      (machine.M.diagonal().array() * (machine.basis * mode.shape).head(machine.M.rows()).cwiseAbs2().array())
          .maxCoeff(&most);
      name = "the vibration of " + text(mode.frequency / (2 * std::numbers::pi), 4) + " Hz" +
             (held ? " with the driven joints held" : "") + ", which moves '" +
             body_of(plant, machine.free[static_cast<std::size_t>(most)]) + "' most" +
             (mode.frequency * T > std::numbers::pi ? " and is beyond half the rate" : "");
    }
  }
  return name;
}

// The growth rate of the plant without feedback, e.g. of an upright arm: 1/s.
double own_growth(const ControlOptions& options, double t) {
  const LinearSystem machine = linearize_at_rest(*options.model, desired_configuration(options, t), {});
  return compute_poles(machine).real().maxCoeff();
}

// The worst growth rate with the plant deflected as by the desired motion at the points of the schedule.
double bent_growth(const Model& plant, const SensorOptions& sensors, const ControlOptions& options) {
  double out = 0;
  for (const double t : judged_times(plant, options)) {
    const auto loop = try_linearize(plant, sensors, options, t, PlantShape::bent);
    if (loop) out = std::max(out, find_dominant_pole(*loop).growth);
  }
  return out;
}

// With the controller's own model as plant.  Without an observer, servo lag and sensor delays, which only an observer
// could account for, are left out; warnings report them.
LoopVerdict judge_gains(const ControlOptions& options) {
  if (options.estimates()) {
    LoopVerdict out = judge_loop(*options.model, options.sensors, options);
    if (out.judged && out.stable) out.bent = bent_growth(*options.model, options.sensors, options);
    return out;
  }
  ControlOptions ideal = options;
  ideal.sensors.delay = 0;
  ideal.sensors.every = 1;
  for (ServoOptions& servo : ideal.servos) servo.bandwidth = 0;
  return judge_loop(*options.model, ideal.sensors, ideal);
}

// A sampling rate at which the loop, unstable at this time, would be stable; 0: none found.
double find_rate(const Model& plant, const SensorOptions& sensors, const ControlOptions& options, double unstable) {
  constexpr double kMax = 2e4;
  ControlOptions other = options;
  std::vector<double> times = judged_times(plant, options);
  times.insert(times.begin(), unstable);
  for (const double factor : {2.0, 4.0, 10.0}) {
    other.rate = options.rate * factor;
    if (other.rate > kMax) break;
    if (other.estimates()) other.resolved = choose_resolved(other);
    const bool stable = std::all_of(times.begin(), times.end(), [&](double t) {
      const auto loop = try_linearize(plant, sensors, other, t);
      return loop && find_dominant_pole(*loop).growth <= kUnstable;
    });
    if (stable) return other.rate;
  }
  return 0;
}

}  // namespace

namespace {

// The largest singular value by the power method; `to`: its output vector.
double largest_stretch(const MatrixXd& map, VectorXd& to) {
  constexpr int kIterations = 30;
  VectorXd from(map.cols());
  for (Eigen::Index k = 0; k < from.size(); ++k) from[k] = std::sin(1.0 + 2.3 * static_cast<double>(k));
  for (int k = 0; k < kIterations; ++k) {
    const double norm = from.norm();
    if (!(norm > 0) || !std::isfinite(norm)) break;
    to.noalias() = map * (from / norm);
    from.noalias() = map.transpose() * to;
  }
  return to.norm();
}

void find_transient(const LinearLoop& loop, double t, LoopVerdict& out) {
  const Transient found = compute_transient(loop);
  if (!(found.growth > out.transient.growth)) return;
  out.transient = found;
  out.transient_t = t;
}

std::string place_of(double t, double end) {
  return t == 0     ? "where the desired motion begins"
         : t == end ? "where the desired motion ends"
                    : "at " + text(t, 4) + " s of the desired motion";
}

}  // namespace

Transient compute_transient(const LinearLoop& loop) {
  constexpr double kLongest = 4;  // s
  MatrixXd map = loop.fresh;
  for (int k = 1; k < loop.every; ++k) map = (loop.map(k) * map).eval();
  Transient out;
  VectorXd to = VectorXd::Zero(loop.states);
  const Eigen::Index n = loop.states / 2;
  for (int k = 0; std::ldexp(loop.every * loop.period, k) < kLongest; ++k) {
    const double growth = largest_stretch(loop.energy * map.topLeftCorner(loop.states, loop.states) * loop.shapes, to);
    if (!std::isfinite(growth)) return {std::numeric_limits<double>::infinity(), 0, -1};
    if (growth > out.growth) {
      // The coordinate with the most energy.
      const VectorXd x = loop.shapes * to;
      const VectorXd mass = loop.energy.bottomRightCorner(n, n).colwise().squaredNorm();
      Eigen::Index most = 0;
      (mass.array() * x.tail(n).array().square()).maxCoeff(&most);
      out = {growth, std::ldexp(loop.every * loop.period, k), static_cast<int>(most)};
    }
    map = (map * map).eval();
  }
  return out;
}

LoopVerdict judge_loop(const Model& plant, const SensorOptions& sensors, const ControlOptions& options) {
  LoopVerdict out;
  const std::vector<double> times = judged_times(plant, options);
  for (const double t : times) {
    const auto loop = try_linearize(plant, sensors, options, t);
    if (!loop) continue;
    const LoopPole pole = find_dominant_pole(*loop);
    if (pole.growth <= kUnstable) find_transient(*loop, t, out);
    if (out.judged && !(pole.growth > out.pole.growth)) continue;
    out.judged = true;
    out.pole = pole;
    out.t = t;
  }
  if (!out.judged) return out;
  out.stable = !(out.pole.growth > kUnstable);
  if (out.stable) return out;
  const double rate = find_rate(plant, sensors, options, out.t);
  out.text = "the control loop is unstable " + place_of(out.t, times.back()) + ": a deviation at " +
             text(out.pole.frequency, 3) + " Hz doubles in " + text(std::numbers::ln2 / out.pole.growth, 3) +
             " s (linearised and sampled, without limits); it is " + name_mode(plant, options, out.pole, out.t) + "; " +
             (rate > 0 ? "a rate of " + text(rate, 6) + " Hz would be high enough, or " : std::string()) +
             "lower the gains, the delay of the sensors or the lag of the servos, add damping, or give the model "
             "fewer modes";
  return out;
}

namespace {

// A vibration that grows by more than rounding per sample, but less than the threshold of instability.  Poles split by
// rounding have no frequency.
bool grows_slowly(const LoopPole& pole, double rate) {
  constexpr double kRounding = 1e-9, kVibrates = 10;
  return pole.growth > kRounding * rate && 2 * std::numbers::pi * pole.frequency > kVibrates * pole.growth;
}

// Whether the slowest vibration with the driven joints locked decays without control.  If not, no sampled law that
// holds the joints can be expected to damp it.
bool vibrations_decay(const ControlOptions& options, double t) {
  constexpr double kNone = 1e-12;
  const auto vibrations = compute_vibrations(*options.model, desired_configuration(options, t), options.driven.mask);
  return !vibrations.empty() && vibrations[0].ratio > kNone;
}

// Stable options with less transient growth that also stabilise the deflected plant, found by giving the sensors less
// and less weight in the observer.  If there are none, those with the least growth of the deflected plant.
ControlOptions calm_loop(ControlOptions options, LoopVerdict verdict) {
  constexpr int kMax = 4;
  constexpr double kMore = 10, kSlow = 30 * kUnstable;
  // Above 1: still too large.
  const auto unrest = [](const LoopVerdict& v) {
    return std::max(v.transient.growth / kMaxSettledTransient, v.bent / kSlow);
  };
  const bool slow = grows_slowly(verdict.pole, options.rate);
  ControlOptions best = options;
  double least = unrest(verdict);
  for (int k = 0; k < kMax && least > 1; ++k) {
    options.kalman.distrust *= kMore;
    verdict = judge_gains(options);
    if (!verdict.stable || (grows_slowly(verdict.pole, options.rate) && !slow) || !(unrest(verdict) < least)) continue;
    least = unrest(verdict);
    best = options;
  }
  return best;
}

}  // namespace

namespace {

// Remedies for an unstable loop, in this order: tracking by collocated feedback of the joints, then softer, down to a
// 25th of its stiffness for fast motion; the smallest sufficient
// modal share in the tracking, since a larger share is less robust to model errors; then increasing torque steps in the
// observer's noise model.
class Remedies {
 public:
  explicit Remedies(const ControlOptions& options) : collocated_(options.collocated()) {}
  // Whether collocated feedback remains to be tried.
  bool may_collocate(const ControlOptions& options) const {
    return options.tracking() != nullptr && !collocated_ && !without_modes_;
  }
  // growth: with the last remedy.  False: none is left.
  bool try_next(ControlOptions& options, double growth) {
    constexpr double kMore = 10, kSofter = 0.2;
    constexpr int kMax = 3, kSoftest = 2;
    TrackingOptions* tracking = options.tracking();
    if (may_collocate(options)) {
      without_modes_ = growth;
      tracking->collocated = true;
      return true;
    }
    if (tracking != nullptr && tracking->collocated && softened_ < kSoftest) {
      ++softened_;
      tracking->stiffest *= kSofter;
      return true;
    }
    if (collocated_) return false;
    if (tracking != nullptr && tracking->collocated) {
      tracking->collocated = false;
      growth = *without_modes_;
    }
    if (tracking != nullptr && tracking->modal_share < 1) {
      tracking->modal_share = next_share(tracking->modal_share, growth);
      return true;
    }
    options.kalman.torque_steps *= kMore;
    return ++raised_ <= kMax;
  }

 private:
  // Growth decreases almost linearly with the share: extrapolate to zero, plus a margin.
  double next_share(double share, double growth) {
    constexpr double kFirst = 0.1, kBeyond = 1.2, kAlmost = 0.8;
    double out = share == 0 ? kFirst : 1;
    if (share > 0 && growth < growth_)
      out = std::max(2 * share, kBeyond * (share + (share - share_) * growth / (growth_ - growth)));
    share_ = share;
    growth_ = growth;
    return out < kAlmost ? std::ceil(100 * out) / 100 : 1;
  }

  bool collocated_;  // given: no other law is tried
  int softened_ = 0;
  std::optional<double> without_modes_;  // growth with the feedback of the joints of the estimate
  double share_ = 0, growth_ = 0;        // of the previous share
  int raised_ = 0;
};

}  // namespace

ControlOptions settle_loop(ControlOptions options) {
  constexpr double kOwn = 1.5;
  std::string failure;
  std::optional<std::pair<ControlOptions, LoopVerdict>> slow;  // slowly growing, with the least growth so far
  Remedies remedies(options);
  for (;;) {
    const LoopVerdict verdict = judge_gains(options);
    const bool judged = verdict.judged && options.estimates() && options.senses();
    if (verdict.stable && !judged) return options;
    if (verdict.stable && !grows_slowly(verdict.pole, options.rate)) return calm_loop(options, verdict);
    if (!verdict.stable && verdict.pole.growth <= kOwn * own_growth(options, verdict.t)) return options;
    if (verdict.stable && (!slow || verdict.pole.growth < slow->second.pole.growth)) slow.emplace(options, verdict);
    if (failure.empty()) failure = verdict.text;
    // Without damping no share of the modes is better.
    if (verdict.stable && !remedies.may_collocate(options) && !vibrations_decay(options, verdict.t)) break;
    if (!judged || !remedies.try_next(options, verdict.pole.growth)) break;
  }
  if (slow) return calm_loop(slow->first, slow->second);
  throw InputError(failure);
}

namespace {

// The worst pole of the loop with the plant integrated by an implicit solver.
LoopPole judge_steps(const Model& plant, const SensorOptions& sensors, const ControlOptions& options,
                     const ImplicitSteps& steps) {
  LoopPole out{-std::numeric_limits<double>::infinity(), 0};
  for (const double t : judged_times(plant, options)) {
    const auto loop = try_linearize(plant, sensors, options, t, PlantShape::straight, steps);
    if (!loop) continue;
    if (const LoopPole pole = find_dominant_pole(*loop); pole.growth > out.growth) out = pole;
  }
  return out;
}

// For a stable loop that the solver makes unstable.  The solver shifts the frequencies of vibrations near the sampling
// rate; vibrations that it cannot resolve change sign in every step, and rate feedback with steps as long as the period
// then excites them: v' = -(1 + kd T / N) v.  docs/control.md, Solvers.
std::vector<std::string> step_warnings(const Model& plant, const SensorOptions& sensors, const ControlOptions& options,
                                       const ImplicitSteps& steps) {
  const auto growth = [&](double step, double rho_inf) {
    return judge_steps(plant, sensors, options, {step, rho_inf}).growth;
  };
  const double period = 1 / options.rate, used = std::min(steps.step, period);
  const LoopPole pole = judge_steps(plant, sensors, options, {used, steps.rho_inf});
  if (!(pole.growth > kUnstable)) return {};
  std::string cure = "solver: {method: dopri5}";
  for (const int parts : {2, 4, 8, 16, 32}) {
    if (growth(used / parts, steps.rho_inf) > kUnstable) continue;
    cure = "solver: {method: implicit, step: " + text(used / parts, 3) + "}";
    break;
  }
  const bool damped = steps.rho_inf > 0 && !(growth(used, 0) > kUnstable);
  return {"the control loop is stable, but not with the machine as the solver integrates it: with steps of " +
          text(used, 3) + " s a deviation at " + text(pole.frequency, 3) + " Hz doubles in " +
          text(std::numbers::ln2 / pole.growth, 3) +
          " s, because the solver shifts the frequencies of vibrations near the sampling rate; write " + cure +
          (damped ? ", or rho_inf: 0 to damp what the steps cannot resolve" : "")};
}

}  // namespace

namespace {

// Tracking laws prescribe accelerations of motors, which feel the inertia of their rotors alone at first.
std::vector<std::string> unjudged_warnings(const Model& plant, const ControlOptions& options) {
  if (options.tracking() == nullptr || !has_elastic_drives(plant)) return {};
  return {
      "the stability of the control loop was not checked, because a drive is elastic; correction and computed_torque "
      "may diverge there: write sensors: {encoders: link}, or feedback: {pid: ...} with feed_forward: rigid"};
}

}  // namespace

std::vector<std::string> loop_warnings(const Model& plant, const SensorOptions& sensors, const ControlOptions& options,
                                       const ImplicitSteps& steps) {
  const LoopVerdict verdict = judge_loop(plant, sensors, options);
  if (!verdict.stable) return {verdict.text};
  if (!verdict.judged) return unjudged_warnings(plant, options);
  constexpr double kBlind = 1e4;      // the largest value used by settle_loop
  constexpr double kReported = 1e-4;  // 1/s
  constexpr double kMuch = 0.1;       // of a body's length
  std::vector<std::string> out;
  if (steps.step > 0) out = step_warnings(plant, sensors, options, steps);
  if (options.estimates() && options.senses() && options.kalman.distrust >= kBlind)
    out.push_back(
        "the observer assumes its sensors to be " + text(options.kalman.distrust, 3) +
        " times noisier than they are, because the loop of the deflected machine is unstable otherwise; it then "
        "hardly corrects errors of the model, and a moving machine may diverge: raise the rate, "
        "give the joints an armature" +
        (options.lqr ? "" : ", or write feedback: {lqr: {}}"));
  const Bending bending = options.estimates() ? find_bending(options) : Bending{};
  if (bending.share > kMuch && options.kalman.distrust >= kBlind)
    out.push_back("the desired motion bends '" + bending.body + "' by " + text(100 * bending.share, 2) +
                  " % of its length " + place_of(bending.t, options.end) +
                  ", too much for a linear stability check of its loop; move more slowly, or stiffen the body");
  if (verdict.pole.growth > kReported && grows_slowly(verdict.pole, options.rate)) {
    out.push_back("the control loop grows slowly " + place_of(verdict.t, schedule_times(options).back()) +
                  ": a deviation at " + text(verdict.pole.frequency, 3) + " Hz doubles in " +
                  text(std::numbers::ln2 / verdict.pole.growth, 3) + " s; it is " +
                  name_mode(plant, options, verdict.pole, verdict.t) +
                  "; lower the gains, raise the rate, or add damping");
  }
  const Transient& transient = verdict.transient;
  if (!(transient.growth > kMaxTransient)) return out;
  out.push_back("the control loop is stable, but " + place_of(verdict.transient_t, schedule_times(options).back()) +
                " deviations grow up to " + text(transient.growth, 3) + " times within " + text(transient.time, 2) +
                " s before they decay, most those of '" + plant.speeds[static_cast<std::size_t>(transient.speed)] +
                "'; lower the gains, raise the rate, or assume noisier sensors (observer: {acceleration: " +
                text(0.1 * options.kalman.acceleration, 3) + "})");
  return out;
}

}  // namespace limber
