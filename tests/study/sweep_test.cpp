// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/study/sweep.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "limber/scenario/scenario.hpp"
#include "limber/spatial/status.hpp"
#include "limber/study/tune.hpp"

namespace limber {
namespace {

constexpr double kPi = std::numbers::pi;

// A mass of 2 kg on a spring, released at 1 m.
constexpr const char* kOscillator = R"y(limber: 1
scenario: oscillator
model:
  bodies: [{name: mass, rigid: {mass: 2}}]
  joints: [{name: spring, type: prismatic, axis: [1, 0, 0], parent: world, child: mass, stiffness: 800, damping: 0}]
initial: {spring: {q: 1}}
solver: {method: dopri5, rtol: 1e-9, atol: 1e-12}
duration: 0.5
record: {every: 0.01}
)y";

// Three coordinates at rest.
constexpr const char* kSliders = R"y(limber: 1
scenario: sliders
model:
  bodies: [{name: a, rigid: {mass: 1}}, {name: b, rigid: {mass: 1}}, {name: c, rigid: {mass: 1}}]
  joints:
    - {name: x1, type: prismatic, axis: [1, 0, 0], parent: world, child: a}
    - {name: x2, type: prismatic, axis: [1, 0, 0], parent: world, child: b}
    - {name: x3, type: prismatic, axis: [1, 0, 0], parent: world, child: c}
initial: {x1: {q: 0}, x2: {q: 0}, x3: {q: 0}}
solver: {method: rk4, step: 1e-3}
duration: 1e-3
record: {every: 1e-3, nodes: none, energy: false}
)y";

class StudyFolder {
 public:
  StudyFolder() {
    path_ = ::testing::TempDir() + "limber-study-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no folder for the test");
    std::ofstream(file("oscillator.yaml")) << kOscillator;
    std::ofstream(file("sliders.yaml")) << kSliders;
  }
  ~StudyFolder() { std::filesystem::remove_all(path_); }
  StudyFolder(const StudyFolder&) = delete;
  StudyFolder& operator=(const StudyFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  Study study(const std::string& scenario, const std::string& rest) const {
    return parse_study("limber: 1\nstudy: test\nscenario: " + scenario + "\n" + rest, "study.yaml", path_);
  }
  // Sweeps into a table, and reads it.
  StudyData sweep(const Study& study, const std::string& table, int threads, bool resume = false,
                  const GoOn& go_on = {}) const {
    SweepOptions options;
    options.output = file(table);
    options.resume = resume;
    options.go_on = go_on;
    ThreadTeam team(threads);
    report = limber::sweep(study, options, team);
    return read_study_table(file(table));
  }
  mutable SweepReport report;

 private:
  std::string path_;
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void expect_same_tables(const StudyData& a, const StudyData& b) {
  ASSERT_EQ(a.runs(), b.runs());
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.seeds, b.seeds);
  EXPECT_EQ(a.kept, b.kept);
  for (std::size_t k = 0; k < a.parameters.size(); ++k)
    EXPECT_TRUE(same_bits(a.parameters[k].values, b.parameters[k].values));
  for (std::size_t k = 0; k < a.results.size(); ++k)
    EXPECT_TRUE(same_bits(a.results[k].values, b.results[k].values)) << a.results[k].name;
}

constexpr const char* kRandomSpring = R"y(parameters:
  - {path: spring.stiffness, uniform: [400, 1200]}
sampling: {method: latin, count: 200, seed: 4}
results:
  - {name: f, frequency: 1, joints: free}
  - {name: last, of: q, component: spring, reduce: last}
  - {name: swing, of: q, component: spring, reduce: max_abs}
  - {name: early, of: joints/spring/position, reduce: {at: 0.123}}
  - {name: omega, pole: 2, part: modulus}
  - {name: ratio, expression: "w/(2*pi*f)",
                     with : {
w:
  omega, f : f
}
}
)y";

// f = sqrt(k/m) / 2 pi of k uniform in [a, b]: E f = (2/3) (b^1.5 - a^1.5) / (b - a) / (2 pi sqrt m), E f^2 = (a + b) /
// (8 pi^2 m).  A Latin hypercube of n points has the mean of a smooth function within about sigma n^-1.5.
TEST(Sweep, AnOscillatorOfRandomStiffnessHasTheMomentsOfItsFrequency) {
  const StudyFolder folder;
  const StudyData table = folder.sweep(folder.study("oscillator.yaml", kRandomSpring), "t.h5", 2);
  ASSERT_TRUE(table.complete);
  const double a = 400, b = 1200, m = 2;
  const double mean = 2.0 / 3 * (std::pow(b, 1.5) - std::pow(a, 1.5)) / (b - a) / (2 * kPi * std::sqrt(m));
  const double square = (a + b) / (8 * kPi * kPi * m), sigma = std::sqrt(square - mean * mean);
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < 200; ++k) {
    const double stiffness = table.parameters[0].values[k], omega = std::sqrt(stiffness / m);
    EXPECT_NEAR(table.results[0].values[k], omega / (2 * kPi), 1e-12 * omega);
    EXPECT_NEAR(table.results[1].values[k], std::cos(omega * 0.5), 1e-7);
    EXPECT_NEAR(table.results[2].values[k], 1, 1e-7);
    EXPECT_NEAR(table.results[3].values[k], std::cos(omega * 0.123),
                0.5 * 1e-4 * omega * omega / 4);  // between records
    EXPECT_NEAR(table.results[5].values[k], 1, 1e-9);
    sum += table.results[0].values[k] / 200;
    squares += table.results[0].values[k] * table.results[0].values[k] / 200;
  }
  EXPECT_NEAR(sum, mean, 4 * sigma * std::pow(200, -1.5));
  EXPECT_NEAR(squares - sum * sum, sigma * sigma, 20 * sigma * sigma * std::pow(200, -1.5));
  EXPECT_EQ(table.results[0].unit, "Hz");
  EXPECT_EQ(table.results[1].unit, "m");
}

TEST(Sweep, AnyNumberOfCoresGivesTheSameBits) {
  const StudyFolder folder;
  const Study study = folder.study("oscillator.yaml", kRandomSpring);
  const StudyData one = folder.sweep(study, "one.h5", 1);
  for (const int threads : {2, 4, 7}) expect_same_tables(one, folder.sweep(study, "many.h5", threads));
}

TEST(Sweep, ResumeDoesWhatIsMissingAndNothingElse) {
  const StudyFolder folder;
  const Study study = folder.study("oscillator.yaml", kRandomSpring);
  const StudyData whole = folder.sweep(study, "whole.h5", 2);
  int asked = 0;  // counted in steps of the runs
  const StudyData part = folder.sweep(study, "part.h5", 1, false, [&] { return ++asked < 3000; });
  ASSERT_FALSE(part.complete);
  const long before = part.done_count();
  EXPECT_GT(before, 5);
  EXPECT_LT(before, 190);
  const StudyData rest = folder.sweep(study, "part.h5", 2, true);
  EXPECT_EQ(folder.report.before, before);
  EXPECT_TRUE(rest.complete);
  expect_same_tables(whole, rest);
  for (std::size_t k = 0; k < 200; ++k) {  // not repeated
    if (part.done(static_cast<long>(k))) {
      EXPECT_EQ(part.wall[k], rest.wall[k]);
    }
  }
  // A complete one is left as it is; one of another study, or of a part of the runs, is refused.
  folder.sweep(study, "part.h5", 2, true);
  EXPECT_EQ(folder.report.before, 200);
  Study other = folder.study("oscillator.yaml", std::string(kRandomSpring) + "keep: [0]\n");
  EXPECT_THROW(folder.sweep(other, "part.h5", 2, true), FileError);
  asked = 0;
  folder.sweep(study, "part2.h5", 1, false, [&] { return ++asked < 3000; });
  EXPECT_THROW(folder.sweep(study, "part2.h5", 1), FileError);
}

TEST(Sweep, WhatGoesWrongInARunIsItsResult) {
  const StudyFolder folder;
  const StudyData table = folder.sweep(folder.study("oscillator.yaml", R"y(parameters:
  - {path: mass.mass, values: [2, -1, 3]}
  - {path: solver, values: [{method: dopri5, rtol: 1e-6, atol: 1e-9}, {method: rk4, step: 1}]}
  - {path: duration, values: [0.5, 300]}
  - {path: record.every, values: [100]}
results: [{name: swing, of: q, reduce: max_abs}, {name: f, frequency: 1, joints: free}]
keep: failed
)y"),
                                       "t.h5", 2);
  ASSERT_EQ(table.runs(), 12);
  EXPECT_EQ(table.status[0], "ok");
  EXPECT_EQ(table.status[3], "diverged");  // rk4 far beyond its stability limit, for long enough
  EXPECT_TRUE(std::isnan(table.results[0].values[3]));
  EXPECT_NEAR(table.results[1].values[3], std::sqrt(800.0 / 2) / (2 * kPi), 1e-9);
  EXPECT_EQ(table.kept[3], 1);
  EXPECT_TRUE(std::filesystem::exists(folder.file("t.runs/3.h5")));
  EXPECT_EQ(table.status[4], "refused");
  EXPECT_NE(table.message[4].find("mass must"), std::string::npos) << table.message[4];
  EXPECT_EQ(table.kept[4], 0);
  EXPECT_EQ(table.parameters[1].words[2], "{method: rk4, step: 1}");
}

// First and total Sobol indices of a result of the method saltelli: (b) and (f) of table 2 in Saltelli et al., Comput.
// Phys. Commun. 181 (2010) 259.  Blocks of runs: A, B, A with one column of B.
std::pair<VectorXd, VectorXd> sobol_indices(const StudyData& study, std::size_t result) {
  const auto parameters = static_cast<Eigen::Index>(study.parameters.size());
  const Eigen::Index count = study.runs() / (parameters + 2);
  const Eigen::Map<const MatrixXd> f(study.results.at(result).values.data(), count, parameters + 2);
  const double mean = f.leftCols<2>().mean(), variance = (f.leftCols<2>().array() - mean).square().mean();
  VectorXd first(parameters), total(parameters);
  for (Eigen::Index j = 0; j < parameters; ++j) {
    const VectorXd change = f.col(j + 2) - f.col(0);
    first[j] = (f.col(1).array() - mean).matrix().dot(change) / static_cast<double>(count) / variance;
    total[j] = change.squaredNorm() / (2 * static_cast<double>(count)) / variance;
  }
  return {first, total};
}

// The Ishigami function f = sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1 of x uniform in [-pi, pi]: Ishigami and Homma, ISUMA
// 1990; its indices in closed form.
TEST(Sweep, SobolIndicesOfTheIshigamiFunction) {
  const StudyFolder folder;
  const StudyData table = folder.sweep(folder.study("sliders.yaml", R"y(parameters:
  - {path: initial.x1.q, uniform: [-3.141592653589793, 3.141592653589793]}
  - {path: initial.x2.q, uniform: [-3.141592653589793, 3.141592653589793]}
  - {path: initial.x3.q, uniform: [-3.141592653589793, 3.141592653589793]}
sampling: {method: saltelli, count: 512, seed: 1}
results:
  - name: f
    expression: "sin(x) + 7*sin(y)^2 + 0.1*z^4*sin(x)"
    with: {x: {of: q, component: x1}, y: {of: q, component: x2}, z: {of: q, component: x3}}
    reduce: last
)y"),
                                       "t.h5", 2);
  ASSERT_TRUE(table.complete);
  for (std::size_t k = 0; k < 5; ++k) {
    const double x = table.parameters[0].values[k], y = table.parameters[1].values[k],
                 z = table.parameters[2].values[k];
    EXPECT_NEAR(table.results[0].values[k],
                std::sin(x) + 7 * std::pow(std::sin(y), 2) + 0.1 * std::pow(z, 4) * std::sin(x), 1e-9);
  }
  const double p4 = std::pow(kPi, 4), p8 = p4 * p4, a = 7, b = 0.1;
  const double v1 = 0.5 * std::pow(1 + b * p4 / 5, 2), v2 = a * a / 8, v13 = 8 * b * b * p8 / 225, v = v1 + v2 + v13;
  const auto [own_first, own_total] = sobol_indices(table, 0);
  const Vector3d first(v1 / v, v2 / v, 0), total((v1 + v13) / v, v2 / v, v13 / v);
  EXPECT_LT((own_first - first).cwiseAbs().maxCoeff(), 0.04) << own_first;  // about 1 / sqrt(512)
  EXPECT_LT((own_total - total).cwiseAbs().maxCoeff(), 0.04) << own_total;
}

// The stiffness at which the mass is at -1 m at the end: half a period of 0.5 s, so k = m (2 pi)^2.
TEST(Tune, FindsTheStiffnessOfAHalfPeriod) {
  const StudyFolder folder;
  for (const char* method : {"nelder-mead", "bobyqa", "crs"}) {
    const Study study = folder.study("oscillator.yaml",
                                     std::string(R"y(parameters: [{path: spring.stiffness, range: [20, 150], start: 40}]
results: [{name: end, of: q, reduce: last}]
tune: {minimise: end, evaluations: 200, tolerance: 1e-6, method: )y") +
                                         method + "}\n");
    SweepOptions options;
    options.output = folder.file("tune.h5");
    const TuneReport report = tune(study, options);
    EXPECT_NEAR(report.values.at(0), 8 * kPi * kPi, method == std::string("crs") ? 1 : 0.05) << method;
    EXPECT_NEAR(report.goal, -1, 1e-4);
    const StudyData path = read_study_table(options.output);
    EXPECT_EQ(path.runs(), report.evaluations);
    EXPECT_EQ(path.parameters[0].values[static_cast<std::size_t>(report.best)], report.values[0]);
    EXPECT_EQ(path.results[0].values[static_cast<std::size_t>(report.best)], report.goal);
    if (method == std::string("nelder-mead")) {
      EXPECT_EQ(path.parameters[0].values[0], 40);
    }
  }
}

}  // namespace
}  // namespace limber
