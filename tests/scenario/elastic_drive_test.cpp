// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A sampled control law on a joint with an elastic drive.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "limber/scenario/simulation.hpp"
#include "limber/simulate/channels.hpp"

namespace limber::test {
namespace {

// Two masses under PD control of the motor or the link side, held over each period: an independent integration.
struct TwoMasses {
  double I = 2, J = 5e-3, n = 10, k = 800, d = 3, kp = 300, kd = 25, load = 4, period = 0.005;
  bool on_link = false;
  std::array<double, 4> x = {};  // q, theta, and their rates

  void advance(double torque) {
    constexpr int kSteps = 40;
    const double h = period / kSteps;
    const auto slope = [&](const std::array<double, 4>& y) {
      const double passed = k * (y[1] / n - y[0]) + d * (y[3] / n - y[2]);
      return std::array<double, 4>{y[2], y[3], (passed + load) / I, (torque - passed / n) / J};
    };
    const auto moved = [](const std::array<double, 4>& y, double by, const std::array<double, 4>& along) {
      std::array<double, 4> out = y;
      for (std::size_t i = 0; i < 4; ++i) out[i] += by * along[i];
      return out;
    };
    for (int s = 0; s < kSteps; ++s) {
      const auto a = slope(x), b = slope(moved(x, h / 2, a)), c = slope(moved(x, h / 2, b)), e = slope(moved(x, h, c));
      for (std::size_t i = 0; i < 4; ++i) x[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + e[i]);
    }
  }
  void sample() {
    const double q = on_link ? x[0] : x[1] / n, v = on_link ? x[2] : x[3] / n;
    advance((-kp * q - kd * v) / n);
  }
};

TEST(ElasticDriveControl, PdOnEitherSideIsAnIntegrationOfTwoMasses) {
  for (const bool on_link : {false, true}) {
    const Scenario scenario = parse_scenario(std::string(R"(limber: 1
scenario: elastic drive
duration: 1
model:
  bodies: [{name: link, rigid: {mass: 1, inertia: [2, 2, 2, 0, 0, 0]}}]
  joints:
    - {name: elbow, type: revolute, axis: [0, 0, 1], parent: world, child: link,
       drive: {ratio: 10, inertia: 5e-3, stiffness: 800, damping: 3}}
inputs: [{joint: elbow, torque: 4}]
solver: {method: dopri5, rtol: 1e-11, atol: 1e-13}
control: {rate: 200, feedback: {pid: {kp: 300, kd: 25}}, sensors: {encoders: )") +
                                                 (on_link ? "link" : "motor") + "}}\n",
                                             "s.yaml", "");
    Simulation simulation(scenario);
    TwoMasses reference;
    reference.on_link = on_link;
    for (int k = 1; k <= 200; ++k) {
      reference.sample();
      if (k % 20 != 0) continue;
      simulation.advance_to(0.005 * k);
      EXPECT_NEAR(simulation.q("elbow"), reference.x[0], 1e-8) << on_link << k;
      EXPECT_NEAR(simulation.state().q[1], reference.x[1], 1e-7) << on_link << k;
    }
    EXPECT_GT(std::abs(reference.x[0]), 1e-3);
  }
}

// All channels of a drive are recorded, with their units.
TEST(ElasticDriveControl, ChannelsOfADriveHaveUnits) {
  const Scenario scenario = parse_scenario(R"(limber: 1
scenario: all of a drive
duration: 0.1
model:
  bodies: [{name: link, rigid: {mass: 1, inertia: [2, 2, 2, 0, 0, 0]}}]
  joints:
    - {name: elbow, type: revolute, axis: [0, 0, 1], parent: world, child: link,
       drive: {ratio: 10, efficiency: 0.8, motor: {torque_constant: 0.1, resistance: 0.5}, brake: {torque: 2, side: link}}}
inputs: [{joint: elbow, voltage: 12 V}, {joint: elbow, brake: {pieces: [{until: 0.05, value: 0}, {value: 1}]}}]
)",
                                           "s.yaml", "");
  Simulation simulation(scenario);
  simulation.advance_to(0.04);
  const Record record = simulation.record();
  const std::vector<Channel> channels = make_channels(*scenario.model);
  const auto value = [&](const std::string& name, const std::string& unit) {
    double out = 0;
    const Channel* channel = find_channel(channels, name);
    EXPECT_NE(channel, nullptr) << name;
    if (channel == nullptr) return out;
    EXPECT_EQ(channel->units[0], unit);
    channel->get(record, &out);
    return out;
  };
  EXPECT_NEAR(value("joints/elbow.motor/voltage", "V"), 12, 1e-12);
  const double current = value("joints/elbow.motor/current", "A");
  EXPECT_NEAR(current, (12 - 0.1 * 10 * simulation.v("elbow")) / 0.5, 1e-9);
  EXPECT_NEAR(value("joints/elbow/gear", "N m"), -0.2 * 10 * 0.1 * current, 1e-9);
  EXPECT_EQ(value("joints/elbow/brake", "N m"), 0);
}

}  // namespace
}  // namespace limber::test
