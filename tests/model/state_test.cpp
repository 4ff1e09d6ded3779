// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "limber/model/model.hpp"
#include "support/random_tree.hpp"

namespace limber {
namespace {

Model ball_joint_model() {
  return test::make_model(test::random_machine({.bodies = 2, .joints = {JointKind::spherical}}, 3));
}

TEST(JointKind, CountsCoordinatesAndSpeeds) {
  const std::vector<std::pair<int, int>> counts = {{0, 0}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, {4, 3}, {7, 6}};
  for (std::size_t i = 0; i < test::kAllJoints.size(); ++i) {
    EXPECT_EQ(position_count(test::kAllJoints[i]), counts[i].first);
    EXPECT_EQ(speed_count(test::kAllJoints[i]), counts[i].second);
  }
}

TEST(JointKind, HasTheNamesOfTheFiles) {
  EXPECT_STREQ(to_string(JointKind::fixed), "fixed");
  EXPECT_STREQ(to_string(JointKind::universal), "universal");
  EXPECT_STREQ(to_string(JointKind::free), "free");
  EXPECT_STREQ(to_string(Fidelity::ruthless), "ruthless");
  EXPECT_STREQ(to_string(Fidelity::stiffened), "stiffened");
}

TEST(State, ZeroHasIdentityQuaternions) {
  const Model model = ball_joint_model();
  const State x = make_zero_state(model);
  EXPECT_EQ(x.q.sum(), 2);
  EXPECT_EQ(x.q[model.joints[2].q], 1);
  EXPECT_EQ(x.v.size(), model.nv);
  EXPECT_NO_THROW(check_state(model, x));
}

TEST(State, RandomOnesPassTheCheck) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = test::make_model(test::random_machine({.bodies = 6}, seed));
    EXPECT_NO_THROW(check_state(model, test::random_sample(model, seed).x));
  }
}

TEST(State, CheckRefusesWhatIsNoState) {
  const Model model = ball_joint_model();
  const State good = make_zero_state(model);
  State x = good;
  x.q.conservativeResize(model.nq - 1);
  EXPECT_THROW(check_state(model, x), InputError);
  x = good;
  x.v.conservativeResize(model.nv + 1);
  EXPECT_THROW(check_state(model, x), InputError);
  x = good;
  x.v[1] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(check_state(model, x), InputError);
  x = good;
  x.q[0] = 1 + 1e-5;
  EXPECT_THROW(check_state(model, x), InputError);
  x.q[0] = 1 + 1e-7;  // as printed to seven digits
  EXPECT_NO_THROW(check_state(model, x));
  x.q.setZero();
  EXPECT_THROW(check_state(model, x), InputError);
}

}  // namespace
}  // namespace limber
