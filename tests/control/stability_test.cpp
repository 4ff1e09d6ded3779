// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every combination of rate, modes, joint damping and law is stable, or refused before it runs.
#include <cmath>

#include "limber/control/linear_loop.hpp"
#include "limber/linear/riccati.hpp"
#include "support/arm.hpp"
#include "support/chain_arm.hpp"

namespace limber::test {
namespace {

constexpr double kRates[] = {50, 100, 250, 1000, 5000}, kJointDamping[] = {0, 1, 10, 1000};
constexpr double kAway = 1e-4;  // rad
constexpr const char* kLawNames[] = {"correction", "computed torque", "lqr", "pid"};

ControlOptions make_options(const Model& model, double rate, int law) {
  ControlOptions out;
  out.model = std::make_shared<const Model>(model);
  out.driven = find_driven_joints(*out.model, {});
  out.rate = rate;
  out.desired.assign(out.driven.v.size(), Signal(kBent));
  if (law == 0) out.correction = TrackingOptions{};
  if (law == 1) out.computed_torque = TrackingOptions{};
  if (law == 2) out.lqr = LqrOptions{};
  if (law == 3) out.pid = make_pid(model, out.driven, bent_chain(model), {0.2, 1});
  return out;
}

// The actual controller with the exactly sampled plant near rest: the largest deviation of a joint in the last quarter.
double run_near_rest(const Model& model, Controller& controller, int samples) {
  const DrivenJoints& driven = controller.options().driven;
  const LinearSystem machine = linearize_at_rest(model, bent_chain(model), {});
  const Sampled step = sample(machine.A, MatrixXd(machine.B(Eigen::all, driven.v)), controller.period());
  VectorXd x = VectorXd::Zero(2 * model.nv), torques = VectorXd::Zero(driven.size());
  for (int k = 0; k < driven.size(); ++k) x[driven.v[k]] = k % 2 == 0 ? kAway : -kAway;
  double late = 0;
  if (controller.start(bent_chain(model)) != Status::ok) return INFINITY;
  Measurement y;
  y.q.setZero(driven.size());
  y.v = y.q;
  for (int i = 0; i < samples; ++i) {
    y.t = i * controller.period();
    double most = 0;
    for (int k = 0; k < driven.size(); ++k) {
      y.q[k] = kBent + x[driven.v[k]];
      y.v[k] = x[model.nv + driven.v[k]];
      most = std::max(most, std::abs(x[driven.v[k]]));
    }
    if (4 * i >= 3 * samples) late = std::max(late, most);
    if (controller.update(y, torques) != Status::ok) return INFINITY;
    x = (step.A * x + step.B * torques).eval();
  }
  return late;
}

struct Cells {
  int links, modes;
};
void PrintTo(const Cells& c, std::ostream* out) { *out << c.links << " links, " << c.modes << " modes"; }

class StabilityMatrix : public testing::TestWithParam<Cells> {};

// Ten links with many modes take seconds each: only the corners of their part of the matrix.  computed_torque is the
// same loop as correction.
bool is_chosen(const Cells& c, double rate, double damping, int law) {
  if (kSanitized) return c.links < 10 && (law + static_cast<int>(rate)) % 3 == 0;
  if (c.links < 10 || c.modes < 2) return true;
  if (law == 1 || (damping != 0 && damping != 1000)) return false;
  if (c.modes < 5) return rate == 50 || rate == 1000;
  if (c.modes == 5) return damping == 0 && (rate == 50 || rate == 1000);
  return damping == 0 && rate == 50 && law == 2;
}

TEST_P(StabilityMatrix, IsStableOrRefused) {
  const Cells c = GetParam();
  int refused = 0, run = 0;
  for (const double damping : kJointDamping) {
    const Model model = make_chain_arm(c.links, c.modes, damping);
    for (const double rate : kRates) {
      for (int law = 0; law < 4; ++law) {
        if (!is_chosen(c, rate, damping, law)) continue;
        const std::string name = testing::PrintToString(c) + ", " + std::to_string(rate) + " Hz, joint damping " +
                                 std::to_string(damping) + ", " + kLawNames[law];
        const ControlOptions options = make_options(model, rate, law);
        try {
          Controller controller(options);
          EXPECT_LT(run_near_rest(model, controller, 300), 100 * kAway) << name;  // the first estimates are wrong
          ++run;
        } catch (const InputError& e) {
          ++refused;
          EXPECT_NE(std::string(e.what()).find("the control loop is unstable"), std::string::npos) << e.what();
          EXPECT_EQ(law, 3) << name << ": " << e.what();  // only with given gains
        }
      }
    }
  }
  RecordProperty("refused", refused);
  RecordProperty("run", run);
}

INSTANTIATE_TEST_SUITE_P(Arms, StabilityMatrix, testing::ValuesIn([] {
                           std::vector<Cells> out;
                           for (const int links : {1, 2, 10}) {
                             for (const int modes : {0, 1, 2, 3, 5, 10}) out.push_back({links, modes});
                           }
                           return out;
                         }()),
                         [](const auto& one) {
                           return "links_" + std::to_string(one.param.links) + "_modes_" +
                                  std::to_string(one.param.modes);
                         });

}  // namespace
}  // namespace limber::test
