// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/urdf.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/kinematics.hpp"
#include "limber/dynamics/rnea.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/model_writer.hpp"
#include "limber/files/text_file.hpp"
#include "limber/model/friction.hpp"

namespace limber {
namespace {

const std::string kMixed = LIMBER_TEST_DATA "/urdf/mixed.urdf";
const std::string kArmUrdf = LIMBER_SOURCE_DIR "/examples/industrial-arm/robot.urdf";

// Coordinates, speeds and accelerations of urdf_rnea.py, in the order of the joints in the file.
struct Case {
  State x;
  VectorXd a;
};
Case make_case(const Model& model, const std::vector<std::string>& joints) {
  Case out{make_zero_state(model), VectorXd::Zero(model.nv)};
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const double k = static_cast<double>(i);
    const int j = model.speed(joints[i]);
    out.x.q[model.coordinate(joints[i])] = 0.3 - 0.2 * k;
    out.x.v[j] = 0.5 * (i % 2 == 0 ? 1 : -1) + 0.1 * k;
    out.a[j] = 1 - 0.7 * k;
  }
  return out;
}

VectorXd torques(const Model& model, const Case& at) {
  VectorXd tau(model.nv);
  RneaWorkspace ws(model);
  rnea(model, at.x, at.a, {}, ws, tau);
  return tau;
}

void expect_torques(const Model& model, const std::vector<std::string>& joints, const std::vector<double>& expected) {
  const VectorXd tau = torques(model, make_case(model, joints));
  for (std::size_t i = 0; i < joints.size(); ++i)
    EXPECT_NEAR(tau[model.speed(joints[i])], expected[i], 1e-11 * (1 + std::abs(expected[i]))) << joints[i];
}

// Numbers from tests/files/urdf_rnea.py, which is independent of the library.
TEST(Urdf, InverseDynamicsIsThatOfAnIndependentProgram) {
  expect_torques(read_model(kMixed), {"swing", "lift", "wrist", "counter"},
                 {-4.7292319467837975, 3.1294185466516957, 0.13783491880236295, -0.07455360440746647});
  expect_torques(read_model(kArmUrdf), {"joint_1", "joint_2", "joint_3", "joint_4", "joint_5", "joint_6"},
                 {19.397581907760145, -176.91896269058626, -53.41260221859797, 0.5816156049381997, -7.614189582585838,
                  -0.03853411301624317});
}

TEST(Urdf, ImportExportImportIsTheSameMachine) {
  for (const std::string& file : {kMixed, kArmUrdf}) {
    const Model first = read_model(file);
    const ImportedModel imported = import_urdf(read_text_file(file), file);
    const Model second = parse_model(imported.text, "imported.yaml");
    const Model third = parse_model(urdf_text(second), "exported.urdf");
    const Model fourth = parse_model(import_urdf(urdf_text(third), "again.urdf").text, "again.yaml");
    EXPECT_EQ(model_text(first), model_text(second));
    for (const Model* model : {&third, &fourth}) {
      ASSERT_EQ(model->coordinates, first.coordinates);
      ASSERT_EQ(model->body_names, first.body_names);
      const std::vector<std::string> joints(first.coordinates.begin(), first.coordinates.end());
      const VectorXd a = torques(first, make_case(first, joints)), b = torques(*model, make_case(*model, joints));
      EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-12 * (1 + a.cwiseAbs().maxCoeff()));
      for (int i = 1; i < first.body_count(); ++i) {
        EXPECT_EQ(first.joints[i].effort_limit, model->joints[i].effort_limit);
        EXPECT_EQ(first.joints[i].velocity_limit, model->joints[i].velocity_limit);
        ASSERT_EQ(first.joints[i].stop.has_value(), model->joints[i].stop.has_value());
        if (first.joints[i].stop) {
          EXPECT_EQ(first.joints[i].stop->lower, model->joints[i].stop->lower);
          EXPECT_EQ(first.joints[i].stop->stiffness, model->joints[i].stop->stiffness);
        }
        ASSERT_EQ(first.body(i).visuals.size(), model->body(i).visuals.size());
        for (std::size_t k = 0; k < first.body(i).visuals.size(); ++k) {
          EXPECT_EQ(first.body(i).visuals[k].kind, model->body(i).visuals[k].kind);
          EXPECT_EQ(first.body(i).visuals[k].file, model->body(i).visuals[k].file);
          EXPECT_EQ(first.body(i).visuals[k].size, model->body(i).visuals[k].size);
        }
      }
    }
  }
}

TEST(Urdf, KeepsLimitsDampingMeshesAndTheOrderOfTheTree) {
  const Model model = read_model(kMixed);
  EXPECT_EQ(model.coordinates, (std::vector<std::string>{"swing", "lift", "counter", "wrist"}));
  EXPECT_EQ(model.gravity, Vector3d(0, 0, -9.81));
  const Joint& swing = model.joints[model.joint_index("swing")];
  EXPECT_EQ(swing.effort_limit, 120);
  EXPECT_EQ(swing.velocity_limit, 2.5);
  EXPECT_EQ(swing.stop->upper, 2.2);
  EXPECT_EQ(swing.stop->stiffness, 12000);
  EXPECT_EQ(swing.damping[0], 0.7);
  EXPECT_FALSE(model.joints[model.joint_index("wrist")].stop.has_value());
  const Body& slide = model.body(model.body_index("slide"));
  ASSERT_EQ(slide.visuals.size(), 1);
  EXPECT_EQ(slide.visuals[0].file, "package://mixed/meshes/slide%20one.stl");
  EXPECT_EQ(model.body(model.body_index("hand")).visuals.size(), 2);
}

constexpr const char* kBall =
    R"(<inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>)";

std::string robot(const std::string& inside) { return "<robot name=\"r\">\n" + inside + "\n</robot>\n"; }
std::string solid(const std::string& name) { return "<link name=\"" + name + "\">" + kBall + "</link>\n"; }
std::string jointed(const std::string& type, const std::string& more = "") {
  return "<link name=\"world\"/>\n" + solid("a") + "<joint name=\"j\" type=\"" + type +
         "\"><parent link=\"world\"/><child link=\"a\"/>" + more + "</joint>";
}

// A planar joint becomes two sliders and a rotation; a floating one is free.
TEST(Urdf, PlanarAndFloatingJoints) {
  const Model planar = parse_model(robot(jointed("planar", "<axis xyz=\"0 0 1\"/>")), "r.urdf");
  EXPECT_EQ(planar.coordinates, (std::vector<std::string>{"j_x", "j_y", "j"}));
  State x = make_zero_state(planar);
  x.q = Vector3d(0.3, -0.4, 0.5);
  MatrixXd M(3, 3);
  CrbaWorkspace ws(planar);
  crba(planar, x, ws, M);
  EXPECT_LT((M - MatrixXd(Vector3d(2, 2, 0.1).asDiagonal())).cwiseAbs().maxCoeff(), 1e-14);
  KinematicsWorkspace kin(planar);
  compute_kinematics(planar, x, kin);
  compute_world_poses(planar, kin);
  const Pose pose = body_pose(kin, planar.body_index("a"));
  EXPECT_LT((pose.p - Vector3d(0.3, -0.4, 0)).norm(), 1e-15);
  EXPECT_NEAR(pose.R(1, 0), std::sin(0.5), 1e-15);
  EXPECT_EQ(parse_model(robot(jointed("floating")), "r.urdf").nv, 6);
}

// Names in use or not permitted here are changed with a note; there are also notes on what is omitted.
TEST(Urdf, NotesSayWhatChanged) {
  const std::string text = robot(
      solid("a/b") + solid("j") +
      R"(<joint name="j" type="continuous"><parent link="a/b"/><child link="j"/><dynamics damping="1" friction="0.5"/></joint>)");
  const ImportedModel imported = import_urdf(text, "r.urdf");
  EXPECT_EQ(imported.notes,
            (std::vector<std::string>{"link 'a/b' is called 'a_b' here", "joint 'j' is called 'j_joint' here"}));
  const Model model = parse_model(imported.text, "r.yaml");
  EXPECT_EQ(model.coordinates[0], "j_joint");
  EXPECT_EQ(model.joints[model.joint_index("j_joint")].damping[0], 1);
  EXPECT_EQ(model.joints[model.joint_index("j_joint")].friction->coulomb, 0.5);
}

std::string urdf_message(const std::string& text) {
  try {
    parse_model(text, "r.urdf");
  } catch (const Error& e) {
    return e.what();
  }
  return "none";
}

TEST(Urdf, FaultsAreNamed) {
  EXPECT_EQ(urdf_message("<robot name='r'><link"), "r.urdf:1: XML: Failed to read Element name");
  EXPECT_EQ(urdf_message("<a/>"), "r.urdf:1: no element 'robot'; a URDF is <robot name=\"...\"> with links and joints");
  EXPECT_EQ(urdf_message("<robot/>"), "r.urdf:1: a robot without a name; write name=\"...\"");
  EXPECT_EQ(urdf_message(robot("")), "r.urdf:1: a robot without links; write <link name=\"...\"/>");
  EXPECT_EQ(urdf_message(robot("<link/>")), "r.urdf:2: a link without a name; write name=\"...\"");
  EXPECT_EQ(urdf_message(robot(solid("a") + solid("a"))), "r.urdf:3: duplicate link 'a'; rename one");
  EXPECT_EQ(urdf_message(robot(solid("a") + solid("b"))),
            "r.urdf:3: links 'a' and 'b' are both roots; a robot has one root link");
  EXPECT_EQ(urdf_message(robot(jointed("fixed", "<mimic joint=\"k\"/>"))),
            "r.urdf:4: joint 'j': mimic is not supported: the coordinates of joints are independent; leave it out, so "
            "that the joint moves by "
            "itself, or make the joint fixed");
  EXPECT_EQ(urdf_message(robot(jointed("floating", "<dynamics friction=\"0.5\"/>"))),
            "r.urdf:4: joint 'j': friction 0.5: only joints with one coordinate have dry friction; set it to 0, or use "
            "`limber import`, which leaves it out");
  EXPECT_EQ(urdf_message(robot(jointed("continuous", "<axis xyz=\"0 0 0\"/>"))),
            "r.urdf:4: joint 'j': axis has length 0; write for example <axis xyz=\"0 0 1\"/>");
  EXPECT_EQ(urdf_message(robot(jointed("revolute", "<limit effort=\"1\" velocity=\"1\" lower=\"1\" upper=\"-1\"/>"))),
            "r.urdf:4: joint 'j': lower limit 1 is above upper limit -1");
  EXPECT_EQ(
      urdf_message(robot(jointed("gears"))),
      "r.urdf:4: joint 'j': type 'gears' is unknown; types: fixed, revolute, continuous, prismatic, planar, floating");
  EXPECT_EQ(urdf_message(robot(jointed("revolute"))),
            "r.urdf:4: Joint [j] is of type REVOLUTE but it does not specify limits; joint xml is not initialized "
            "correctly");
  EXPECT_EQ(urdf_message(robot(solid("a") + solid("b") +
                               "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"c\"/></joint>")),
            "r.urdf:4: joint 'j': child 'c' is not a link; links: a, b");
  EXPECT_EQ(urdf_message(robot(solid("a") + solid("b&#10;c") +
                               "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"c\"/></joint>")),
            "r.urdf:4: joint 'j': child 'c' is not a link; links: a, b c");
  const auto loop = [](const char* joint, const char* parent, const char* child) {
    return std::string("<joint name=\"") + joint + "\" type=\"fixed\"><parent link=\"" + parent + "\"/><child link=\"" +
           child + "\"/></joint>\n";
  };
  EXPECT_EQ(urdf_message(robot(solid("a") + solid("b") + loop("j", "a", "b") + loop("k", "b", "a"))),
            "r.urdf:4: joint 'j' is part of a loop, or carried by one; leave one joint of it out and write it under "
            "closures of a model file");
  EXPECT_EQ(urdf_message(robot(solid("r") + solid("a") + solid("b") + loop("j", "a", "b") + loop("k", "b", "a"))),
            "r.urdf:5: joint 'j' is part of a loop, or carried by one; leave one joint of it out and write it under "
            "closures of a model file");
  EXPECT_EQ(
      urdf_message(robot(solid("a") + solid("b") + solid("c") + loop("j", "a", "c") + loop("k", "b", "c"))),
      "r.urdf:6: joint 'k': child 'c' is carried by joint 'j' already; a closed chain is written under closures of a "
      "model file");
}

std::string inertia_message(const std::string& mass, const std::string& ixx) {
  return urdf_message(robot("<link name=\"arm\">\n<inertial><mass value=\"" + mass + "\"/><inertia ixx=\"" + ixx +
                            "\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>"));
}

// Impossible inertias and non-finite numbers are reported with the name of the link.
TEST(Urdf, UnphysicalInertiaIsReportedWithItsLink) {
  EXPECT_EQ(inertia_message("1", "5"),
            "r.urdf:3: link 'arm': no mass has this inertia: its principal moment 5 is above the sum of the others, 2; "
            "give the inertia about the centre of mass, in the order xx yy zz xy xz yz");
  EXPECT_TRUE(inertia_message("1", "-1").starts_with("r.urdf:3: link 'arm': ")) << inertia_message("1", "-1");
  EXPECT_EQ(inertia_message("0", "1"), "r.urdf:3: link 'arm': inertia without mass; give both, or neither");
  EXPECT_EQ(inertia_message("-1", "1"), "r.urdf:3: link 'arm': mass is -1; give 0 or a positive number");
  EXPECT_EQ(inertia_message("nan", "1"),
            "r.urdf:2: Inertial: mass [nan] is not a float; Could not parse inertial element for Link [arm]");
  EXPECT_EQ(inertia_message("%s%n", "1"),
            "r.urdf:2: Inertial: mass [%s%n] is not a float; Could not parse inertial element for Link [arm]");
  EXPECT_EQ(inertia_message("1", "1e999"),
            "r.urdf:2: Inertial: inertia element ixx is not a valid double; Could not parse inertial element for Link "
            "[arm]");
}

TEST(Urdf, LongChainsAndDeepNestingEndInOneLine) {
  std::string deep = "<robot name=\"r\">";
  for (int k = 0; k < 100000; ++k) deep += "<a>";
  EXPECT_EQ(urdf_message(deep), "r.urdf:1: elements nested deeper than 64 levels");
  std::string chain = solid("l0");
  for (int k = 1; k < 3000; ++k)
    chain += solid("l" + std::to_string(k)) + "<joint name=\"j" + std::to_string(k) +
             "\" type=\"continuous\"><origin xyz=\"1 0 0\"/><parent link=\"l" + std::to_string(k - 1) +
             "\"/><child link=\"l" + std::to_string(k) + "\"/></joint>\n";
  EXPECT_EQ(parse_model(robot(chain), "r.urdf").nv, 2999);
}

std::string export_message(const std::string& yaml) {
  try {
    urdf_text(parse_model(yaml, "m.yaml"));
  } catch (const Error& e) {
    return e.what();
  }
  return "none";
}

TEST(Urdf, ExportRefusesWhatUrdfHasNoWordFor) {
  EXPECT_EQ(
      export_message("{limber: 1, bodies: [{name: b, beam: {length: 1, mass: 1, EIz: 1, modes: {bending_y: 1}}}], "
                     "joints: [{name: j, type: fixed, parent: world, child: b}]}"),
      "body 'b': cannot be written as URDF: it is flexible, and links of a URDF are rigid");
  EXPECT_EQ(export_message("{limber: 1, bodies: [{name: b, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}], "
                           "joints: [{name: j, type: spherical, parent: world, child: b}]}"),
            "joint 'j': cannot be written as URDF: URDF has no joint of type spherical");
  EXPECT_EQ(
      export_message("{limber: 1, bodies: [{name: b, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}], "
                     "joints: [{name: j, type: revolute, axis: [0, 0, 1], stiffness: 2, parent: world, child: b}]}"),
      "joint 'j': cannot be written as URDF: URDF has no joint springs and no armature");
}

// A joint on a node: the frame of the link is there.
TEST(Urdf, ExportMovesTheFrameToTheJoint) {
  const Model model = parse_model(
      "{limber: 1, gravity: [0, 0, -9.81], bodies: [{name: b, rigid: {mass: 2, com: [0.1, 0.2, 0.3], inertia: "
      "[0.1, 0.2, 0.25, 0.01, 0.02, 0.03]}, nodes: [{name: n, position: [0.4, 0, 0.1], rpy: [0.3, 0.2, 0.1]}]}, "
      "{name: c, rigid: {mass: 1, com: [0, 0.5, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}}], joints: "
      "[{name: j, type: revolute, axis: [0, 1, 0], parent: world, child: b.n}, "
      "{name: k, type: prismatic, axis: [1, 0, 1], parent: b.n, child: c, origin: {xyz: [0, 0, 1], rpy: [0, 1, 0]}}]}",
      "m.yaml");
  const Model back = parse_model(urdf_text(model), "m.urdf");
  const VectorXd a = torques(model, make_case(model, {"j", "k"})), b = torques(back, make_case(back, {"j", "k"}));
  EXPECT_LT((a - b).norm(), 1e-12 * a.norm());
}

}  // namespace
}  // namespace limber
