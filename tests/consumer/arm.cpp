// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "arm.hpp"

#include <cstdio>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/rnea.hpp"

using limber::Body, limber::Joint, limber::Model, limber::State, limber::VectorXd;

static Body make_link(const char* name, double length) {
  limber::BeamSpec spec;
  spec.length = length;
  spec.mass_per_length = 3;
  spec.EIy = spec.EIz = 4000;
  spec.modes = {0, 3, 0, 0};
  Body body = limber::make_beam_body(spec, false);
  body.name = name;
  return body;
}

Model make_arm() {
  limber::ModelBuilder builder("arm");
  builder.gravity({0, 0, -9.81});
  builder.add_body(make_link("upper", 2));
  builder.add_body(make_link("fore", 1.5));
  Joint joint;
  joint.name = "shoulder";
  joint.kind = limber::JointKind::revolute;
  joint.axis = {0, -1, 0};
  builder.add_joint(joint, "world", "upper");
  joint.name = "elbow";
  builder.add_joint(joint, "upper.tip", "fore");
  return builder.build();
}

bool check_arm() {
  const Model model = make_arm();
  State x = limber::make_zero_state(model);
  x.q.setConstant(0.02);
  x.v.setConstant(0.3);
  const VectorXd tau = VectorXd::Zero(model.nv);
  VectorXd vdot(model.nv), back(model.nv);
  limber::AbaWorkspace aba(model);
  limber::RneaWorkspace rnea(model);
  const limber::Status status = limber::aba(model, x, {tau, {}}, aba, vdot);
  limber::rnea(model, x, vdot, {}, rnea, back);
  const double error = back.cwiseAbs().maxCoeff();  // of forces of about 200
  std::printf("aba undone by rnea: %s, %.1e\n", limber::to_string(status), error);
  return status == limber::Status::ok && error < 1e-9;
}
