// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Bodies are computed in groups of four: the other members of a group have no effect.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "limber/model/detail/layout.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"

namespace limber::test {
namespace {

TEST(Groups, HaveEachBodyAndEachAttachmentOnce) {
  int full = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = make_model(random_machine(mixed_tree(seed), seed), Elimination::automatic);
    const Layout& layout = *model.layout;
    std::map<int, int> bodies, attachments;
    const auto count = [&](const std::array<int, kLanes>& items, std::map<int, int>& in) {
      for (std::size_t lane = 0; lane < items.size(); ++lane) {
        if (lane == 0 || items[lane] != items[0]) ++in[items[lane]];
      }
      full += items[kLanes - 1] != items[0] ? 1 : 0;
    };
    for (const BodyGroup& group : layout.groups) count(group.bodies, bodies);
    for (const NodeGroup& group : layout.node_groups) count(group.attachments, attachments);
    EXPECT_EQ(bodies.size(), layout.links.size() - 1);
    EXPECT_EQ(attachments.size(), layout.attachments.size());
    const auto once = [](const auto& item) { return item.second == 1; };
    EXPECT_TRUE(std::all_of(bodies.begin(), bodies.end(), once));
    EXPECT_TRUE(std::all_of(attachments.begin(), attachments.end(), once));
    for (const BodyGroup& group : layout.groups) {
      for (const int i : group.bodies) EXPECT_EQ(layout.links[i].n, group.n);
    }
  }
  EXPECT_GT(full, 10);
}

BeamSpec group_beam(int modes) {
  BeamSpec beam;
  beam.length = 0.8;
  beam.mass_per_length = 3;
  beam.EIy = 300;
  beam.EIz = 500;
  beam.GJ = 200;
  beam.rotary_inertia_y = beam.rotary_inertia_z = 2e-3;
  beam.modes = {(modes + 2) / 3, (modes + 1) / 3, 0, modes / 3};
  return beam;
}

// `arms` equal arms on the ground, each of `links` beams on joints of several kinds; the last link carries none.
Model make_arms(int arms, int links, int modes, Fidelity fidelity) {
  constexpr std::array kinds = {JointKind::revolute, JointKind::universal, JointKind::fixed, JointKind::spherical};
  Body body = make_beam_body(group_beam(modes), fidelity == Fidelity::stiffened);
  const int tip = body.node_index("tip");
  ModelBuilder builder("arms");
  builder.gravity({0, 1, -9.81}).fidelity(fidelity);
  for (int arm = 0; arm < arms; ++arm) {
    int parent = kGround;
    for (int k = 0; k < links; ++k) {
      body.name = "link" + std::to_string(arm) + "_" + std::to_string(k);
      const int child = builder.add_body(body);
      Joint joint;
      joint.name = "joint" + std::to_string(arm) + "_" + std::to_string(k);
      joint.kind = kinds[static_cast<std::size_t>(k) % kinds.size()];
      if (parent != kGround) joint.parent = {parent, tip};
      builder.add_joint(std::move(joint), child);
      parent = child;
    }
  }
  return builder.build();
}

constexpr std::array kFidelities = {Fidelity::ruthless, Fidelity::full, Fidelity::stiffened};

TEST(Groups, OfAnyFillAgreeWithTheDenseSolution) {
  for (const Fidelity fidelity : kFidelities) {
    for (const int modes : {0, 4, 7, 10}) {
      for (int links = 1; links <= 6; ++links) {
        if (fidelity == Fidelity::stiffened && (modes == 0 || modes > 4)) continue;
        const Model model = make_arms(1, links, modes, fidelity);
        const Sample s = random_sample(model, static_cast<std::uint64_t>(links));
        Engine engine(model);
        const VectorXd vdot = engine.forward(s.x, s.tau, s.wrenches);
        const VectorXd dense = engine.dense_forward(s.x, s.tau, s.wrenches);
        const MatrixXd M = engine.mass(s.x);
        const double h = engine.inverse(s.x, VectorXd::Zero(model.nv), s.wrenches).norm() + s.tau.norm();
        EXPECT_CLOSE(VectorXd(M * vdot), VectorXd(M * dense), 2 * force_bound(model, M, vdot, h))
            << to_string(fidelity) << ", " << links << " links of " << modes << " modes";
      }
    }
  }
}

TEST(Groups, GiveEqualArmsTheSameBitsInAnyLane) {
  for (const Fidelity fidelity : kFidelities) {
    const int links = 3, modes = fidelity == Fidelity::stiffened ? 4 : 7;
    const Model one = make_arms(1, links, modes, fidelity);
    const Sample s = random_sample(one, 5);
    Engine alone(one);
    const VectorXd expected = alone.forward(s.x, s.tau);
    for (int arms = 2; arms <= 5; ++arms) {
      const Model model = make_arms(arms, links, modes, fidelity);
      State x{0, s.x.q.replicate(arms, 1), s.x.v.replicate(arms, 1)};
      Engine engine(model);
      const VectorXd vdot = engine.forward(x, VectorXd(s.tau.replicate(arms, 1)));
      EXPECT_EQ(vdot, VectorXd(expected.replicate(arms, 1))) << to_string(fidelity) << ", " << arms << " arms";
    }
  }
}

}  // namespace
}  // namespace limber::test
