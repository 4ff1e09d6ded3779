// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "scenario/input_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/files/detail/quantity.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/elements.hpp"
#include "limber/model/segments.hpp"
#include "scenario/signal_reader.hpp"

namespace limber {
namespace {

constexpr std::array<std::string_view, 2> kFrames = {"world", "node"};
constexpr std::string_view kMotor = ".motor";
const std::string kAxes[] = {"x", "y", "z"};

class InputReader {
 public:
  explicit InputReader(const ModelNames& names) : names_(names), model_(names.model()) {}
  Inputs read(const Reader& list);

 private:
  void read_input(const Reader& entry);
  void read_joint(const Reader& entry);
  void read_motor(const Reader& named, const std::string& name, const Reader& value, std::string_view what);
  int driven_joint(const Reader& named) const;
  void read_command(const Reader& named, const Reader& value, std::string_view what);
  void read_brake(const Reader& named, const Reader& value);
  void read_torque(const Reader& torque, int joint);
  void read_motion(const Reader& motion, int joint);
  void read_node(const Reader& entry);
  void read_body(const Reader& entry);
  void read_gravity(const Reader& entry);
  void read_element(const Reader& entry);
  void add_forces(const Reader& at, std::vector<Signal> forces, int first_speed);
  void check() const;

  const ModelNames& names_;
  const Model& model_;
  Inputs out_;
  std::vector<std::pair<Reader, int>> torques_;     // by joint
  std::unordered_map<int, std::string> motions_;    // by joint: label
  std::unordered_map<std::string, Reader> places_;  // of labels
};

Inputs InputReader::read(const Reader& list) {
  for (const Reader& entry : list.list()) read_input(entry);
  check();
  return std::move(out_);
}

void InputReader::read_input(const Reader& entry) {
  entry.check_keys({"joint", "node", "body", "gravity", "element", "torque", "motion", "force", "frame", "modal",
                    "current", "voltage", "brake"});
  const std::string_view kind = entry.one_of({"joint", "node", "body", "gravity", "element"});
  if (kind == "joint") return read_joint(entry);
  if (kind == "node") return read_node(entry);
  if (kind == "body") return read_body(entry);
  if (kind == "element") return read_element(entry);
  read_gravity(entry);
}

void InputReader::read_joint(const Reader& entry) {
  entry.check_keys({"joint", "torque", "motion", "current", "voltage", "brake"});
  const std::string_view what = entry.one_of({"torque", "motion", "current", "voltage", "brake"});
  const Reader named = entry.at("joint", "");
  const Reader value = entry.at(what, "");
  if (what == "current" || what == "voltage") return read_command(named, value, what);
  if (what == "brake") return read_brake(named, value);
  if (const std::string name = named.text(); name.ends_with(kMotor))
    return read_motor(named, name.substr(0, name.size() - kMotor.size()), value, what);
  const int joint = names_.joint(named);
  if (speed_count(model_.joints[joint].kind) == 0)
    value.fail(
        fmt::format("has no meaning for joint '{}', which is fixed; remove the input", model_.joints[joint].name));
  const JointKind kind = model_.joints[joint].kind;
  check_units(value, what == "torque" ? force_units(kind) : position_units(kind));
  return what == "torque" ? read_torque(value, joint) : read_motion(value, joint);
}

// The joint of a drive, named "elbow" or "elbow.motor".
int InputReader::driven_joint(const Reader& named) const {
  const std::string name = named.text();
  if (!name.ends_with(kMotor)) return names_.joint(named);
  const int joint = names_.find_joint(name.substr(0, name.size() - kMotor.size()));
  if (joint < 0)
    named.fail(fmt::format("there is no joint {} with such a motor", show(name.substr(0, name.find('.')))));
  return joint;
}

// Current or voltage of a motor.
void InputReader::read_command(const Reader& named, const Reader& value, std::string_view what) {
  const int joint = driven_joint(named);
  const Joint& of = model_.joints[joint];
  if (!of.drive || !of.drive->motor || !(of.drive->motor->torque_constant > 0))
    value.fail(fmt::format("needs a motor with a torque_constant: give the drive of joint '{}' one", of.name));
  const bool voltage = what == "voltage";
  if (voltage && !(of.drive->motor->resistance > 0))
    value.fail(fmt::format("needs the resistance of the motor: give the drive of joint '{}' one", of.name));
  check_units(value, {voltage ? "V" : "A"});
  const MotorIndex motor = motor_index(model_, joint);
  out_.speeds.push_back({motor.v >= 0 ? motor.v : of.v, read_signal(value), value.path(),
                         voltage ? DriveCommand::voltage : DriveCommand::current});
  places_.emplace(value.path(), value);
  if (motor.v < 0) torques_.emplace_back(value, joint);
}

void InputReader::read_brake(const Reader& named, const Reader& value) {
  const int joint = driven_joint(named);
  const Joint& of = model_.joints[joint];
  if (!of.drive || !of.drive->brake)
    value.fail(fmt::format("has no meaning for joint '{}', whose drive has no brake; give it one", of.name));
  check_units(value, {"1"});
  out_.brakes.push_back({joint, read_signal(value), value.path()});
  places_.emplace(value.path(), value);
}

// "elbow.motor"
void InputReader::read_motor(const Reader& named, const std::string& name, const Reader& value, std::string_view what) {
  const int joint = names_.find_joint(name);
  if (joint < 0) named.fail(fmt::format("there is no joint {} with such a motor", show(name)));
  const MotorIndex motor = motor_index(model_, joint);
  if (motor.v < 0)
    named.fail(
        fmt::format("'{0}' has no motor with a coordinate of its own: its drive is not elastic; write joint: {0} "
                    "and the {1} there",
                    name, what));
  if (what == "motion") value.fail(fmt::format("of a motor cannot be prescribed; prescribe that of joint '{}'", name));
  check_units(value, {"N m"});
  add_forces(value, read_signals(value, std::span(model_.speeds).subspan(motor.v, 1), "speed"), motor.v);
}

// Forces on consecutive speeds.
void InputReader::add_forces(const Reader& at, std::vector<Signal> forces, int first_speed) {
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const std::string label = at.is_list() ? fmt::format("{}[{}]", at.path(), k) : at.path();
    out_.speeds.push_back({first_speed + static_cast<int>(k), std::move(forces[k]), label});
    places_.emplace(label, at);
  }
}

void InputReader::read_torque(const Reader& torque, int joint) {
  const int first = model_.joints[joint].v, count = speed_count(model_.joints[joint].kind);
  add_forces(torque, read_signals(torque, std::span(model_.speeds).subspan(first, count), "speed"), first);
  torques_.emplace_back(torque, joint);
}

void InputReader::read_motion(const Reader& motion, int joint) {
  const Joint& of = model_.joints[joint];
  const int count = position_count(of.kind);
  if (!joint_traits(of.kind).driven)
    motion.fail(
        fmt::format("of joint '{}' ({}) cannot be prescribed; compose the joint of revolute and prismatic ones, "
                    "or drive it with torques",
                    of.name, to_string(of.kind)));
  const auto [before, is_new] = motions_.emplace(joint, motion.path());
  if (!is_new)
    motion.fail(fmt::format("of joint '{}' is prescribed by {} already; remove one", of.name, before->second));
  const auto names = std::span(model_.coordinates).subspan(of.q, count);
  MotionInput input{joint, read_signals(motion, names, "coordinate"), motion.path()};
  for (const Signal& signal : input.motion) {
    const Jet start = signal.at(0);
    if (!std::isfinite(start.rate) || !std::isfinite(start.acceleration))
      motion.fail("has no finite speed and acceleration at t = 0; write a smoother signal");
  }
  out_.motions.push_back(std::move(input));
  places_.emplace(motion.path(), motion);
}

void InputReader::read_node(const Reader& entry) {
  entry.check_keys({"node", "force", "torque", "frame"});
  WrenchInput input;
  input.at = names_.node(entry.at("node", ""));
  input.label = entry.path();
  if (const auto frame = entry.find("frame")) input.frame = static_cast<Frame>(frame->choice(kFrames));
  const auto torque = entry.find("torque"), force = entry.find("force");
  if (!torque && !force)
    entry.fail_item(fmt::format("missing key in {}; write force: [0, 0, -10], torque, or both", entry.path()));
  const auto read = [&](const Reader& at, int first) {
    const std::string unit = first == 0 ? "N m" : "N";
    check_units(at, {unit, unit, unit});
    std::vector<Signal> signals = read_signals(at, kAxes, "direction");
    std::move(signals.begin(), signals.end(), input.wrench.begin() + first);
  };
  if (torque) read(*torque, 0);
  if (force) read(*force, 3);
  out_.wrenches.push_back(std::move(input));
  places_.emplace(entry.path(), entry);
}

void InputReader::read_body(const Reader& entry) {
  entry.check_keys({"body", "modal"});
  const int body = names_.body(entry.at("body", ""));
  const Reader modal = entry.at("modal", "modal: [0, 1]");
  const ModeRange modes = modes_of(model_, body);
  const int first = modes.v, count = modes.count;
  if (count == 0)
    modal.fail(
        fmt::format("has no meaning for body '{}', which has no modes; remove the input", model_.body_names[body]));
  add_forces(modal, read_signals(modal, std::span(model_.speeds).subspan(first, count), "mode"), first);
}

void InputReader::read_element(const Reader& entry) {
  entry.check_keys({"element", "force"});
  const Reader name = entry.at("element", ""), force = entry.at("force", "force: 100");
  std::vector<std::string_view> known;
  int found = -1;
  for (std::size_t k = 0; model_.elements && k < model_.elements->list.size(); ++k) {
    const ForceElement& element = model_.elements->list[k];
    if (element.name == name.text()) found = static_cast<int>(k);
    if (element.kind == ForceElement::Kind::actuator) known.push_back(element.name);
  }
  if (found < 0)
    name.fail(fmt::format("{} is not an element;{} actuators: {}", show(name.text()), suggest(name.text(), known),
                          known.empty() ? "none" : join(known)));
  const ForceElement& element = model_.elements->list[static_cast<std::size_t>(found)];
  if (element.kind != ForceElement::Kind::actuator)
    name.fail(
        fmt::format("'{}' is a {} and takes no command; make it an actuator", element.name, to_string(element.kind)));
  check_units(force,
              element.joint >= 0 ? force_units(model_.joints[element.joint].kind) : std::vector<std::string>{"N"});
  out_.elements.push_back({found, read_signal(force), entry.path()});
  places_.emplace(entry.path(), entry);
}

void InputReader::read_gravity(const Reader& entry) {
  entry.check_keys({"gravity"});
  const Reader gravity = entry.at("gravity", "");
  std::vector<Signal> signals = read_signals(gravity, kAxes, "direction");
  GravityInput input;
  input.label = gravity.path();
  std::move(signals.begin(), signals.end(), input.gravity.begin());
  out_.gravities.push_back(std::move(input));
  places_.emplace(gravity.path(), gravity);
}

// Checks of the complete list, and of what the simulation would refuse.
void InputReader::check() const {
  for (const auto& [torque, joint] : torques_) {
    if (const auto motion = motions_.find(joint); motion != motions_.end())
      torque.fail(fmt::format("acts on joint '{}', whose motion {} prescribes; remove one of the two",
                              model_.joints[joint].name, motion->second));
  }
  try {
    check_inputs(model_, out_);
  } catch (const InputError& e) {
    const std::string what = e.what();
    const auto found = places_.find(what.substr(0, what.find(": ")));
    if (found == places_.end()) throw;
    found->second.fail_item(what);
  }
}

}  // namespace

Inputs read_inputs(const Reader& list, const ModelNames& names) { return InputReader(names).read(list); }

}  // namespace limber
