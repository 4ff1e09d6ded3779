// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The two-link arm of De Luca and Siciliano (IEEE Trans. Systems, Man, and Cybernetics 21, 1991): minimum-phase at the
// joints, not at the tip.
#include <gtest/gtest.h>

#include "limber/files/model_file.hpp"
#include "limber/linear/analysis.hpp"

namespace limber::test {
namespace {

using Complex = std::complex<double>;

class DeLucaArm : public ::testing::TestWithParam<double> {
 protected:
  void SetUp() override {
    model_ = read_model(LIMBER_TEST_DATA "/cases/deluca-arm-free/model.yaml");
    State x = make_zero_state(model_);
    x.q[model_.joints[model_.find_joint("joint2")].q] = GetParam();
    LinearizeOptions options = make_joint_options(model_);
    const int payload = model_.find_body("payload");
    for (const int component : {3, 4}) {
      LinearOutput& tip = options.outputs.emplace_back();
      tip.kind = LinearOutput::Kind::place;
      tip.node = {payload, kBodyFrame};
      tip.component = component;
    }
    system_ = linearize(model_, x, options);
  }

  // Largest real part of the zeros relative to their moduli.
  double rightmost(int input, int output) const {
    double most = -1;
    for (const Complex& zero : compute_zeros(system_, input, output)) {
      most = std::max(most, zero.real() / std::abs(zero));
    }
    return most;
  }

  Model model_;
  LinearSystem system_;
};

TEST_P(DeLucaArm, IsMinimumPhaseAtItsJoints) {
  for (int joint = 0; joint < 2; ++joint) {
    const VectorXcd zeros = compute_zeros(system_, joint, joint);
    // Relative degree 2; the two rigid motions count once.
    EXPECT_EQ(zeros.size(), 2 * (model_.nv - 2));
    EXPECT_LT(rightmost(joint, joint), 1e-6);  // on the imaginary axis
  }
}

TEST_P(DeLucaArm, IsNotMinimumPhaseAtItsTip) {
  for (int joint = 0; joint < 2; ++joint) EXPECT_GT(rightmost(joint, 3), 0.1) << "joint " << joint + 1;
}

// Zeros of the transfer function from a torque to its own coordinate are the poles with that joint locked.
TEST_P(DeLucaArm, HasItsZerosWhereTheHeldArmVibrates) {
  for (int joint = 0; joint < 2; ++joint) {
    LinearizeOptions options;
    options.held.assign(model_.bodies.size(), 0);
    options.held[model_.find_joint(joint == 0 ? "joint1" : "joint2")] = 1;
    const auto modes = compute_modes(linearize(model_, system_.point, options));
    const VectorXcd zeros = compute_zeros(system_, joint, joint);
    double largest = 0;
    for (const VibrationMode& mode : modes) {
      if (mode.frequency == 0) continue;  // the other joint rotates freely: a rigid motion, as when this one is free
      double nearest = std::numeric_limits<double>::infinity();
      for (const Complex& zero : zeros) nearest = std::min(nearest, std::abs(zero - Complex(0, mode.frequency)));
      largest = std::max(largest, nearest / mode.frequency);
    }
    EXPECT_LT(largest, 1e-7);
  }
}

// Mass and stiffness are symmetric: the response of the first joint to the second torque equals that of the second
// joint to the first.
TEST_P(DeLucaArm, IsReciprocal) {
  const VectorXcd there = compute_zeros(system_, 0, 1), back = compute_zeros(system_, 1, 0);
  ASSERT_EQ(there.size(), back.size());
  ASSERT_GT(there.size(), 0);
  for (const Complex& zero : there) {
    EXPECT_LT((back.array() - zero).abs().minCoeff(), 1e-7 * std::abs(zero));
  }
}

// Far above all vibration the tip responds like a mass; there and in between the transfer function agrees with the
// second-order form.
TEST_P(DeLucaArm, HasTheTransferFunctionOfItsSecondOrderForm) {
  const int n = system_.coordinates();
  for (const Complex s : {Complex(0.5, 3), Complex(-1, 40), Complex(2, 300)}) {
    const MatrixXcd dynamic = s * s * system_.M + s * system_.damping + system_.stiffness;
    MatrixXcd forces = MatrixXcd::Zero(n, 2);
    forces(0, 0) = 1;
    forces(model_.joints[model_.find_joint("joint2")].v, 1) = 1;
    const MatrixXcd expected = system_.C.leftCols(n) * dynamic.partialPivLu().solve(forces);
    EXPECT_LT((transfer_function(system_, s) - expected).norm(), 1e-9 * expected.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Elbows, DeLucaArm, ::testing::Values(0.0, 0.4, 1.0));

}  // namespace
}  // namespace limber::test
