// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every case folder of kind `frequency`.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "limber/files/model_file.hpp"
#include "limber/linear/analysis.hpp"
#include "support/engine.hpp"
#include "support/small_motion.hpp"

namespace limber::test {
namespace {

using nlohmann::json;

json read_json(const std::filesystem::path& path) {
  std::ifstream in(path);
  return json::parse(in);
}

std::vector<std::string> case_folders() {
  std::vector<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(LIMBER_TEST_DATA "/cases")) {
    const auto expected = entry.path() / "expected.json";
    if (!std::filesystem::exists(expected)) continue;
    if (read_json(expected)["kind"] == "frequency") folders.push_back(entry.path().filename().string());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

NodeRef node_named(const Model& model, const std::string& name) {
  const std::size_t dot = name.find('.');
  const int body = model.find_body(name.substr(0, dot));
  return {body, dot == std::string::npos ? kBodyFrame : model.body(body).node_index(name.substr(dot + 1))};
}

// Coordinates by the name of a joint (its own) or of a body (its modes).
void place(const Model& model, const json& configuration, State& x) {
  for (const auto& [name, value] : configuration.items()) {
    const auto numbers = value.is_array() ? value.get<std::vector<double>>() : std::vector<double>{value.get<double>()};
    const int joint = model.find_joint(name), body = model.find_body(name);
    ASSERT_TRUE(joint > 0 || body > 0) << name;
    const int first = joint > 0 ? model.joints[joint].q : model.first_mode_q(body);
    for (std::size_t k = 0; k < numbers.size(); ++k) x.q[first + static_cast<int>(k)] = numbers[k];
  }
}

// A joint's index by name; naming a fixed joint has no effect.
int joint_named(const Model& model, const json& name) {
  const int joint = model.find_joint(name.get<std::string>());
  EXPECT_GT(joint, 0) << name;
  return joint;
}

class FrequencyCase : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::filesystem::path folder = std::filesystem::path(LIMBER_TEST_DATA "/cases") / GetParam();
    expected_ = read_json(folder / "expected.json");
    model_ = read_model((folder / "model.yaml").string());
    State x = make_zero_state(model_);
    place(model_, expected_.value("configuration", json::object()), x);
    std::vector<int> held;
    held_.assign(model_.bodies.size(), 0);
    for (const json& name : expected_.value("locked", json::array())) held.push_back(joint_named(model_, name));
    const bool spins = expected_.contains("spin") && expected_["spin"].is_object();
    if (spins) {
      held.push_back(joint_named(model_, expected_["spin"]["joint"]));
      x.v[model_.joints[held.back()].v] = expected_["spin"]["rate"].get<double>();
    }
    if (spins || !model_.gravity.isZero(0)) x = find_steady_state(model_, x);
    motion_ = linearise(model_, x, held);
    for (const int joint : held) held_[joint] = 1;
  }

  json expected_;
  Model model_;
  SmallMotion motion_;
  std::vector<std::uint8_t> held_;  // (body)
};

// For each listed number there is a computed one within its relative tolerance.
void expect_among(const std::vector<double>& computed, const json& listed, const json& tolerances, const char* what) {
  ASSERT_FALSE(computed.empty()) << what;
  for (std::size_t k = 0; k < listed.size(); ++k) {
    const double value = listed[k], tolerance = tolerances.is_array() ? tolerances[k] : tolerances;
    const double nearest = *std::min_element(computed.begin(), computed.end(), [&](double a, double b) {
      return std::abs(a - value) < std::abs(b - value);
    });
    EXPECT_NEAR(nearest / value, 1, tolerance) << what << " " << k;
  }
}

TEST_P(FrequencyCase, HasTheFrequencies) {
  expect_among(frequencies(motion_), expected_["omega"], expected_["rel_tol"], "omega");
}

// The same by exact derivatives.
TEST_P(FrequencyCase, HasTheFrequenciesLinearized) {
  LinearizeOptions options;
  options.held = held_;
  std::vector<double> found;
  for (const VibrationMode& mode : compute_modes(linearize(model_, motion_.x, options)))
    found.push_back(mode.frequency);
  expect_among(found, expected_["omega"], expected_["rel_tol"], "omega");
}

// Few cases specify a steady state or zeros.
TEST_P(FrequencyCase, HasTheSteadyState) {
  Engine engine(model_);
  for (const json& check : expected_.value("steady", json::array())) {
    const Vector3d p = node_pose(model_, engine.kinematics(motion_.x), node_named(model_, check["node"])).p;
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(p[k], check["position"][k].get<double>(), check["abs_tol"].get<double>());
  }
}

TEST_P(FrequencyCase, HasTheZeros) {
  const json given = expected_.value("zeros", json::array());
  for (const json& z : given.is_array() ? given : json::array({given})) {
    const int input = model_.joints[joint_named(model_, z["input"])].v;
    const auto found = zeros(model_, motion_, input, node_named(model_, z["node"]), z["component"].get<int>());
    expect_among(found, z["s"], z["rel_tol"], "zero");
    LinearizeOptions options;
    options.held = held_;
    options.inputs = {input};
    options.outputs.emplace_back();
    options.outputs[0].kind = LinearOutput::Kind::place;
    options.outputs[0].node = node_named(model_, z["node"]);
    options.outputs[0].component = 3 + z["component"].get<int>();
    std::vector<double> linearized;  // real ones in the right half plane
    for (const auto& zero : compute_zeros(linearize(model_, motion_.x, options), 0, 0)) {
      if (zero.real() > 0 && std::abs(zero.imag()) < 1e-6 * zero.real()) linearized.push_back(zero.real());
    }
    expect_among(linearized, z["s"], z["rel_tol"], "linearized zero");
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, FrequencyCase, ::testing::ValuesIn(case_folders()), [](const auto& chosen) {
  std::string name = chosen.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(FrequencyCases, AreAllThere) { EXPECT_EQ(case_folders().size(), 20U); }

// A hinged arm with one mode: M = [J a; a 1], K = diag(0, k), tip = L theta + phi eta.  The transfer function from
// torque to tip has zeros at L (s^2 + k) = phi a s^2.
TEST(SmallMotion, ZerosOfAnArmWithOneMode) {
  const Model model = parse_model(R"(
limber: 1
bodies:
  - {name: arm, beam: {length: 2, mass_per_length: 3, EIy: 1, EIz: 100, modes: {bending_y: 1}}}
joints:
  - {name: hinge, type: revolute, axis: [0, 0, 1], parent: world, child: arm}
)",
                                  "arm.yaml");
  const SmallMotion motion = linearise(model, make_zero_state(model), {});
  const NodeRef tip = node_named(model, "arm.tip");
  const double k = model.body(1).stiffness(0, 0), a = motion.M(0, 1);
  const double phi = model.body(1).nodes[tip.node].translation(1, 0);
  const auto found = zeros(model, motion, 0, tip, 1);
  ASSERT_EQ(found.size(), 1U);
  // Differences of step 1e-3 with an error of h^4.
  EXPECT_NEAR(found[0] / std::sqrt(2 * k / (phi * a - 2)), 1, 1e-9);
}

TEST(SmallMotion, QuaternionsTurnByTheRight) {
  // A ball on a spherical joint with a spring: omega^2 = k / J for any attitude of the frames.
  const Model model = parse_model(R"(
limber: 1
bodies:
  - {name: ball, rigid: {mass: 1, com: [0, 0, 0], inertia: [2, 2, 2, 0, 0, 0]}}
joints:
  - {name: joint, type: spherical, parent: world, child: ball, stiffness: 8, origin: {xyz: [1, 2, 3], rpy: [1, 2, 3]}}
)",
                                  "ball.yaml");
  for (const double omega : frequencies(linearise(model, make_zero_state(model), {}))) EXPECT_NEAR(omega, 2, 1e-9);
}

}  // namespace
}  // namespace limber::test
