// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "limber/files/text_file.hpp"
#include "limber/spatial/status.hpp"
#include "limber/study/sweep.hpp"

namespace limber {
namespace {

const std::string kStudies = LIMBER_TEST_DATA "/malformed-study";

// Paths in messages are relative to the folder.
std::string study_message(const std::string& text, const std::string& name) {
  try {
    const Study study = parse_study(text, name, kStudies);
    const StudySamples samples(study);
    prepare_study(study, samples);
  } catch (const Error& e) {
    std::string message = e.what();
    for (std::size_t at = message.find(kStudies + "/"); at != std::string::npos; at = message.find(kStudies + "/"))
      message.erase(at, kStudies.size() + 1);
    return message;
  }
  return "read without complaint";
}

// Every file in data/malformed-study except arm.yaml has one fault; its first line is "# expect: " and the message.
TEST(MalformedStudy, EveryFaultHasItsMessage) {
  constexpr std::string_view kMark = "# expect: ";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kStudies)) {
    const std::string name = entry.path().filename().string();
    if (name == "arm.yaml") continue;
    const std::string text = read_text_file(entry.path().string());
    ASSERT_TRUE(text.starts_with(kMark)) << name;
    const std::string expected = text.substr(kMark.size(), text.find('\n') - kMark.size());
    EXPECT_EQ(study_message(text, name), expected) << name;
    ++count;
  }
  EXPECT_GE(count, 70);
}

// The study of docs/studies.md, with all its keys.
TEST(StudyFile, ReadsWhatTheDocumentationShows) {
  const Study study = parse_study(R"(limber: 1
study: payload
scenario: arm.yaml
parameters:
  - {path: load.mass, range: [0, 100], count: 20}
  - {path: boom.EIy, normal: {mean: 1e5, sigma: 5e3}}
sampling: {method: grid, count: 50, seed: 1}
results:
  - {name: tip, of: "nodes/boom.tip/deflection", component: z, reduce: max_abs}
  - {name: f1, frequency: 1, joints: locked}
keep: [3, 1]
)",
                                  "study.yaml", kStudies);
  EXPECT_EQ(count_runs(study), 1000);
  EXPECT_EQ(study.parameters[0].values.size(), 20u);
  EXPECT_EQ(study.parameters[0].values[19], "100");
  EXPECT_EQ(study.keep.runs, (std::vector<long>{1, 3}));
  const StudySamples samples(study);
  const StudyData data = prepare_study(study, samples);
  EXPECT_EQ(data.results[0].unit, "m");
  EXPECT_EQ(data.parameters[0].values[1], 100.0 / 19);  // the whole grid, repeated
  EXPECT_EQ(data.parameters[0].values[20], 0);
}

// Values with units keep them in the file, and are in SI units in the results.
TEST(StudyFile, TakesUnits) {
  const Study study = parse_study(R"(limber: 1
study: payload
scenario: arm.yaml
parameters:
  - {path: load.mass, range: [500 g, 0.01 t], count: 3}
  - {path: boom.length, values: [900 mm, 1 m]}
  - {path: boom.EIy, normal: {mean: 1 kN m^2, sigma: 5 N m^2}}
sampling: {method: grid, seed: 1}
results: [{name: f1, frequency: 1, joints: locked}]
)",
                                  "study.yaml", kStudies);
  const StudySamples samples(study);
  const StudyData data = prepare_study(study, samples);
  EXPECT_EQ(data.parameters[0].values, (std::vector<double>{0.5, 0.5, 5.25, 5.25, 10, 10}));
  EXPECT_EQ(data.parameters[1].values, (std::vector<double>{0.9, 1, 0.9, 1, 0.9, 1}));
  EXPECT_NEAR(data.parameters[2].values[0], 1000, 50);
  EXPECT_EQ(samples.overrides(2)[0].value, "5.25 kg");
}

}  // namespace
}  // namespace limber
