// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A model built in code: two flexible links with a load, in the x-z plane under gravity.  Its mass matrix, its
// accelerations when it is released, the forces that hold it, and its vibrations about that equilibrium.
#include <cstdio>
#include <numbers>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/rnea.hpp"
#include "limber/linear/analysis.hpp"
#include "limber/linear/linearize.hpp"

using namespace limber;

Body make_link(const char* name, double length, double mass, double EI) {
  BeamSpec spec;
  spec.length = length;
  spec.mass_per_length = mass / length;
  spec.EIy = spec.EIz = EI;
  spec.modes = {0, 2, 0, 0};  // bending_y, bending_z, axial, torsion
  spec.damping = {0.01};
  Body body = make_beam_body(spec, false);
  body.name = name;
  return body;
}

Model make_arm() {
  ModelBuilder builder("arm");
  builder.gravity({0, 0, -9.81});
  builder.add_body(make_link("upper", 2, 6, 4000));
  builder.add_body(make_link("fore", 1.5, 3, 1500));
  RigidSpec load_spec;
  load_spec.mass = 2;
  load_spec.inertia = 0.02 * Matrix3d::Identity();
  Body load = make_rigid_body(load_spec);
  load.name = "load";
  builder.add_body(load);
  Joint hinge;
  hinge.kind = JointKind::revolute;
  hinge.axis = -Vector3d::UnitY();
  hinge.name = "shoulder";
  builder.add_joint(hinge, "world", "upper");
  hinge.name = "elbow";
  builder.add_joint(hinge, "upper.tip", "fore");
  Joint grip;  // fixed
  grip.name = "grip";
  builder.add_joint(grip, "fore.tip", "load");
  return builder.build();
}

int main() {
  const Model model = make_arm();
  const State x = make_zero_state(model);  // straight out along x, at rest
  const VectorXd none = VectorXd::Zero(model.nv);

  MatrixXd M(model.nv, model.nv);
  CrbaWorkspace crba_ws(model);
  crba(model, x, crba_ws, M);  // mass matrix

  VectorXd vdot(model.nv), hold(model.nv);
  AbaWorkspace aba_ws(model);
  if (aba(model, x, {none, {}}, aba_ws, vdot) != Status::ok) return 1;  // accelerations without torques
  RneaWorkspace rnea_ws(model);
  rnea(model, x, none, {}, rnea_ws, hold);  // forces for no acceleration
  for (int i = 0; i < model.nv; ++i)
    std::printf("%-16s M_ii %8.4f   released %8.3f   held by %8.3f\n", model.speeds[i].c_str(), M(i, i), vdot[i],
                hold[i]);
  std::printf("M vdot + h = 0 to %.9f\n", (M * vdot + hold).norm() / hold.norm());

  LinearizeOptions options = make_joint_options(model);  // torques in, joint angles out
  options.tau = hold;
  const LinearSystem system = linearize(model, x, options);
  for (const VibrationMode& mode : compute_modes(system))
    std::printf("%8.3f Hz, damping ratio %.4f\n", mode.frequency / (2 * std::numbers::pi), mode.damping);
  return 0;
}
