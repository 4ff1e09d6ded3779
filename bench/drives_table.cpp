// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Cost of drives: aba of a chain of ten bodies, without drives, with rigid gears, with elastic transmissions, and with
// spinning rotors.  Run with TIMES 1 and 2: the difference of the instructions counted by callgrind is one evaluation:
// valgrind --tool=callgrind --toggle-collect=limber_drives_evaluate build/bench/drives_table KIND MODES TIMES
// KIND: none, rigid, elastic, spinning.  MODES: 0 or 5 per body.  Results: bench/results/drives.csv.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "limber/dynamics/aba.hpp"
#include "limber/model/drive.hpp"

extern "C" __attribute__((noinline)) void limber_drives_evaluate(const limber::Model& model, const limber::State& x,
                                                                 const limber::VectorXd& tau, limber::AbaWorkspace& ws,
                                                                 limber::VectorXd& vdot) {
  if (limber::aba(model, x, {tau}, ws, vdot) != limber::Status::ok) std::abort();
}

namespace {

limber::Body make_link(int modes) {
  if (modes == 0) {
    limber::RigidSpec rigid;
    rigid.mass = 3;
    rigid.com = {0.5, 0, 0};
    rigid.inertia = limber::Vector3d(0.1, 0.3, 0.3).asDiagonal();
    limber::Node tip;
    tip.name = "tip";
    tip.position = {1, 0, 0};
    rigid.nodes.push_back(tip);
    return limber::make_rigid_body(rigid);
  }
  limber::BeamSpec beam;
  beam.length = 1;
  beam.mass_per_length = 3;
  beam.EIy = beam.EIz = 1e3;
  beam.modes = {(modes + 1) / 2, modes / 2, 0, 0};
  return limber::make_beam_body(beam, false);
}

limber::Model make_chain(const std::string& kind, int modes) {
  constexpr int kBodies = 10;
  limber::ModelBuilder builder("chain");
  for (int i = 0; i < kBodies; ++i) {
    limber::Body body = make_link(modes);
    body.name = "link" + std::to_string(i);
    limber::Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = limber::JointKind::revolute;
    joint.axis = i % 2 == 0 ? limber::Vector3d::UnitZ() : limber::Vector3d::UnitY();
    if (kind != "none") {
      limber::Drive drive;
      drive.ratio = 100;
      drive.inertia = 1e-4;
      if (kind != "rigid") drive.stiffness = 1e4;
      if (kind == "spinning") drive.axis = limber::Vector3d::UnitX();
      joint.drive = std::make_shared<const limber::Drive>(drive);
    }
    const std::string name = body.name;
    builder.add_body(std::move(body));
    builder.add_joint(joint, i == 0 ? "world" : "link" + std::to_string(i - 1) + ".tip", name);
  }
  return builder.build();
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fputs("drives_table KIND MODES TIMES\n", stderr);
    return 1;
  }
  const limber::Model model = make_chain(words[1], std::atoi(words[2]));
  limber::State x = limber::make_zero_state(model);
  for (int k = 0; k < model.nv; ++k) {
    x.q[k] = 0.1 + 0.01 * k;
    x.v[k] = 0.2 - 0.01 * k;
  }
  const limber::VectorXd tau = limber::VectorXd::Constant(model.nv, 0.5);
  limber::AbaWorkspace ws(model);
  limber::VectorXd vdot(model.nv);
  for (int k = 0; k < std::atoi(words[3]); ++k) limber_drives_evaluate(model, x, tau, ws, vdot);
  std::printf("%s, %s modes: %d evaluations\n", words[1], words[2], std::atoi(words[3]));
  return 0;
}
