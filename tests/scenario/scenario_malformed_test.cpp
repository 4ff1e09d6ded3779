// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "limber/files/text_file.hpp"
#include "limber/scenario/scenario.hpp"

namespace limber {
namespace {

const std::string kMalformedFolder = LIMBER_TEST_DATA "/malformed-scenario";

// Paths in messages are relative to the folder.
std::string scenario_message(const std::string& text, const std::string& name) {
  try {
    parse_scenario(text, name, kMalformedFolder);
  } catch (const InputError& e) {
    std::string message = e.what();
    const std::string prefix = kMalformedFolder + "/";
    if (const std::size_t at = message.find(prefix); at != std::string::npos) message.erase(at, prefix.size());
    return message;
  }
  return "read without complaint";
}

std::vector<std::filesystem::path> malformed() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kMalformedFolder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

// Every file in data/malformed-scenario has one fault; its first line is "# expect: " and the message.
TEST(MalformedScenario, EveryFaultHasItsMessage) {
  constexpr std::string_view kMark = "# expect: ";
  for (const auto& path : malformed()) {
    const std::string name = path.filename().string();
    const std::string text = read_text_file(path.string());
    ASSERT_TRUE(text.starts_with(kMark)) << name;
    const std::string expected = text.substr(kMark.size(), text.find('\n') - kMark.size());
    EXPECT_EQ(scenario_message(text, name), expected) << name;
  }
  EXPECT_GE(malformed().size(), 200u);
}

// Windows line ends have no effect.
TEST(MalformedScenario, MessagesAreTheSameWithCarriageReturns) {
  for (const auto& path : malformed()) {
    const std::string text = read_text_file(path.string());
    std::string dos;
    for (const char c : text) dos += c == '\n' ? "\r\n" : std::string(1, c);
    EXPECT_EQ(scenario_message(dos, "x"), scenario_message(text, "x")) << path;
  }
}

// Every error is reported in one line.
TEST(MalformedScenario, CutFilesAreRefusedInOneLine) {
  const std::string text = R"yaml(limber: 1
scenario: "a slew, with \"everything\""
inputs:
  - {joint: shoulder, motion: {pieces: [{until: 5, value: "0.1*t^2"}, {value: "t - 2.5"}]}}
  - {joint: screw, torque: [{table: {t: [0, 1, 2], y: [0, 50, 0], interpolate: cubic}}, "sin(t)"]}
  - {node: boom.tip, force: [0, 0, {sine: {amplitude: 10, frequency: 0.5}}], frame: node}
initial: {boom: {eta: [0.1, 0.2]}, afloat: {q: [1, 0, 0, 0, 1, 2, 3]}}
solver: {method: dopri5, rtol: 1e-9, atol: 1e-12}
record: {every: 0.01, nodes: [boom.tip], energy: true}
model: models/arm.yaml
duration: 10
)yaml";
  ASSERT_EQ(scenario_message(text, "whole.yaml"), "read without complaint");
  for (std::size_t length = 0; length < text.rfind("duration: 1"); ++length) {
    const std::string message = scenario_message(text.substr(0, length), "cut.yaml");
    EXPECT_TRUE(message.starts_with("cut.yaml:")) << length << ": " << message;
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 0) << message;
  }
}

// Names are untrusted text.
TEST(MalformedScenario, HostileNamesStayInOneShortLine) {
  const std::string hostile[] = {
      "\"x\\n\\e[2Jrm -rf\"",
      "\"%s%n{}{0}\"",
      "'\"'",
      "\"\\u202e\\u0000\"",
      std::string(10'000, 'x'),
      "\"../../etc\"",
      "\"a.b.c\"",
      "\"\\t\"",
      "\"\"",
      "\"...\"",
      "\"boom.tip\\0\"",
      "\"\\U0001f600\"",
  };
  const std::string places[] = {"inputs: [{joint: $, torque: 1}]",
                                "inputs: [{body: $, modal: 1}]",
                                "inputs: [{node: $, force: [0, 0, 0]}]",
                                "inputs: [{node: boom.$, force: [0, 0, 0], frame: $}]",
                                "inputs: [{joint: shoulder, torque: $}]",
                                "inputs: [{joint: shoulder, torque: {table: {t: [0], y: [0], interpolate: $}}}]",
                                "initial: {$: {q: 1}}",
                                "initial: {shoulder: {$: 1}}",
                                "solver: {method: $}",
                                "solver: {algorithm: $}",
                                "record: {nodes: [$]}",
                                "record: {nodes: $}",
                                "record: {every: $}",
                                "control: {joints: [$]}",
                                "control: {model: $}",
                                "control: {feed_forward: $}",
                                "control: {desired: {$: 1}}",
                                "control: {desired: {node: $, x: 1, until: 2}}",
                                "control: {feedback: {$: {}}}",
                                "control: {sensors: {strains: [{from: $, to: boom.tip}]}}",
                                "$: 1"};
  for (const std::string& place : places) {
    for (const std::string& name : hostile) {
      std::string text = "limber: 1\nscenario: s\nmodel: models/arm.yaml\nduration: 10\n" + place + "\n";
      for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$')) text.replace(at, 1, name);
      const std::string message = scenario_message(text, "x.yaml");
      EXPECT_TRUE(message.starts_with("x.yaml:5: ")) << place << ": " << message;
      EXPECT_LT(message.size(), 400u) << place;
      EXPECT_TRUE(std::none_of(message.begin(), message.end(), [](unsigned char c) { return std::iscntrl(c); }))
          << place << ": " << message;
    }
  }
}

TEST(MalformedScenario, FileErrorsNameTheFile) {
  try {
    read_scenario("/no/such/scenario.yaml");
    FAIL();
  } catch (const FileError& e) {
    EXPECT_STREQ(e.what(), "/no/such/scenario.yaml: cannot be opened: no such file");
  }
  try {
    read_scenario(kMalformedFolder + "/model-broken.yaml");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(kMalformedFolder + "/models/broken.yaml:5: ")) << e.what();
  }
}

}  // namespace
}  // namespace limber
