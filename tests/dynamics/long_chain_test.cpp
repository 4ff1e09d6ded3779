// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rounding along chains of many links.  A recursion in 128-bit numbers showed `dca` accurate to 7e-13 at 1e5 links.
#include <gtest/gtest.h>

#include "apps/chains.hpp"
#include "limber/dynamics/dca.hpp"
#include "limber/dynamics/detail/aba.hpp"
#include "support/close.hpp"

namespace limber::test {
namespace {

// Accelerations of a sample by both.
void solve(const Model& model, AbaWorkspace& ws, VectorXd& by_aba, VectorXd& by_dca) {
  const apps::Sample s = apps::make_sample(model);
  DcaWorkspace dca_ws(model);
  by_aba.resize(model.nv), by_dca.resize(model.nv);
  ASSERT_EQ(aba(model, s.x, {s.tau, {}}, ws, by_aba), Status::ok);
  ASSERT_EQ(dca(model, s.x, {s.tau, {}}, dca_ws, by_dca), Status::ok);
  ASSERT_FALSE(dca_ws.answered_serially());
}

class LongChain : public testing::TestWithParam<int> {};  // modes per link

TEST_P(LongChain, KeepsItsDigits) {
  const Model model = apps::make_chain({apps::Topology::chain, 3000, GetParam(), Fidelity::full});
  AbaWorkspace ws(model);
  VectorXd by_aba, by_dca;
  ASSERT_NO_FATAL_FAILURE(solve(model, ws, by_aba, by_dca));
  EXPECT_LE((by_aba - by_dca).norm(), 5e-12 * by_dca.norm());

  // Errors that could grow from link to link: rotations that are not orthogonal, inertias that are not symmetric.
  double skew = 0;
  for (const WorldFrame& frame : ws->frames) {
    const Matrix3d R = to_matrix(frame.R);
    skew = std::max(skew, (R.transpose() * R - Matrix3d::Identity()).cwiseAbs().maxCoeff());
  }
  EXPECT_LE(skew, 32 * 2.3e-16);  // two rounding errors per body between bodies with renormalised rotations
  ASSERT_FALSE(ws->carried.empty());
  for (const CarriedInertia& carried : ws->carried) {  // of the links at the base, which are computed last
    for (const Block& m : {carried.Gamma.A, carried.Gamma.C}) {
      EXPECT_EQ(m.x[1], m.y[0]);
      EXPECT_EQ(m.x[2], m.z[0]);
      EXPECT_EQ(m.y[2], m.z[1]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, LongChain, testing::Values(5, 10));

// So many links that Z and L are written past the cache.
TEST(StreamedChain, FactorsServeLaterSolutions) {
  const Model model = apps::make_chain({apps::Topology::chain, 8000, 5, Fidelity::full});
  const apps::Sample s = apps::make_sample(model);
  AbaWorkspace ws(model);
  DcaWorkspace dca_ws(model);
  VectorXd once(model.nv), by_dca(model.nv), twice(model.nv), change(model.nv);
  ASSERT_EQ(aba(model, s.x, {s.tau, {}}, ws, once), Status::ok);
  EXPECT_TRUE(ws->streams);
  ASSERT_EQ(dca(model, s.x, {s.tau, {}}, dca_ws, by_dca), Status::ok);
  EXPECT_CLOSE(once, by_dca, 1e-11 * by_dca.norm());
  solve_factored(model, s.tau, ws, change);
  ASSERT_EQ(aba(model, s.x, {2 * s.tau, {}}, ws, twice), Status::ok);
  EXPECT_CLOSE(once + change, twice, 1e-11 * (once.norm() + change.norm()));
}

// Runs of equal links between others: steps of blocks are made from those of their neighbours or read.
TEST(LongChainOfSections, AgreesWithDca) {
  ModelBuilder builder("sections");
  builder.gravity({0, 0, -9.81}).fidelity(Fidelity::full);
  int parent = 0, tip = 0, link = 0;
  for (const auto& [count, modes] : {std::pair{300, 5}, {1, 3}, {270, 5}, {150, 0}, {200, 10}}) {
    Body body = make_beam_body(apps::link_beam(modes), false);
    for (int k = 0; k < count; ++k, ++link) {
      body.name = "link" + std::to_string(link);
      const int child = builder.add_body(body);
      Joint joint;
      joint.name = "joint" + std::to_string(link);
      joint.kind = JointKind::revolute;
      joint.axis = link % 2 == 1 ? Vector3d::UnitZ() : Vector3d::UnitY();
      if (parent > 0) joint.parent = {parent, tip};
      builder.add_joint(std::move(joint), child);
      parent = child, tip = body.node_index("tip");
    }
  }
  const Model model = builder.build();
  AbaWorkspace ws(model);
  VectorXd by_aba, by_dca;
  ASSERT_NO_FATAL_FAILURE(solve(model, ws, by_aba, by_dca));
  EXPECT_CLOSE(by_aba, by_dca, 5e-12 * by_dca.norm());
  const auto repeats = std::count_if(ws->blocks.begin(), ws->blocks.end(), [](const auto& b) { return b.repeats; });
  EXPECT_GT(repeats, 5);
  EXPECT_LT(repeats, static_cast<std::ptrdiff_t>(ws->blocks.size()) - 3);
}

}  // namespace
}  // namespace limber::test
