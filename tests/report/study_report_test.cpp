// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/report/study_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <numeric>

#include "apps/program.hpp"
#include "limber/study/sweep.hpp"
#include "support/page_reader.hpp"

namespace limber::test {
namespace {

// An oscillator with random mass and stiffness, written by another program: tests/data/studies/make_sample.
const std::string kSampleStudy = LIMBER_TEST_DATA "/studies/sample.h5";

TEST(StudyReport, StatisticsOfTheFirstHundredNumbers) {
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 1.0);
  values.insert(values.begin() + 30, std::numeric_limits<double>::quiet_NaN());
  const ResultStatistics found = compute_statistics(values);
  EXPECT_EQ(found.count, 100);
  EXPECT_DOUBLE_EQ(found.mean, 50.5);
  EXPECT_NEAR(found.deviation, std::sqrt(100 * 101 / 12.0), 1e-12);
  const double want[] = {1, 5, 25, 50, 75, 95, 99, 100};
  const double got[] = {found.least, found.p5, found.p25, found.p50, found.p75, found.p95, found.p99, found.largest};
  for (std::size_t k = 0; k < std::size(want); ++k) EXPECT_EQ(got[k], want[k]);
}

TEST(StudyReport, StatisticsOfLittle) {
  const double one = 3, none = std::numeric_limits<double>::infinity();
  EXPECT_EQ(compute_statistics(std::span(&one, 1)).deviation, 0);
  EXPECT_EQ(compute_statistics(std::span(&one, 1)).p5, 3);
  EXPECT_EQ(compute_statistics(std::span(&none, 1)).count, 0);
  EXPECT_TRUE(std::isnan(compute_statistics({}).p50));
  EXPECT_TRUE(std::isnan(compute_statistics({}).least));
}

TEST(StudyReport, ThePageHoldsTheTable) {
  const Folder folder;
  const StudyFacts facts = write_study_report(kSampleStudy, folder.file("s.html"));
  EXPECT_EQ(facts.runs, 64);
  EXPECT_EQ(facts.done, 64);
  EXPECT_EQ(facts.failed, 4);
  const PageReader page = PageReader::of_file(folder.file("s.html"));
  EXPECT_EQ(page.header["kind"], "study");
  EXPECT_EQ(page.header["name"], "oscillator");
  ASSERT_EQ(page.shape("parameters"), (std::vector<std::size_t>{3, 64}));
  ASSERT_EQ(page.shape("results"), (std::vector<std::size_t>{2, 64}));
  const std::vector<double> in = page.numbers("parameters"), out = page.numbers("results");
  const auto words = page.header["parameters"][2]["words"];
  long lost = 0;
  for (std::size_t k = 0; k < 64; ++k) {
    const double mass = in[k], stiffness = in[64 + k], f1 = out[k], tip = out[64 + k];
    const bool linear = words[static_cast<std::size_t>(in[128 + k])] == "linear";
    lost += std::isnan(tip) ? 1 : 0;
    if (std::isnan(f1)) continue;
    EXPECT_NEAR(f1, std::sqrt(stiffness / mass) / (2 * std::numbers::pi), 1e-12);
    if (std::isnan(tip)) continue;
    EXPECT_NEAR(tip, 9.81 * mass / stiffness * (linear ? 2 : 1.5), 1e-12);
  }
  EXPECT_EQ(lost, 4);
  // Expected result: the mass lowers the frequency and dominates.
  const Sensitivity& f1 = facts.results[0].sensitivity;
  ASSERT_EQ(f1.total.size(), 3u) << f1.why_no_sobol;
  EXPECT_GT(f1.first[0], 0.9);
  EXPECT_LT(f1.regression[0], -0.9);
  EXPECT_NEAR(f1.total[2], 0, 0.01);
  const std::vector<double> r = page.numbers("correlation");
  ASSERT_EQ(r.size(), 25u);
  for (std::size_t a = 0; a < 5; ++a)
    for (std::size_t b = 0; b < 5; ++b) EXPECT_EQ(r[5 * a + b], r[5 * b + a]);
  EXPECT_NEAR(r[0], 1, 1e-12);
  EXPECT_LT(r[3], -0.9);
}

TEST(StudyReport, FailedRunsSayWhy) {
  const Folder folder;
  write_study_report(kSampleStudy, folder.file("s.html"));
  const auto statuses = PageReader::of_file(folder.file("s.html")).header["statuses"];
  ASSERT_EQ(statuses.size(), 3u);
  EXPECT_EQ(statuses[0], (nlohmann::json{{"text", "ok"}, {"failed", false}}));
  EXPECT_EQ(statuses[1]["text"], "diverged at t = 0.25 s: not finite");
  EXPECT_EQ(statuses[1]["failed"], true);
  EXPECT_EQ(statuses[2]["text"], "refused: arm.yaml:9: body 'load': rigid.mass must not be negative");
}

// A mass on a spring; the parameters are its mass and its initial position.
constexpr const char* kOscillatorScenario = R"y(limber: 1
scenario: oscillator
model:
  bodies: [{name: load, rigid: {mass: 2}}]
  joints: [{name: spring, type: prismatic, axis: [1, 0, 0], parent: world, child: load, stiffness: 800}]
initial: {spring: {q: 1}}
solver: {method: rk4, step: 1e-3}
duration: 0.02
record: {every: 0.01}
)y";

std::string make_study(const Folder& folder, const std::string& rest) {
  std::ofstream(folder.file("oscillator.yaml")) << kOscillatorScenario;
  const Study study =
      parse_study("limber: 1\nstudy: oscillator\nscenario: oscillator.yaml\n" + rest, "study.yaml", folder.file(""));
  ThreadTeam team(1);
  SweepOptions options;
  options.output = folder.file("study.h5");
  sweep(study, options, team);
  return options.output;
}

TEST(StudyReport, KeptRecordingsAreInThePage) {
  const Folder folder;
  const std::string table = make_study(folder, R"y(parameters: [{path: load.mass, values: [1, 2, 4]}]
results: [{name: end, of: q, component: spring, reduce: last}]
keep: [0, 2]
)y");
  const StudyFacts facts = write_study_report(table, folder.file("s.html"));
  EXPECT_EQ(facts.recordings, 2);
  PageReader page = PageReader::of_file(folder.file("s.html"));
  EXPECT_EQ(page.header["scenario"], "oscillator.yaml");
  EXPECT_TRUE(page.header["notes"].empty()) << page.header["notes"];
  const std::vector<double> ends = page.numbers("results");
  for (const auto& recording : page.header["recordings"]) {
    PageReader part = page;
    part.header = recording;
    const auto row = recording["row"].get<std::size_t>();
    EXPECT_TRUE(row == 0 || row == 2);
    const std::vector<double> signals = part.numbers("channels");
    EXPECT_NEAR(signals[2], ends[row], 1e-6) << "the first signal is the coordinate, its third record the last";
    EXPECT_EQ(part.shape("poses")[0], 3u);
  }
  // If its files are missing, the page reports it.
  std::filesystem::remove_all(folder.file("study.runs"));
  EXPECT_EQ(write_study_report(table, folder.file("s.html")).recordings, 0);
  page = PageReader::of_file(folder.file("s.html"));
  EXPECT_TRUE(page.header["notes"][0].get<std::string>().starts_with("2 of 2 kept recordings cannot be read"));
}

// Sobol indices of the design, end to end: the result is 3 m + s, so S = 9 Vm : Vs.
TEST(StudyReport, SobolIndicesOfASaltelliStudy) {
  const Folder folder;
  const std::string table = make_study(folder, R"y(parameters:
  - {path: load.mass, uniform: [1, 2]}
  - {path: spring.stiffness, uniform: [800, 802]}
sampling: {method: saltelli, count: 64}
results: [{name: sum, expression: "3*m + k", with: {m: load.mass, k: spring.stiffness}}]
)y");
  const StudyFacts facts = write_study_report(table, folder.file("s.html"));
  EXPECT_EQ(facts.runs, 256);
  const Sensitivity& found = facts.results[0].sensitivity;
  ASSERT_EQ(found.total.size(), 2u) << found.why_no_sobol;
  EXPECT_EQ(found.points, 64);
  EXPECT_NEAR(found.first[0], 9.0 / 13, 0.03);
  EXPECT_NEAR(found.first[1], 4.0 / 13, 0.03);
  EXPECT_NEAR(found.total[0], 9.0 / 13, 0.03);
  EXPECT_NEAR(found.explained, 1, 1e-9);
}

TEST(StudyReport, LeavesOtherFilesAlone) {
  const Folder folder;
  EXPECT_THROW(write_study_report(kSampleStudy, kSampleStudy), Error);
  EXPECT_THROW(write_study_report(folder.file("none.h5"), folder.file("s.html")), Error);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace limber::test
