// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/model/drive.hpp"
#include "limber/model/elements.hpp"
#include "limber/spatial/detail/text.hpp"
#include "simulate/drive_limits.hpp"

namespace limber {
namespace {

[[noreturn]] void fail(const std::string& label, const std::string& what) {
  throw InputError((label.empty() ? "an input" : label) + ": " + what);
}

template <typename Visit>
void for_each_signal(const Inputs& inputs, Visit visit) {
  for (const SpeedInput& input : inputs.speeds) visit(input.force);
  for (const MotionInput& input : inputs.motions) {
    for (const Signal& signal : input.motion) visit(signal);
  }
  for (const WrenchInput& input : inputs.wrenches) {
    for (const Signal& signal : input.wrench) visit(signal);
  }
  for (const GravityInput& input : inputs.gravities) {
    for (const Signal& signal : input.gravity) visit(signal);
  }
  for (const ElementInput& input : inputs.elements) visit(input.force);
  for (const BrakeInput& input : inputs.brakes) visit(input.command);
}

// Requires a motor with this command, on the speed that it drives.
void check_command(const Model& model, const SpeedInput& input) {
  if (input.command == DriveCommand::force) return;
  const int i = motor_joint(model, input.speed);
  if (i < 0) fail(input.label, "'" + model.speeds[static_cast<std::size_t>(input.speed)] + "' is not moved by a motor");
  const Joint& joint = model.joints[i];
  const Motor& motor = *joint.drive->motor;
  if (!(motor.torque_constant > 0) || (input.command == DriveCommand::voltage && !(motor.resistance > 0)))
    fail(input.label,
         "the motor of joint '" + joint.name + "' needs a torque constant, and for a voltage a resistance");
}

void check_brake(const Model& model, const BrakeInput& input) {
  const bool known = input.joint > kGround && input.joint < model.body_count();
  if (!known || !model.joints[input.joint].drive || !model.joints[input.joint].drive->brake)
    fail(input.label, "there is no brake; give the drive of the joint one");
  std::vector<double> times = input.command.breaks();
  times.push_back(0);
  for (const double t : times) {
    const double value = input.command.at(t).value;
    if (!(value >= 0 && value <= 1))
      fail(input.label,
           "a brake is commanded from 0 (released) to 1 (engaged), not " + text(value, 6) + " at t = " + text(t, 6));
  }
}

// A prescribed motion must be continuous.
void check_continuity(const MotionInput& input, const Signal& signal) {
  constexpr double kSame = 1e-9;
  const std::vector<double> times = signal.breaks();
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double t = times[k];
    const double before = signal.at(t, k == 0 ? -std::numeric_limits<double>::infinity() : times[k - 1]).value;
    const double after = signal.at(t, t).value;
    if (std::abs(after - before) <= kSame * std::max({1.0, std::abs(before), std::abs(after)})) continue;
    fail(input.label, "the motion jumps at t = " + text(t) + " from " + text(before) + " to " + text(after) +
                          "; a joint cannot jump, let the pieces meet");
  }
}

void check_motion(const Model& model, const MotionInput& input) {
  if (input.joint <= kGround || input.joint >= model.body_count())
    fail(input.label, "there is no joint " + std::to_string(input.joint) + "; Model::joint_index gives it by name");
  const Joint& joint = model.joints[input.joint];
  const int count = speed_count(joint.kind);
  if (count == 0) fail(input.label, "joint '" + joint.name + "' is fixed and has no motion; remove the input");
  if (position_count(joint.kind) != count) {
    fail(input.label, "the motion of joint '" + joint.name + "' (" + to_string(joint.kind) +
                          ") cannot be prescribed; compose it of revolute and prismatic joints, or give torques");
  }
  if (static_cast<int>(input.motion.size()) != count) {
    fail(input.label, "joint '" + joint.name + "' has " + std::to_string(count) + " coordinates, but " +
                          std::to_string(input.motion.size()) + " signals are given; write one for each");
  }
  for (const Signal& signal : input.motion) check_continuity(input, signal);
}

void check_node(const Model& model, NodeRef at, const std::string& label) {
  const bool body = at.body > kGround && at.body < model.body_count();
  if (!body || at.node < kBodyFrame || at.node >= static_cast<int>(model.body(at.body).nodes.size())) {
    fail(label, "there is no node " + std::to_string(at.node) + " of body " + std::to_string(at.body) +
                    "; Model::node gives it by name");
  }
}

}  // namespace

void check_inputs(const Model& model, const Inputs& inputs) {
  std::vector<bool> driven(model.joints.size(), false);
  for (const MotionInput& input : inputs.motions) {
    check_motion(model, input);
    if (driven[input.joint]) {
      fail(input.label, "joint '" + model.joints[input.joint].name + "' has a motion already; leave one");
    }
    driven[input.joint] = true;
  }
  for (const SpeedInput& input : inputs.speeds) {
    if (input.speed < 0 || input.speed >= model.nv)
      fail(input.label, "there is no speed " + std::to_string(input.speed) + "; Model::speed gives the index by name");
    check_command(model, input);
  }
  for (const BrakeInput& input : inputs.brakes) check_brake(model, input);
  for (const WrenchInput& input : inputs.wrenches) check_node(model, input.at, input.label);
  for (const WrenchLaw& input : inputs.laws) {
    check_node(model, input.at, input.label);
    if (!input.wrench) fail(input.label, "the law is empty; give it a function");
  }
  for (const ElementInput& input : inputs.elements) {
    const int count = model.elements ? static_cast<int>(model.elements->list.size()) : 0;
    if (input.element < 0 || input.element >= count)
      fail(input.label, "there is no force element " + std::to_string(input.element));
    const ForceElement& element = model.elements->list[static_cast<std::size_t>(input.element)];
    if (element.kind != ForceElement::Kind::actuator)
      fail(input.label, "element '" + element.name + "' is a " + to_string(element.kind) +
                            " and takes no command; make it an actuator");
  }
}

std::vector<double> breaks(const Inputs& inputs) {
  std::vector<double> times;
  for_each_signal(inputs, [&](const Signal& signal) {
    const std::vector<double> own = signal.breaks();
    times.insert(times.end(), own.begin(), own.end());
  });
  std::sort(times.begin(), times.end());
  constexpr double kSame = 1e-12;  // relative: 30 and 3 * 10.000000000000001 are the same time
  const auto same = [](double a, double b) { return b - a <= kSame * std::max(1.0, std::abs(a)); };
  times.erase(std::unique(times.begin(), times.end(), same), times.end());
  return times;
}

}  // namespace limber
