// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// `limber linearize` of rotating models.
#include <cmath>

#include "apps/program.hpp"
#include "support/page_reader.hpp"

namespace limber::test {
namespace {

std::string example(const std::string& path) { return std::string(LIMBER_SOURCE_DIR) + "/examples/" + path; }
std::string turbine() { return example("turbine/model.yaml"); }

std::string turning(const Folder& folder, double speed) {
  return folder.write("turning.json",
                      R"({"q": [0, 0, 0, 0, 0, 0, 0], "v": [0, 0, )" + std::to_string(speed) + R"(, 0, 0, 0, 0]})");
}

TEST(CampbellCommand, LinearizeWarnsWhereTheMatrixChanges) {
  const Folder folder;
  const Result result = limber({"linearize", turbine(), "--at", turning(folder, 6), "--hold", "shaft", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.json()["equilibrium"], false);
  EXPECT_TRUE(contains(result.err, "hold for this instant only; --campbell 6 --rotor shaft")) << result.err;
}

// A beam that rotates about its root: a steady motion, with constant A.
TEST(CampbellCommand, ASteadySpinIsAnEquilibrium) {
  const Folder folder;
  const std::string state = folder.write("s.json", R"({"q": [0.3, 0, 0, 0, 0], "v": [6, 0, 0, 0, 0]})");
  const Result result =
      limber({"linearize", example("spin-up/model.yaml"), "--at", state, "--hold", "drive", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.json()["equilibrium"], true);
  const Json same = limber({"linearize", example("spin-up/model.yaml"), "--campbell", "6", "--json"}).json();
  EXPECT_EQ(same["speeds"][0]["method"], "constant A");
  for (std::size_t k = 0; k < 4; ++k) {
    const double here = result.json()["modes"][k]["frequency"], there = same["speeds"][0]["modes"][k]["frequency"];
    EXPECT_NEAR(here, there, 1e-9 * here);
  }
  EXPECT_NEAR(same["speeds"][0]["modes"][0]["frequency"].get<double>() / (2 * M_PI), 0.718, 5e-4);
}

// The page of the spin-up marks the frequencies at 6 rad/s, not those at rest (0.604 Hz).
TEST(CampbellCommand, ThePageOfASpinUpMarksItsOperatingPoint) {
  const Folder folder;
  const std::string page = folder.file("s.html");
  const Result run =
      limber({"run", example("spin-up/scenario.yaml"), "-q", "-o", folder.file("s.h5"), "--report", page});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NEAR(PageReader::of_file(page).header["frequencies"][0]["hz"].get<double>(), 0.718, 5e-4);
}

TEST(CampbellCommand, WritesTextJsonAndATable) {
  const Folder folder;
  const std::string csv = folder.file("t.csv"), file = folder.file("t.json");
  const Result text = limber({"linearize", turbine(), "--campbell", "0:6:3", "--csv", csv, "-o", file});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  for (const char* part : {"rotor shaft", "Floquet (2)", "at rest (1)", "tower.bending_z1", "the rotor"})
    EXPECT_TRUE(contains(text.out, part)) << part << "\n" << text.out;
  const Json json = limber({"linearize", turbine(), "--campbell", "0:6:3", "--json"}).json();
  EXPECT_EQ(json, Json::parse(read_all(file)));
  ASSERT_EQ(json["speeds"].size(), 3U);
  EXPECT_EQ(json["coordinates"].size(), 6U);
  const Json& last = json["speeds"][2];
  EXPECT_EQ(last["multipliers"].size(), 12U);
  EXPECT_EQ(last["modes"].size(), 6U);
  const std::string table = read_all(csv);
  EXPECT_EQ(table.substr(0, 14), "speed [rad/s],");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4);
  EXPECT_TRUE(contains(table, "\n6,"));
}

TEST(CampbellCommand, DrawsAPictureAndAPage) {
  const Folder folder;
  for (const char* name : {"t.svg", "t.html"}) {
    const std::string file = folder.file(name);
    for (int twice = 0; twice < 2; ++twice) {  // the second time it replaces its own file
      const Result result = limber({"linearize", turbine(), "--campbell", "0:6:2", "--report", file});
      ASSERT_EQ(result.code, 0) << result.err;
    }
    const std::string text = read_all(file);
    for (const char* part : {"<svg xmlns", ">1P<", ">2P<", "frequency, Hz", "damping, %"})
      EXPECT_TRUE(contains(text, part)) << name << " " << part;
    EXPECT_FALSE(contains(text, "nan"));
  }
  EXPECT_TRUE(contains(read_all(folder.file("t.html")), "<th>mode 6</th>"));
  const std::string other = folder.write("mine.svg", "<svg>mine</svg>");
  EXPECT_TRUE(limber({"linearize", turbine(), "--campbell", "6", "--report", other}).is_one_error_line());
  EXPECT_EQ(read_all(other), "<svg>mine</svg>");
}

TEST(CampbellCommand, RefusesInOneLine) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{turbine(), "--campbell", "0:20"}, "is not a range of speeds; write FROM:TO:STEP"},
      {{turbine(), "--campbell", "5:0:1"}, "is not a range of speeds"},
      {{turbine(), "--campbell", "0:1:0"}, "is not a range of speeds"},
      {{turbine(), "--campbell", "0:1:1e-9"}, "take a larger step"},
      {{turbine(), "--campbell", "nan"}, "is not a range of speeds"},
      {{turbine(), "--campbell", "6", "--rotor", "yaw"}, "cannot rotate without limit"},
      {{turbine(), "--campbell", "6", "--rotor", "shaf"}, "is not a joint"},
      {{turbine(), "--campbell", "6", "--hold", "shaft"}, "cannot be held"},
      {{example("two-link-arm/model.yaml"), "--campbell", "6"}, "needs --rotor JOINT for this model"},
      {{turbine(), "--rotor", "shaft"}, "--campbell"},
      {{turbine(), "--campbell", "6", "--equilibrium"}, "--equilibrium"}};
  for (const auto& [arguments, message] : cases) {
    std::vector<std::string> all = {"linearize"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Result result = limber(all);
    EXPECT_TRUE(result.is_one_error_line()) << result.err;
    EXPECT_TRUE(contains(result.err, message)) << result.err;
  }
}

}  // namespace
}  // namespace limber::test
