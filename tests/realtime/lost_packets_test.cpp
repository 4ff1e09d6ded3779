// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lost packets, with the plant's time as the clock.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "limber/realtime/executive.hpp"
#include "limber/realtime/plant.hpp"
#include "support/arm.hpp"
#include "support/chain_arm.hpp"

namespace limber::test {
namespace {

// Six links in the plane, 1 m and 5 kg each, with a motor inertia of 1 kg m^2 at each joint.
Model make_geared_chain() {
  ModelBuilder builder("geared");
  NodeRef at;
  for (int i = 1; i <= 6; ++i) {
    BeamSpec beam;
    beam.length = 1;
    beam.mass_per_length = 5;
    beam.EIz = 5e4;
    beam.modes = {2, 0, 0, 0};
    beam.damping = {0.05};
    Body body = make_beam_body(beam, false);
    body.name = "link" + std::to_string(i);
    const int tip = body.node_index("tip"), child = builder.add_body(std::move(body));
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = JointKind::revolute;
    joint.parent = at;
    joint.stiffness = joint.damping = VectorXd::Zero(1);
    joint.armature = VectorXd::Ones(1);
    builder.add_joint(joint, child);
    at = {child, tip};
  }
  return builder.build();
}

// Both ends, and a line that determines for each packet, by its sample, whether it arrives.
class LossyLine : public Sampler {
 public:
  LossyLine(const Model& model, double speed)
      : model_(model),
        start_(bent_chain(model_)),
        driven_(find_driven_joints(model_, {})),
        limits_(driven_.size()),
        controller_(options(speed)),
        executive(controller_, limits_, {}),
        plant(model_, driven_, limits_, {}, controller_.period(), {}, 42, start_),
        sensors_(model_, driven_, {}, controller_.period()) {
    for (const int v : driven_.v) start_.v[v] = speed;
    EXPECT_EQ(controller_.start(start_), Status::ok);
  }
  double period() const override { return controller_.period(); }
  Status sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) override {
    const long k = std::lround(x.t * kRate);
    if (!command_.empty() && command_comes(k)) plant.take(command_, x.t);
    plant.drive(x, x.t, torques);
    if (measurement_comes(k))
      executive.take(plant.measure(sensors_.read(x, kin, vdot), x.t), x.t);
    else
      plant.measure(sensors_.read(x, kin, vdot), x.t);
    const std::span<const std::byte> command = executive.cycle(x.t);
    command_.assign(command.begin(), command.end());
    executive.prepare(x.t);
    max_innovation = std::max(max_innovation, controller_.innovation());
    for (int j = 0; j < driven_.size(); ++j) {
      const double wanted = controller_.options().desired[static_cast<std::size_t>(j)].at(x.t).value;
      max_error = std::max(max_error, std::abs(x.q[driven_.q[j]] - wanted));
    }
    return Status::ok;
  }
  void run(double duration) {
    System system(model_, {});
    RunListener none;
    SolverOptions solver;
    solver.method = "implicit";
    const RunResult result = simulate(system, solver, {duration, 1}, start_, none, this);
    EXPECT_EQ(result.status, Status::ok) << result.failure;
  }

  std::function<bool(long)> command_comes = [](long) { return true; }, measurement_comes = command_comes;
  double max_error = 0, max_innovation = 0;  // rad

 private:
  static constexpr double kRate = 1000;
  struct Limits : LinkLimits {
    explicit Limits(int joints) {
      effort = VectorXd::Constant(joints, 1000);
      speed = VectorXd::Constant(joints, 10);
    }
  };
  // Back and forth, or at a constant speed.
  ControlOptions options(double speed) const {
    ControlOptions out;
    out.rate = kRate;
    out.latency = 1;
    out.model = std::make_shared<const Model>(model_);
    out.driven = driven_;
    const double line[] = {kBent, speed};
    const Signal motion = speed == 0 ? Signal::cycloid(kBent, 0.1, 0, 4) : Signal::polynomial(0, line);
    out.desired.assign(driven_.v.size(), motion);
    out.end = 4;
    out.computed_torque = TrackingOptions{0.5, 1};
    return out;
  }

  Model model_;
  State start_;
  DrivenJoints driven_;
  Limits limits_;
  Controller controller_;

 public:
  Executive executive;
  PlantEnd plant;

 private:
  Sensors sensors_;
  std::vector<std::byte> command_;
};

// At short times a joint has its natural inertia, a hundredth of that of the arm: torques of the law balance the forces
// of the bent links, and if an old torque is held instead, the joint drifts by the change since.  Without compensation,
// a fifth of all commands lost would mean torques a quarter of a period late, and joint errors fourteen times as large.
TEST(LostCommands, AreMadeUpFor) {
  LossyLine good(make_geared_chain(), 0), bad(make_geared_chain(), 0);
  std::mt19937 random(1);
  bad.command_comes = [&](long) { return random() % 5 != 0; };
  good.run(4);
  bad.run(4);
  EXPECT_EQ(bad.executive.stopped(), StopReason::none);
  EXPECT_FALSE(bad.plant.braking()) << bad.plant.failure();
  EXPECT_LT(good.max_error, 1e-4);
  EXPECT_LT(bad.max_error, 1.5 * good.max_error);
}

// A reading is assigned to its own sample, however many are missing before it: at constant speed, without torques, the
// observer is exact to the last digits.
TEST(LostMeasurements, AreNotTakenForOthers) {
  for (const int missing : {1, 2, 3, 4, 8}) {
    LossyLine line(make_chain_arm(1, 0, 0), 0.5);
    line.measurement_comes = [&](long k) { return k < 10 || k % 20 >= missing; };
    line.run(0.3);
    EXPECT_EQ(line.executive.stopped(), StopReason::none);
    EXPECT_LT(line.max_innovation, 1e-12) << missing;
    EXPECT_LT(line.max_error, 1e-9) << missing;
  }
}

}  // namespace
}  // namespace limber::test
