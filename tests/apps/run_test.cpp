// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Successful runs of `limber run`.
#include <fmt/format.h>
#include <pty.h>

#include <cmath>

#include "apps/process.hpp"
#include "limber/scenario/scenario.hpp"
#include "support/recorded.hpp"

namespace limber::test {
namespace {

const std::string kShort = "solver: {method: dopri5, rtol: 1e-8, atol: 1e-10}\nduration: 0.5\nrecord: {every: 0.01}\n";

int lines(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

TEST(Run, RecordsBesideTheCallerByDefault) {
  const Folder folder;
  folder.write("swing.yaml", swing(kShort));
  const Result result = Process({"run", "swing.yaml"}, {.folder = folder.file("")}).wait();
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "swing.h5, 51 records")) << result.out;
  for (const char* word : {"swing", "arm", "dopri5, rtol 1e-08", "rejected", "evaluations", "energy balance",
                           "upper.bending_z1", "upper.tip", "× real time"})
    EXPECT_TRUE(contains(result.out, word)) << word << "\n" << result.out;
  const Recorded file(folder.file("swing.h5"));
  EXPECT_EQ(file.rows("time"), 51u);
  EXPECT_EQ(file.number("/", "complete"), 1);
  EXPECT_EQ(file.text("/", "ended"), "finished");
  EXPECT_EQ(file.text("/", "scenario"), swing(kShort));
}

// The numbers in the file against a run of the library.
TEST(Run, RecordsWhatTheLibraryComputes) {
  const Folder folder;
  const std::string path = folder.write("swing.yaml", swing(kShort));
  ASSERT_EQ(limber({"run", path, "-o", folder.file("a.h5"), "-q"}).code, 0);
  struct Keeper : RunListener {
    std::vector<double> t, q, v, balance, kinetic, work, angular, tip;
    const Model* model = nullptr;
    void record(const Record& r) override {
      t.push_back(r.motion.x.t);
      q.insert(q.end(), r.motion.x.q.begin(), r.motion.x.q.end());
      v.insert(v.end(), r.motion.x.v.begin(), r.motion.x.v.end());
      balance.push_back(r.balance);
      kinetic.push_back(r.energy.kinetic);
      work.push_back(r.motion.work);
      for (const double x : r.momentum.angular) angular.push_back(x);
      const int fore = model->find_body("fore");
      for (const double x : node_pose(*model, r.kin, {fore, model->body(fore).node_index("tip")}).p) tip.push_back(x);
    }
  } keeper;
  const Scenario scenario = read_scenario(path);
  keeper.model = scenario.model.get();
  System system(*scenario.model, scenario.inputs, scenario.solver.algorithm);
  const RunResult result = simulate(system, scenario.solver, scenario.run, scenario.initial, keeper);
  ASSERT_EQ(result.status, Status::ok);
  const Recorded file(folder.file("a.h5"));
  EXPECT_EQ(file.numbers("time"), keeper.t);
  EXPECT_EQ(file.numbers("q"), keeper.q);
  EXPECT_EQ(file.numbers("v"), keeper.v);
  EXPECT_EQ(file.numbers("energy/balance"), keeper.balance);
  EXPECT_EQ(file.numbers("energy/kinetic"), keeper.kinetic);
  EXPECT_EQ(file.numbers("energy/work"), keeper.work);
  EXPECT_EQ(file.numbers("momentum/angular"), keeper.angular);
  EXPECT_EQ(file.numbers("nodes/fore.tip/position"), keeper.tip);
}

TEST(Run, RecordsNoMoreThanAsked) {
  const Folder folder;
  const std::string path =
      folder.write("swing.yaml", swing("duration: 0.1\nrecord: {every: 0.05, nodes: [fore.tip], energy: false}\n"));
  ASSERT_EQ(limber({"run", path, "-o", folder.file("a.h5")}).code, 0);
  const Recorded file(folder.file("a.h5"));
  const std::vector<std::string> expected = {"joints/elbow/torque",
                                             "joints/shoulder/torque",
                                             "nodes/fore.tip/deflection",
                                             "nodes/fore.tip/position",
                                             "nodes/fore.tip/rotation",
                                             "q",
                                             "time",
                                             "v"};
  EXPECT_EQ(file.datasets(), expected);
  EXPECT_EQ(file.numbers("time"), std::vector<double>({0, 0.05, 0.1}));
}

TEST(Run, PrintsJson) {
  const Folder folder;
  const std::string path = folder.write("swing.yaml", swing(kShort));
  const Result result = limber({"run", path, "-o", folder.file("a.h5"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json json = result.json();
  ASSERT_TRUE(json.is_object()) << result.out;
  EXPECT_EQ(json["scenario"], "swing");
  EXPECT_EQ(json["model"], "arm");
  EXPECT_EQ(json["ended"], "finished");
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["time"], 0.5);
  EXPECT_EQ(json["records"], 51);
  EXPECT_EQ(json["recording"], folder.file("a.h5"));
  EXPECT_EQ(json["solver"]["method"], "dopri5");
  EXPECT_GT(json["steps"], 10);
  EXPECT_GT(json["evaluations"], json["steps"]);
  EXPECT_GE(json["rejected"], 0);
  EXPECT_GT(json["wall"], 0);
  EXPECT_LT(json["relative_energy_error"], 1e-6);
  EXPECT_EQ(json["largest_modes"][0]["coordinate"], "upper.bending_z1");
  EXPECT_TRUE(json["warnings"].is_array());
  EXPECT_EQ(static_cast<int>(json["warnings"].size()), lines(result.err));
}

TEST(Run, IsQuietWhenAsked) {
  const Folder folder;
  const std::string path = folder.write("swing.yaml", swing(kShort));
  const Result result = limber({"run", path, "-o", folder.file("a.h5"), "--quiet"});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "");
  for (std::istringstream err(result.err); !err.eof();) {
    std::string line;
    std::getline(err, line);
    EXPECT_TRUE(line.empty() || line.starts_with("warning: ")) << line;
  }
}

TEST(Run, WarnsWhereTheModelNoLongerHolds) {
  const Folder folder;
  const std::string path = folder.write("soft.yaml", R"(limber: 1
scenario: soft
model:
  limber: 1
  gravity: [0, 0, -9.81]
  bodies: [{name: rod, beam: {length: 1, mass: 1, EIy: 0.5, EIz: 0.5, modes: {bending_z: 2}}}]
  joints: [{name: wall, type: fixed, parent: world, child: rod}]
duration: 1
)");
  const Result result = limber({"run", path, "-o", folder.file("a.h5"), "-q"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(contains(result.err, "warning: ")) << result.err;
  EXPECT_TRUE(contains(result.err, "'rod'")) << result.err;
}

TEST(Run, StartsFromEquilibrium) {
  const Folder folder;
  const std::string path = folder.write("still.yaml", R"(limber: 1
scenario: still
model:
  limber: 1
  gravity: [0, 0, -9.81]
  bodies: [{name: rod, beam: {length: 1, mass: 1, EIy: 500, EIz: 500, modes: {bending_z: 2}}}]
  joints: [{name: wall, type: fixed, parent: world, child: rod}]
initial: {equilibrium: true}
duration: 0.2
)");
  const Result result = limber({"run", path, "-o", folder.file("a.h5"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_GE(result.json()["equilibrium_iterations"], 1) << result.out;
  const Recorded file(folder.file("a.h5"));
  const std::vector<double> tip = file.numbers("nodes/rod.tip/deflection");
  // Two modes of a clamped bar give 98.6 % of the tip deflection w L^3 / (8 EI), and the transient is negligible.
  EXPECT_NEAR(tip[2], -9.81 / (8 * 500), 0.02 * 9.81 / (8 * 500));
  EXPECT_NEAR(tip[tip.size() - 1], tip[2], 1e-6 * std::abs(tip[2]));
}

TEST(Run, WritesTheSameNumbersAsTable) {
  const Folder folder;
  const std::string path = folder.write("swing.yaml", swing(kShort));
  ASSERT_EQ(limber({"run", path, "-o", folder.file("a.h5"), "--csv"}).code, 0);
  ASSERT_EQ(limber({"run", path, "-o", folder.file("b.h5"), "--csv", folder.file("c.csv")}).code, 0);
  EXPECT_EQ(read_all(folder.file("a.csv")), read_all(folder.file("c.csv")));
  const Recorded file(folder.file("a.h5"));
  std::istringstream table(read_all(folder.file("a.csv")));
  std::string line;
  std::getline(table, line);
  EXPECT_TRUE(line.starts_with("time,q:shoulder,q:upper.bending_z1,")) << line;
  const auto t = file.numbers("time"), q = file.numbers("q"), v = file.numbers("v");
  const auto balance = file.numbers("energy/balance");
  for (std::size_t row = 0; row < t.size(); ++row) {
    ASSERT_TRUE(std::getline(table, line));
    std::istringstream cells(line);
    std::string cell;
    std::vector<double> got;
    while (std::getline(cells, cell, ',')) got.push_back(std::stod(cell));
    ASSERT_EQ(got.size(), 1 + 5 + 5 + 7u);
    EXPECT_EQ(got[0], t[row]);
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_EQ(got[1 + k], q[5 * row + k]);
      EXPECT_EQ(got[6 + k], v[5 * row + k]);
    }
    EXPECT_EQ(got.back(), balance[row]);
  }
  EXPECT_FALSE(std::getline(table, line));
}

// A long recording uses disk space, not memory.
TEST(Run, DoesNotGrowInMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer keeps freed memory";
#endif
  const Folder folder;
  long memory[2] = {};
  const char* duration[2] = {"10", "100"};
  for (int k = 0; k < 2; ++k) {
    const std::string path = folder.write("swing.yaml", swing(fmt::format("solver: {{method: implicit, step: 1e-3}}\n"
                                                                          "duration: {}\nrecord: {{every: 1e-3}}\n",
                                                                          duration[k])));
    Process process({"run", path, "-o", folder.file("a.h5"), "--quiet"});
    ASSERT_EQ(process.wait().code, 0);
    memory[k] = process.most_memory_kib();
  }
  EXPECT_LT(memory[1] - memory[0], 8 << 10);  // for 60 MB of records
}

// Output of the program to a terminal; once it has shown `enough`, the program is interrupted.
std::string on_terminal(const std::vector<std::string>& arguments, const char* enough) {
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    setenv("TERM", "xterm", 1);
    std::vector<std::string> words = {LIMBER_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(LIMBER_PROGRAM, argv.data());
    _exit(127);
  }
  std::string out;
  bool interrupted = false;
  char piece[4096];
  for (ssize_t got = 0; (got = read(terminal, piece, sizeof(piece))) > 0;) {
    out.append(piece, static_cast<std::size_t>(got));
    if (interrupted || !contains(out, enough)) continue;
    kill(pid, SIGINT);
    interrupted = true;
  }
  close(terminal);
  waitpid(pid, nullptr, 0);
  return out;
}

TEST(Run, ShowsProgressOnATerminalOnly) {
  const Folder folder;
  const std::string solver = "solver: {method: rk4, step: 1e-4}\n";
  const std::string longer = folder.write("long.yaml", swing(solver + "duration: 1e5\nrecord: {every: 1}\n"));
  const std::string shown = on_terminal({"run", longer, "-o", folder.file("a.h5")}, " left\x1b[K");
  for (const char* part : {"░", " %  ", " of 1e+05 s", "× real time", " left\x1b[K"})
    EXPECT_TRUE(contains(shown, part)) << part << "\n" << shown;
  EXPECT_TRUE(contains(shown, "\r\x1b[K")) << shown;  // erased
  EXPECT_TRUE(contains(shown, "interrupted at t")) << shown;

  const std::string path = folder.write("swing.yaml", swing(solver + "duration: 8\nrecord: {every: 0.01}\n"));
  const std::string quiet = on_terminal({"run", path, "-o", folder.file("b.h5"), "-q"}, " left");
  EXPECT_FALSE(contains(quiet, " left")) << quiet;
  const Result plain = limber({"run", path, "-o", folder.file("c.h5")});
  EXPECT_FALSE(contains(plain.err, " left")) << plain.err;
  EXPECT_TRUE(contains(plain.out + plain.err, "801 records")) << plain.out << plain.err;
}

TEST(Run, HelpsWithAnExample) {
  const Result result = limber({"run", "--help"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(contains(result.out, "Example:")) << result.out;
  EXPECT_TRUE(contains(result.out, "--csv")) << result.out;
}

}  // namespace
}  // namespace limber::test
