// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "apps/program.hpp"
#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/files/model_file.hpp"
#include "limber/report/report.hpp"
#include "limber/scenario/scenario.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/page_reader.hpp"

namespace limber::test {
namespace {

// Shapes of a closed chain satisfy the closures, and balance elastic and inertial forces in every permitted motion.
TEST(Facts, ModesOfAClosedChainMoveAsItCan) {
  const Scenario scenario = read_scenario(LIMBER_SOURCE_DIR "/examples/four-bar/scenario.yaml");
  const Model& model = *scenario.model;
  const State x = find_rest(model, scenario.initial);
  const FrequencyFacts found = compute_frequencies(model, x);
  ASSERT_FALSE(found.joints_free.empty());
  EXPECT_EQ(found.rigid, 1);
  KinematicsWorkspace kin(model);
  compute_kinematics(model, x, kin);
  compute_world_poses(model, kin);
  ClosureWorkspace closures(model);
  compute_closures(model, kin, closures);
  MatrixXd C(closures.count(), model.nv);
  Matrix6X scratch(6, model.nv);
  compute_closure_jacobian(model, kin, closures, scratch, C);
  CrbaWorkspace ws(model);
  MatrixXd M(model.nv, model.nv);
  crba(model, x, ws, M);
  MatrixXd K = MatrixXd::Zero(model.nv, model.nv);
  for (int i = 1; i < model.body_count(); ++i)
    K.block(model.first_mode(i), model.first_mode(i), model.body(i).modes, model.body(i).modes) =
        model.body(i).stiffness;
  const MatrixXd N = null_space(C);
  for (std::size_t k = 0; k < found.joints_free.size(); ++k) {
    const VectorXd shape = found.free_shapes.col(static_cast<Eigen::Index>(k));
    const double omega = 2 * std::numbers::pi * found.joints_free[k];
    EXPECT_LT((C * shape).norm(), 1e-9 * shape.norm());
    const VectorXd left = N.transpose() * (K * shape - omega * omega * M * shape);
    EXPECT_LT(left.norm(), 1e-8 * (N.transpose() * (K * shape)).norm());
  }
}

TEST(ModeReport, HoldsTheFrequenciesAndMovesBodiesAsTheShapesDo) {
  const Folder folder;
  const Model model = read_model(LIMBER_SOURCE_DIR "/examples/canadarm/planar.yaml");
  State x = make_zero_state(model);
  x.q[0] = 0.3;
  const ModelFacts facts = compute_facts(model, x, "a state");
  write_mode_report(model, facts, folder.file("modes.html"));
  const PageReader page = PageReader::of_file(folder.file("modes.html"));
  const FrequencyFacts& found = facts.frequencies;
  std::size_t own = 0;
  for (int i = 1; i < model.body_count(); ++i) own += static_cast<std::size_t>(model.body(i).modes);
  const std::size_t bodies = static_cast<std::size_t>(model.body_count() - 1);
  ASSERT_EQ(page.header["modes"].size(), found.joints_locked.size() + found.joints_free.size() + own);
  const std::vector<double> twists = page.numbers("mode_twists"), eta = page.numbers("mode_eta");
  // A small displacement along the shape of the first mode moves the frames by its twists.
  const std::size_t mode = found.joints_locked.size();
  EXPECT_NEAR(page.header["modes"][mode]["hz"], found.joints_free[0], 1e-9);
  const auto pose_at = [&](double step) {
    State moved = facts.at;
    moved.q += step * found.free_shapes.col(0);  // revolute joints and modes: speeds are rates of coordinates
    KinematicsWorkspace kin(model);
    compute_kinematics(model, moved, kin);
    compute_world_poses(model, kin);
    std::vector<Pose> poses;
    for (int i = 0; i < model.body_count(); ++i) poses.push_back(body_pose(kin, i));
    return poses;
  };
  constexpr double kSmall = 1e-5;
  const auto before = pose_at(-kSmall), after = pose_at(kSmall);
  for (std::size_t b = 0; b < bodies; ++b) {
    const Vector3d move = (after[b + 1].p - before[b + 1].p) / (2 * kSmall);
    const Eigen::AngleAxisd turned(after[b + 1].R * before[b + 1].R.transpose());
    const Vector3d turn = turned.angle() * turned.axis() / (2 * kSmall);
    const double* twist = &twists[(mode * bodies + b) * 6];
    EXPECT_LT((Vector3d(twist[0], twist[1], twist[2]) - turn).norm(), 1e-5 * (1 + turn.norm()));
    EXPECT_LT((Vector3d(twist[3], twist[4], twist[5]) - move).norm(), 1e-5 * (1 + move.norm()));
  }
}

// Shares of a detail text: "moves: hand 71 %, boom 20 %; strain: ...".
double first_share(const std::string& detail, const std::string& word) {
  const std::size_t at = detail.find(" %", detail.find(word));
  return std::stod(detail.substr(detail.rfind(' ', at - 1)));
}

TEST(ModeReport, NamesModesByWhatMovesMost) {
  const Folder folder;
  // A light flexible boom with a heavy load at its tip, and a stiff stub beside it.
  const std::string text = R"(limber: 1
name: crane
bodies:
  - {name: boom, beam: {length: 4, mass: 1, EIz: 500, GJ: 30, rotary_inertia_per_length: [0.01, 0.01], modes: {bending_y: 2, torsion: 1}}}
  - {name: load, rigid: {mass: 50, inertia: [8, 9, 10, 0, 0, 0]}}
  - {name: stub, beam: {length: 0.5, mass: 5, EIz: 5e4, modes: {bending_y: 1}}}
joints:
  - {name: foot, type: revolute, axis: [0, 0, 1], parent: world, child: boom, stiffness: 1e6}
  - {name: hook, type: fixed, parent: boom.tip, child: load}
  - {name: side, type: fixed, parent: world, child: stub}
)";
  const Model model = parse_model(text, "crane");
  const ModelFacts facts = compute_facts(model, make_zero_state(model), "the zero state");
  write_mode_report(model, facts, folder.file("modes.html"), {.file = "a/crane.yaml", .model_text = text});
  const PageReader page = PageReader::of_file(folder.file("modes.html"));
  const auto& first = page.header["modes"][0];
  EXPECT_EQ(first["name"], "mode 1: load");
  const std::string detail = first["detail"];
  EXPECT_GT(first_share(detail, "moves: load"), 95) << detail;
  EXPECT_GT(first_share(detail, "strain: boom bending_y1"), 90) << detail;
  bool stub = false;
  for (const auto& mode : page.header["modes"]) stub = stub || mode["name"].get<std::string>().ends_with(": stub");
  EXPECT_TRUE(stub);
  // Torsion of the boom is in the page, as rotations of its sections.
  const std::vector<double> turns = page.numbers(page.header["geometries"][0]["turns"]);
  ASSERT_EQ(turns.size(), 3u * 17 * 3);
  const double twist = turns[3 * 16 * 3 + 2];  // of the tip, about x, in the third mode
  const Node& tip = model.body(1).nodes[static_cast<std::size_t>(model.body(1).node_index("tip"))];
  EXPECT_NEAR(twist, tip.turn(0, 2), 1e-6 * std::abs(twist));
  EXPECT_GT(std::abs(twist), 0);
  // Provenance.
  EXPECT_EQ(page.header["file"], "crane.yaml");
  EXPECT_EQ(page.header["version"], LIMBER_VERSION);
  ASSERT_EQ(page.header["texts"].size(), 1u);
  EXPECT_EQ(page.header["texts"][0]["text"], text);
}

// Two cranks and a coupler in line with their pins: the closures are dependent there, but not nearby.
TEST(Facts, AClosedChainInLineIsMovedAsideWithAWord) {
  const auto chain = [](double a, double b) {
    const Model model = parse_model(R"(limber: 1
bodies:
  - {name: crank, beam: {length: 1, mass: 1, EIz: 100, modes: {bending_y: 1}}}
  - {name: coupler, beam: {length: 2, mass: 1, EIz: 100, modes: {bending_y: 1}}}
  - {name: rocker, beam: {length: 1, mass: 1, EIz: 100, modes: {bending_y: 1}}}
joints:
  - {name: drive, type: revolute, axis: [0, 0, 1], parent: world, child: crank}
  - {name: pin, type: revolute, axis: [0, 0, 1], parent: crank.tip, child: coupler}
  - {name: pivot, type: revolute, axis: [0, 0, 1], parent: world, child: rocker, origin: {xyz: [2, 0, 0]}}
closures:
  - {name: loop, type: revolute, axis: [0, 0, 1], a: coupler.tip, b: rocker.tip}
)",
                                    "chain");
    State x = make_zero_state(model);
    x.q[0] = a;
    x.q[2] = b;
    return compute_facts(model, x, "the start").frequencies;
  };
  const FrequencyFacts in_line = chain(0, 0), open = chain(0.9, -0.9);
  EXPECT_NE(in_line.caution.find("--at STATE"), std::string::npos) << in_line.caution;
  EXPECT_EQ(open.caution, "");
  for (const FrequencyFacts& found : {in_line, open}) {
    EXPECT_EQ(found.why_not, "");
    EXPECT_EQ(found.rigid, 1);  // the mechanism
    EXPECT_EQ(found.joints_free.size(), 3u);
  }
}

}  // namespace
}  // namespace limber::test
