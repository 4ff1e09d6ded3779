// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A flexible double pendulum made in code: runs it to a recording and a page, then steps it with a controller of its
// own.
//   swing [FOLDER]      writes FOLDER/swing.h5 and FOLDER/swing.html, default: here
#include <cstdio>
#include <limber/limber.hpp>

namespace {

limber::Body make_link(const char* name, double length, double mass) {
  limber::BeamSpec beam;
  beam.length = length;
  beam.mass_per_length = mass / length;
  beam.EIy = beam.EIz = 200;
  beam.modes = {2, 0, 0, 0};  // bending in the plane
  beam.damping = {0.01};
  limber::Body body = make_beam_body(beam, false);
  body.name = name;
  return body;
}

limber::Joint make_hinge(const char* name, limber::NodeRef parent) {
  limber::Joint joint;
  joint.name = name;
  joint.kind = limber::JointKind::revolute;
  joint.axis = limber::Vector3d::UnitZ();
  joint.parent = parent;
  joint.stiffness = joint.damping = joint.armature = limber::VectorXd::Zero(1);
  return joint;
}

limber::Model make_pendulum() {
  limber::ModelBuilder builder("swing");
  builder.gravity({0, -9.81, 0});
  const limber::Body upper = make_link("upper", 1.0, 2.0);
  const int tip = upper.node_index("tip");
  const int a = builder.add_body(upper), b = builder.add_body(make_link("fore", 0.8, 1.0));
  builder.add_joint(make_hinge("shoulder", {}), a);
  builder.add_joint(make_hinge("elbow", {a, tip}), b);
  return builder.build();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? std::string(argv[1]) + "/" : "";
  try {
    limber::Scenario scenario;
    scenario.name = "swing";
    scenario.model = std::make_shared<const limber::Model>(make_pendulum());
    scenario.run = {.duration = 2, .record_every = 0.01};
    const limber::RunReport report =
        limber::run(scenario, {.recording = folder + "swing.h5", .report = folder + "swing.html"});
    std::printf("%ld records, energy kept to 1e-8 J: %s\n", report.records,
                report.result.energy_error < 1e-8 ? "yes" : "no");

    limber::Simulation sim(scenario.model, {.method = "implicit", .step = 1e-3});
    const int elbow = sim.model().joints[2].v;
    sim.set_controller(1000, [=](const limber::State& x, limber::Vec torques) {
      torques[elbow] = -20 * x.q[elbow] - x.v[elbow];  // keep it straight
    });
    while (sim.time() < 1) {
      sim.step(0.01);
      if (sim.time() > 0.5) sim.set_torque("shoulder", 5);  // a push
    }
    std::printf("t = %.2f s, elbow %.4f rad, tip at (%.3f, %.3f) m\n", sim.time(), sim.q("elbow"),
                sim.position("fore.tip").x(), sim.position("fore.tip").y());
    return 0;
  } catch (const limber::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
