// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/kinematics.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/text_file.hpp"
#include "limber/files/urdf.hpp"

namespace limber {
namespace {

// A folder with a copy of a URDF and a model file beside it.
class Robot {
 public:
  explicit Robot(const std::string& urdf) : folder_(std::filesystem::temp_directory_path() / unique_name()) {
    std::filesystem::create_directory(folder_);
    std::filesystem::copy(urdf, folder_ / "robot.urdf");
  }
  ~Robot() { std::filesystem::remove_all(folder_); }
  Model read(const std::string& model) const {
    std::ofstream(folder_ / "model.yaml") << "limber: 1\nurdf: robot.urdf\n" << model;
    return read_model((folder_ / "model.yaml").string());
  }
  std::string message(const std::string& model) const {
    try {
      read(model);
    } catch (const Error& e) {
      return std::string(e.what()).substr(folder_.string().size() + 1);
    }
    return "none";
  }

 private:
  static std::string unique_name() {
    static int count = 0;
    return "limber-urdf-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "-" +
           std::to_string(::getpid()) + "-" + std::to_string(count++);
  }
  std::filesystem::path folder_;
};

const std::string kRobotArm = LIMBER_SOURCE_DIR "/examples/industrial-arm/robot.urdf";
const std::string kMixedRobot = LIMBER_TEST_DATA "/urdf/mixed.urdf";

// Without deformation, the poses of all links of the rigid and of the flexible robot are equal.
void expect_same_geometry(const Model& rigid, const Model& flexible) {
  State x = make_zero_state(rigid), y = make_zero_state(flexible);
  for (int i = 0; i < rigid.nq; ++i) {
    x.q[i] = 0.4 - 0.15 * i;
    y.q[flexible.coordinate(rigid.coordinates[i])] = x.q[i];
  }
  KinematicsWorkspace a(rigid), b(flexible);
  compute_kinematics(rigid, x, a);
  compute_world_poses(rigid, a);
  compute_kinematics(flexible, y, b);
  compute_world_poses(flexible, b);
  for (int i = 1; i < rigid.body_count(); ++i) {
    const int k = flexible.body_index(rigid.body_names[i]);
    if (flexible.body(k).modes > 0) continue;
    EXPECT_LT((body_pose(a, i).p - body_pose(b, k).p).norm(), 1e-14) << rigid.body_names[i];
    EXPECT_LT((body_pose(a, i).R - body_pose(b, k).R).norm(), 1e-14) << rigid.body_names[i];
  }
}

TEST(UrdfFlexible, UndeformedItHasTheGeometryOfTheRigidRobot) {
  const Robot arm(kRobotArm), mixed(kMixedRobot);
  const std::string beam = "{EIy: 1e4, EIz: 1e4, modes: {bending_y: 1, bending_z: 1}}";
  const Model flexible = arm.read("flexible: {link_2: {beam: " + beam + "}, link_4: {beam: " + beam + "}}\n");
  EXPECT_EQ(flexible.nv, 6 + 4);
  const Body& upper = flexible.body(flexible.body_index("link_2"));
  EXPECT_DOUBLE_EQ(upper.length, 0.455);
  EXPECT_NEAR(upper.mass, 12.5, 1e-12);
  expect_same_geometry(read_model(kRobotArm), flexible);
  // Outboard joints beside the axis, one of them between root and tip; an oblique joint below.
  expect_same_geometry(read_model(kMixedRobot), mixed.read("flexible: {column: {beam: " + beam + "}}\n"));
  // A body frame away from the origin of its link.
  expect_same_geometry(
      read_model(kMixedRobot),
      mixed.read("flexible:\n  column: {beam: {length: 0.5, EIy: 1e4, EIz: 1e4, modes: {bending_y: 1}}, "
                 "origin: {xyz: [0, 0.02, 0.1], rpy: [0, -1.5708, 0]}}\n"));
  expect_same_geometry(
      read_model(kMixedRobot),
      mixed.read(
          "flexible:\n  slide: {plate: {length: 0.4, width: 0.2, D: 100, mass_per_area: 30, edges: [clamped, free, "
          "free, free], modes: 3}, nodes: [{name: end, at: [1, 0.5]}], origin: {xyz: [0, -0.1, 0.1]}}\n"));
}

// With stiff beams of the link's inertia, the mass matrix of the joints is that of the rigid robot.
TEST(UrdfFlexible, HingePartOfTheMassMatrixIsThatOfTheLinks) {
  const Robot arm(kRobotArm);
  const Model flexible = arm.read("flexible: {link_2: {beam: {EIy: 1e4, EIz: 1e4, modes: {bending_z: 1}}}}\n");
  // The same arm with the link as a rigid rod.
  std::string text = import_urdf(read_text_file(kRobotArm), "robot.urdf").text;
  const double J = 12.5 * 0.455 * 0.455 / 12;
  const std::size_t at = text.find("name: \"link_2\"");
  const std::size_t from = text.find("inertia: [", at), to = text.find(']', from);
  text.replace(from, to - from + 1, "inertia: [0, " + std::to_string(J) + ", " + std::to_string(J) + ", 0, 0, 0]");
  const Model rod = parse_model(text, "rod.yaml");
  State x = make_zero_state(rod), y = make_zero_state(flexible);
  MatrixXd M(rod.nv, rod.nv), N(flexible.nv, flexible.nv);
  for (int i = 0; i < rod.nq; ++i) y.q[flexible.coordinate(rod.coordinates[i])] = x.q[i] = 0.3 * i - 0.5;
  CrbaWorkspace a(rod), b(flexible);
  crba(rod, x, a, M);
  crba(flexible, y, b, N);
  for (int i = 0; i < rod.nv; ++i)
    for (int k = 0; k < rod.nv; ++k)
      EXPECT_NEAR(M(i, k), N(flexible.speed(rod.speeds[i]), flexible.speed(rod.speeds[k])), 2e-6) << i << k;
}

TEST(UrdfFlexible, ClosuresCloseChains) {
  const Robot mixed(kMixedRobot);
  const Model model = mixed.read("closures: [{name: pin, type: spherical, a: tool, b: weight}]\ngravity: [0, 0, 0]\n");
  EXPECT_EQ(model.closures.size(), 1);
  EXPECT_EQ(model.gravity, Vector3d::Zero());
}

TEST(UrdfFlexible, FaultsAreNamed) {
  const Robot arm(kRobotArm);
  const std::string unknown = arm.message("flexible: {link_9: {beam: {}}}\n");
  EXPECT_TRUE(unknown.starts_with("model.yaml:3: flexible: 'link_9' is not a link of ")) << unknown;
  EXPECT_TRUE(unknown.ends_with("links: base_link, link_1, link_2, link_3, link_4, link_5, link_6, load")) << unknown;
  EXPECT_EQ(arm.message("flexible: {link_2: {}}\n"),
            "model.yaml:3: missing key in flexible.link_2; write exactly one of beam, plate, modal, file");
  EXPECT_EQ(arm.message("flexible: {link_2: {beam: {EIz: 1e4, modes: {bending_x: 1}}}}\n"),
            "model.yaml:3: body 'link_2': unknown key 'bending_x' in beam.modes; did you mean 'bending_y'? known: "
            "bending_y, bending_z, axial, torsion");
  EXPECT_EQ(arm.message("flexible: {load: {beam: {EIz: 1e4, modes: {bending_y: 1}}}}\n"),
            "model.yaml:3: missing key 'length' in beam; no joint shows where the link ends, write for example length: "
            "0.5");
  EXPECT_EQ(arm.message("bodies: []\n"),
            "model.yaml:3: unknown key 'bodies'; known: limber, name, gravity, fidelity, urdf, flexible, closures, "
            "elements, contacts");
  EXPECT_TRUE(Robot(kRobotArm)
                  .message("closures: [{name: p, type: spherical, a: nobody, b: load}]\n")
                  .starts_with("model.yaml:3: closure 'p': a 'nobody' is not a body;"));
}

}  // namespace
}  // namespace limber
