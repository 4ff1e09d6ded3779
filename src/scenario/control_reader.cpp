// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "scenario/control_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "limber/control/tip_path.hpp"
#include "limber/control/trajectory.hpp"
#include "limber/files/detail/flow.hpp"
#include "limber/files/detail/quantity.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/text_file.hpp"
#include "limber/model/drive.hpp"
#include "limber/scenario/learn.hpp"
#include "scenario/sensor_reader.hpp"
#include "scenario/signal_reader.hpp"

namespace limber {
namespace {

constexpr std::array<std::string_view, 3> kFeedForwards = {"none", "rigid", "hybrid"};
constexpr std::array<std::string_view, 3> kProfiles = {"trapezoid", "quintic", "cycloid"};
constexpr std::array<std::string_view, 3> kShapers = {"zv", "zvd", "ei"};
constexpr std::array<std::string_view, 3> kEmbodiments = {"propagated", "sensed", "pipelined"};
constexpr std::array<std::string_view, 2> kInversions = {"static", "dynamic"};
constexpr int kDynamicSamples = 1000;  // intervals of a path
constexpr int kMaxVibrations = 4, kMaxSchedule = 100, kMaxCorrections = 100;

// Adds the place to an InputError thrown without one.
template <class Action>
auto at_place(const Reader& at, Action action) {
  try {
    return action();
  } catch (const InputError& e) {
    at.fail(fmt::format("does not fit: {}", e.what()));
  }
}

double number_or(const Reader& map, std::string_view key, double otherwise) {
  const auto at = map.find(key);
  return at ? at->positive() : otherwise;
}

// Values per driven coordinate: their units follow from the joint kinds.
void check_driven_units(const std::optional<Reader>& at, const ControlOptions& options,
                        std::vector<std::string> (*units)(JointKind)) {
  if (at) check_units_each(*at, units_of(*options.model, options.driven, units));
}

std::vector<std::string> gain_units(JointKind kind) { return joint_units(kind, "stiffness"); }
std::vector<std::string> damper_units(JointKind kind) { return joint_units(kind, "damping"); }
std::vector<std::string> integral_units(JointKind kind) {
  std::vector<std::string> out = gain_units(kind);
  for (std::string& unit : out) unit += " s";
  return out;
}
std::vector<std::string> acceleration_units(JointKind kind) {
  std::vector<std::string> out = speed_units(kind);
  for (std::string& unit : out) unit += "^2";
  return out;
}

// ---- the desired motion ----------------------------------------------------------------------------

std::vector<Waypoint> read_waypoints(const Reader& list, const ControlOptions& options) {
  const int n = options.driven.size();
  std::vector<Waypoint> out;
  for (const Reader& entry : list.list()) {
    entry.check_keys({"q", "duration", "dwell"});
    Waypoint waypoint;
    check_driven_units(entry.find("q"), options, position_units);
    waypoint.q = entry.at("q", "q: [0.5, 0.2]").number_or_numbers(n);
    if (const auto duration = entry.find("duration")) waypoint.duration = duration->positive();
    if (const auto dwell = entry.find("dwell")) waypoint.dwell = dwell->not_negative();
    out.push_back(std::move(waypoint));
  }
  if (out.empty()) list.fail("must have at least one entry {q: [0.5], duration: 10}");
  return out;
}

void read_moves(const Reader& map, const State& start, ControlOptions& out) {
  map.check_keys({"profile", "start", "waypoints", "limits"});
  const int n = out.driven.size();
  const auto profile_at = map.find("profile");
  const Profile profile = profile_at ? static_cast<Profile>(profile_at->choice(kProfiles)) : Profile::cycloid;
  const auto begin_at = map.find("start");
  const double begin = begin_at ? begin_at->not_negative() : 0;
  const Reader list = map.at("waypoints", "waypoints: [{q: [0.5], duration: 10}]");
  MoveLimits limits;
  if (const auto at = map.find("limits")) {
    at->check_keys({"speed", "acceleration"});
    check_driven_units(at->find("speed"), out, speed_units);
    check_driven_units(at->find("acceleration"), out, acceleration_units);
    const auto read = [&](std::string_view key) {
      const auto found = at->find(key);
      if (!found) return VectorXd();
      VectorXd values = found->number_or_numbers(n);
      if (!(values.minCoeff() > 0)) found->fail("must be above 0");
      return values;
    };
    limits = {read("speed"), read("acceleration")};
  }
  const std::vector<Waypoint> waypoints = read_waypoints(list, out);
  const JointPath path =
      at_place(list, [&] { return make_path(profile, start.q(out.driven.q), begin, waypoints, limits); });
  out.desired = path.joints;
  out.end = path.end;
}

// Signals by joint.  The motion ends at its last break.
void read_signals_by_joint(const Reader& map, const State& start, ControlOptions& out) {
  const Model& model = *out.model;
  std::vector<std::string_view> names;
  for (const int joint : out.driven.joints) names.push_back(model.joints[joint].name);
  map.check_keys(names);
  std::size_t next = 0;
  for (const int joint : out.driven.joints) {
    const std::size_t count = static_cast<std::size_t>(speed_count(model.joints[joint].kind));
    const std::span<const std::string> coordinates(out.driven.names.data() + next, count);
    if (const auto at = map.find(model.joints[joint].name)) {
      check_units(*at, position_units(model.joints[joint].kind));
      for (Signal& signal : read_signals(*at, coordinates, "coordinate")) out.desired.push_back(std::move(signal));
    } else {
      for (std::size_t k = 0; k < count; ++k) out.desired.push_back(Signal(start.q[out.driven.q[next + k]]));
    }
    next += count;
  }
  for (const Signal& signal : out.desired) {
    for (const double t : signal.breaks()) out.end = std::max(out.end, t);
  }
}

// Path of a node.
void read_tip_path(const Reader& map, const State& start, ControlOptions& out) {
  map.check_keys({"node", "x", "y", "z", "until", "samples", "flexible", "inversion", "lead"});
  TipPath path;
  path.node = ModelNames(*out.model).node(map.at("node", "node: hand.tip"));
  constexpr std::string_view kComponents[] = {"x", "y", "z"};
  bool any = false;
  for (std::size_t k = 0; k < 3; ++k) {
    if (const auto at = map.find(kComponents[k])) path.position[k] = read_signal(*at);
    any = any || path.position[k].has_value();
  }
  if (!any) map.fail("needs at least one of x, y and z");
  path.end = map.at("until", "until: 30").positive();
  if (const auto at = map.find("samples")) path.samples = at->whole_number(kMinPathSamples, kMaxPathSamples);
  const auto inversion = map.find("inversion"), lead = map.find("lead"), flexible_at = map.find("flexible");
  if (inversion && inversion->choice(kInversions) == 1) {
    if (flexible_at) flexible_at->fail("does not apply with inversion: dynamic, where all bodies bend; remove it");
    if (!map.has("samples")) path.samples = kDynamicSamples;
    const std::optional<double> ahead = lead ? std::optional(lead->not_negative()) : std::nullopt;
    const TipInversion found =
        at_place(map, [&] { return invert_tip_path(*out.model, out.driven, path, start, ahead); });
    out.desired = found.joints;
    out.path = found.path;
    out.end = found.path.end;
    return;
  }
  if (lead) lead->fail("applies only with inversion: dynamic; write that, or remove it");
  const bool flexible = !flexible_at || flexible_at->boolean();
  out.desired = at_place(map, [&] { return follow_tip_path(*out.model, out.driven, path, start, flexible); });
  out.path = path;
  out.end = path.end;
}

void read_desired(const std::optional<Reader>& map, const State& start, ControlOptions& out) {
  if (!map) {  // hold the initial position
    for (const int q : out.driven.q) out.desired.push_back(Signal(start.q[q]));
  } else if (map->is_map() && map->has("waypoints")) {
    read_moves(*map, start, out);
  } else if (map->is_map() && map->has("node") && out.model->find_joint("node") < 0) {
    read_tip_path(*map, start, out);
  } else {
    read_signals_by_joint(*map, start, out);
  }
}

// ---- the laws --------------------------------------------------------------------------------------

PidOptions read_pid(const Reader& map, const State& start, const ControlOptions& options) {
  map.check_keys({"kp", "kd", "ki", "frequency", "ratio", "gravity"});
  const int n = options.driven.size();
  check_driven_units(map.find("kp"), options, gain_units);
  check_driven_units(map.find("kd"), options, damper_units);
  check_driven_units(map.find("ki"), options, integral_units);
  PidOptions out;
  const bool by_frequency = map.has("frequency");
  if (by_frequency && (map.has("kp") || map.has("kd"))) map.fail("has both frequency and kp or kd; write one of them");
  if (by_frequency) {
    const double frequency = map.at("frequency", "frequency: 0.5").positive();
    out = make_pid(*options.model, options.driven, start, {frequency, number_or(map, "ratio", 1)});
  } else {
    out.kp = map.at("kp", "kp: 1000, or frequency: 0.5").number_or_numbers(n);
    const auto kd = map.find("kd");
    out.kd = kd ? kd->number_or_numbers(n) : VectorXd::Zero(n);
    if (const auto ratio = map.find("ratio")) ratio->fail("has no meaning without frequency; write kd");
  }
  const auto ki = map.find("ki");
  out.ki = ki ? ki->number_or_numbers(n) : VectorXd::Zero(n);
  if (const auto gravity = map.find("gravity")) out.gravity = gravity->boolean();
  return out;
}

TrackingOptions read_tracking(const Reader& map) {
  TrackingOptions out;
  out.frequency = number_or(map, "frequency", out.frequency);
  out.ratio = number_or(map, "ratio", out.ratio);
  if (const auto at = map.find("collocated")) out.collocated = at->boolean();
  return out;
}

void read_correction(const Reader& map, ControlOptions& out) {
  map.check_keys({"frequency", "ratio", "collocated", "embodiment", "tolerance", "most", "modes", "modal_ratio"});
  out.correction = read_tracking(map);
  if (const auto at = map.find("embodiment")) out.embodiment = static_cast<Embodiment>(at->choice(kEmbodiments));
  out.correcting.tolerance = number_or(map, "tolerance", out.correcting.tolerance);
  if (const auto at = map.find("most")) out.correcting.most = at->whole_number(1, kMaxCorrections);
  if (const auto at = map.find("modes")) out.correcting.modes = at->not_negative();
  const auto ratio = map.find("modal_ratio");
  if (ratio && !(out.correcting.modes > 0)) ratio->fail("has no meaning without a weight of the modes; write modes: 1");
  if (ratio) out.correcting.modal_ratio = ratio->positive();
}

void read_feedback(const Reader& map, const State& start, ControlOptions& out) {
  map.check_keys({"pid", "computed_torque", "correction", "lqr"});
  if (const auto at = map.find("pid")) out.pid = read_pid(*at, start, out);
  if (const auto at = map.find("computed_torque")) {
    at->check_keys({"frequency", "ratio", "collocated"});
    out.computed_torque = read_tracking(*at);
  }
  if (const auto at = map.find("correction")) read_correction(*at, out);
  if (const auto at = map.find("lqr")) {
    at->check_keys({"frequency", "position", "speed", "torque", "vibration"});
    if (at->has("frequency") && at->has("torque")) at->fail("has both frequency and torque; write one of them");
    LqrOptions lqr;
    lqr.frequency = number_or(*at, "frequency", lqr.frequency);
    lqr.position = number_or(*at, "position", lqr.position);
    lqr.speed = number_or(*at, "speed", lqr.speed);
    lqr.torque = number_or(*at, "torque", lqr.torque);
    lqr.vibration = number_or(*at, "vibration", lqr.vibration);
    out.lqr = lqr;
  }
}

// Frequencies of a shaper, instead of those excited by the motion.
void read_frequencies(const Reader& map, ShapingOptions& out) {
  const auto list = map.find("frequencies"), ratio = map.find("ratio");
  if (ratio && !list) ratio->fail("applies only with frequencies: otherwise the model gives the damping; remove it");
  if (!list) return;
  if (map.has("vibrations")) list->fail("and vibrations exclude each other; write one of them");
  for (const Reader& entry : list->list()) out.frequencies.push_back(entry.positive());
  if (out.frequencies.empty() || std::ssize(out.frequencies) > kMaxVibrations)
    list->fail(fmt::format("must have 1 to {} entries", kMaxVibrations));
  if (!ratio) return;
  out.ratio = ratio->not_negative();
  if (out.ratio >= 1) ratio->fail("must be below 1");
}

void read_extras(const Reader& map, ControlOptions& out) {
  if (const auto at = map.find("shaping")) out.shaping = read_shaping(*at);
  if (const auto at = map.find("damping")) {
    at->check_keys({"ratio"});
    DampingOptions damping;
    damping.ratio = number_or(*at, "ratio", damping.ratio);
    out.damping = damping;
  }
  if (const auto at = map.find("observer")) {
    at->check_keys({"acceleration", "schedule"});
    out.kalman.acceleration = number_or(*at, "acceleration", out.kalman.acceleration);
    if (const auto count = at->find("schedule")) out.schedule = count->whole_number(1, kMaxSchedule);
  }
}

void read_adaptation(const Reader& map, ControlOptions& out) {
  map.check_keys({"payload", "stiffness", "time"});
  AdaptationOptions adaptation;
  const auto range = [](const Reader& at, AdaptationOptions::Range& to) {
    if (const auto list = at.find("range")) {
      const VectorXd values = list->numbers(2);
      to = {values[0], values[1]};
    }
  };
  if (const auto at = map.find("payload")) {
    at->check_keys({"body", "range"});
    const Reader body = at->at("body", "body: payload");
    adaptation.payload = out.model->body_names[static_cast<std::size_t>(ModelNames(*out.model).body(body))];
    range(*at, adaptation.payload_range);
  }
  if (const auto at = map.find("stiffness")) {
    at->check_keys({"range"});
    adaptation.stiffness = true;
    range(*at, adaptation.stiffness_range);
  }
  adaptation.time = number_or(map, "time", adaptation.time);
  at_place(map, [&] {
    check_adaptation(adaptation, *out.model);
    return 0;
  });
  out.adaptation = adaptation;
}

// Force elements that actuate joints, by joint.
void read_actuators(const Reader& map, ControlOptions& out) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& joint : map.keys()) pairs.emplace_back(joint, map.at(joint, "").name());
  at_place(map, [&] {
    set_actuators(*out.model, pairs, out.driven);
    return 0;
  });
}

// Offsets written by `limber learn`.
void add_learned(const Reader& at, const std::string& folder, ControlOptions& out) {
  const std::string file = (std::filesystem::path(folder) / at.one_line(kLongestPath)).string();
  const Document document = [&] {
    try {
      return read_document(file);
    } catch (const FileError& e) {
      at.fail_item(fmt::format("control.learned {}; write the path of a file by `limber learn`", e.what()));
    }
  }();
  const Reader root(document);
  const LearnedFile learned = read_learned(root);
  const std::vector<std::string_view> names(out.driven.names.begin(), out.driven.names.end());
  root.at("offsets", "").check_keys(names);
  for (const std::string& name : out.driven.names) {
    const auto found = std::find(learned.names.begin(), learned.names.end(), name);
    if (found == learned.names.end()) root.at("offsets", "").at(name, name + ": [0, 0]");  // throws
    out.learned.push_back(learned.offsets[static_cast<std::size_t>(found - learned.names.begin())]);
  }
}

}  // namespace

ShapingOptions read_shaping(const Reader& map) {
  map.check_keys({"kind", "vibrations", "frequencies", "ratio"});
  ShapingOptions out;
  if (const auto kind = map.find("kind")) out.kind = static_cast<Shaper>(kind->choice(kShapers));
  if (const auto count = map.find("vibrations")) out.vibrations = count->whole_number(1, kMaxVibrations);
  read_frequencies(map, out);
  return out;
}

namespace {

// The model for the controller, with rigid instead of elastic gears.
std::shared_ptr<const Model> planned(std::shared_ptr<const Model> model) {
  if (!has_elastic_drives(*model)) return model;
  return std::make_shared<const Model>(with_rigid_drives(*model));
}

}  // namespace

void read_own_model(const std::optional<Reader>& at, const Scenario& scenario, const std::string& folder,
                    const Overrides& set, ControlScenario& out) {
  out.options.model = planned(scenario.model);
  out.model_text = scenario.model_text;
  if (!at && !set.empty())
    throw InputError(set[0].path +
                     ": the controller has the model of the machine; give it its own, control.model: FILE");
  if (!at) return;
  out.model_file = (std::filesystem::path(folder) / at->one_line(kLongestPath)).string();
  try {
    out.model_text = read_text_file(out.model_file);
  } catch (const FileError& e) {
    at->fail_item(fmt::format("control.model {}; write its path from the folder of the scenario", e.what()));
  }
  Document document = parse_model_document(out.model_text, out.model_file);
  override_model(document.root, document, set);
  if (!set.empty()) out.model_text = write_flow(*document.root);
  out.options.model = planned(std::make_shared<const Model>(read_model(Reader(document))));
}

std::shared_ptr<const ControlScenario> read_control(const Reader& map, const Scenario& scenario,
                                                    const std::string& folder, const Overrides& set) {
  map.check_keys({"rate", "model", "attitude", "joints", "actuators", "desired", "feed_forward", "feedback", "shaping",
                  "damping", "observer", "servos", "sensors", "adaptation", "learned"});
  auto out = std::make_shared<ControlScenario>();
  ControlOptions& options = out->options;
  read_own_model(map.find("model"), scenario, folder, set, *out);
  options.rate = number_or(map, "rate", options.rate);
  std::vector<std::string> joints;
  if (const auto list = map.find("joints")) {
    const ModelNames own(*options.model);
    for (const Reader& entry : list->list()) joints.push_back(options.model->joints[own.joint(entry)].name);
    if (joints.empty()) list->fail("must name at least one joint");
  }
  if (joints.empty() && map.has("attitude"))
    map.fail(
        "needs joints: [...] beside attitude, the controlled joints; the wheels belong to the attitude controller");
  options.driven = at_place(map, [&] { return find_driven_joints(*options.model, joints); });
  if (const auto at = map.find("actuators")) read_actuators(*at, options);
  const State start = translate_state(*scenario.model, scenario.initial, *options.model);
  read_desired(map.find("desired"), start, options);
  if (const auto at = map.find("feed_forward"))
    options.feed_forward = static_cast<FeedForward>(at->choice(kFeedForwards));
  if (const auto at = map.find("feedback")) read_feedback(*at, start, options);
  read_extras(map, options);
  if (const auto at = map.find("adaptation")) read_adaptation(*at, options);
  if (const auto at = map.find("learned")) add_learned(*at, folder, options);
  options.servos = read_servos(map.find("servos"), options.driven.size());
  const auto sensors = map.find("sensors");
  out->sensors = read_sensors(sensors, ModelNames(*scenario.model), options);
  options.sensors = read_sensors(sensors, ModelNames(*options.model), options);
  at_place(map, [&] {
    check_control(options);
    const DrivenJoints of_plant = find_same_joints(*options.model, options.driven, *scenario.model);
    for (const MotionInput& motion : scenario.inputs.motions) {
      if (of_plant.mask[motion.joint] != 0)
        throw InputError("joint '" + scenario.model->joints[motion.joint].name + "' has a prescribed motion, too");
    }
    return 0;
  });
  return out;
}

}  // namespace limber
