// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which laws may be combined: no term is included twice.
#include "limber/spatial/status.hpp"
#include "support/arm.hpp"

namespace limber::test {
namespace {

struct Choice {
  const char* name;
  bool weight, error;  // terms included by the law alone
  void (*choose)(ControlOptions&);
};

PidOptions gains(double kp, double ki, bool gravity) {
  return {VectorXd::Constant(3, kp), VectorXd::Constant(3, 0.01 * kp), VectorXd::Constant(3, ki), gravity};
}

const Choice kChoices[] = {
    {"rigid", true, false, [](ControlOptions& o) { o.feed_forward = FeedForward::rigid; }},
    {"hybrid", true, false, [](ControlOptions& o) { o.feed_forward = FeedForward::hybrid; }},
    {"pid", false, true, [](ControlOptions& o) { o.pid = gains(1, 1, false); }},
    {"pid, gravity", true, true, [](ControlOptions& o) { o.pid = gains(1, 1, true); }},
    {"integral alone", false, false, [](ControlOptions& o) { o.pid = gains(0, 1, false); }},
    {"gravity alone", true, false, [](ControlOptions& o) { o.pid = gains(0, 0, true); }},
    {"correction", true, true, [](ControlOptions& o) { o.correction = TrackingOptions{}; }},
    {"computed torque", true, true, [](ControlOptions& o) { o.computed_torque = TrackingOptions{}; }},
    {"lqr", false, true, [](ControlOptions& o) { o.lqr = LqrOptions{}; }},
};

bool same_slot(int a, int b) { return (a < 2 && b < 2) || (a >= 2 && a < 6 && b >= 2 && b < 6); }

// The torques that hold the arm against gravity, compared with the sum of the laws.
TEST(Overlap, EveryPairEitherHoldsTheWeightOnceOrIsRefused) {
  const Model arm = make_arm({.damping = 0.01, .gravity = {0, -1, 0}});
  constexpr int kCount = static_cast<int>(std::size(kChoices));
  for (int a = 0; a < kCount; ++a) {
    for (int b = a + 1; b < kCount; ++b) {
      if (same_slot(a, b)) continue;
      ControlOptions options = make_slew(arm);
      kChoices[a].choose(options);
      kChoices[b].choose(options);
      const bool tracking = options.correction || options.computed_torque;
      const bool replaced = tracking && a < 2;  // the feed-forward is part of these laws
      const bool twice = (kChoices[a].weight && kChoices[b].weight && !replaced) ||
                         (kChoices[a].error && kChoices[b].error) || (options.lqr && options.pid);
      const std::string pair = std::string(kChoices[a].name) + " with " + kChoices[b].name;
      if (twice) {
        EXPECT_THROW(check_control(options), InputError) << pair;
      } else {
        EXPECT_NO_THROW(check_control(options)) << pair;
      }
    }
  }
}

TEST(Overlap, NegativeGainsAreRefused) {
  const Model arm = make_arm();
  for (VectorXd PidOptions::*gain : {&PidOptions::kp, &PidOptions::kd, &PidOptions::ki}) {
    ControlOptions options = make_slew(arm);
    options.pid = gains(1, 1, false);
    EXPECT_NO_THROW(check_control(options));
    ((*options.pid).*gain)[1] = -1e-3;
    EXPECT_THROW(check_control(options), InputError);
  }
}

}  // namespace
}  // namespace limber::test
