// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "scenario/attitude_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "limber/scenario/simulation.hpp"
#include "scenario/control_reader.hpp"

namespace limber {
namespace {

constexpr std::array<std::string_view, 3> kKinds = {"none", "rigid", "hybrid"};
constexpr std::array<std::string_view, 3> kSlewProfiles = {"trapezoid", "quintic", "cycloid"};
constexpr std::array<std::string_view, 2> kAxisFrames = {"body", "world"};
constexpr std::array<std::string_view, 2> kThrusterFrames = {"node", "body"};
constexpr std::array<std::string_view, 2> kModulations = {"pulse_width", "deadband"};
constexpr int kMaxSensorDelay = 1000, kMaxWheels = 100, kMaxThrusters = 100;
constexpr double kUnit = 1e-6;  // tolerance of the length of a quaternion or a direction

// Three numbers or one for all, not negative.
Vector3d read_deviation(const Reader& at) {
  const Vector3d out = at.number_or_numbers(3);
  if (out.minCoeff() < 0) at.fail("must be 0 or more");
  return out;
}

int read_delay(const Reader& at, double rate) {
  const double samples = at.not_negative() * rate;
  if (samples > kMaxSensorDelay) at.fail(fmt::format("is more than {} samples", kMaxSensorDelay));
  return static_cast<int>(std::ceil(samples - 1e-9));
}

// ---- the desired attitude ---------------------------------------------------------------------------

AttitudeWaypoint read_waypoint(const Reader& map) {
  map.check_keys({"quaternion", "axis", "angle", "frame", "duration", "dwell"});
  AttitudeWaypoint out;
  if (map.one_of({"quaternion", "axis"}) == "quaternion") {
    const Reader at = map.at("quaternion", "");
    const VectorXd q = at.numbers(4);
    if (!(std::abs(q.norm() - 1) <= kUnit)) at.fail(fmt::format("must have norm 1, but has {:.6g}", q.norm()));
    out.quaternion = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
    for (const std::string_view key : {"angle", "frame"})
      if (const auto given = map.find(key)) given->fail("applies only with axis; remove it");
  } else {
    const Reader at = map.at("axis", "");
    out.axis = at.vector3();
    if (!(out.axis.norm() > 0)) at.fail("must not be zero");
    out.angle = map.at("angle", "angle: 90 deg").number();
    if (const auto frame = map.find("frame")) out.axis_in_world = frame->choice(kAxisFrames) == 1;
  }
  if (const auto at = map.find("duration")) out.duration = at->positive();
  if (const auto at = map.find("dwell")) out.dwell = at->not_negative();
  return out;
}

void read_slews(const Reader& map, AttitudeOptions& out) {
  map.check_keys({"profile", "start", "waypoints", "limits"});
  if (const auto at = map.find("profile")) out.profile = static_cast<Profile>(at->choice(kSlewProfiles));
  if (const auto at = map.find("start")) out.begin = at->not_negative();
  if (const auto at = map.find("limits")) {
    at->check_keys({"speed", "acceleration"});
    if (const auto speed = at->find("speed")) out.limits.speed = speed->positive();
    if (const auto most = at->find("acceleration")) out.limits.acceleration = most->positive();
  }
  const Reader list = map.at("waypoints", "waypoints: [{axis: [0, 0, 1], angle: 90 deg, duration: 60}]");
  for (const Reader& entry : list.list()) out.waypoints.push_back(read_waypoint(entry));
  if (out.waypoints.empty()) list.fail("must have at least one entry {axis: [0, 0, 1], angle: 90 deg, duration: 60}");
  try {  // check against the limits
    AttitudePath(out.profile, Eigen::Quaterniond::Identity(), out.begin, out.waypoints, out.limits);
  } catch (const InputError& e) {
    list.fail(fmt::format("does not fit: {}", e.what()));
  }
}

// ---- actuators --------------------------------------------------------------------------------------

WheelOptions read_wheels(const Reader& map, const ModelNames& names) {
  map.check_keys({"joints", "max_torque", "max_speed", "bias", "bias_time"});
  WheelOptions out;
  const Reader list = map.at("joints", "joints: [wheel1, wheel2, wheel3]");
  for (const Reader& entry : list.list()) out.joints.push_back(names.model().joints[names.joint(entry)].name);
  if (out.joints.empty() || std::ssize(out.joints) > kMaxWheels)
    list.fail(fmt::format("must name 1 to {} joints", kMaxWheels));
  const auto n = static_cast<Eigen::Index>(out.joints.size());
  const auto limit = [&](std::string_view key) {
    const auto at = map.find(key);
    if (!at) return VectorXd();
    VectorXd values = at->number_or_numbers(n);
    if (!(values.minCoeff() > 0)) at->fail("must be above 0");
    return values;
  };
  out.max_torque = limit("max_torque");
  out.max_speed = limit("max_speed");
  if (const auto at = map.find("bias")) out.bias = at->number_or_numbers(n);
  if (const auto at = map.find("bias_time")) out.bias_time = at->positive();
  return out;
}

ThrusterOptions read_thruster(const Reader& map, const ModelNames& names) {
  map.check_keys({"name", "node", "direction", "frame", "force"});
  ThrusterOptions out;
  const Reader node = map.at("node", "node: hub.nozzle");
  const NodeRef at = names.node(node);
  out.node = node.text();
  const auto name = map.find("name");
  out.name = name ? name->name() : out.node;
  const Reader direction = map.at("direction", "direction: [1, 0, 0]");
  out.direction = direction.vector3();
  if (!(out.direction.norm() > 0)) direction.fail("must not be zero");
  out.direction.normalize();
  const auto frame = map.find("frame");
  if (frame && frame->choice(kThrusterFrames) == 1 && at.node != kBodyFrame)
    out.direction = names.model().body(at.body).nodes[static_cast<std::size_t>(at.node)].rotation.transpose() *
                    Vector3d(out.direction);
  out.force = map.at("force", "force: 1").positive();
  return out;
}

ThrusterSetOptions read_thrusters(const Reader& map, const ModelNames& names) {
  map.check_keys({"list", "modulation", "period", "minimum_pulse", "deadband", "hysteresis", "unload"});
  ThrusterSetOptions out;
  if (const auto at = map.find("modulation")) out.modulation = static_cast<Modulation>(at->choice(kModulations));
  const bool deadband = out.modulation == Modulation::deadband;
  const auto only = [&](std::string_view key, bool wanted, std::string_view modulation) {
    const auto at = map.find(key);
    if (at && !wanted) at->fail(fmt::format("applies only with modulation: {}; remove it", modulation));
    return at;
  };
  if (const auto at = only("period", !deadband, "pulse_width")) out.period = at->positive();
  if (const auto at = only("deadband", deadband, "deadband")) out.deadband = at->positive();
  if (const auto at = only("hysteresis", deadband, "deadband")) out.hysteresis = at->not_negative();
  if (const auto at = map.find("minimum_pulse")) out.minimum_pulse = at->not_negative();
  if (const auto at = map.find("unload")) out.unload = at->positive();
  const Reader list = map.at("list", "list: [{node: hub.nozzle, direction: [1, 0, 0], force: 1}]");
  for (const Reader& entry : list.list()) {
    out.thrusters.push_back(read_thruster(entry, names));
    for (std::size_t k = 0; k + 1 < out.thrusters.size(); ++k) {
      if (out.thrusters[k].name == out.thrusters.back().name)
        entry.fail(fmt::format("has the name '{}' of another one; write name: ...", out.thrusters[k].name));
    }
  }
  if (out.thrusters.empty() || std::ssize(out.thrusters) > kMaxThrusters)
    list.fail(fmt::format("must have 1 to {} entries", kMaxThrusters));
  return out;
}

// ---- sensors ----------------------------------------------------------------------------------------

GyroOptions read_gyro(const Reader& map, double rate) {
  map.check_keys({"noise", "bias", "bias_walk", "misalignment", "delay"});
  GyroOptions out;
  if (const auto at = map.find("noise")) out.noise = read_deviation(*at);
  if (const auto at = map.find("bias")) out.bias = at->number_or_numbers(3);
  if (const auto at = map.find("bias_walk")) out.bias_walk = read_deviation(*at);
  if (const auto at = map.find("misalignment")) out.misalignment = at->vector3();
  if (const auto at = map.find("delay")) out.delay = read_delay(*at, rate);
  return out;
}

StarTrackerOptions read_star_tracker(const Reader& map, double rate) {
  map.check_keys({"noise", "misalignment", "delay", "rate"});
  StarTrackerOptions out;
  if (const auto at = map.find("noise")) out.noise = read_deviation(*at);
  if (const auto at = map.find("misalignment")) out.misalignment = at->vector3();
  if (const auto at = map.find("delay")) out.delay = read_delay(*at, rate);
  if (const auto at = map.find("rate")) {
    const double every = rate / at->positive();
    out.every = static_cast<int>(std::lround(every));
    if (out.every < 1 || every > 1e6 || std::abs(every - out.every) > 1e-9 * every)
      at->fail(fmt::format("must be the rate of the controller ({} Hz) or an integer fraction of it", rate));
  }
  return out;
}

AttitudeSensorOptions read_attitude_sensors(const Reader& map, const ModelNames& names, double rate) {
  map.check_keys({"gyro", "star_tracker", "imu", "seed"});
  AttitudeSensorOptions out;
  if (const auto at = map.find("gyro")) out.gyro = read_gyro(*at, rate);
  if (const auto at = map.find("star_tracker")) out.star_tracker = read_star_tracker(*at, rate);
  if (const auto at = map.find("seed")) out.seed = static_cast<unsigned>(at->whole_number(0, 1 << 30));
  const auto imu = map.find("imu");
  if (!imu) return out;
  if (out.gyro) imu->fail("has a gyro of its own; remove gyro, or imu");
  imu->check_keys({"node", "gyro", "accelerometer"});
  const auto gyro = imu->find("gyro"), accelerometer = imu->find("accelerometer");
  out.gyro = gyro ? read_gyro(*gyro, rate) : GyroOptions();
  out.accelerometer.emplace();
  const Reader node = imu->at("node", "node: hub.imu");
  names.node(node);
  out.accelerometer->node = node.text();
  if (!accelerometer) return out;
  accelerometer->check_keys({"noise", "bias"});
  if (const auto at = accelerometer->find("noise")) out.accelerometer->noise = read_deviation(*at);
  if (const auto at = accelerometer->find("bias")) out.accelerometer->bias = at->number_or_numbers(3);
  return out;
}

void read_law(const Reader& map, AttitudeOptions& out) {
  if (const auto at = map.find("feed_forward")) out.feed_forward = static_cast<FeedForward>(at->choice(kKinds));
  if (const auto at = map.find("feedback")) {
    at->check_keys({"quaternion"});
    const Reader law = at->at("quaternion", "quaternion: {frequency: 0.05, ratio: 1}");
    law.check_keys({"frequency", "ratio"});
    out.feedback = TrackingOptions{};
    out.feedback->frequency = law.at("frequency", "frequency: 0.05").positive();
    if (const auto ratio = law.find("ratio")) out.feedback->ratio = ratio->positive();
  }
  if (const auto at = map.find("shaping")) out.shaping = read_shaping(*at);
  if (const auto at = map.find("estimator")) {
    at->check_keys({"bias"});
    out.estimator.emplace();
    if (const auto bias = at->find("bias")) out.estimator->bias = bias->positive();
  }
}

// Motions of the joints under their own controller, for the attitude controller's model.
std::vector<MotionInput> joint_motions(const ControlOptions& joints, const Model& model) {
  std::vector<MotionInput> out;
  const DrivenJoints driven = find_same_joints(*joints.model, joints.driven, model);
  std::size_t next = 0;
  for (const int joint : driven.joints) {
    MotionInput motion{joint, {}, "the desired motion of '" + model.joints[joint].name + "'"};
    for (int k = 0; k < speed_count(model.joints[joint].kind); ++k) motion.motion.push_back(joints.desired[next++]);
    out.push_back(std::move(motion));
  }
  return out;
}

}  // namespace

bool controls_joints(const Reader& control) {
  for (const std::string& key : control.keys()) {
    if (key != "rate" && key != "model" && key != "attitude") return true;
  }
  return false;
}

std::shared_ptr<const AttitudeOptions> read_attitude(const Reader& control, const Scenario& scenario,
                                                     const std::string& folder, const Overrides& set) {
  const Reader map = control.at("attitude", "");
  map.check_keys({"rate", "model", "body", "desired", "feed_forward", "feedback", "shaping", "wheels", "thrusters",
                  "sensors", "estimator"});
  auto out = std::make_shared<AttitudeOptions>();
  ControlScenario own;
  if (const auto at = map.find("model"))
    read_own_model(at, scenario, folder, {}, own);
  else
    read_own_model(control.find("model"), scenario, folder, set, own);
  out->model = own.options.model;
  if (const auto at = control.find("rate")) out->rate = at->positive();
  if (const auto at = map.find("rate")) out->rate = at->positive();
  const ModelNames names(*scenario.model), believed(*out->model);
  out->body = out->model->body_names[static_cast<std::size_t>(believed.body(map.at("body", "body: hub")))];
  if (const auto at = map.find("desired")) read_slews(*at, *out);
  read_law(map, *out);
  if (const auto at = map.find("wheels")) out->wheels = read_wheels(*at, believed);
  if (const auto at = map.find("thrusters")) out->thrusters = read_thrusters(*at, believed);
  if (const auto at = map.find("sensors")) out->sensors = read_attitude_sensors(*at, names, out->rate);
  try {
    if (scenario.control) out->motions = joint_motions(scenario.control->options, *out->model);
    check_attitude(*out);
    for (const MotionInput& motion : scenario.inputs.motions) {
      const std::string& joint = scenario.model->joints[motion.joint].name;
      if (std::find(out->wheels.joints.begin(), out->wheels.joints.end(), joint) != out->wheels.joints.end())
        throw InputError("wheel '" + joint + "' has a prescribed motion, too");
    }
    AttitudeLoop(*scenario.model, scenario.initial, *out);  // throws for all remaining errors
  } catch (const InputError& e) {
    map.fail(fmt::format("does not fit: {}", e.what()));
  }
  return out;
}

std::unique_ptr<AttitudeLoop> make_attitude(const Scenario& scenario) {
  if (!scenario.attitude) return nullptr;
  return in_scenario(
      scenario, [&] { return std::make_unique<AttitudeLoop>(*scenario.model, scenario.initial, *scenario.attitude); });
}

// Adds the thrusters to the inputs.
Inputs with_thrusters(Inputs inputs, const AttitudeLoop* attitude) {
  if (attitude == nullptr) return inputs;
  for (WrenchLaw& law : attitude->wrench_laws()) inputs.laws.push_back(std::move(law));
  return inputs;
}

}  // namespace limber
