// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A user of all rooms with one include: a scenario from a text, run with recording and page, then stepped.
#include <cmath>
#include <cstdio>
#include <limber/limber.hpp>

static const char* const kScenario = R"(
limber: 1
scenario: fall
model:
  gravity: [0, 0, -9.81]
  bodies:
    - {name: ball, rigid: {mass: 2, inertia: [1, 1, 1, 0, 0, 0]}}
  joints:
    - {name: guide, type: prismatic, axis: [0, 0, 1], parent: world, child: ball}
solver: {method: dopri5, rtol: 1e-9, atol: 1e-12}
duration: 1
)";

int main() {
  const limber::Scenario scenario = limber::parse_scenario(kScenario, "fall", "");
  const limber::RunReport report = limber::run(scenario, {.recording = "fall.h5", .report = "fall.html"});
  limber::Simulation sim(scenario);
  sim.set_torque("guide", 2 * 9.81);  // holds the ball against gravity
  sim.advance_to(1);
  const double fallen = report.result.largest[0];
  std::printf("%ld records, fallen %.9f m, carried %.9f m\n", report.records, fallen, sim.q("guide"));
  return report.complete() && std::abs(fallen - 9.81 / 2) < 1e-9 && std::abs(sim.q("guide")) < 1e-9 ? 0 : 1;
}
