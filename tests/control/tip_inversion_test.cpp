// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stable inversion of a flexible arm for its tip.
#include <cmath>

#include "limber/control/tip_path.hpp"
#include "support/arm.hpp"
#include "support/engine.hpp"

namespace limber::test {
namespace {

Model make_one_link(int modes, double node, double damping = 0) {
  ModelBuilder builder("one link");
  BeamSpec beam;
  beam.length = 2;
  beam.mass_per_length = 3;
  beam.EIz = 40;
  beam.modes = {modes, 0, 0, 0};
  beam.damping = {damping};
  beam.nodes = {{"watched", node, Matrix3d::Identity()}};
  Body body = make_beam_body(beam, false);
  body.name = "link";
  Joint joint;
  joint.name = "hub";
  joint.kind = JointKind::revolute;
  joint.stiffness = joint.damping = joint.armature = VectorXd::Zero(1);
  builder.add_joint(joint, builder.add_body(std::move(body)));
  return builder.build();
}

TipPath sideways(const Model& model, const char* node, double size, double time) {
  TipPath path;
  path.node = model.node(node);
  path.position[1] = make_move(Profile::cycloid, 0, size, 0, time);
  path.end = time;
  path.samples = 400;
  return path;
}

// One link with one mode and a small motion of its tip, y = L theta + phi eta: with A = m - mu phi / L and
// s = sqrt(-K / A) the bounded solution of  A eta'' + K eta = -mu y'' / L  is
//   eta(t) = mu / (2 s L A) int exp(-s |t - r|) y''(r) dr.
TEST(TipInversion, OneLinkIsAConvolution) {
  const Model model = make_one_link(1, 0.5);
  const double size = 1e-4, time = 1;
  const MatrixXd M = Engine(model).mass(make_zero_state(model));
  const double L = 2, mu = M(1, 0), K = model.body(1).stiffness(0, 0);
  const double phi = model.body(1).nodes[static_cast<std::size_t>(model.body(1).node_index("tip"))].translation(1, 0);
  const double A = M(1, 1) - mu * phi / L, s = std::sqrt(-K / A);
  double before = 0;
  for (const int samples : {200, 400}) {
    TipPath path = sideways(model, "link.tip", size, time);
    path.samples = samples;
    const TipInversion found = invert_tip_path(model, find_driven_joints(model, {}), path, make_zero_state(model));
    EXPECT_NEAR(found.slowest, s, 1e-9 * s);
    EXPECT_NEAR(found.lead, std::log(1e4) / s, 1e-9);
    double worst = 0;
    constexpr int kCells = 20000;
    for (double t = -0.2; t < 1.2; t += 0.05) {
      double sum = 0;
      for (int k = 0; k < kCells; ++k) {
        const double r = time * (k + 0.5) / kCells;
        sum += std::exp(-s * std::abs(t - r)) * path.position[1]->at(r).acceleration * time / kCells;
      }
      const double eta = mu / (2 * s * L * A) * sum;
      const double y = path.position[1]->at(std::clamp(t, 0.0, time)).value;
      worst = std::max(worst, std::abs(found.joints[0].at(t + found.lead).value - (y - phi * eta) / L));
    }
    const double bent = size;  // size of the error in the angle if bending is ignored
    if (samples == 400) {
      EXPECT_LT(worst, 2e-4 * bent);
      EXPECT_LT(worst, 0.3 * before);  // second order
    }
    before = worst;
  }
}

// The tip error is a tenth of that of the quasi-static motion, and smaller with a longer lead.
TEST(TipInversion, TheTipKeepsToItsLine) {
  const Model arm = make_arm({.damping = 0.02});
  ControlOptions options = make_slew(arm);
  options.computed_torque = TrackingOptions{};
  State x = make_zero_state(arm);
  x.q[options.driven.q[0]] = -0.4;
  x.q[options.driven.q[1]] = 1.2;
  x.q[options.driven.q[2]] = 0.2;
  TipPath path;
  path.node = kArmTip;
  path.position[0] = make_move(Profile::cycloid, 11, 10, 0, 10);
  path.position[1] = make_move(Profile::cycloid, 3, 4, 0, 10);
  path.end = 10;
  double largest[2] = {};
  for (const bool dynamic : {false, true}) {
    if (dynamic) {
      path.samples = 500;
      const TipInversion found = invert_tip_path(arm, options.driven, path, x);
      options.desired = found.joints;
      options.path = found.path;
    } else {
      options.desired = follow_tip_path(arm, options.driven, path, x);
      options.path = path;
    }
    options.end = options.path->end;
    ControlLoop loop(arm, {}, options);
    System system(arm, {});
    State start = make_zero_state(arm);
    for (int k = 0; k < 3; ++k) start.q[options.driven.q[k]] = options.desired[k].at(0).value;
    RunListener none;
    const RunResult run = simulate(system, {}, {kSanitized ? 0.5 : options.end, 0.5}, start, none, &loop);
    EXPECT_EQ(run.status, Status::ok) << run.failure;
    largest[dynamic] = loop.tracking().node_largest;
  }
  if (kSanitized) return;
  EXPECT_LT(largest[1], 0.1 * largest[0]) << largest[0] << " to " << largest[1];
}

std::string refusal(const Model& model, const TipPath& path, const std::vector<std::string>& joints = {}) {
  try {
    invert_tip_path(model, find_driven_joints(model, joints), path, make_zero_state(model));
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(TipInversion, RefusesWhatHasNoBoundedInverse) {
  // A node near the hub is collocated: zeros on the imaginary axis.
  const Model link = make_one_link(2, 0.1);
  EXPECT_NE(refusal(link, sideways(link, "link.watched", 1e-3, 1)).find("no bounded inversion"), std::string::npos);
  const Model arm = make_arm();
  TipPath path;
  path.node = kArmTip;
  path.position[1] = make_move(Profile::cycloid, 0, 1, 0, 10);
  EXPECT_NE(refusal(arm, path, {"shoulder"}).find("'elbow' is not driven"), std::string::npos);
  TipPath more = sideways(link, "link.tip", 1e-3, 1);
  more.position[0] = Signal(2.0);
  EXPECT_NE(refusal(link, more).find("more components"), std::string::npos);
}

}  // namespace
}  // namespace limber::test
