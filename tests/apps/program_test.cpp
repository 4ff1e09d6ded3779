// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/program.hpp"

#include <set>

namespace limber::test {
namespace {

const std::string kModel = data("cases/canadarm-slew/model.yaml");

TEST(Program, HelpOfEveryCommandHasAnExample) {
  EXPECT_TRUE(contains(limber({"--help"}).out, "Example:"));
  for (const char* command : {"eval", "info", "check", "bench"}) {
    const Result result = limber({command, "--help"});
    EXPECT_EQ(result.code, 0);
    EXPECT_TRUE(contains(result.out, std::string("\n  limber ") + command)) << result.out;
  }
}

TEST(Program, TellsItsVersion) {
  const Result result = limber({"--version"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out.substr(0, 7), "limber ");
}

TEST(Program, RefusesWhatItDoesNotKnowInOneLine) {
  const std::pair<std::vector<std::string>, std::string> bad[] = {
      {{"evl"}, "did you mean 'eval'?"},
      {{"frobnicate"}, "eval, info, check, linearize, modes, import, export, learn, sweep, tune, bench"},
      {{"--frob"}, "--frob"},
      {{"modes", "foo"},
       "unknown format 'foo'; the formats are calculix, nastran, abaqus, matrices; see `limber modes --help`"},
      {{"modes", "calculix"}, "limber modes calculix: JOB is required; see `limber modes calculix --help`"},
      {{"run", "--flush", "x", "a.yaml"}, "limber run: --flush must be a number, but is 'x'; see"},
      {{"run", "a.yaml", "--set"}, "limber run: --set needs a value: PATH=VALUE; see"},
      {{"bench", "--seconds", "x"}, "limber bench: --seconds must be a number from 0 to 3600, but is 'x'; see"},
      {{"eval", "a", "b", "--algorithm", "foo"}, "limber eval: --algorithm must be one of aba, crba, dca, "},
      {{"info"}, "MODEL is required"},
      {{"info", "--jsn", kModel}, "did you mean '--json'?"},
      {{"info", kModel, "twice"}, "'twice'"},
      {{"check"}, "FILE is required"},
      {{"bench", "--seconds", "soon"}, "--seconds"},
      {{"bench", "--seconds", "-1"}, "--seconds"},
      {{"bench", "--seconds", "nan"}, "--seconds"},
      {{"bench", "--once", "0"}, "--once"},
      {{"bench", "--filter", "no such case"}, "--list"},
  };
  for (const auto& [arguments, part] : bad) {
    const Result result = limber(arguments);
    EXPECT_TRUE(result.is_one_error_line()) << arguments[0] << "\n" << result.out << result.err;
    EXPECT_TRUE(contains(result.err, part)) << result.err;
  }
}

TEST(Program, WithoutCommandShowsItsHelp) {
  const Result result = limber({});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.out.empty());
  EXPECT_TRUE(contains(result.err, "Usage: limber"));
}

TEST(Check, SaysWhatIsInAFile) {
  const Result result = limber({"check", kModel});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, kModel + ": ok (model, 3 bodies, 9 coordinates)\n");
  EXPECT_EQ(limber({"check", "--quiet", kModel}).out, "");
}

TEST(Check, GoesOnAfterABadFile) {
  const std::string bad = data("malformed/beam-no-length.yaml");
  const Result result = limber({"check", bad, kModel, "/no/such/file"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.out, kModel + ": ok (model, 3 bodies, 9 coordinates)\n");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 2) << result.err;
  EXPECT_TRUE(contains(result.err, bad + ":"));
  const Result as_json = limber({"check", "--json", bad, kModel});
  EXPECT_EQ(as_json.code, 1);
  const Json list = as_json.json();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["ok"], false);
  EXPECT_TRUE(contains(list[0]["error"], "length"));
  EXPECT_EQ(list[1]["bodies"], 3);
  EXPECT_EQ(list[1]["coordinates"], 9);
}

TEST(Check, SaysOneLinePerFileHoweverBroken) {
  std::vector<std::string> arguments = {"check"};
  for (const char* folder : {"malformed", "malformed-scenario"}) {
    for (const auto& file : std::filesystem::directory_iterator(data(folder))) {
      if (file.is_regular_file()) arguments.push_back(file.path());
    }
  }
  const Result result = limber(arguments);
  EXPECT_EQ(result.code, 1);
  const std::string all = result.out + result.err;
  EXPECT_EQ(static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n')), arguments.size() - 1) << all;
}

TEST(Check, KnowsStatesAndScenarios) {
  const Folder folder;
  const std::string state = folder.write("s.json", R"({"q": [0,0,0,0,0,0,0,0,0], "v": [0,0,0,0,0,0,0,0,0]})");
  EXPECT_EQ(limber({"check", "--model", kModel, state}).out, state + ": ok (state, 9 coordinates)\n");
  EXPECT_TRUE(contains(limber({"check", state}).err, "--model"));
  const std::string scenario = data("cases/canadarm-slew/scenario.yaml");
  EXPECT_EQ(limber({"check", scenario}).out, scenario + ": ok (scenario, model canadarm-slew, 40 s, dopri5)\n");
  const Json facts = limber({"check", "--json", scenario}).json()[0];
  EXPECT_EQ(facts["kind"], "scenario");
  EXPECT_EQ(facts["duration"], 40);
  EXPECT_EQ(facts["records"], 81);
}

TEST(Check, NamesTheModelThatIsWrongOrMissing) {
  const Folder folder;
  const std::string scenario = folder.write("s.yaml", "limber: 1\nscenario: s\nmodel: m.yaml\nduration: 0.25\n");
  EXPECT_EQ(limber({"check", scenario}).err, scenario + ":3: model " + folder.file("m.yaml") +
                                                 ": cannot be opened: no such file; write its path from the folder of "
                                                 "the scenario\n");
  folder.write("m.yaml", "limber: 1\nbodies: []\n");
  EXPECT_EQ(limber({"check", scenario}).err, folder.file("m.yaml") + ":2: bodies must have at least one body\n");
  // A model without a name gets that of its file; for standard input, files are looked for in the working directory.
  folder.write("m.yaml",
               "limber: 1\nbodies: [{name: b, rigid: {mass: 1}}]\njoints: [{name: j, type: fixed, parent: world, "
               "child: b}]\n");
  EXPECT_EQ(limber({"check", scenario}).out,
            scenario + ": ok (scenario, model " + folder.file("m.yaml") + ", 0.25 s, dopri5)\n");
  EXPECT_TRUE(limber({"check", "-"}, "limber: 1\nscenario: s\nmodel: m.yaml\nduration: 1\n").is_one_error_line());
}

TEST(Bench, PrintsThePromisedKeys) {
  const Result result = limber({"bench", "--json", "--seconds", "0.01", "--filter", "chain 10x5 full"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json list = result.json();
  ASSERT_GE(list.size(), 5u);
  for (const Json& entry : list) {
    EXPECT_EQ(entry["topology"], "chain");
    EXPECT_EQ(entry["bodies"], 10);
    EXPECT_EQ(entry["modes"], 5);
    EXPECT_EQ(entry["fidelity"], "full");
    EXPECT_TRUE(entry["algorithm"].is_string());
    EXPECT_GT(entry["ns"].get<double>(), 0);
  }
}

TEST(Bench, HasTheCasesOfTheDesign) {
  std::istringstream lines(limber({"bench", "--list"}).out);
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(names.insert(line).second) << line << " twice";
  for (const char* bodies : {"10", "100", "1000"}) {
    for (const char* modes : {"0", "5", "10"}) {
      const std::string size = std::string(bodies) + "x" + modes;
      for (const char* start : {"aba/chain/", "rnea/chain/", "aba/tree/"})
        EXPECT_EQ(names.count(start + size + "/full"), 1u) << start << size;
    }
  }
  for (const char* name :
       {"aba/chain/10x5/stiffened", "aba/chain/1000x10/ruthless", "aba/chain/10x40/ruthless", "crba/chain/100x10/full",
        "dca/chain/1000x5/full", "operators/tree/10x5/full", "mass_matrix/tree/100x5/full"})
    EXPECT_EQ(names.count(name), 1u) << name;
}

TEST(Bench, TableHasRatiosToTheRigidChain) {
  const Result result = limber({"bench", "--seconds", "0", "--filter", "rnea/chain/10x"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "x rigid"));
  EXPECT_TRUE(contains(result.out, "1.00"));
}

TEST(Bench, EvaluatesAsOftenAsAsked) {
  const Result result = limber({"bench", "--once", "3", "--filter", "aba/tree/10x5"});
  EXPECT_EQ(result.out, "aba/tree/10x5/full evaluated 3 times\n");
}

}  // namespace
}  // namespace limber::test
