// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a sampled loop is stable, what moves when it is not, and what would cure it.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "control/configuration.hpp"
#include "limber/control/linear_loop.hpp"
#include "limber/control/loop.hpp"
#include "limber/linear/analysis.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kBeyond = 100;  // of a first deviation: growth that is told

// The loop at a time; none: it cannot be judged there.
std::optional<LinearLoop> try_linearize(const Model& plant, const SensorOptions& sensors, const ControlOptions& options,
                                        double t) {
  try {
    return linearize_loop(plant, sensors, options, t);
  } catch (const InputError&) {  // a configuration that cannot be linearised, told elsewhere
    return std::nullopt;
  }
}

std::string body_of(const Model& plant, int speed) {
  for (int i = plant.body_count() - 1; i > 0; --i) {
    if (speed >= plant.joints[i].v) return plant.body_names[i];
  }
  return "";
}

// "the vibration of 128 Hz that moves 'forearm' most": the pole of the plant that the sampling takes for this one.
std::string name_mode(const Model& plant, const ControlOptions& options, const LoopPole& pole, double t) {
  const State x = translate_state(*options.model, desired_configuration(options, t), plant);
  const LinearSystem machine = linearize_at_rest(plant, x, {});
  const double T = 1 / options.rate;
  const std::complex<double> seen = std::polar(1.0, 2 * std::numbers::pi * pole.frequency * T);
  const VibrationMode* nearest = nullptr;
  double least = 0.5;  // further away it is none of the plant's own
  const std::vector<VibrationMode> modes = compute_modes(machine);
  for (const VibrationMode& mode : modes) {
    if (mode.frequency <= 0 || mode.growth != 0) continue;
    const std::complex<double> own = std::polar(1.0, mode.frequency * T);
    const double distance = std::min(std::abs(own - seen), std::abs(std::conj(own) - seen));
    if (!(distance < least)) continue;
    least = distance;
    nearest = &mode;
  }
  if (nearest == nullptr || pole.frequency * T < 1e-6) return "the feedback itself";
  Eigen::Index most = 0;
  (machine.M.diagonal().array() * (machine.basis * nearest->shape).head(machine.M.rows()).cwiseAbs2().array())
      .maxCoeff(&most);
  return "the vibration of " + text(nearest->frequency / (2 * std::numbers::pi), 4) + " Hz, which moves '" +
         body_of(plant, machine.free[static_cast<std::size_t>(most)]) + "' most" +
         (nearest->frequency * T > std::numbers::pi ? " and is beyond half the rate" : "");
}

// The growth of the machine without feedback, such as that of an arm that stands upright: 1/s.
double own_growth(const ControlOptions& options, double t) {
  const LinearSystem machine = linearize_at_rest(*options.model, desired_configuration(options, t), {});
  return compute_poles(machine).real().maxCoeff();
}

// With the controller's own model as plant.  Without an observer, which would know of them, the lag of servos and
// delays of sensors are none of the gains' faults: warnings tell of them.
LoopVerdict judge_gains(const ControlOptions& options) {
  if (options.estimates()) return judge_loop(*options.model, options.sensors, options);
  ControlOptions ideal = options;
  ideal.sensors.delay = 0;
  ideal.sensors.every = 1;
  for (ServoOptions& servo : ideal.servos) servo.bandwidth = 0;
  return judge_loop(*options.model, ideal.sensors, ideal);
}

// A rate at which the loop would be stable at this time; 0: none was found.
double find_rate(const Model& plant, const SensorOptions& sensors, const ControlOptions& options, double t) {
  constexpr double kMost = 2e4;
  ControlOptions other = options;
  for (const double factor : {2.0, 4.0, 10.0}) {
    other.rate = options.rate * factor;
    if (other.rate > kMost) break;
    const auto loop = try_linearize(plant, sensors, other, t);
    if (loop && find_dominant_pole(*loop).growth <= kUnstable) return other.rate;
  }
  return 0;
}

}  // namespace

double compute_transient(const LinearLoop& loop) {
  constexpr int kDoublings = 14;
  MatrixXd map = loop.fresh;
  for (int k = 1; k < loop.every; ++k) map = (loop.map(k) * map).eval();
  map = (loop.scale.cwiseInverse().asDiagonal() * map * loop.scale.asDiagonal()).eval();
  double most = 0;
  for (int k = 0; k < kDoublings; ++k) {
    most = std::max(most, map.topLeftCorner(loop.states, loop.states).colwise().norm().maxCoeff());
    if (!std::isfinite(most)) return std::numeric_limits<double>::infinity();
    map = (map * map).eval();
  }
  return most;
}

LoopVerdict judge_loop(const Model& plant, const SensorOptions& sensors, const ControlOptions& options) {
  LoopVerdict out;
  std::vector<double> times = schedule_times(options);
  if (plant.nv > kMaxJudged && times.size() > 2) times = {times.front(), times.back()};
  for (const double t : times) {
    const auto loop = try_linearize(plant, sensors, options, t);
    if (!loop) continue;
    const LoopPole pole = find_dominant_pole(*loop);
    if (out.judged && !(pole.growth > out.pole.growth)) continue;
    out.judged = true;
    out.pole = pole;
    out.t = t;
  }
  if (!out.judged) return out;
  out.stable = !(out.pole.growth > kUnstable);
  if (out.stable) return out;
  const double rate = find_rate(plant, sensors, options, out.t);
  const std::string where = out.t == 0              ? "where the desired motion begins"
                            : out.t == times.back() ? "where the desired motion ends"
                                                    : "at " + text(out.t, 4) + " s of the desired motion";
  out.text = "the control loop is unstable " + where + ": a deviation at " + text(out.pole.frequency, 3) +
             " Hz doubles in " + text(std::numbers::ln2 / out.pole.growth, 3) +
             " s (linearised and sampled, without limits); it is " + name_mode(plant, options, out.pole, out.t) + "; " +
             (rate > 0 ? "a rate of " + text(rate, 6) + " Hz would do, or " : std::string()) +
             "lower the gains, the delay of the sensors or the lag of the servos, add damping, or give the model "
             "fewer modes";
  return out;
}

ControlOptions settle_loop(ControlOptions options) {
  constexpr int kMost = 4;
  constexpr double kMore = 10, kOwn = 1.5;
  std::string failure;
  for (int k = 0; k <= kMost; ++k) {
    const LoopVerdict verdict = judge_gains(options);
    if (verdict.stable || verdict.pole.growth <= kOwn * own_growth(options, verdict.t)) return options;
    if (k == 0) failure = verdict.text;
    if (!options.estimates() || !options.senses()) break;
    // First the modes in the tracking, then more and more ringing.
    TrackingOptions* tracking = options.correction        ? &*options.correction
                                : options.computed_torque ? &*options.computed_torque
                                                          : nullptr;
    if (tracking != nullptr && !tracking->with_modes) {
      tracking->with_modes = true;
    } else {
      options.kalman.torque_steps *= kMore;
    }
  }
  throw InputError(failure);
}

std::vector<std::string> loop_warnings(const Model& plant, const SensorOptions& sensors,
                                       const ControlOptions& options) {
  const LoopVerdict verdict = judge_loop(plant, sensors, options);
  if (!verdict.stable) return {verdict.text};
  if (!verdict.judged || plant.nv > kMaxJudged) return {};
  const auto loop = try_linearize(plant, sensors, options, verdict.t);
  const double transient = loop ? compute_transient(*loop) : 0;
  if (transient < kBeyond) return {};
  return {"the control loop is stable, but deviations grow up to " + text(transient, 3) +
          " times before they decay; lower the gains, or trust the sensors less (observer: {acceleration})"};
}

}  // namespace limber
