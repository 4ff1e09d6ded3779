// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A two-link arm whose first link is a finite-element part of LIMBER_TEST_DATA/fe: reduced, and with every degree of
// freedom of the mesh as a coordinate.
#include <gtest/gtest.h>

#include "limber/body/consistent.hpp"
#include "limber/linear/facts.hpp"
#include "limber/scenario/simulation.hpp"
#include "support/fe_data.hpp"

namespace limber::test {
namespace {

// The mesh without reduction: 80 nodes, 8 of them fixed to the frame, unit shapes for the other 216 displacements.  The
// tip is the average of its nodes.
Body full_link(const FeModel& model) {
  const std::vector<int> base = find_nodes(model, "NBASE"), tip = find_nodes(model, "NTIP");
  ConsistentSpec spec;
  spec.positions = model.part.positions;
  spec.mass = model.part.mass;
  spec.stiffness = model.part.stiffness;
  std::vector<int> rows;
  for (int p = 0; p < 80; ++p)
    for (int k = 0; k < 3 && std::find(base.begin(), base.end(), p) == base.end(); ++k) rows.push_back(3 * p + k);
  const auto n = static_cast<Eigen::Index>(rows.size());
  spec.shapes = MatrixXd::Zero(240, n);
  for (Eigen::Index a = 0; a < n; ++a) spec.shapes(rows[static_cast<std::size_t>(a)], a) = 1;
  // q = (B^T B)^-1 B^T u about the center of the tip face.
  MatrixXd B(24, 6), u(24, n);
  for (Eigen::Index k = 0; k < 8; ++k) {
    const int p = tip[static_cast<std::size_t>(k)];
    const Vector3d d = model.part.positions.col(p) - Vector3d(0.5, 0, 0);
    B.middleRows(3 * k, 3) << 1, 0, 0, 0, d.z(), -d.y(), 0, 1, 0, -d.z(), 0, d.x(), 0, 0, 1, d.y(), -d.x(), 0;
    u.middleRows(3 * k, 3) = spec.shapes.middleRows(3 * p, 3);
  }
  const MatrixXd q = (B.transpose() * B).ldlt().solve(B.transpose() * u);
  Node node;
  node.name = "tip";
  node.position = {0.5, 0, 0};
  node.translation = q.topRows(3);
  node.turn = q.bottomRows(3);
  spec.nodes = {node};
  return make_modal_body(spec);
}

Model make_arm(Body link) {
  ModelBuilder builder("arm");
  builder.gravity({0, 0, -9.81});
  link.name = "link";
  const int tip = link.node_index("tip");
  const int first = builder.add_body(std::move(link));
  RigidSpec load;
  load.mass = 2;
  load.com = {0.2, 0, 0.05};
  load.inertia = Vector3d(0.01, 0.02, 0.02).asDiagonal();
  Body second = make_rigid_body(load);
  second.name = "load";
  const int outer = builder.add_body(std::move(second));
  for (const bool elbow : {false, true}) {
    Joint joint;
    joint.name = elbow ? "elbow" : "shoulder";
    joint.axis = elbow ? Vector3d(0, 1, 0) : Vector3d(0, 1, 0.3).normalized();
    joint.kind = JointKind::revolute;
    joint.parent = elbow ? NodeRef{first, tip} : NodeRef{};
    joint.stiffness = joint.damping = joint.armature = VectorXd::Zero(1);
    builder.add_joint(std::move(joint), elbow ? outer : first);
  }
  return builder.build();
}

TEST(FeArm, ReducedLinkMovesAsTheWholeMesh) {
  const FeModel model = read_part(LIMBER_FE("beam_tiny_matrix"), LIMBER_FE("beam_tiny_msh.inp"));
  const std::vector<FeInterface> ends = {{"base", find_nodes(model, "NBASE"), FeCoupling::rigid},
                                         {"tip", find_nodes(model, "NTIP"), FeCoupling::average}};
  const auto reduced = [&](int modes) { return make_arm(reduce_part(model.part, ends, {.modes = modes}).body); };
  const auto run = [](Model arm) {
    Simulation simulation(std::move(arm), {.method = "implicit", .step = 2e-4});
    State x = make_zero_state(simulation.model());
    x.v(0) = 4;
    simulation.set_state(x);
    std::vector<double> out;
    for (int k = 1; k <= 10; ++k) {
      simulation.advance_to(4e-3 * k);
      const Vector3d tip = simulation.pose("link.tip").p;
      out.insert(out.end(), {tip.x(), tip.y(), tip.z()});
    }
    return VectorXd(Eigen::Map<VectorXd>(out.data(), static_cast<Eigen::Index>(out.size())));
  };
  const VectorXd whole = run(make_arm(full_link(model)));
  // Effect of the elasticity: the same with an almost rigid link.
  FeModel stiff = model;
  stiff.part.stiffness *= 100;
  const VectorXd rigid = run(make_arm(reduce_part(stiff.part, ends, {.modes = 8}).body));
  const double elastic = (rigid - whole).cwiseAbs().maxCoeff();
  const double error8 = (run(reduced(8)) - whole).cwiseAbs().maxCoeff(),
               error0 = (run(reduced(0)) - whole).cwiseAbs().maxCoeff();
  EXPECT_GT(elastic, 1e-5);
  EXPECT_LT(error8, 2e-3 * elastic);
  EXPECT_LT(error8, error0);
}

TEST(FeArm, ReducedLinkHasTheFrequenciesOfTheWholeMesh) {
  const FeModel model = read_part(LIMBER_FE("beam_tiny_matrix"), LIMBER_FE("beam_tiny_msh.inp"));
  const std::vector<FeInterface> ends = {{"base", find_nodes(model, "NBASE"), FeCoupling::rigid},
                                         {"tip", find_nodes(model, "NTIP"), FeCoupling::average}};
  const Model arm = make_arm(reduce_part(model.part, ends, {.modes = 12}).body);
  const Model complete = make_arm(reduce_part(model.part, ends, {.method = FeMethod::clamped, .modes = 180}).body);
  const FrequencyFacts few = compute_frequencies(arm, make_zero_state(arm));
  const FrequencyFacts all = compute_frequencies(complete, make_zero_state(complete));
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(few.joints_free[k], all.joints_free[k], 2e-3 * all.joints_free[k]) << k;
}

}  // namespace
}  // namespace limber::test
