// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Batches against the recursions for one state.
#include "limber/dynamics/batch.hpp"

#include <gtest/gtest.h>

#include <array>

#include "support/close.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {
namespace {

// States, forces and accelerations of all items, item by item and in columns.
struct BatchSample {
  BatchSample(const Model& model, int items, std::uint64_t seed)
      : q(model.nq, items), v(model.nv, items), tau(model.nv, items), vdot(model.nv, items) {
    for (int k = 0; k < items; ++k) {
      samples.push_back(random_sample(model, 1000 * seed + static_cast<std::uint64_t>(k)));
      q.col(k) = samples[k].x.q, v.col(k) = samples[k].x.v;
      tau.col(k) = samples[k].tau, vdot.col(k) = samples[k].vdot;
    }
  }
  std::vector<Sample> samples;
  BatchArray q, v, tau, vdot;
};

// The largest difference of a column from a vector, in units of the vector.
double relative(const Eigen::Ref<const VectorXd>& a, const VectorXd& b) {
  return (a - b).norm() / std::max(1.0, b.norm());
}

TEST(Batch, SolvesAsAbaOnMixedTrees) {
  Worst worst("batch_aba");
  for (std::uint64_t seed = 1; seed <= 84; ++seed) {
    const Model model = make_model(random_machine(mixed_tree(seed), seed));
    if (model.nv == 0) continue;
    const BatchSample s(model, 1 + static_cast<int>(seed % 11), seed);
    Engine engine(model);
    for (const int lanes : batch_lanes()) {
      BatchAba batch(model, static_cast<int>(s.samples.size()), {.threads = 1, .lanes = lanes});
      BatchArray out(model.nv, s.samples.size());
      batch.forward(s.q, s.v, s.tau, out);
      for (std::size_t k = 0; k < s.samples.size(); ++k) {
        ASSERT_EQ(batch.status()[k], Status::ok);
        const VectorXd expected = engine.forward(s.samples[k].x, s.samples[k].tau);
        const double error = relative(out.col(static_cast<Eigen::Index>(k)), expected);
        worst.add(error, 1e-11);
        EXPECT_LE(error, 1e-11) << "lanes " << lanes << ", item " << k << ", " << describe(mixed_tree(seed), seed);
      }
    }
  }
}

// All other features at once, with external wrenches, prescribed joints and a number of items that is no multiple of
// the register width.
TEST(Batch, AgreesWithTheOtherAlgorithms) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = make_model(random_machine(mixed_tree(seed), seed));
    if (model.nv == 0) continue;
    const int items = 1 + static_cast<int>(seed % 11);
    const BatchSample s(model, items, seed);
    Engine engine(model);
    const auto& first = s.samples[0].wrenches;
    std::vector<NodeRef> nodes;
    std::vector<Frame> frames;
    BatchArray values(6 * first.size(), items);
    for (std::size_t i = 0; i < first.size(); ++i) {
      nodes.push_back(first[i].at.body == 0 ? NodeRef{1, kBodyFrame} : first[i].at);
      frames.push_back(first[i].frame);
      for (int k = 0; k < items; ++k) values.middleRows(6 * static_cast<int>(i), 6).col(k) = (k + 1) * first[i].wrench;
    }
    std::vector<std::uint8_t> prescribed(model.bodies.size(), 0);
    for (std::size_t i = 1; i < prescribed.size(); ++i) prescribed[i] = (i + seed) % 3 == 0;
    for (const int lanes : batch_lanes()) {
      BatchAba batch(model, items, {.threads = 1, .lanes = lanes});
      batch.set_wrenches(nodes, frames, values);
      BatchArray tau(model.nv, items), energies(4, items), vdot = s.vdot, needed(model.nv, items);
      const std::vector<NodeRef> asked = all_nodes(model);
      BatchArray poses(12 * asked.size(), items);
      batch.inverse(s.q, s.v, s.vdot, tau);
      batch.energy(s.q, s.v, energies);
      batch.node_poses(asked, s.q, poses);
      batch.set_prescribed(prescribed);
      batch.forward(s.q, s.v, s.tau, vdot, needed);
      for (int k = 0; k < items; ++k) {
        SCOPED_TRACE("lanes " + std::to_string(lanes) + ", item " + std::to_string(k) + ", " +
                     describe(mixed_tree(seed), seed));
        std::vector<NodeWrench> wrenches;
        for (std::size_t i = 0; i < nodes.size(); ++i)
          wrenches.push_back({nodes[i], values.middleRows(6 * static_cast<int>(i), 6).col(k), frames[i]});
        const Sample& one = s.samples[k];
        EXPECT_LE(relative(tau.col(k), engine.inverse(one.x, one.vdot, wrenches)), 1e-12);
        const Energy energy = engine.energy(one.x);
        const Eigen::Vector4d expected(energy.kinetic, energy.gravity, energy.elastic, energy.springs);
        EXPECT_LE((energies.col(k) - expected).norm(), 1e-12 * (1 + expected.norm()));
        VectorXd a = one.vdot;
        const VectorXd torque = engine.mixed(one.x, one.tau, prescribed, a, wrenches);
        EXPECT_EQ(batch.status()[k], Status::ok);
        EXPECT_LE(relative(vdot.col(k), a), 1e-11);
        EXPECT_LE(relative(needed.col(k), torque), 1e-11);
        const Kinematics& kin = engine.kinematics(one.x);
        for (std::size_t i = 0; i < asked.size(); ++i) {
          const Pose pose = node_pose(model, kin, asked[i]);
          VectorXd numbers(12);
          for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) numbers[3 * r + c] = pose.R(r, c);
          numbers.tail<3>() = pose.p;
          EXPECT_LE(relative(poses.middleRows(12 * static_cast<int>(i), 12).col(k), numbers), 1e-12);
        }
      }
    }
  }
}

// Chains and trees of beams: families of all sizes, joints at and beside the node, rotated nodes, a load at the end.
Model beam_machine(const std::array<int, 4>& modes, std::uint64_t seed) {
  BeamSpec beam;
  beam.length = 1 + 0.1 * static_cast<double>(seed % 3), beam.mass_per_length = 2, beam.EIy = 800, beam.EIz = 500;
  beam.GJ = 600, beam.EA = 1e5, beam.rotary_inertia_y = 1e-3, beam.rotary_inertia_z = 2e-3;
  beam.modes = modes, beam.damping = {0.01};
  Body body = make_beam_body(beam, false);
  ModelBuilder builder("beams");
  builder.gravity({0.3, -2, -9.81});
  const bool tree = seed % 4 == 3;
  const JointKind kinds[] = {JointKind::revolute, JointKind::revolute, JointKind::prismatic, JointKind::universal,
                             JointKind::spherical};
  for (int i = 1; i <= 5; ++i) {
    body.name = "link" + std::to_string(i);
    builder.add_body(body);
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = kinds[seed % 2 == 0 ? 0 : (static_cast<std::uint64_t>(i) + seed) % 5];
    joint.axis = Vector3d(0.1 * i, 1, i % 2).normalized();
    if (joint.kind == JointKind::universal) joint.axis = Vector3d::UnitY(), joint.axis2 = Vector3d::UnitZ();
    if (seed % 3 == 1) joint.origin.p = Vector3d(0.1, -0.05 * i, 0.02);
    joint.armature = VectorXd::Constant(speed_count(joint.kind), 0.05);
    const int parent = tree ? i / 2 : i - 1;
    builder.add_joint(joint, parent == 0 ? "world" : "link" + std::to_string(parent) + ".tip", body.name);
  }
  RigidSpec load;
  load.mass = 3, load.com = {0.1, 0.05, 0}, load.inertia = Vector3d(0.1, 0.2, 0.25).asDiagonal();
  Body last = make_rigid_body(load);
  last.name = "load";
  builder.add_body(last);
  Joint grip;
  grip.name = "grip";
  builder.add_joint(grip, "link5.tip", "load");
  return builder.build();
}

TEST(Batch, SolvesAsAbaOnBeams) {
  const std::array<int, 4> all[] = {{2, 2, 0, 1}, {4, 4, 0, 2}, {1, 2, 0, 1}, {3, 3, 0, 0},
                                    {0, 4, 0, 2}, {2, 2, 1, 1}, {2, 0, 0, 0}, {5, 2, 0, 3}};
  Worst worst("batch_beams");
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const Model model = beam_machine(all[seed % 8], seed + seed / 8);
    const BatchSample s(model, 5, 100 + seed);
    Engine engine(model);
    for (const int lanes : batch_lanes()) {
      BatchAba batch(model, 5, {.threads = 1, .lanes = lanes});
      BatchArray out(model.nv, 5);
      batch.forward(s.q, s.v, s.tau, out);
      for (int k = 0; k < 5; ++k) {
        ASSERT_EQ(batch.status()[k], Status::ok);
        const double error = relative(out.col(k), engine.forward(s.samples[k].x, s.samples[k].tau));
        worst.add(error, 1e-11);
        EXPECT_LE(error, 1e-11) << "lanes " << lanes << ", item " << k << ", machine " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace limber::test
