// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// No heap allocation after construction, bitwise equal results on every call and in every thread.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "limber/dynamics/derivatives.hpp"
#include "support/engine.hpp"
#include "support/no_alloc.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

Model repeat_model(std::uint64_t seed) {
  constexpr std::array fidelities = {Fidelity::ruthless, Fidelity::full, Fidelity::stiffened};
  constexpr std::array choices = {Elimination::automatic, Elimination::active, Elimination::all_modes};
  TreeOptions o;
  o.bodies = 2 + static_cast<int>(seed % 9);
  o.modes = static_cast<int>(seed % 7);
  o.fidelity = fidelities[seed % 3];
  o.beams = 0.3;
  return make_model(random_machine(o, seed), choices[seed / 3 % 3]);
}

// Every algorithm, with all outputs allocated beforehand.
class Everything {
 public:
  explicit Everything(const Model& model)
      : model_(model),
        rnea_(model),
        aba_(model),
        crba_(model),
        kin_(model),
        derivatives_(model),
        prescribed_(model.body_count()) {
    for (const std::string& name : general_algorithms()) named_.push_back(make_forward_dynamics(model, name));
    for (int i = 1; i < model.body_count(); i += 2) prescribed_[i] = 1;
    by_name.assign(named_.size(), VectorXd::Zero(model.nv));
    for (VectorXd* v : {&tau, &product, &vdot, &dense, &solved, &hybrid_vdot, &hybrid_tau, &derived})
      v->setZero(model.nv);
    for (MatrixXd* m : {&M, &dq, &dv, &dtau}) m->setZero(model.nv, model.nv);
    J.setZero(6, model.nv);
  }

  Status operator()(const Sample& s) {
    const Forces forces{s.tau, s.wrenches};
    rnea(model_, s.x, s.vdot, s.wrenches, rnea_, tau);
    multiply_mass(model_, s.x, s.vdot, rnea_, product);
    crba(model_, s.x, crba_, M);
    Status status = aba(model_, s.x, forces, aba_, vdot);
    // All of them are run, also after a failure.
    const auto also = [&status](Status next) { status = status == Status::ok ? next : status; };
    also(crba_forward(model_, s.x, forces, crba_, dense));
    also(solve_mass(model_, s.x, s.tau, aba_, solved));
    hybrid_vdot = s.vdot;
    also(hybrid(model_, s.x, forces, prescribed_, aba_, hybrid_vdot, hybrid_tau));
    for (std::size_t k = 0; k < named_.size(); ++k) also((*named_[k])(s.x, forces, by_name[k]));
    compute_kinematics(model_, s.x, kin_);
    compute_world_poses(model_, kin_);
    const NodeRef node{model_.body_count() - 1, 0};
    compute_node_jacobian(model_, kin_, node, J);
    numbers << node_velocity(model_, kin_, node, s.x.v), node_acceleration(model_, kin_, node, s.vdot),
        node_bias_acceleration(model_, kin_, node), node_pose(model_, kin_, node).p,
        compute_center_of_mass(model_, kin_), compute_momentum(model_, s.x, rnea_).angular,
        compute_energy(model_, s.x, rnea_).kinetic;
    return status;
  }

  // Products of matrices allocate.
  Status with_derivatives(const Sample& s) {
    const Status status = (*this)(s);
    const Status also = forward_derivatives(model_, s.x, {s.tau, s.wrenches}, {}, derivatives_, derived, dq, dv, dtau);
    return status == Status::ok ? also : status;
  }

  bool same_bits(const Everything& other) const {
    return is_same_bits(tau, other.tau) && is_same_bits(product, other.product) && is_same_bits(M, other.M) &&
           is_same_bits(vdot, other.vdot) && is_same_bits(dense, other.dense) && is_same_bits(solved, other.solved) &&
           is_same_bits(hybrid_vdot, other.hybrid_vdot) && is_same_bits(hybrid_tau, other.hybrid_tau) &&
           std::equal(by_name.begin(), by_name.end(), other.by_name.begin(), is_same_bits<VectorXd, VectorXd>) &&
           is_same_bits(derived, other.derived) && is_same_bits(dq, other.dq) && is_same_bits(dv, other.dv) &&
           is_same_bits(dtau, other.dtau) && is_same_bits(J, other.J) && is_same_bits(numbers, other.numbers);
  }

 private:
  const Model& model_;
  RneaWorkspace rnea_;
  AbaWorkspace aba_;
  CrbaWorkspace crba_;
  KinematicsWorkspace kin_;
  DerivativesWorkspace derivatives_;
  std::vector<std::uint8_t> prescribed_;
  std::vector<std::unique_ptr<ForwardDynamics>> named_;
  VectorXd tau, product, vdot, dense, solved, hybrid_vdot, hybrid_tau, derived;
  std::vector<VectorXd> by_name;  // (algorithm)
  MatrixXd M, dq, dv, dtau;
  Matrix6X J;
  Eigen::Matrix<double, 28, 1> numbers;
};

TEST(NoAlloc, SeesTheHeap) {
  if (!kNoAllocWorks) GTEST_SKIP() << "a sanitizer owns malloc";
  EXPECT_NONFATAL_FAILURE(
      {
        NoAlloc guard;
        VectorXd heap = VectorXd::Zero(1000);
        EXPECT_EQ(heap.size(), 1000);
      },
      "heap allocation");
  EXPECT_NONFATAL_FAILURE(
      {
        NoAlloc guard;
        const auto heap = std::make_unique<double>(1.0);
        EXPECT_EQ(*heap, 1.0);
      },
      "heap allocation");
}

TEST(Dynamics, UseNoHeapAfterConstruction) {
  if (!kNoAllocWorks) GTEST_SKIP() << "a sanitizer owns malloc";
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model model = repeat_model(seed);
    const Sample s = random_sample(model, seed);
    Everything all(model);
    Status status{};
    {
      NoAlloc guard;
      status = all(s);
    }
    EXPECT_EQ(status, Status::ok) << "seed " << seed;
  }
}

TEST(Dynamics, GiveTheSameBitsAgain) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model model = repeat_model(seed);
    const Sample s = random_sample(model, seed), other = random_sample(model, seed + 1000);
    Everything first(model), second(model);
    ASSERT_EQ(first(s), Status::ok);
    // A workspace keeps no state of earlier calls.
    ASSERT_EQ(second(other), Status::ok);
    ASSERT_EQ(second(s), Status::ok);
    EXPECT_TRUE(first.same_bits(second)) << "seed " << seed;
  }
}

// Any read of an old number in its workspace yields NaN here.
TEST(Dynamics, GiveTheSameBitsAfterNaN) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model model = repeat_model(seed);
    const Sample s = random_sample(model, seed);
    Sample broken = s;
    for (VectorXd* x : {&broken.x.q, &broken.x.v, &broken.tau, &broken.vdot}) x->setConstant(std::nan(""));
    Everything first(model), second(model);
    ASSERT_EQ(first.with_derivatives(s), Status::ok);
    EXPECT_NE(second.with_derivatives(broken), Status::ok);
    ASSERT_EQ(second.with_derivatives(s), Status::ok);
    EXPECT_TRUE(first.same_bits(second)) << "seed " << seed;
  }
}

TEST(Dynamics, GiveTheSameBitsInACopyOfTheModel) {
  const Model model = repeat_model(8);
  const Model copy = model;  // shares bodies and layout
  const Sample s = random_sample(model, 8);
  Everything first(model), second(copy);
  ASSERT_EQ(first(s), Status::ok);
  ASSERT_EQ(second(s), Status::ok);
  EXPECT_TRUE(first.same_bits(second));
}

TEST(DynamicsThreads, ShareAConstModelAndGiveTheSameBits) {
  constexpr int kThreads = 4, kSamples = 25;
  for (const std::uint64_t seed : {4U, 5U, 6U}) {  // one of each fidelity
    const Model model = repeat_model(seed);
    std::vector<Sample> samples;
    std::vector<std::unique_ptr<Everything>> serial;
    for (int k = 0; k < kSamples; ++k) {
      samples.push_back(random_sample(model, 100 + k));
      serial.push_back(std::make_unique<Everything>(model));
      ASSERT_EQ((*serial.back())(samples.back()), Status::ok);
    }
    std::vector<int> different(kThreads, 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Everything mine(model);
        for (int k = 0; k < kSamples; ++k) {
          const int which = (k + 7 * t) % kSamples;
          if (mine(samples[which]) != Status::ok || !mine.same_bits(*serial[which])) ++different[t];
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(different, std::vector<int>(kThreads, 0)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace limber::test
