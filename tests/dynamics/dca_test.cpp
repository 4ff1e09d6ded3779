// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer: the results of aba, in few levels, bitwise equal for every number of threads.
#include "limber/dynamics/detail/dca.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "apps/chains.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/no_alloc.hpp"
#include "support/random.hpp"

#if defined(__SANITIZE_THREAD__)
// oneTBB is not instrumented (src/dynamics/thread_pool.hpp): reports on its own memory are suppressed.
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() { return "called_from_lib:libtbb.so\n"; }
#endif

namespace limber::test {
namespace {

Model dca_model(std::uint64_t seed) { return make_model(random_machine(mixed_tree(seed, 23, 0.4), seed)); }

double relative_error(const VectorXd& expected, const VectorXd& found) {
  return expected.size() == 0 ? 0 : (expected - found).norm() / expected.norm();
}

VectorXd dca_forward(const Model& model, const Sample& s, DcaWorkspace& ws) {
  VectorXd vdot(model.nv);
  EXPECT_EQ(dca(model, s.x, {s.tau, s.wrenches}, ws, vdot), Status::ok);
  return vdot;
}

TEST(Dca, IsAbaOnRandomFlexibleTrees) {
  Worst worst("dca_aba");
  int serially = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Model model = dca_model(seed);
    const Sample s = random_sample(model, seed);
    DcaWorkspace ws(model);
    const VectorXd expected = Engine(model).forward(s.x, s.tau, s.wrenches), vdot = dca_forward(model, s, ws);
    EXPECT_LE(relative_error(expected, vdot), 1e-9) << describe(mixed_tree(seed, 23, 0.4), seed);
    worst.add(relative_error(expected, vdot), 1e-9);
    serially += ws.answered_serially() ? 1 : 0;
  }
  EXPECT_EQ(serially, 0) << "this compares aba with itself";
}

TEST(Dca, IsAbaOnLargeRandomTrees) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    TreeOptions o = mixed_tree(seed, 23, 0.4);
    o.bodies = 400;
    o.modes = 4;
    const Model model = make_model(random_machine(o, seed));
    const Sample s = random_sample(model, seed, {.wrenches = 30});
    DcaWorkspace ws(model);
    const VectorXd expected = Engine(model).forward(s.x, s.tau, s.wrenches), vdot = dca_forward(model, s, ws);
    EXPECT_LE(relative_error(expected, vdot), 1e-9) << describe(o, seed);
    EXPECT_FALSE(ws.answered_serially());
  }
}

TEST(Dca, IsAbaOnAChainOf4096FlexibleLinks) {
  for (const Fidelity fidelity : {Fidelity::full, Fidelity::ruthless}) {
    const Model model = apps::make_chain({apps::Topology::chain, 4096, 5, fidelity});
    const apps::Sample sample = apps::make_sample(model);
    const Sample s{sample.x, sample.tau, sample.vdot, {}};
    DcaWorkspace ws(model);
    const VectorXd vdot = dca_forward(model, s, ws);
    EXPECT_FALSE(ws.answered_serially());
    VectorXd expected(model.nv);
    AbaWorkspace aba_ws(model);
    ASSERT_EQ(aba(model, s.x, {s.tau, {}}, aba_ws, expected), Status::ok);
    EXPECT_LE(relative_error(expected, vdot), 1e-11);
    RecordProperty(to_string(fidelity), std::to_string(1e12 * relative_error(expected, vdot)) + "e-12");
  }
}

TEST(Dca, IsHybridWithPrescribedJoints) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Model model = dca_model(seed);
    const Sample s = random_sample(model, seed);
    for (const unsigned every : {1U, 2U, 3U}) {
      std::vector<std::uint8_t> prescribed(model.body_count());
      for (int i = 1; i < model.body_count(); ++i) prescribed[i] = (seed + i) % every == 0;
      VectorXd a = VectorXd::Constant(model.nv, 1e30),
               tau(model.nv);  // values that are not prescribed must not be read
      for (int i = 1; i < model.body_count(); ++i) {
        const int nr = speed_count(model.joints[i].kind);
        if (prescribed[i] != 0) a.segment(model.joints[i].v, nr) = s.vdot.segment(model.joints[i].v, nr);
      }
      VectorXd b = a;
      const VectorXd expected = Engine(model).mixed(s.x, s.tau, prescribed, a, s.wrenches);
      DcaWorkspace ws(model);
      ASSERT_EQ(dca_hybrid(model, s.x, {s.tau, s.wrenches}, prescribed, ws, b, tau), Status::ok);
      EXPECT_FALSE(ws.answered_serially());
      EXPECT_LE(relative_error(a, b), 1e-9) << describe(mixed_tree(seed, 23, 0.4), seed);
      EXPECT_LE(relative_error(expected, tau), 1e-9) << describe(mixed_tree(seed, 23, 0.4), seed);
    }
  }
}

// ---- levels ----

// A model of rigid bodies, body i on parent[i - 1].
Model rigid_tree(const std::vector<int>& parents) {
  Machine machine;
  for (const int parent : parents) {
    RigidSpec body;
    body.mass = 1;
    body.com = {0.3, 0.1, 0};
    body.inertia = Matrix3d::Identity();
    machine.bodies.push_back(body);
    Joint joint;
    joint.kind = JointKind::revolute;
    joint.parent.body = parent;
    machine.joints.push_back(joint);
  }
  return make_model(machine);
}

template <typename Parent>
DcaTree tree_of(int bodies, Parent parent) {
  std::vector<int> parents(bodies);
  for (int i = 1; i <= bodies; ++i) parents[i - 1] = parent(i);
  return DcaTree(*rigid_tree(parents).layout);
}

TEST(DcaTree, OfAChainIsBalanced) {
  for (const int n : {1, 2, 3, 4, 7, 8, 64, 100, 1000, 1024, 4096}) {
    const DcaTree tree = tree_of(n, [](int i) { return i - 1; });
    EXPECT_EQ(tree.levels, 2 + std::ceil(std::log2(n))) << n;
    EXPECT_EQ(static_cast<int>(tree.parts.size()), 2 * n - 1);
  }
}

TEST(DcaTree, HasLogarithmicLevelsForEveryShape) {
  for (const int n : {16, 64, 256, 1024, 4096}) {
    const int tooth = static_cast<int>(std::sqrt(n));
    Random random(7);
    const std::vector<std::pair<const char*, DcaTree>> trees = {
        {"star", tree_of(n, [](int i) { return i == 1 ? 0 : 1; })},
        {"forest", tree_of(n, [](int) { return 0; })},
        {"binary", tree_of(n, [](int i) { return i / 2; })},
        {"comb", tree_of(n, [](int i) { return i % 2 == 1 ? std::max(0, i - 2) : i - 1; })},
        {"comb of long teeth", tree_of(n, [&](int i) { return i % tooth == 1 ? std::max(0, i - tooth) : i - 1; })},
        {"broom", tree_of(n, [&](int i) { return i <= n / 2 ? i - 1 : n / 2; })},
        {"random", tree_of(n, [&](int i) { return random.index(i); })},
        {"random, long", tree_of(n, [&](int i) { return i - 1 - random.index(std::min(i, 3)); })},
        // Worst case for paths: each body carries a chain as long as everything beyond it.
        {"fractal", tree_of(n, [](int i) { return i == 1               ? 0
                                                  : (i & (i - 1)) == 0 ? i / 2
                                                                       : i - 1; })}};
    for (const auto& [name, tree] : trees) {
      EXPECT_LE(tree.levels, 4 * std::log2(n)) << name << " of " << n;
      RecordProperty(std::string(name) + "_" + std::to_string(n), tree.levels);
    }
  }
}

// ---- failure ----

RigidSpec block(double mass, double inertia) {
  RigidSpec spec;
  spec.mass = mass;
  spec.inertia = inertia * Matrix3d::Identity();
  Node tip;
  tip.name = "tip";
  tip.position = {1, 0, 0};
  tip.translation = tip.turn = Matrix3Xd::Zero(3, 0);
  spec.nodes = {tip};
  return spec;
}

Model arm(const std::vector<RigidSpec>& bodies, JointKind kind) {
  Machine machine;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    machine.bodies.emplace_back(bodies[i]);
    Joint joint;
    joint.kind = kind;
    joint.axis = i % 2 == 0 ? Vector3d::UnitZ() : Vector3d::UnitY();
    joint.parent = {static_cast<int>(i), i == 0 ? kBodyFrame : 0};
    machine.joints.push_back(joint);
  }
  return make_model(machine);
}

TEST(Dca, AsksTheWholeWhereAPartHasNoInertia) {
  // A massless body between others, and one so light that digits would be lost.
  for (const double mass : {0.0, 1e-20, 1e-12, 1e-9, 1e-7, 1e-4, 1e-2, 1.0}) {
    const Model model =
        arm({block(1, 0.1), block(mass, mass), block(1, 0.1), block(mass, 0), block(1, 0.1)}, JointKind::revolute);
    const Sample s = random_sample(model, 3);
    DcaWorkspace ws(model);
    const VectorXd vdot = dca_forward(model, s, ws);
    EXPECT_LE(relative_error(Engine(model).forward(s.x, s.tau, s.wrenches), vdot), 1e-9) << mass;
    EXPECT_EQ(ws.answered_serially(), mass < 1e-6) << mass;
  }
}

TEST(Dca, KeepsItsDigitsUnderHeavyLoads) {
  BeamSpec beam;
  beam.length = 1;
  beam.mass_per_length = 2;
  beam.EIy = beam.EIz = 800;
  beam.GJ = 600;
  beam.rotary_inertia_y = beam.rotary_inertia_z = 1e-3;
  beam.modes = {2, 2, 0, 1};
  for (const double load : {1.0, 1e2, 1e4, 1e6, 1e8}) {
    Machine machine;
    machine.bodies = {beam, beam, beam, block(load, load)};
    for (int i = 0; i < 4; ++i) {
      Joint joint;
      joint.kind = JointKind::revolute;
      joint.axis = i % 2 == 0 ? Vector3d::UnitZ() : Vector3d::UnitY();
      joint.parent = {i, i == 0 ? kBodyFrame : 1};
      machine.joints.push_back(joint);
    }
    const Model model = make_model(machine);
    const Sample s = random_sample(model, 5, {.modal = 0.01});
    DcaWorkspace ws(model);
    const VectorXd vdot = dca_forward(model, s, ws);
    const VectorXd expected = Engine(model).forward(s.x, s.tau, s.wrenches);
    EXPECT_LE(relative_error(expected, vdot), 1e-9) << load << (ws.answered_serially() ? " serially" : "");
  }
}

TEST(Dca, NamesACoordinateWithoutInertia) {
  const Model model = arm({block(1, 0.1), block(1, 0.1), block(1, 0)}, JointKind::spherical);
  DcaWorkspace ws(model);
  VectorXd vdot = VectorXd::Zero(model.nv);
  const VectorXd tau = VectorXd::Ones(model.nv);
  State x = make_zero_state(model);
  EXPECT_EQ(dca(model, x, {tau, {}}, ws, vdot), Status::singular_mass);
  ASSERT_GE(ws.failure(), 6);
  EXPECT_LT(ws.failure(), 9);
}

TEST(Dca, SaysWhenNumbersAreNotFinite) {
  const Model model = dca_model(46);
  for (const double bad : {std::nan(""), HUGE_VAL, 1e308}) {
    Sample s = random_sample(model, 46);
    DcaWorkspace ws(model);
    VectorXd vdot = VectorXd::Zero(model.nv);
    s.x.v[0] = bad;
    EXPECT_EQ(dca(model, s.x, {s.tau, {}}, ws, vdot), Status::not_finite) << bad;
    s = random_sample(model, 46);
    s.x.q[0] = bad;
    EXPECT_NE(dca(model, s.x, {s.tau, {}}, ws, vdot), Status::no_convergence) << bad;
    // The next call succeeds.
    s = random_sample(model, 46);
    EXPECT_LE(relative_error(Engine(model).forward(s.x, s.tau, s.wrenches), dca_forward(model, s, ws)), 1e-9);
    EXPECT_EQ(ws.failure(), -1);
  }
}

TEST(Dca, RefusesWrongSizes) {
  const Model model = dca_model(10);
  const Sample s = random_sample(model, 10);
  DcaWorkspace ws(model);
  VectorXd vdot(model.nv), tau(model.nv), small(model.nv - 1);
  EXPECT_THROW((void)dca(model, s.x, {s.tau, {}}, ws, small), InputError);
  EXPECT_THROW((void)dca_hybrid(model, s.x, {s.tau, {}}, {}, ws, vdot, tau), InputError);
}

TEST(Dca, UsesNoHeapWithOneThread) {
  if (!kNoAllocWorks) GTEST_SKIP() << "a sanitizer owns malloc";
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    TreeOptions o = mixed_tree(seed, 23, 0.4);
    o.bodies = 60;
    const Model model = make_model(random_machine(o, seed));
    const Sample s = random_sample(model, seed);
    DcaWorkspace ws(model, {.threads = 1});
    VectorXd vdot = s.vdot, tau(model.nv);
    std::vector<std::uint8_t> prescribed(model.body_count());
    prescribed[1] = prescribed.back() = 1;
    Status status{}, mixed{};
    {
      NoAlloc guard;
      mixed = dca_hybrid(model, s.x, {s.tau, s.wrenches}, prescribed, ws, vdot, tau);
      status = dca(model, s.x, {s.tau, s.wrenches}, ws, vdot);
    }
    EXPECT_EQ(status, Status::ok);
    EXPECT_EQ(mixed, Status::ok);
  }
}

TEST(DcaThreads, GiveTheSameBitsWhateverTheirNumber) {
  for (const std::uint64_t seed : {4U, 5U, 6U}) {  // one of each fidelity
    TreeOptions o = mixed_tree(seed, 23, 0.4);
    o.bodies = 150;
    o.modes = 3;
    o.beams = 0;
    const Model model = make_model(random_machine(o, seed));
    DcaWorkspace one(model, {.threads = 1});
    EXPECT_EQ(one->threads.get(), nullptr);
    for (const int threads : {2, 3, 8}) {
      DcaWorkspace many(model, {.threads = threads, .grain = 2});
      EXPECT_NE(many->threads.get(), nullptr);
      for (int k = 0; k < 5; ++k) {
        const Sample s = random_sample(model, seed + k);
        EXPECT_TRUE(is_same_bits(dca_forward(model, s, one), dca_forward(model, s, many))) << threads << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace limber::test
