// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// All forward dynamics algorithms, by name, agree.
#include <gtest/gtest.h>

#include <set>

#include "support/engine.hpp"
#include "support/mixed_trees.hpp"

namespace limber::test {
namespace {

// Compared with aba.
void expect_agreement(const Model& model, const State& x, const Forces& forces, const std::vector<std::string>& names,
                      const std::string& what, Worst& worst) {
  VectorXd expected(model.nv), vdot(model.nv);
  AbaWorkspace ws(model);
  ASSERT_EQ(aba(model, x, forces, ws, expected), Status::ok);
  for (const std::string& name : names) {
    ASSERT_EQ((*make_forward_dynamics(model, name))(x, forces, vdot), Status::ok) << name << ", " << what;
    EXPECT_LE((vdot - expected).norm(), 1e-9 * expected.norm()) << name << ", " << what;
    worst.add((vdot - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST(Algorithms, AgreeOn200RandomTrees) {
  Worst worst("algorithms");
  std::set<JointKind> joints;
  std::set<Fidelity> fidelities;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Machine machine = random_machine(mixed_tree(seed), seed);
    const Model model = make_model(machine);
    if (model.nv == 0) continue;
    for (const Joint& joint : machine.joints) joints.insert(joint.kind);
    fidelities.insert(machine.fidelity);
    const Sample s = random_sample(model, seed);
    expect_agreement(model, s.x, {s.tau, s.wrenches}, general_algorithms(), describe(mixed_tree(seed), seed), worst);
  }
  EXPECT_EQ(joints.size(), kAllJoints.size());
  EXPECT_EQ(fidelities.size(), 3u);
}

// `book` accepts no other joints; without deflections its equations are those of the others: theory §6.
TEST(Algorithms, AgreeOn200ChainsOfRotaryJoints) {
  Worst worst("algorithms_chains");
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Model model = make_model(random_machine(rotary_chain(seed), seed));
    if (model.nv == 0) continue;
    Sample s = random_sample(model, seed);
    clear_deflections(model, s.x);
    expect_agreement(model, s.x, {s.tau, {}}, forward_dynamics_names(), describe(rotary_chain(seed), seed), worst);
  }
}

}  // namespace
}  // namespace limber::test
