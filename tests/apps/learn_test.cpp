// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// `limber learn`, and its files in `limber check` and `limber run`.
#include "program.hpp"

namespace limber::test {
namespace {

const std::string kMove =
    "limber: 1\nscenario: move\nmodel:\n  limber: 1\n  name: link\n  bodies:\n"
    "    - {name: boom, beam: {length: 1, mass: 2, EIz: 100, damping: 0.02, modes: {bending_y: 1}}}\n"
    "  joints:\n"
    "    - {name: hub, type: revolute, axis: [0, 0, 1], parent: world, child: boom, armature: 0.05, damping: 0.2}\n"
    "duration: 2\nrecord: {every: 0.05}\n"
    "control: {rate: 200, desired: {waypoints: [{q: [1], duration: 1.5}]}, feedback: {pid: {kp: 60, kd: 8}}";

TEST(LearnCommand, WritesWhatCheckKnowsAndRunUses) {
  const Folder folder;
  const std::string scenario = folder.write("move.yaml", kMove + "}\n"), file = folder.file("learned.json");
  const Result learned = limber({"learn", scenario, "--runs", "3", "--cutoff", "1", "-o", file, "--json", "-q"});
  ASSERT_EQ(learned.code, 0) << learned.err;
  EXPECT_TRUE(learned.out.empty());  // quiet
  const Result again = limber({"learn", scenario, "--runs", "3", "--cutoff", "1", "-o", file, "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  const std::vector<double> rms = again.json()["rms"];
  ASSERT_EQ(rms.size(), 3u);
  EXPECT_LT(rms[2], 0.5 * rms[0]);
  EXPECT_EQ(again.json()["file"], file);
  // As a file.
  const Result checked = limber({"check", file, "--json"});
  ASSERT_EQ(checked.code, 0) << checked.err;
  EXPECT_EQ(checked.json()[0]["kind"], "learned offsets");
  EXPECT_EQ(checked.json()[0]["joints"], Json({"hub"}));
  EXPECT_EQ(checked.json()[0]["duration"], 2);
  EXPECT_TRUE(contains(limber({"check", file}).out, "learned.json: ok (learned offsets, 1 coordinate, 2 s, "));
  // In a scenario: as accurate as the last repetition.
  const std::string with = folder.write("with.yaml", kMove + ", learned: learned.json}\n");
  EXPECT_EQ(limber({"check", with}).code, 0);
  const Result run = limber({"run", with, "-o", folder.file("with.h5"), "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NEAR(run.json()["tracking"]["hub"]["rms"].get<double>(), rms[2], 1e-3 * rms[2]) << run.out;
}

TEST(LearnCommand, RefusesInOneLine) {
  const Folder folder;
  const std::string scenario = folder.write("move.yaml", kMove + "}\n");
  const struct {
    std::vector<std::string> arguments;
    const char* part;
  } cases[] = {
      {{"learn", scenario, "--runs", "0"}, "--runs must be a number from 1 to 1000"},
      {{"learn", scenario, "--cutoff", "-1"}, "cutoff"},
      {{"learn", scenario, "--cutoff", "nan"}, "cutoff"},
      {{"learn", folder.file("none.yaml")}, "none.yaml"},
      {{"learn", scenario, "-o", scenario}, "move.yaml"},
      {{"learn", folder.write("free.yaml", kMove.substr(0, kMove.find("control:")))}, "add control:"},
  };
  for (const auto& c : cases) {
    const Result result = limber(c.arguments);
    EXPECT_TRUE(result.is_one_error_line()) << result.code << result.out << result.err;
    EXPECT_TRUE(contains(result.err, c.part)) << result.err;
  }
  EXPECT_EQ(read_all(scenario), kMove + "}\n");
}

TEST(LearnCommand, BrokenFilesAreNamedWithTheirPlace) {
  const Folder folder;
  const std::string head = "{\"limber\": 1, \"learned\": \"offsets of joints\", ";
  const struct {
    std::string text;
    const char* part;
  } cases[] = {
      {head + "\"t\": [0, 1], \"offsets\": {\"hub\": [0]}}", "offsets"},
      {head + "\"t\": [0, 0], \"offsets\": {\"hub\": [0, 1]}}", "t does not fit"},
      {head + "\"t\": [0], \"offsets\": {\"hub\": [0]}}", "t must have at least two times"},
      {head + "\"t\": [0, 1]}", "offsets"},
      {head + "\"t\": [0, 1], \"offsets\": {}}", "offsets must name the driven joints"},
      {head + "\"t\": [0, 1], \"offsets\": {\"hub\": [0, \"x\"]}}", "must be a number"},
      {head + "\"t\": [0, 1], \"offset\": {\"hub\": [0, 1]}}", "offset"},
      {"{\"limber\": 2, \"learned\": \"\", \"t\": [0, 1], \"offsets\": {\"hub\": [0, 1]}}", "limber: 1"},
      {"{\"learned\": \"\", \"t\": [0, 1], \"offsets\": {\"hub\": [0, 1]}}", "limber: 1"},
      {"[1, 2]", "learned"},
  };
  const std::string with = folder.write("with.yaml", kMove + ", learned: learned.json}\n");
  for (const auto& c : cases) {
    const std::string file = folder.write("learned.json", c.text);
    for (const std::string& checked : {file, with}) {
      const Result result = limber({"check", checked});
      EXPECT_TRUE(result.is_one_error_line()) << c.text << result.out << result.err;
      EXPECT_TRUE(contains(result.err, "learned.json") || checked == file) << result.err;
      EXPECT_TRUE(contains(result.err, c.part) || c.text == "[1, 2]") << result.err;
    }
  }
  // A valid file, but for another model.
  folder.write("learned.json", head + "\"t\": [0, 1], \"offsets\": {\"elbow\": [0, 1]}}");
  const Result other = limber({"check", with});
  EXPECT_TRUE(other.is_one_error_line()) << other.out << other.err;
  EXPECT_TRUE(contains(other.err, "elbow")) << other.err;
}

}  // namespace
}  // namespace limber::test
