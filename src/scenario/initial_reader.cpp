// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "scenario/initial_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/dynamics/kinematics.hpp"
#include "limber/files/detail/quantity.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/segments.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

class InitialReader {
 public:
  InitialReader(const ModelNames& names, const Inputs& inputs);
  InitialState read(const Reader& map);
  const InitialState& state() const { return out_; }

 private:
  void read_equilibrium(const Reader& value);
  void read_keep(const Reader& value);
  void read_entry(const Reader& key, const Reader& value);
  void read_joint(const Reader& value, int joint);
  void turn_speeds(const Reader& frame, int joint);
  void read_body(const Reader& value, int body);
  void read_motor(const Reader& key, const Reader& value);
  VectorXd read_numbers(const Reader& at, std::span<const std::string> names, std::string_view none) const;
  void compare(const Reader& at, const VectorXd& given, const VectorXd& wanted, const std::string& motion) const;
  void check() const;

  const ModelNames& names_;
  const Model& model_;
  InitialState out_;
  std::unordered_map<int, std::string> motions_;    // by joint: label
  std::unordered_map<std::string, Reader> places_;  // of coordinates, by "joint 'base'"
  std::optional<Reader> moving_;                    // a nonzero speed
  std::vector<std::pair<Reader, int>> turned_;      // frames of speeds, by joint
};

InitialReader::InitialReader(const ModelNames& names, const Inputs& inputs) : names_(names), model_(names.model()) {
  out_.x = make_zero_state(model_);
  for (const MotionInput& input : inputs.motions) {
    const Joint& joint = model_.joints[input.joint];
    for (std::size_t k = 0; k < input.motion.size(); ++k) {
      const Jet start = input.motion[k].at(0);
      out_.x.q[joint.q + static_cast<int>(k)] = start.value;
      out_.x.v[joint.v + static_cast<int>(k)] = start.rate;
    }
    motions_.emplace(input.joint, input.label);
    set_motor_at_rest(model_, input.joint, out_.x);
  }
}

InitialState InitialReader::read(const Reader& map) {
  std::optional<Reader> keep;
  std::vector<std::pair<Reader, Reader>> motors;  // read after their joints
  for (const auto& [key, value] : map.entries()) {
    if (key.text() == "equilibrium") {
      read_equilibrium(value);
    } else if (key.text() == "keep") {
      read_keep(value);
      keep = value;
    } else if (key.text().ends_with(".motor")) {
      motors.emplace_back(key, value);
    } else {
      read_entry(key, value);
    }
  }
  for (const auto& [key, value] : motors) read_motor(key, value);
  for (const auto& [frame, joint] : turned_) turn_speeds(frame, joint);
  if (out_.equilibrium && moving_) moving_->fail("must be 0 with equilibrium, which starts at rest");
  if (out_.equilibrium && keep) keep->fail("has no effect on an equilibrium; write equilibrium: {hold: [...]} instead");
  check();
  return std::move(out_);
}

// [crank, slider]
void InitialReader::read_keep(const Reader& value) {
  if (model_.closures.empty()) value.fail("has no effect: the model has no closures, and nothing moves; remove it");
  for (const Reader& entry : value.list()) {
    const int joint = names_.joint(entry);
    if (std::find(out_.keep.begin(), out_.keep.end(), joint) != out_.keep.end())
      entry.fail(fmt::format("'{}' is a duplicate; remove one", entry.text()));
    out_.keep.push_back(joint);
  }
}

// true, false, or {hold: [shoulder, elbow]}.
void InitialReader::read_equilibrium(const Reader& value) {
  out_.equilibrium = value.is_map() || value.boolean();
  if (!value.is_map()) return;
  value.check_keys({"hold"});
  out_.hold.emplace();
  for (const Reader& entry : value.at("hold", "hold: [shoulder]").list()) {
    const int joint = names_.joint(entry);
    const JointKind kind = model_.joints[joint].kind;
    if (!joint_traits(kind).driven)
      entry.fail(fmt::format("'{}' is {}; revolute, prismatic, cylindrical and universal joints can be held",
                             entry.text(), to_string(kind)));
    if (std::find(out_.hold->begin(), out_.hold->end(), joint) != out_.hold->end())
      entry.fail(fmt::format("'{}' is a duplicate; remove one", entry.text()));
    if (const auto motion = motions_.find(joint); motion != motions_.end())
      entry.fail(fmt::format("'{}' is held by {} already; remove it", entry.text(), motion->second));
    out_.hold->push_back(joint);
  }
}

void InitialReader::read_entry(const Reader& key, const Reader& value) {
  const std::string name = key.text();
  const int joint = names_.find_joint(name), body = names_.find_body(name);
  if (joint < 0 && body < 0) {
    std::vector<std::string_view> known = names_.joint_names();
    const auto bodies = names_.body_names();
    known.insert(known.end(), bodies.begin(), bodies.end());
    known.push_back("equilibrium");
    known.push_back("keep");
    key.fail_item(fmt::format("unknown name {} in initial;{} joints and bodies: {}", show(name), suggest(name, known),
                              join(known)));
  }
  // A frequent mistake: keys of a joint in a body, or of a body in a joint.
  if (body < 0 && value.is_map() && (value.has("eta") || value.has("etadot")))
    value.fail(
        fmt::format("is a joint, which has q and v; write eta and etadot for its body '{}'", model_.body_names[joint]));
  if (joint < 0 && value.is_map() && (value.has("q") || value.has("v")))
    value.fail(
        fmt::format("is a body, which has eta and etadot; write q and v for its joint '{}'", model_.joints[body].name));
  if (joint < 0) {
    value.check_keys({"eta", "etadot"});
  } else if (body < 0) {
    value.check_keys({"q", "v", "frame"});
  } else {
    value.check_keys({"q", "v", "frame", "eta", "etadot"});
  }
  if (joint >= 0) read_joint(value, joint);
  if (body >= 0) read_body(value, body);
}

// One number per name; for a single name a scalar is accepted.  `none`: reason why there is no name.
VectorXd InitialReader::read_numbers(const Reader& at, std::span<const std::string> names,
                                     std::string_view none) const {
  const bool list = at.is_list();
  if (!list && names.size() == 1) return VectorXd::Constant(1, at.number());
  if (names.empty() && !(list && at.length(kMaxDocumentNodes) == 0))
    at.fail(fmt::format("has no meaning: the {}; remove it", none));
  const VectorXd numbers = list ? at.numbers() : VectorXd();
  if (numbers.size() != std::ssize(names))
    at.fail(fmt::format("must be a list of {} {} ({}), but {}", names.size(), names.size() == 1 ? "number" : "numbers",
                        join(views(names), 8), list ? fmt::format("has {}", numbers.size()) : "is not a list"));
  return numbers;
}

// Compares given values with the prescribed motion of the joint.
void InitialReader::compare(const Reader& at, const VectorXd& given, const VectorXd& wanted,
                            const std::string& motion) const {
  constexpr double kSame = 1e-9;
  for (Eigen::Index k = 0; k < given.size(); ++k) {
    if (std::abs(given[k] - wanted[k]) <= kSame * std::max(1.0, std::abs(wanted[k]))) continue;
    at.fail(fmt::format("has {}, but {} starts with {}; remove it, or make them equal", given[k], motion, wanted[k]));
  }
}

void InitialReader::read_joint(const Reader& value, int joint) {
  const Joint& of = model_.joints[joint];
  const auto motion = motions_.find(joint);
  const auto read = [&](std::string_view key, std::span<const std::string> names, Vec out) {
    const auto given = value.find(key);
    if (!given) return;
    check_units(*given, key == "q" ? position_units(of.kind) : speed_units(of.kind));
    const VectorXd numbers = read_numbers(*given, names, "joint is fixed");
    if (motion != motions_.end()) return compare(*given, numbers, out, motion->second);
    out = numbers;
    if (key == "q") places_.emplace(fmt::format("joint '{}'", of.name), *given);
    if (key == "v" && !numbers.isZero(0) && !moving_) moving_ = *given;
  };
  const int nq = position_count(of.kind), nv = speed_count(of.kind);
  read("q", std::span(model_.coordinates).subspan(of.q, nq), out_.x.q.segment(of.q, nq));
  read("v", std::span(model_.speeds).subspan(of.v, nv), out_.x.v.segment(of.v, nv));
  if (const auto frame = value.find("frame")) turned_.emplace_back(*frame, joint);
  set_motor_at_rest(model_, joint, out_.x);
}

// "elbow.motor": {q: 30, v: 0}; by default the transmission starts without load.
void InitialReader::read_motor(const Reader& key, const Reader& value) {
  const std::string name = key.text().substr(0, key.text().rfind('.'));
  const int joint = names_.find_joint(name);
  const MotorIndex motor = joint < 0 ? MotorIndex{} : motor_index(model_, joint);
  if (motor.v < 0)
    key.fail_item(
        fmt::format("{} in initial: there is no joint {} with an elastic drive", show(key.text()), show(name)));
  value.check_keys({"q", "v"});
  if (const auto q = value.find("q")) {
    check_units(*q, {"rad"});
    out_.x.q[motor.q] = q->number();
  }
  if (const auto v = value.find("v")) {
    check_units(*v, {"rad/s"});
    out_.x.v[motor.v] = v->number();
    if (out_.x.v[motor.v] != 0 && !moving_) moving_ = *v;
  }
}

// Speeds of a quaternion joint are in the frame of the child; here they are given along the axes of the parent or of
// the world, in the initial configuration.
void InitialReader::turn_speeds(const Reader& frame, int joint) {
  constexpr std::array<std::string_view, 3> kSides = {"child", "parent", "world"};
  const Joint& of = model_.joints[joint];
  const int side = frame.choice(kSides);
  if (!joint_traits(of.kind).quaternion)
    frame.fail(fmt::format("has no meaning for type {}; spherical and free joints have it", to_string(of.kind)));
  if (side == 0) return;
  const double length = out_.x.q.segment<4>(of.q).norm();
  if (!(std::abs(length - 1) < 1e-6)) return;  // reported below
  Matrix3d R = quaternion_rotation(&out_.x.q[of.q]);
  if (side == 2) {
    KinematicsWorkspace kin(model_);
    compute_kinematics(model_, out_.x, kin);
    compute_world_poses(model_, kin);
    R = node_pose(model_, kin, {joint, of.child_node}).R;
  }
  for (int k = 0; k < speed_count(of.kind); k += 3) {
    const Vector3d given = out_.x.v.segment<3>(of.v + k);
    out_.x.v.segment<3>(of.v + k) = R.transpose() * given;
  }
}

void InitialReader::read_body(const Reader& value, int body) {
  const auto [q, v, n] = modes_of(model_, body);
  const auto names = std::span(model_.speeds).subspan(v, n);
  constexpr std::string_view kNoModes = "body has no modes";
  if (const auto eta = value.find("eta")) out_.x.q.segment(q, n) = read_numbers(*eta, names, kNoModes);
  if (const auto rate = value.find("etadot")) {
    const VectorXd numbers = read_numbers(*rate, names, kNoModes);
    out_.x.v.segment(v, n) = numbers;
    if (!numbers.isZero(0) && !moving_) moving_ = *rate;
  }
}

void InitialReader::check() const {
  try {
    check_state(model_, out_.x);
  } catch (const InputError& e) {
    const std::string what = e.what();
    const auto found = places_.find(what.substr(0, what.find("': ") + 1));
    if (found == places_.end()) throw;
    found->second.fail_item(what);
  }
}

}  // namespace

InitialState read_initial(const std::optional<Reader>& map, const ModelNames& names, const Inputs& inputs) {
  InitialReader reader(names, inputs);
  return map ? reader.read(*map) : reader.state();
}

}  // namespace limber
