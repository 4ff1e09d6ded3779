// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Batches against the recursions for one state.
#include "limber/dynamics/batch.hpp"

#include <gtest/gtest.h>

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

// Everything else at once, with external wrenches, prescribed joints and a number of items that fills no register.
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

}  // namespace
}  // namespace limber::test
