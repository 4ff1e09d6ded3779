// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "scenario/sensor_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace limber {
namespace {

ServoOptions read_servo(const Reader& map) {
  map.check_keys({"max_torque", "max_torque_rate", "bandwidth", "gear", "torque_constant"});
  ServoOptions out;
  if (const auto at = map.find("max_torque")) out.max_torque = at->positive();
  if (const auto at = map.find("max_torque_rate")) out.max_torque_rate = at->positive();
  if (const auto at = map.find("bandwidth")) out.bandwidth = at->positive();
  if (const auto at = map.find("gear")) out.gear = at->positive();
  if (const auto at = map.find("torque_constant")) out.torque_constant = at->positive();
  return out;
}

constexpr std::array<std::string_view, 2> kSides = {"motor", "link"};

EncoderOptions read_encoder(const Reader& map) {
  EncoderOptions out;
  if (const auto at = map.find("resolution")) out.resolution = at->positive();
  if (const auto at = map.find("noise")) out.noise = at->not_negative();
  if (const auto at = map.find("speed_noise")) out.speed_noise = at->not_negative();
  if (const auto at = map.find("tachometer")) out.tachometer = at->boolean();
  if (const auto at = map.find("encoders")) out.on_link = at->choice(kSides) == 1;
  return out;
}

constexpr std::array<std::string_view, 3> kGaugeAxes = {"x", "y", "z"};

// A gauge between two nodes of a body.
StrainGauge read_strain(const Reader& map, const ModelNames& names) {
  map.check_keys({"name", "from", "to", "axis", "noise"});
  const Reader from = map.at("from", "from: boom.root"), to = map.at("to", "to: boom.tip");
  const NodeRef a = names.node(from), b = names.node(to);
  if (a.node == kBodyFrame) from.fail(fmt::format("'{0}' must be a node; write '{0}.' and its name", from.text()));
  if (b.node == kBodyFrame) to.fail(fmt::format("'{0}' must be a node; write '{0}.' and its name", to.text()));
  if (a.body != b.body || a.node == b.node) to.fail("must be another node of the body that `from` is on");
  const Body& body = names.model().body(a.body);
  if (body.modes == 0) from.fail(fmt::format("'{}' is on a rigid body; a gauge needs one that bends", from.text()));
  if (body.nodes[a.node].position == body.nodes[b.node].position) to.fail("must be away from `from`");
  const auto axis = map.find("axis");
  StrainGauge out = make_curvature_gauge(names.model(), a, b, axis ? axis->choice(kGaugeAxes) : 2);
  if (const auto at = map.find("noise")) out.noise = at->not_negative();
  const auto name = map.find("name");
  out.name = name ? name->name() : from.text();
  return out;
}

Accelerometer read_accelerometer(const Reader& map, const ModelNames& names) {
  map.check_keys({"name", "node", "noise"});
  Accelerometer out;
  const Reader node = map.at("node", "node: boom.tip");
  out.at = names.node(node);
  if (const auto at = map.find("noise")) out.noise = at->not_negative();
  const auto name = map.find("name");
  out.name = name ? name->name() : node.text();
  return out;
}

}  // namespace

std::vector<ServoOptions> read_servos(const std::optional<Reader>& at, int count) {
  const std::size_t n = static_cast<std::size_t>(count);
  if (!at) return std::vector<ServoOptions>(n);
  if (at->is_map()) return std::vector<ServoOptions>(n, read_servo(*at));
  std::vector<ServoOptions> out;
  for (const Reader& entry : at->list()) out.push_back(read_servo(entry));
  if (out.size() != n) at->fail(fmt::format("must be one map, or a list of {}, one per joint coordinate", n));
  return out;
}

SensorOptions read_sensors(const std::optional<Reader>& at, const ModelNames& names, const ControlOptions& options) {
  SensorOptions out;
  out.encoders.resize(options.driven.v.size());
  if (!at) return out;
  at->check_keys({"resolution", "noise", "speed_noise", "tachometer", "encoders", "strains", "accelerometers", "delay",
                  "rate", "seed"});
  out.encoders.assign(options.driven.v.size(), read_encoder(*at));
  if (const auto list = at->find("strains")) {
    for (const Reader& entry : list->list()) out.strains.push_back(read_strain(entry, names));
  }
  if (const auto list = at->find("accelerometers")) {
    for (const Reader& entry : list->list()) out.accelerometers.push_back(read_accelerometer(entry, names));
  }
  if (const auto delay = at->find("delay")) {
    const double samples = delay->not_negative() * options.rate;
    if (samples > kMaxDelay) delay->fail(fmt::format("is more than {} samples", kMaxDelay));
    out.delay = static_cast<int>(std::ceil(samples - 1e-9));
  }
  if (const auto rate = at->find("rate")) {
    const double every = options.rate / rate->positive();
    out.every = static_cast<int>(std::lround(every));
    if (out.every < 1 || out.every > kMaxEvery || std::abs(every - out.every) > 1e-9 * every)
      rate->fail(fmt::format("must be the rate of the controller ({} Hz) or an integer fraction of it", options.rate));
  }
  if (const auto seed = at->find("seed")) out.seed = static_cast<unsigned>(seed->whole_number(0, 1 << 30));
  return out;
}

}  // namespace limber
