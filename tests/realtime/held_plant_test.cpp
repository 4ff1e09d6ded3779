// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A plant with a static start, before its controller sends anything.
#include <gtest/gtest.h>

#include "limber/realtime/plant.hpp"
#include "limber/scenario/run.hpp"
#include "limber/scenario/simulation.hpp"
#include "limber/spatial/status.hpp"

namespace limber::test {
namespace {

Scenario make_heavy_arm(const std::string& limits = "") {
  return parse_scenario(R"(limber: 1
scenario: heavy
duration: 1
model:
  name: arm
  gravity: [0, 0, -9.81]
  bodies:
    - {name: boom, beam: {length: 2, mass: 8, EIy: 2e4, EIz: 2e4, modes: {bending_z: 2}, damping: 0.01}}
    - {name: load, rigid: {mass: 3, inertia: [0.1, 0.1, 0.1, 0, 0, 0], com: [0.3, 0, 0]}}
  joints:
    - {name: shoulder, type: revolute, axis: [0, 1, 0], parent: world, child: boom)" +
                            limits + R"(}
    - {name: wrist, type: revolute, axis: [0, 1, 0], parent: boom.tip, child: load}
initial: {equilibrium: true, shoulder: {q: -0.4}, wrist: {q: 0.7}}
control:
  rate: 500
  desired: {profile: quintic, waypoints: [{q: [-0.3, 0.8], duration: 1}]}
  feedback: {pid: {kp: 2000, kd: 20}}
  sensors: {accelerometers: [{name: end, node: boom.tip}]}
)",
                        "s.yaml", "");
}

class Waiting : public Sampler {
 public:
  Waiting(const Scenario& scenario, const DrivenJoints& driven, PlantEnd& end)
      : end_(end), sensors_(*scenario.model, driven, scenario.control->sensors, period()) {}
  double period() const override { return 1.0 / 500; }
  bool wants_accelerations() const override { return true; }
  Status sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) override {
    const Measurement& y = sensors_.read(x, kin, vdot);
    end_.drive(x, x.t, torques);
    EXPECT_LT(vdot.norm(), 1e-7) << x.t;
    EXPECT_NEAR(y.acceleration.norm(), 9.81, 1e-7) << x.t;
    Packet packet;
    EXPECT_EQ(decode_packet(end_.measure(y, x.t, kWaiting), packet), PacketFault::none);
    EXPECT_NEAR(packet.entries[packet.count - 2].a, torques[end_.driven().v[0]], 1e-12);
    EXPECT_EQ(packet.answer, 0U);
    return Status::ok;
  }

 private:
  PlantEnd& end_;
  Sensors sensors_;
};

TEST(PlantEnd, IsHeldByItsStaticStart) {
  const Scenario scenario = make_heavy_arm();
  const DrivenJoints driven = driven_joints(scenario);
  VectorXd holding;
  const State there = start_state(scenario, nullptr, &holding);
  ASSERT_GT(std::abs(holding[driven.v[0]]), 50);
  const LinkLimits limits = make_link_limits(*scenario.model, driven, scenario.control->options, there);
  PlantEnd end(*scenario.model, driven, limits, scenario.control->sensors, 1.0 / 500, {}, 1, there, {},
               VectorXd(holding(driven.v)));
  Simulation simulation(scenario, std::make_unique<Waiting>(scenario, driven, end));
  simulation.advance_to(0.1);
  EXPECT_LT((simulation.state().q - there.q).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_FALSE(end.commanded());
}

TEST(PlantEnd, ThatItsLimitsCannotHoldIsRefused) {
  const Scenario scenario = make_heavy_arm(", limits: {effort: 20, velocity: 1}");
  const DrivenJoints driven = driven_joints(scenario);
  VectorXd holding;
  const State there = start_state(scenario, nullptr, &holding);
  const LinkLimits limits = make_link_limits(*scenario.model, driven, scenario.control->options, there);
  try {
    const PlantEnd end(*scenario.model, driven, limits, scenario.control->sensors, 1.0 / 500, {}, 1, there, {},
                       VectorXd(holding(driven.v)));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("'shoulder' needs"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace limber::test
