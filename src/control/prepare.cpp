// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/prepare.hpp"

#include <algorithm>
#include <numbers>

#include "control/configuration.hpp"
#include "limber/control/actuation.hpp"
#include "limber/model/elements.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {

State desired_configuration(const ControlOptions& options, double t) {
  State x = make_zero_state(*options.model);
  x.t = t;
  for (int k = 0; k < options.driven.size(); ++k) x.q[options.driven.q[k]] = options.desired[k].at(t).value;
  return x;
}

std::vector<double> schedule_times(const ControlOptions& options) {
  const int count = options.end > 0 ? options.schedule : 1;
  std::vector<double> out(1, 0.0);
  for (int k = 1; k < count; ++k) out.push_back(options.end * k / (count - 1));
  return out;
}

int choose_resolved(const ControlOptions& options) {
  std::vector<State> configurations;
  for (const double t : schedule_times(options)) configurations.push_back(desired_configuration(options, t));
  return configurations.size() > 1 ? choose_resolved(*options.model, configurations, 1 / options.rate) : 0;
}

namespace {

std::string actuator_names(const ControlOptions& options) {
  std::string out;
  for (const int element : options.driven.actuators) {
    if (element < 0) continue;
    out += (out.empty() ? "'" : ", '") + options.model->elements->list[static_cast<std::size_t>(element)].name + "'";
  }
  return out;
}

// Laws that only know joint torques require actuators that act on the driven joints only.
void check_actuators(const ControlOptions& options) {
  constexpr double kNothing = 1e-9;
  const std::string names = actuator_names(options);
  if (names.empty()) return;
  if (options.adaptation)
    throw InputError("adaptation supports torques at joints, not actuators (" + names +
                     "); leave it out, or drive the joints themselves");
  const char* law = options.correction                            ? "correction"
                    : options.computed_torque                     ? "computed_torque"
                    : options.feed_forward == FeedForward::hybrid ? "feed_forward: hybrid"
                                                                  : nullptr;
  for (const double t : schedule_times(options)) {
    MatrixXd rest = compute_spread(*options.model, options.driven, desired_configuration(options, t));
    for (const int row : options.driven.v) rest.row(row).setZero();
    Eigen::Index row = 0, column = 0;
    if (law == nullptr || !(rest.cwiseAbs().maxCoeff(&row, &column) > kNothing)) continue;
    throw InputError("the actuators (" + names + ") also act on '" +
                     options.model->speeds[static_cast<std::size_t>(row)] + "', which " + law +
                     " does not model: it assumes torques at joints; write feedback: {lqr: {}} or {pid: ...} with " +
                     "feed_forward: rigid, or attach the actuators to rigid bodies");
  }
}

// The effort limits of joints are limits of their servos: laws and observer then know what the machine cuts.
void limit_servos(ControlOptions& options) {
  for (std::size_t j = 0, k = 0; j < options.driven.joints.size(); ++j) {
    const Joint& joint = options.model->joints[options.driven.joints[j]];
    for (int i = 0; i < speed_count(joint.kind); ++i, ++k) {
      double& most = options.servos[k].max_torque;
      if (joint.effort_limit > 0 && options.driven.actuator(static_cast<int>(k)) < 0)
        most = std::min(most, joint.effort_limit);
    }
  }
}

// Default weights, from the resolution of sensors and the torque limits.
void fill_weights(ControlOptions& options) {
  constexpr double kLeast = 1e-3, kCounts = 4, kSteps = 10;
  const VectorXd torques =
      usual_torques(*options.model, options.driven, desired_configuration(options, 0), options.servos);
  if (options.kalman.torque_steps.size() == 0) {
    options.kalman.torque_steps = kSteps * torques;
    if (options.lqr && options.lqr->torque > 0) options.kalman.torque_steps.setConstant(kSteps * options.lqr->torque);
  }
  if (!options.lqr) return;
  LqrOptions& lqr = *options.lqr;
  if (!(lqr.position > 0)) {
    lqr.position = kLeast;
    for (const EncoderOptions& encoder : options.sensors.encoders)
      lqr.position = std::max(lqr.position, kCounts * encoder.resolution);
  }
  if (!(lqr.frequency > 0))
    lqr.frequency = usual_frequency(*options.model, options.driven, desired_configuration(options, 0), options.servos,
                                    lqr.position, options.rate);
}

// The path as followed by the shaped joints, constant before its beginning and after its end.
void shape_path(const std::vector<Signal::Impulse>& shaper, TipPath& path) {
  for (std::optional<Signal>& position : path.position) {
    if (!position) continue;
    position = Signal::callback([p = *position, end = path.end, shaper](double t) {
      Jet out{};
      for (const Signal::Impulse& impulse : shaper)
        out.value += impulse.weight * p.at(std::clamp(t - impulse.delay, 0.0, end)).value;
      return out;
    });
  }
  path.end += shaper.back().delay;
}

}  // namespace

ControlOptions prepare_control(ControlOptions options) {
  check_control(options);
  check_actuators(options);
  const std::size_t n = options.driven.v.size();
  if (options.servos.empty()) options.servos.resize(n);
  limit_servos(options);
  if (options.sensors.encoders.empty()) options.sensors.encoders.resize(n);
  fill_weights(options);
  std::vector<Signal::Impulse> shaper = {{0, 1}};
  if (options.shaping) {
    ShapingOptions& shaping = *options.shaping;
    shaping.chosen.clear();
    for (const double hertz : shaping.frequencies) shaping.chosen.push_back({hertz, shaping.ratio, 0, ""});
    if (shaping.frequencies.empty()) shaping.chosen = choose_vibrations(options);
    for (const ShapedVibration& one : shaping.chosen)
      shaper = convolve(shaper, make_shaper(shaping.kind, 2 * std::numbers::pi * one.frequency, one.ratio));
    shaping.delay = shaper.back().delay;
    for (Signal& signal : options.desired) signal = Signal::shaped(signal, shaper);
    options.end += shaping.delay;
  }
  if (options.path) shape_path(shaper, *options.path);
  if (options.estimates()) options.resolved = choose_resolved(options);
  return options;
}

std::string shaping_text(const std::optional<ShapingOptions>& prepared) {
  if (!prepared) return "";
  constexpr const char* kKinds[] = {"zv", "zvd", "ei"};
  const ShapingOptions& shaping = *prepared;
  if (shaping.chosen.empty()) return "none: the motion excites no vibration";
  std::string out = std::string(kKinds[static_cast<int>(shaping.kind)]) + " for ";
  for (const ShapedVibration& one : shaping.chosen) {
    if (&one != &shaping.chosen.front()) out += ", ";
    out += text(one.frequency, 4) + " Hz";
    if (!one.node.empty()) out += " (unshaped it leaves " + text(one.residual, 3) + " m at " + one.node + ")";
  }
  return out + "; the motion takes " + text(shaping.delay, 3) + " s longer";
}

}  // namespace limber
