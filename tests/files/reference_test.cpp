// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The exact numbers in tests/data/reference (sources in its README): each file has a model and two states.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "limber/files/model_file.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/rotation.hpp"
#include "support/brute_force.hpp"
#include "support/engine.hpp"

namespace limber::test {
namespace {

using nlohmann::json;

// The numbers are accurate to about 1e-12 relative.
constexpr double kReference = 1e-10;

VectorXd vector(const json& j) {
  const auto numbers = j.get<std::vector<double>>();
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

MatrixXd matrix(const json& j) {
  MatrixXd m(static_cast<Eigen::Index>(j.size()), j.empty() ? 0 : static_cast<Eigen::Index>(j[0].size()));
  for (Eigen::Index r = 0; r < m.rows(); ++r) m.row(r) = vector(j[r]).transpose();
  return m;
}

Matrix3d rotation(const json& j) {
  if (j[0].is_array()) return matrix(j);
  const VectorXd by_rows = vector(j);
  return Eigen::Map<const Matrix3d>(by_rows.data()).transpose();
}

std::vector<std::string> case_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(LIMBER_TEST_DATA "/reference")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Reference : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::ifstream in(GetParam());
    file_ = json::parse(in);
    model_ = parse_model(file_["model"].dump(), GetParam());
  }
  State state(const json& s) const { return {0, vector(s["q"]), vector(s["v"])}; }

  json file_;
  Model model_;
};

void expect_near(const VectorXd& x, const VectorXd& expected, const char* what) {
  EXPECT_CLOSE(x, expected, kReference * expected.norm()) << what;
}

TEST_P(Reference, ForwardDynamics) {
  Engine engine(model_);
  for (const json& s : file_["states"]) {
    const VectorXd expected = vector(s["expected"]["acceleration"]), tau = vector(s["tau"]);
    expect_near(engine.forward(state(s), tau), expected, "aba");
    expect_near(engine.dense_forward(state(s), tau), expected, "crba");
    // Subtracting the bias tests M^-1 alone.
    const VectorXd h = engine.inverse(state(s), VectorXd::Zero(model_.nv));
    expect_near(engine.mass_solve(state(s), tau - h), expected, "M^-1");
  }
}

TEST_P(Reference, InverseDynamics) {
  Engine engine(model_);
  for (const json& s : file_["states"]) {
    expect_near(engine.inverse(state(s), vector(s["a"])), vector(s["expected"]["force"]), "rnea");
  }
}

TEST_P(Reference, MassMatrix) {
  Engine engine(model_);
  for (const json& s : file_["states"]) {
    const MatrixXd M = matrix(s["expected"]["mass_matrix"]),
                   inverse = Lu(M).solve(MatrixXd(MatrixXd::Identity(M.rows(), M.cols())));
    EXPECT_CLOSE(engine.mass(state(s)), M, kReference * M.norm());
    for (int j = 0; j < model_.nv; ++j) {
      expect_near(engine.mass_times(state(s), VectorXd::Unit(model_.nv, j)), M.col(j), "M");
      expect_near(engine.mass_solve(state(s), VectorXd::Unit(model_.nv, j)), inverse.col(j), "M^-1");
    }
  }
}

TEST_P(Reference, EnergiesAndNodes) {
  Engine engine(model_);
  for (const json& s : file_["states"]) {
    const json& expected = s["expected"];
    if (!expected.contains("nodes")) {
      EXPECT_EQ(model_.fidelity, Fidelity::ruthless);
      continue;
    }
    const Energy e = engine.energy(state(s));
    const double kinetic = expected["kinetic_energy"], potential = expected["potential_energy"];
    EXPECT_NEAR(e.kinetic, kinetic, kReference * kinetic);
    EXPECT_NEAR(e.potential(), potential, kReference * (std::abs(e.gravity) + e.elastic + e.springs));
    const Kinematics& kin = engine.kinematics(state(s));
    for (const auto& [name, pose] : expected["nodes"].items()) {
      const std::size_t dot = name.find('.');
      const int body = model_.find_body(name.substr(0, dot));
      ASSERT_GT(body, 0) << name;
      const int node = dot == std::string::npos ? kBodyFrame : model_.body(body).node_index(name.substr(dot + 1));
      const Pose x = node_pose(model_, kin, {body, node});
      EXPECT_CLOSE(x.p, vector(pose["position"]), kReference * (1 + x.p.norm())) << name;
      EXPECT_CLOSE(x.R, rotation(pose["rotation"]), kReference) << name;
    }
  }
}

// ---- the brute-force reference itself -------------------------------------------------------------

Node node_of(const json& j, int modes) {
  Node node;
  node.name = j["name"];
  node.position = vector(j["position"]);
  node.rotation = rpy_rotation(vector(j["rpy"]));
  node.translation = node.turn = Matrix3Xd(3, modes);
  if (modes > 0) node.translation = matrix(j["translation"]);
  if (modes > 0) node.turn = matrix(j["rotation"]);
  for (int k = 0; k < 3 && j.contains("second"); ++k) node.second[k] = matrix(j["second"][k]);
  return node;
}

BodySpec body_of(const json& j) {
  if (j.contains("rigid")) {
    RigidSpec rigid;
    rigid.mass = j["rigid"]["mass"];
    rigid.com = vector(j["rigid"]["com"]);
    const VectorXd i = vector(j["rigid"]["inertia"]);
    rigid.inertia << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
    for (const json& n : j["nodes"]) rigid.nodes.push_back(node_of(n, 0));
    return rigid;
  }
  ModalSpec modal;
  for (const json& p : j["modal"]["points"]) {
    MassPoint point{p["mass"], vector(p["position"]), matrix(p["shape"]), {}};
    for (int k = 0; k < 3 && p.contains("second"); ++k) point.second[k] = matrix(p["second"][k]);
    modal.points.push_back(point);
  }
  modal.stiffness = matrix(j["modal"]["stiffness"]);
  modal.damping = matrix(j["modal"]["damping"]);
  for (const json& n : j["nodes"]) modal.nodes.push_back(node_of(n, static_cast<int>(modal.stiffness.rows())));
  return modal;
}

// Tree and joints as read by the library, bodies as given in the file.
Machine machine_of(const json& file, const Model& model) {
  Machine machine;
  machine.gravity = vector(file["gravity"]);
  machine.fidelity = model.fidelity;
  for (int i = 1; i < model.body_count(); ++i) {
    machine.joints.push_back(model.joints[i]);
    for (const json& body : file["bodies"]) {
      if (body["name"] == model.body_names[i]) machine.bodies.push_back(body_of(body));
    }
  }
  return machine;
}

TEST_P(Reference, AgreesWithOurOwnBruteForce) {
  const Machine machine = machine_of(file_["model"], model_);
  for (const json& s : file_["states"]) {
    const BruteForce exact(machine, state(s));
    const MatrixXd M = matrix(s["expected"]["mass_matrix"]);
    EXPECT_CLOSE(exact.mass(), M, kReference * M.norm());
    expect_near(exact.mass() * vector(s["a"]) + exact.bias(), vector(s["expected"]["force"]), "force");
    expect_near(exact.acceleration(vector(s["tau"])), vector(s["expected"]["acceleration"]), "acceleration");
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Reference, ::testing::ValuesIn(case_files()), [](const auto& chosen) {
  std::string name = std::filesystem::path(chosen.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(ReferenceFiles, AreAllThere) { EXPECT_EQ(case_files().size(), 18U); }

}  // namespace
}  // namespace limber::test
