// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/realtime/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "limber/control/actuation.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr int kSamples = 1000;    // of the desired motion
constexpr double kRelease = 2.5;  // see LinkLimits

bool has_modes(const Model& model) {
  for (int i = 1; i < model.body_count(); ++i) {
    if (model.body(i).modes > 0) return true;
  }
  return false;
}

// (driven coordinate) the given limit of its joint; 0: none.
VectorXd given_limits(const Model& model, const DrivenJoints& driven, double Joint::*limit) {
  VectorXd out = VectorXd::Zero(driven.size());
  for (int k = 0; k < driven.size(); ++k) {
    for (const int i : driven.joints) {
      const Joint& joint = model.joints[i];
      if (driven.v[k] >= joint.v && driven.v[k] < joint.v + speed_count(joint.kind)) out[k] = joint.*limit;
    }
  }
  return out;
}

struct Peaks {
  VectorXd effort, speed, acceleration;  // (driven coordinate) of the desired motion
};

// Peaks along the desired motion, with feed-forward of this kind.
void add_peaks(const ControlOptions& control, FeedForward kind, const State& start, Peaks& peaks) {
  const double period = std::max(1 / control.rate, control.end / kSamples);
  Reference reference(*control.model, control.driven, control.desired, period, kind);
  if (reference.start(start) != Status::ok) return;
  const auto raise = [](VectorXd& most, const VectorXd& values) { most = most.cwiseMax(values.cwiseAbs()); };
  for (double t = 0; t <= control.end; t += period) {
    if (reference.step() != Status::ok || !reference.torque().allFinite()) return;
    raise(peaks.effort, reference.torque());
    raise(peaks.speed, control.driven.speeds(reference.state()));
    raise(peaks.acceleration, reference.acceleration());
  }
}

Peaks find_peaks(const ControlOptions& control, const State& start) {
  Peaks out;
  out.effort = out.speed = out.acceleration = VectorXd::Zero(control.driven.size());
  for (const FeedForward kind : {FeedForward::rigid, FeedForward::hybrid}) add_peaks(control, kind, start, out);
  return out;
}

// (driven coordinate) the largest value among those of the same unit.
VectorXd largest_of_kind(const VectorXd& values, const std::vector<std::string>& units) {
  VectorXd out = values;
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    for (Eigen::Index j = 0; j < values.size(); ++j) {
      if (units[static_cast<std::size_t>(j)] == units[static_cast<std::size_t>(k)])
        out[k] = std::max(out[k], values[j]);
    }
  }
  return out;
}

// (driven coordinate) inertia of a joint with the others locked, bodies rigid.
VectorXd own_inertias(const Model& model, const DrivenJoints& driven, const State& x) {
  return make_pid(model, driven, x, {1 / (2 * std::numbers::pi), 0.5}).kp;
}

// Given limits, otherwise derived ones.
VectorXd complete(const VectorXd& machine, const VectorXd& model, const VectorXd& derived, const char* name,
                  const DrivenJoints& driven, bool& any) {
  VectorXd out = machine;
  for (Eigen::Index k = 0; k < out.size(); ++k) {
    if (!(out[k] > 0)) out[k] = model[k];
    if (out[k] > 0) continue;
    out[k] = derived[k];
    any = true;
    if (out[k] > 0 && std::isfinite(out[k])) continue;
    const std::string& joint = driven.names[static_cast<std::size_t>(k)];
    throw InputError(
        fmt::format("joint '{}': the desired motion moves no joint of its kind, so that no {} limit "
                    "follows from it; write e.g. limits: {{effort: 100, velocity: 1}} in the model",
                    joint, name));
  }
  return out;
}

// Converts limits of joint torques to those of actuator forces, by the smallest lever arm along the desired motion;
// within the limits of the servos.
void turn_into_forces(const ControlOptions& control, const State& start, VectorXd& effort) {
  constexpr int kPoints = 20;
  Actuation actuation(*control.model, control.driven);
  if (!actuation.any()) return;
  State x = start;
  VectorXd least = VectorXd::Constant(effort.size(), std::numeric_limits<double>::infinity());
  for (int i = 0; i <= kPoints; ++i) {
    for (int k = 0; k < control.driven.size(); ++k)
      x.q[control.driven.q[k]] = control.desired[k].at(control.end * i / kPoints).value;
    if (actuation.set(x) != Status::ok) continue;
    for (int k = 0; k < control.driven.size(); ++k)
      least[k] = std::min(least[k], std::abs(actuation.forces()(control.driven.v[k], k)));
  }
  for (int k = 0; k < control.driven.size(); ++k) {
    if (control.driven.actuator(k) < 0 || !std::isfinite(least[k])) continue;
    effort[k] /= least[k];
    if (!control.servos.empty())
      effort[k] = std::min(effort[k], control.servos[static_cast<std::size_t>(k)].max_torque);
  }
}

}  // namespace

LinkLimits make_link_limits(const Model& machine, const DrivenJoints& driven, const ControlOptions& control,
                            const State& start) {
  const Model& model = *control.model;
  const Peaks peaks = find_peaks(control, start);
  const std::vector<std::string> kinds = units_of(model, control.driven, position_units);
  const VectorXd accelerations = largest_of_kind(peaks.acceleration, kinds),
                 alone = own_inertias(model, control.driven, start).cwiseProduct(accelerations);
  LinkLimits out;
  out.effort = complete(given_limits(machine, driven, &Joint::effort_limit),
                        given_limits(model, control.driven, &Joint::effort_limit),
                        LinkLimits::kEffortMargin * peaks.effort.cwiseMax(alone), "effort", driven, out.derived);
  out.release = VectorXd::Zero(driven.size());
  if (has_modes(model)) {
    const VectorXd c = make_braking_gains(model, control.driven, start, LinkLimits::kBrakingTime, 1 / control.rate, 1);
    out.release = kRelease * out.effort.cwiseQuotient(c);
  }
  const VectorXd moved = LinkLimits::kSpeedMargin * largest_of_kind(peaks.speed, kinds);
  out.speed = complete(given_limits(machine, driven, &Joint::velocity_limit),
                       given_limits(model, control.driven, &Joint::velocity_limit),
                       (moved.array() > 0).select(moved.cwiseMax(out.release), 0), "velocity", driven, out.derived);
  turn_into_forces(control, start, out.effort);
  return out;
}

std::string limits_text(const LinkLimits& limits, const Model& model, const DrivenJoints& driven) {
  const std::vector<std::string> force = input_units(model, driven), rate = units_of(model, driven, speed_units);
  std::string out;
  for (std::size_t k = 0; k < driven.names.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    out += fmt::format("{}{} {:.3g} {}, {:.3g} {}", k > 0 ? "; " : "", driven.names[k], limits.effort[i], force[k],
                       limits.speed[i], rate[k]);
  }
  return out;
}

std::string release_text(const LinkLimits& limits, const Model& model, const DrivenJoints& driven) {
  const std::vector<std::string> rate = units_of(model, driven, speed_units);
  std::string out;
  for (std::size_t k = 0; k < driven.names.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if (limits.release[i] <= limits.speed[i]) continue;
    out += fmt::format("{}{} up to {:.3g} {}", out.empty() ? "" : ", ", driven.names[k], limits.release[i], rate[k]);
  }
  if (out.empty()) return out;
  return "links bent by the effort limits may drive joints beyond their velocity limits when the brakes take over: " +
         out + "; lower the effort limits or raise the velocity limits";
}

void limit_servos(const LinkLimits& limits, ControlOptions& control) {
  control.servos.resize(control.driven.v.size());
  for (std::size_t k = 0; k < control.servos.size(); ++k) {
    double& most = control.servos[k].max_torque;
    most = std::min(most, limits.effort[static_cast<Eigen::Index>(k)]);
  }
}

VectorXd make_braking_gains(const Model& model, const DrivenJoints& driven, const State& x, double time, double period,
                            double share) {
  VectorXd c = own_inertias(model, driven, x) / time;
  NaturalGain gain(model, driven, period);
  if (gain.set(x) != Status::ok) throw InputError("the inertia of the joints is singular; give them an armature");
  VectorXd unit = VectorXd::Zero(driven.size()), felt = unit;
  for (int k = 0; k < driven.size(); ++k) {
    unit[k] = 1;
    felt.setZero();
    gain.add(unit, felt);
    unit[k] = 0;
    c[k] = std::min(c[k], share * felt[k] / period);
  }
  return c;
}

}  // namespace limber
