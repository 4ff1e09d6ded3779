// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Scenarios with an attitude controller: the examples, shortened.
#include <gtest/gtest.h>

#include <algorithm>

#include "limber/control/attitude.hpp"
#include "limber/scenario/run.hpp"

namespace limber::test {
namespace {

Scenario spacecraft(const std::string& name, double duration) {
  Scenario out = read_scenario(LIMBER_TEST_DATA "/../../examples/spacecraft/" + name + ".yaml");
  out.run = {duration, 0.5};
  out.solver.rtol = 1e-9;
  out.solver.atol = 1e-12;
  return out;
}

TEST(AttitudeScenario, SlewBeginsAsDesiredAndSaysWhatItIsShapedFor) {
  const RecordedRun run = record_run(spacecraft("slew", 12));
  ASSERT_TRUE(run.complete()) << run.result.failure;
  EXPECT_LT(run.tracking.largest.maxCoeff(), 1e-5);
  EXPECT_NEAR(run.tracking.end, 50 + 3.17, 0.01);
  EXPECT_NE(run.shaping.find("zvd for 0.3155 Hz"), std::string::npos) << run.shaping;
  EXPECT_NE(run.shaping.find("panel"), std::string::npos) << run.shaping;
  ASSERT_FALSE(run.warnings.empty());  // the run ends before the slew
}

TEST(AttitudeScenario, ChannelsHaveNamesAndUnits) {
  const Simulation simulation(spacecraft("thrusters", 10));
  ASSERT_NE(simulation.attitude(), nullptr);
  EXPECT_EQ(simulation.controller(), nullptr);
  bool thrust = false;
  for (const ExternalChannel& channel : simulation.control_channels()) {
    EXPECT_EQ(static_cast<Eigen::Index>(channel.names.size()), channel.values->size()) << channel.path;
    EXPECT_EQ(channel.names.size(), channel.units.size()) << channel.path;
    if (channel.path != "control/thrust") continue;
    thrust = true;
    EXPECT_EQ(channel.names.front(), "x1");
    EXPECT_EQ(channel.units.front(), "N");
  }
  EXPECT_TRUE(thrust);
}

// Thrusters, sensors, filter: all state that affects the future is saved.
TEST(AttitudeScenario, SavedSimulationsGoOnAsTheyDid) {
  for (const char* name : {"thrusters", "pointing"}) {
    Simulation simulation(spacecraft(name, 20));
    simulation.advance_to(3.21);
    const SavedState saved = simulation.save();
    simulation.advance_to(7);
    const State first = simulation.state();
    simulation.restore(saved);
    simulation.advance_to(7);
    EXPECT_EQ(simulation.state().q, first.q) << name;
    EXPECT_EQ(simulation.state().v, first.v) << name;
    simulation.reset();
    simulation.advance_to(3.21);
    simulation.advance_to(7);
    EXPECT_EQ(simulation.state().q, first.q) << name;
    Simulation other(spacecraft(name, 20));
    other.set_state(other.state());  // restarts the controller
    other.advance_to(3.21);
    other.advance_to(7);
    EXPECT_EQ(other.state().q, first.q) << name;
  }
}

// A thruster that fired when its controller was replaced fires no more.
TEST(AttitudeScenario, AReplacedControllerLeavesNoThrust) {
  Simulation simulation(spacecraft("thrusters", 20));
  const std::vector<ExternalChannel> channels = simulation.control_channels();
  const auto thrust = std::find_if(channels.begin(), channels.end(),
                                   [](const ExternalChannel& channel) { return channel.path == "control/thrust"; });
  ASSERT_NE(thrust, channels.end());
  while (thrust->values->maxCoeff() == 0 && simulation.time() < 10) simulation.step(0.05);
  ASSERT_GT(thrust->values->maxCoeff(), 0);
  simulation.set_controller(10, [](const State&, Vec) {});
  const Momentum before = simulation.record().momentum;
  simulation.advance_to(simulation.time() + 2);
  const Momentum after = simulation.record().momentum;
  EXPECT_LT((after.angular - before.angular).norm(), 1e-6);
  EXPECT_EQ(simulation.attitude(), nullptr);
  EXPECT_TRUE(simulation.control_channels().empty());
  EXPECT_TRUE(simulation.tracking().names.empty());
}

}  // namespace
}  // namespace limber::test
