// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Payload and stiffness adapted at run time, and moves learned by repetition.
#include "limber/control/adaptation.hpp"

#include <cmath>

#include "limber/control/learning.hpp"
#include "support/arm.hpp"
#include "support/close.hpp"
#include "support/random.hpp"

namespace limber::test {
namespace {

AdaptationOptions both() {
  AdaptationOptions out;
  out.payload = "payload";
  out.stiffness = true;
  return out;
}

// With innovations linear in the two unknowns, the estimates converge to these; outside the ranges, to the least
// squares at the bounds.
TEST(Adaptation, FindsTheNumbersWithinTheirRanges) {
  Random random(3);
  for (const auto& [payload, stiffness] : {std::pair{1.2, 0.8}, std::pair{0.7, 1.1}, std::pair{2.5, 0.9}}) {
    Adaptation adaptation(both(), 1e-3, VectorXd::Constant(3, 1e-12));
    const double a = (payload - 1) / 0.5,
                 b = (1 / stiffness - 1) / (1 / 0.7 - 1);  // as weights of the other controllers
    for (int k = 0; k < 2000; ++k) {
      const VectorXd d0 = random.vector(3, 1e-3), d1 = random.vector(3, 1e-3);
      const VectorXd own = -a * d0 - b * d1, first = own + d0, second = own + d1;
      adaptation.update(own, {&first, &second});
    }
    EXPECT_NEAR(adaptation.factors()[0], std::min(payload, 1.5), 1e-5);
    EXPECT_NEAR(adaptation.factors()[1], stiffness, payload > 1.5 ? 0.1 : 1e-5);
  }
}

TEST(Adaptation, ChangesTheModelsAsItSays) {
  const Model arm = make_arm({.damping = 0.005, .payload = 100});
  const std::vector<Model> models = make_adapted_models(both(), arm);
  ASSERT_EQ(models.size(), 2u);
  const Model heavier = make_arm({.damping = 0.005, .payload = 150});
  const Model softer = make_arm({.EI = 0.7e5, .damping = 0.005, .payload = 100});
  EXPECT_NEAR(models[0].body(4).mass, heavier.body(4).mass, 1e-12);
  EXPECT_TRUE(is_close(models[0].body(4).c(0, 0), heavier.body(4).c(0, 0), 1e-12));
  EXPECT_TRUE(is_close(models[1].body(1).stiffness, softer.body(1).stiffness, 1e-9 * softer.body(1).stiffness.norm()));
  EXPECT_TRUE(is_close(models[1].body(2).damping, softer.body(2).damping, 1e-9 * softer.body(2).damping.norm()));
}

TEST(Adaptation, CutsTheErrorsOfAWrongModel) {
  const Model believed = make_arm({.damping = 0.005, .payload = 50});
  const Model plant = make_arm({.EI = 0.8e5, .damping = 0.005, .payload = 60});
  ControlOptions options = make_slew(believed);
  options.correction = TrackingOptions{0.5, 1};
  const SlewResult without = run_slew(plant, options);
  options.adaptation = both();
  const SlewResult with = run_slew(plant, options);
  ASSERT_EQ(with.run.status, Status::ok) << with.run.failure;
  if (kSanitized) return;
  EXPECT_LT(with.rms.maxCoeff(), without.rms.maxCoeff() / 3)
      << without.rms.transpose() << " to " << with.rms.transpose() << "; residual " << without.residual << " to "
      << with.residual << "; largest " << without.largest.maxCoeff() << " to " << with.largest.maxCoeff();
}

TEST(Adaptation, RefusesWhatDoesNotFit) {
  const Model arm = make_arm({.payload = 50});
  const auto message = [&](auto change) -> std::string {
    ControlOptions options = make_slew(arm);
    options.correction = TrackingOptions{};
    options.adaptation = both();
    change(options);
    try {
      check_control(options);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message([](ControlOptions&) {}), "");
  EXPECT_NE(message([](ControlOptions& o) { o.adaptation = AdaptationOptions{}; }).find("something to adapt"),
            std::string::npos);
  EXPECT_NE(message([](ControlOptions& o) {
              o.adaptation->payload_range = {1.2, 1.5};
            }).find("around 1"),
            std::string::npos);
  EXPECT_NE(message([](ControlOptions& o) { o.adaptation->payload = "boom"; }).find("bends"), std::string::npos);
  EXPECT_NE(message([](ControlOptions& o) { o.embodiment = Embodiment::propagated; }).find("sensors"),
            std::string::npos);
}

// A Gaussian filter preserves a constant, and has zero phase.
TEST(Learning, FiltersWithoutPhase) {
  constexpr int kCount = 2001;
  const double step = 0.01, f = 0.5;
  MatrixXd error(kCount, 1);
  for (int k = 0; k < kCount; ++k) error(k, 0) = std::sin(2 * std::numbers::pi * f * k * step);
  const MatrixXd learned = learn_offsets(MatrixXd::Zero(kCount, 1), error, step, f);
  for (int k = 500; k < 1500; ++k) EXPECT_NEAR(learned(k, 0), std::sqrt(0.5) * error(k, 0), 1e-4) << k;
  EXPECT_EQ(learned(0, 0), 0);
}

}  // namespace
}  // namespace limber::test
