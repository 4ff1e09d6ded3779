// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer as on a GPU, with the same source compiled for the CPU.
#include <gtest/gtest.h>

#include <array>

#include "limber/dynamics/dca.hpp"
#include "limber/dynamics/gpu.hpp"
#include "support/close.hpp"
#include "support/engine.hpp"
#include "support/long_chains.hpp"
#include "support/mixed_trees.hpp"

namespace limber::test {
namespace {

TEST(GpuChain, SolvesAsAba) {
  Worst worst("gpu_chain");
  const std::array<int, 4> all[] = {{2, 2, 0, 1}, {4, 4, 0, 2}, {0, 0, 0, 0}};
  const int counts[] = {1, 2, 3, 6, 7, 12, 31, 64};
  for (int k = 0; k < 24; ++k) {
    const int links = counts[k % 8];
    const Model model = long_chain(links, all[k % 3], k % 2 == 1, k % 5 < 2);
    const Sample s = random_sample(model, 500 + static_cast<std::uint64_t>(k));
    Engine engine(model);
    GpuChain chain(model, kProcessor);
    chain.set_state(s.x.q, s.x.v);
    chain.set_forces(s.tau);
    chain.forward();
    VectorXd vdot(model.nv), again(model.nv);
    ASSERT_EQ(chain.get_accelerations(vdot), Status::ok);
    EXPECT_FALSE(chain.answered_serially());
    const VectorXd expected = engine.forward(s.x, s.tau);
    const double error = (vdot - expected).norm() / std::max(1.0, expected.norm());
    worst.add(error, 1e-11);
    EXPECT_LE(error, 1e-11) << links << " links, machine " << k;
    chain.forward();  // bitwise equal
    ASSERT_EQ(chain.get_accelerations(again), Status::ok);
    EXPECT_EQ(again, vdot);
  }
}

TEST(GpuChain, HasLevelsOfALogarithm) {
  const Model model = long_chain(63, {0, 0, 0, 0}, true, false);
  EXPECT_EQ(GpuChain(model, kProcessor).levels(), 7);
}

// Forces and accelerations pass the rigid part of a body exactly.  An identity that was turned into world is R R^T, and
// its rounding errors multiply over the chain: then both are 3.6e-12 off.
TEST(GpuChain, LosesNoDigitsOverLongChains) {
  const Model rigid = long_chain(3000, {0, 0, 0, 0}, true, false), beams = long_chain(3000, {2, 2, 0, 1}, true, true);
  for (const Model* model : {&rigid, &beams}) {
    const Sample s = random_sample(*model, 7, {.modal = 0.05, .speed = 1});
    const State x{0, 0.2 * s.x.q, s.x.v};  // not coiled up
    GpuChain chain(*model, kProcessor);
    chain.set_state(x.q, x.v);
    chain.set_forces(s.tau);
    chain.forward();
    VectorXd vdot(model->nv), expected(model->nv);
    ASSERT_EQ(chain.get_accelerations(vdot), Status::ok);
    EXPECT_FALSE(chain.answered_serially());
    DcaWorkspace ws(*model);
    ASSERT_EQ(dca(*model, x, {s.tau}, ws, expected), Status::ok);
    EXPECT_LE((vdot - expected).norm() / expected.norm(), model == &rigid ? 2e-13 : 1e-12);
  }
}

// A link without inertia about its own axis: only its children have some.
TEST(GpuChain, LeavesWeakPartsToAba) {
  ModelBuilder builder("weak");
  RigidSpec spec;
  spec.mass = 1, spec.com = {0.5, 0, 0}, spec.inertia = Vector3d(0.1, 0.1, 0.1).asDiagonal();
  for (int i = 1; i <= 4; ++i) {
    if (i == 2) spec.mass = 1e-9, spec.inertia = 1e-12 * Matrix3d::Identity(), spec.com.setZero();
    if (i == 3) spec.mass = 1, spec.inertia = 0.1 * Matrix3d::Identity(), spec.com = {0.5, 0, 0};
    Body body = make_rigid_body(spec);
    body.name = "b" + std::to_string(i);
    builder.add_body(body);
    Joint joint;
    joint.name = "j" + std::to_string(i);
    joint.kind = JointKind::revolute;
    joint.axis = Vector3d(i % 2, (i + 1) % 2, 0);
    builder.add_joint(joint, i == 1 ? "world" : "b" + std::to_string(i - 1), body.name);
  }
  const Model model = builder.build();
  const Sample s = random_sample(model, 3);
  GpuChain chain(model, kProcessor);
  chain.set_state(s.x.q, s.x.v);
  chain.set_forces(s.tau);
  chain.forward();
  VectorXd vdot(model.nv);
  const Status status = chain.get_accelerations(vdot);
  EXPECT_TRUE(chain.answered_serially());
  EXPECT_EQ(status, Status::ok);
  Engine engine(model);
  EXPECT_EQ(vdot, engine.forward(s.x, s.tau));
}

TEST(GpuChain, RefusesWhatItCannotDo) {
  const Model tree = make_model(random_machine(mixed_tree(5), 5));
  EXPECT_THROW(GpuChain(tree, kProcessor), InputError);
  const Model model = long_chain(2, {2, 2, 0, 1}, false, false);
  GpuChain chain(model, kProcessor);
  EXPECT_THROW(chain.forward(), InputError);
  EXPECT_THROW(chain.set_state(VectorXd(1), VectorXd(1)), InputError);
  EXPECT_THROW(chain.set_forces(VectorXd(1)), InputError);
  if (gpu_count() == 0) {
    EXPECT_THROW(GpuChain(model, 0), InputError);
  }
}

}  // namespace
}  // namespace limber::test
