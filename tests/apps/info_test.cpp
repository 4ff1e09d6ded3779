// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "apps/program.hpp"

namespace limber::test {
namespace {

std::vector<std::string> case_models() {
  std::vector<std::string> out;
  for (const auto& folder : std::filesystem::directory_iterator(data("cases")))
    out.push_back(folder.path() / "model.yaml");
  std::sort(out.begin(), out.end());
  return out;
}

// Display columns of a line of UTF-8 text.
long columns(const std::string& line) {
  return std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

TEST(Info, ShowsEveryCaseInColumnsThatFit) {
  const auto models = case_models();
  ASSERT_GT(models.size(), 30u);
  constexpr long kWidest = 110;
  for (const std::string& model : models) {
    const Result result = limber({"info", model});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "Tree")) << model;
    EXPECT_FALSE(contains(result.out, "\x1b")) << "colours without a terminal: " << model;
    EXPECT_FALSE(contains(result.out, "nan")) << model << result.out;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), kWidest) << model << ": " << line;
  }
}

TEST(Info, JsonAgreesWithEval) {
  for (const std::string& model : case_models()) {
    const Result result = limber({"info", "--json", model});
    ASSERT_EQ(result.code, 0) << result.err;
    const Json info = result.json();
    ASSERT_TRUE(info.is_object()) << model;
    if (!info["closures"].empty()) continue;
    Json state = {{"q", std::vector<double>(info["nq"], 0.0)}, {"v", std::vector<double>(info["nv"], 0.0)}};
    const auto& names = info["coordinates"];
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k].get<std::string>().ends_with(".qw")) state["q"][k] = 1;
    }
    const Result eval = limber({"eval", model, "-"}, state.dump());
    ASSERT_EQ(eval.code, 0) << eval.err;
    EXPECT_EQ(eval.json()["coordinates"], names);
    EXPECT_EQ(eval.json()["speeds"], info["speeds"]);
    EXPECT_DOUBLE_EQ(eval.json()["total_mass"], info["total_mass"]);
  }
}

TEST(Info, ModesOfAClampedBeamHaveTheKnownNumbers) {
  const Json info = limber({"info", "--json", data("cases/canadarm-slew/model.yaml")}).json();
  const Json& mode = info["bodies"][0]["modes"][0];
  // First clamped-free mode: (kL)^2 = 3.516015, and 61.31 % of the mass ([Blevins] table 8-1).
  const double omega = 3.5160152685 * std::sqrt(1e5 / (140.0 / 6) / std::pow(6.0, 4));
  EXPECT_NEAR(mode["hertz"].get<double>(), omega / (2 * M_PI), 1e-9);
  EXPECT_NEAR(mode["effective_mass_fraction"][1].get<double>(), 0.6131, 1e-4);
  EXPECT_NEAR(mode["effective_mass"][1].get<double>(), 0.6131 * 140, 1e-2);
  EXPECT_EQ(mode["name"], "bending_y1");
  EXPECT_EQ(info["natural_frequencies"]["rigid_motions"], 3);
  EXPECT_EQ(info["natural_frequencies"]["joints_free"].size(), 6u);
}

TEST(Info, NaturalFrequenciesOfOneBodyAreThoseOfItsModes) {
  const Json info = limber({"info", "--json", data("cases/beam-clamped-free/model.yaml")}).json();
  std::vector<double> modes, all = info["natural_frequencies"]["joints_free"];
  for (const Json& mode : info["bodies"][0]["modes"]) modes.push_back(mode["hertz"]);
  std::sort(modes.begin(), modes.end());
  std::sort(all.begin(), all.end());
  ASSERT_EQ(modes.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_NEAR(all[k], modes[k], 1e-9 * modes[k]);
}

TEST(Info, AbbreviatesLongMachines) {
  Json model = {{"limber", 1}, {"name", "long"}, {"bodies", Json::array()}, {"joints", Json::array()}};
  for (int i = 0; i < 60; ++i) {
    const std::string name = "link" + std::to_string(i);
    model["bodies"].push_back({{"name", name}, {"rigid", {{"mass", 1}, {"inertia", {1, 1, 1, 0, 0, 0}}}}});
    model["joints"].push_back({{"name", "j" + std::to_string(i)},
                               {"type", "revolute"},
                               {"axis", {0, 0, 1}},
                               {"parent", i == 0 ? "world" : "link" + std::to_string(i - 1)},
                               {"child", name}});
  }
  const std::string text = model.dump();
  const Result brief = limber({"info", "-"}, text), full = limber({"info", "--all", "-"}, text);
  ASSERT_EQ(brief.code, 0) << brief.err;
  ASSERT_EQ(full.code, 0) << full.err;
  EXPECT_TRUE(contains(brief.out, "36 more bodies; --all"));
  EXPECT_FALSE(contains(brief.out, "link40"));
  EXPECT_TRUE(contains(brief.out, "link59"));
  EXPECT_TRUE(contains(full.out, "link40"));
  EXPECT_FALSE(contains(full.out, "more bodies"));
}

// The frequencies of a closed chain are those under its constraints, in an assembled configuration.
TEST(Info, ClosesAChainBeforeItsFrequencies) {
  const Result result = limber({"info", data("cases/slider-crank-published/model.yaml")});
  EXPECT_TRUE(contains(result.out, "Hz at the zero state, closed")) << result.out;
  EXPECT_TRUE(contains(result.out, "1 × 0")) << result.out;  // the crank turns freely
}

TEST(Info, SaysWhyThereAreNoFrequencies) {
  const Result rigid = limber({"info", "-"}, R"(limber: 1
bodies: [{name: hub, rigid: {mass: 3, inertia: [1, 1, 1, 0, 0, 0]}}]
joints: [{name: pin, type: revolute, axis: [0, 0, 1], parent: world, child: hub}]
)");
  EXPECT_TRUE(contains(rigid.out, "nothing is elastic")) << rigid.out;
  EXPECT_TRUE(contains(limber({"info", LIMBER_SOURCE_DIR "/examples/four-bar/model.yaml"}).out,
                       "closure 'loop' cannot be satisfied: an error of 0.6 m or rad remains"));
  const Result result = limber({"info", "-"}, R"(limber: 1
bodies: [{name: gimbal, rigid: {mass: 0}}, {name: bob, rigid: {mass: 1, com: [1, 0, 0]}}]
joints:
  - {name: roll, type: revolute, axis: [1, 0, 0], parent: world, child: gimbal}
  - {name: yaw, type: revolute, axis: [0, 0, 1], parent: gimbal, child: bob, stiffness: 10}
)");
  EXPECT_TRUE(contains(result.out, "'roll' has no inertia")) << result.out;
}

}  // namespace
}  // namespace limber::test
