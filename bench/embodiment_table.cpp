// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Latency of the embodiments of the force correction: the time from a reading to its servo commands
// (Controller::respond), and the total computing time of a sample (with Controller::prepare).  Medians.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "limber/control/controller.hpp"
#include "limber/control/trajectory.hpp"

namespace {

using namespace limber;

Model make_chain(int links, int modes) {
  ModelBuilder builder("chain");
  NodeRef at;
  for (int i = 0; i < links; ++i) {
    BeamSpec beam;
    beam.length = 1;
    beam.mass_per_length = 2;
    beam.EIz = 1000;
    beam.modes = {modes, 0, 0, 0};
    beam.damping = {0.02};
    Body body = make_beam_body(beam, false);
    body.name = "link" + std::to_string(i);
    const int tip = body.node_index("tip"), child = builder.add_body(std::move(body));
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = JointKind::revolute;
    joint.parent = at;
    joint.stiffness = joint.damping = VectorXd::Zero(1);
    joint.armature = VectorXd::Constant(1, 0.1);
    builder.add_joint(joint, child);
    at = {child, tip};
  }
  return builder.build();
}

double median(std::vector<double>& times) {
  std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
  return times[times.size() / 2];
}

void measure(int links, int modes) {
  constexpr const char* kNames[] = {"propagated", "sensed", "pipelined"};
  constexpr int kSamples = 4000;
  for (const Embodiment embodiment : {Embodiment::propagated, Embodiment::sensed, Embodiment::pipelined}) {
    ControlOptions options;
    options.model = std::make_shared<const Model>(make_chain(links, modes));
    options.driven = find_driven_joints(*options.model, {});
    const int n = options.driven.size();
    const JointPath path = make_path(Profile::cycloid, VectorXd::Zero(n), 0, {{VectorXd::Constant(n, 0.2), 4, 0}}, {});
    options.desired = path.joints;
    options.end = path.end;
    options.schedule = 1;
    options.correction = TrackingOptions{};
    options.embodiment = embodiment;
    Controller controller(options);
    if (controller.start(make_zero_state(*options.model)) != Status::ok) return;
    Measurement y;
    y.q = y.v = VectorXd::Zero(n);
    VectorXd commands(n);
    std::vector<double> respond, whole;
    using Clock = std::chrono::steady_clock;
    const auto microseconds = [](Clock::time_point a, Clock::time_point b) {
      return std::chrono::duration<double, std::micro>(b - a).count();
    };
    for (int k = 0; k < kSamples; ++k) {
      y.q = options.driven.positions(controller.reference());  // an ideal plant
      y.v = options.driven.speeds(controller.reference());
      const auto begin = Clock::now();
      if (controller.respond(y, commands) != Status::ok) return;
      const auto sent = Clock::now();
      if (controller.prepare() != Status::ok) return;
      const auto end = Clock::now();
      respond.push_back(microseconds(begin, sent));
      whole.push_back(microseconds(begin, end));
    }
    fmt::print("| {} x {} | {} | {:.1f} | {:.1f} |\n", links, modes, kNames[static_cast<int>(embodiment)],
               median(respond), median(whole));
  }
}

}  // namespace

int main() {
  fmt::print("| links x modes | embodiment | reading to commands (us) | whole sample (us) |\n|---|---|---|---|\n");
  for (const auto& [links, modes] : {std::pair{3, 2}, std::pair{10, 5}}) measure(links, modes);
}
