// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// --algorithm of eval, run and bench: each name is accepted, and the results agree.
#include <fmt/format.h>

#include "apps/process.hpp"
#include "limber/files/model_file.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/model_text.hpp"
#include "support/no_alloc.hpp"
#include "support/recorded.hpp"

namespace limber::test {
namespace {

// The sanitized program is slow to start.
constexpr std::uint64_t kTrees = kNoAllocWorks ? 200 : 20;

VectorXd to_vector(const Json& list) {
  VectorXd out(static_cast<Eigen::Index>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) out[static_cast<Eigen::Index>(i)] = list[i].get<double>();
  return out;
}

std::string state_text(const Sample& s) {
  const auto list = [](const VectorXd& v) { return std::vector<double>(v.begin(), v.end()); };
  return Json{{"q", list(s.x.q)}, {"v", list(s.x.v)}, {"tau", list(s.tau)}}.dump();
}

// The results of eval with these algorithms, against aba of the library on the model in the file.
void expect_agreement(const Machine& machine, std::uint64_t seed, const std::vector<std::string>& names, bool deflected,
                      Worst& worst) {
  const Folder folder;
  const std::string text = ModelText::of(machine, make_model(machine)), file = folder.write("model.yaml", text);
  const Model model = parse_model(text, "model.yaml");
  if (model.nv == 0) return;
  Sample s = random_sample(model, seed);
  if (!deflected) clear_deflections(model, s.x);
  const VectorXd expected = Engine(model).forward(s.x, s.tau);
  const std::string state = folder.write("state.json", state_text(s));
  for (const std::string& name : names) {
    const Result result = limber({"eval", file, state, "--no-mass-matrix", "--algorithm", name});
    ASSERT_EQ(result.code, 0) << "seed " << seed << ": " << result.err;
    const VectorXd got = to_vector(result.json()["acceleration"]);
    ASSERT_EQ(got.size(), expected.size());
    EXPECT_LE((got - expected).norm(), 1e-9 * expected.norm()) << name << ", seed " << seed;
    worst.add((got - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST(Algorithms, AgreeInEvalOn200RandomTrees) {
  Worst worst("eval_algorithms");
  for (std::uint64_t seed = 1; seed <= kTrees; ++seed)
    expect_agreement(random_machine(mixed_tree(seed, 6, 0.2), seed), seed, general_algorithms(), true, worst);
}

// Without deflections, `book` has the same equations of motion as the others.
TEST(Algorithms, AgreeInEvalOn200ChainsOfRotaryJoints) {
  Worst worst("eval_book");
  for (std::uint64_t seed = 1; seed <= kTrees; ++seed)
    expect_agreement(random_machine(rotary_chain(seed), seed), seed, {"book"}, false, worst);
}

// Coordinates at all recorded times.
VectorXd motion(const std::string& solver, const std::vector<std::string>& options, const std::string& name) {
  const Folder folder;
  const std::string rest = "solver: {method: rk4, step: 1e-3" + solver + "}\nduration: 0.3\nrecord: {every: 0.1}\n";
  const std::string file = folder.write("s.yaml", swing(rest)), out = folder.file("out.h5");
  std::vector<std::string> arguments = {"run", file, "--json", "-o", out};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Result result = limber(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.json()["solver"]["algorithm"], name);
  const std::vector<double> q = Recorded(out).numbers("q");
  return Eigen::Map<const VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
}

TEST(Algorithms, RunByOptionOrByScenario) {
  const VectorXd expected = motion("", {}, "aba");
  for (const std::string& name : forward_dynamics_names()) {
    const VectorXd chosen = motion("", {"--algorithm", name}, name), named = motion(", algorithm: " + name, {}, name);
    EXPECT_EQ(chosen, named) << name;
    EXPECT_EQ(chosen, motion(", algorithm: crba", {"--algorithm", name}, name)) << name;
    // With deflections, the equations of motion of `book` differ.
    EXPECT_LE((chosen - expected).norm(), (name == "book" ? 1e-2 : 1e-9) * expected.norm()) << name;
  }
}

TEST(Algorithms, RunRefusesWhatOneCannotDo) {
  const Folder folder;
  const std::string implicit =
      folder.write("i.yaml", swing("solver: {method: implicit, step: 1e-3}\nduration: 0.1\nrecord: {every: 0.1}\n"));
  const Result refused = limber({"run", implicit, "-o", folder.file("o.h5"), "--algorithm", "crba"});
  EXPECT_TRUE(refused.is_one_error_line()) << refused.out << refused.err;
  EXPECT_TRUE(contains(refused.err, "implicit needs the algorithm aba")) << refused.err;
  EXPECT_EQ(limber({"run", implicit, "-q", "-o", folder.file("o.h5"), "--algorithm", "aba"}).code, 0);
  const Result moved = limber({"run", "-", "-o", folder.file("o.h5"), "--algorithm", "dca"},
                              swing("inputs: [{joint: elbow, motion: 0.1*t}]\nduration: 0.1\nrecord: {every: 0.1}\n"));
  EXPECT_TRUE(moved.is_one_error_line()) << moved.out << moved.err;
  EXPECT_TRUE(contains(moved.err, "prescribed motions")) << moved.err;
  const Result unknown = limber({"run", implicit, "--algorithm", "abba"});
  EXPECT_TRUE(unknown.is_one_error_line()) << unknown.out << unknown.err;
}

TEST(Algorithms, BenchHasThemAll) {
  for (const std::string& name : forward_dynamics_names()) {
    const Result result =
        limber({"bench", "--json", "--seconds", "0", "--algorithm", name, "--filter", "chain/10x5/full"});
    ASSERT_EQ(result.code, 0) << result.err;
    const Json list = result.json();
    ASSERT_EQ(list.size(), 1u) << name;
    EXPECT_EQ(list[0]["algorithm"], name);
    EXPECT_GT(list[0]["ns"].get<double>(), 0);
  }
  EXPECT_TRUE(limber({"bench", "--algorithm", "abba"}).is_one_error_line());
}

}  // namespace
}  // namespace limber::test
