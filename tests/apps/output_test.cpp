// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Files written by the program, and files never overwritten; lost terminals and closed pipes.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cmath>
#include <random>
#include <thread>

#include "apps/process.hpp"
#include "support/recorded.hpp"

namespace limber::test {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kBoom = R"(limber: 1
name: boom
bodies: [{name: boom, beam: {length: 2, mass: 3, EIy: 100, modes: {bending_z: 2}}}]
joints: [{name: luff, type: revolute, axis: [0, 1, 0], parent: world, child: boom}]
)";

// A shell command line with the program as $L.
Result shell(const Folder& folder, const std::string& line) {
  const Folder out;
  const std::string command = "cd " + quoted(folder.file("")) + " && L=" + quoted(LIMBER_PROGRAM) + "; { " + line +
                              "; } > " + quoted(out.file("out")) + " 2> " + quoted(out.file("err"));
  const int status = std::system(command.c_str());
  Result result;
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  result.out = read_all(out.file("out"));
  result.err = read_all(out.file("err"));
  return result;
}

// Two runs of different length with the same output: the file is the complete result of one of them, and the other
// reports the lock.  scripts/stress does hundreds.
TEST(Outputs, TwoRunsOnOneOutput) {
  const Folder folder;
  const std::string shorter = folder.write("a.yaml", swing("solver: {method: rk4, step: 1e-3}\nduration: 0.5\n"));
  const std::string longer = folder.write("b.yaml", swing("solver: {method: rk4, step: 1e-3}\nduration: 0.7\n"));
  const std::string out = folder.file("out.h5"), table = folder.file("out.csv");
  std::mt19937 random(1);
  int refused = 0;
  for (int k = 0; k < 15; ++k) {
    std::vector<std::unique_ptr<Process>> both;
    for (const std::string& scenario : {shorter, longer}) {
      both.push_back(
          std::make_unique<Process>(Names{"run", scenario, "-o", out, "--csv", table, "-q", "--flush", "0"}));
      usleep(static_cast<useconds_t>(random() % 20'000));
    }
    std::vector<double> ends;
    for (std::size_t i = 0; i < 2; ++i) {
      const Result result = both[i]->wait();
      if (result.code == 0) {
        ends.push_back(i == 0 ? 0.5 : 0.7);
        continue;
      }
      ++refused;
      EXPECT_TRUE(result.is_one_error_line()) << result.err;
      EXPECT_TRUE(contains(result.err, ": is being written by process ")) << result.err;
    }
    ASSERT_FALSE(ends.empty());
    const Recorded file(out);
    const std::vector<double> time = file.numbers("time");
    EXPECT_EQ(file.number("/", "complete"), 1);
    EXPECT_EQ(time.size(), 1001u);
    EXPECT_NE(std::find(ends.begin(), ends.end(), time.back()), ends.end()) << time.back();
    for (const std::string& name : file.datasets()) EXPECT_EQ(file.rows(name), 1001u) << name;
    EXPECT_EQ(std::count_if(time.begin(), time.end(), [](double t) { return !std::isfinite(t); }), 0);
    EXPECT_EQ(folder.names(), (Names{"a.yaml", "b.yaml", "out.csv", "out.h5"}));
  }
  EXPECT_GT(refused, 0);
}

TEST(Outputs, NothingBesideThemIsTouched) {
  const Folder folder;
  const std::string scenario = folder.write("swing.yaml", swing("duration: 0.1\n")),
                    model = folder.write("m.yaml", kBoom);
  for (const char* name : {"out.h5.part", "out.csv.part", "out.html.part", "lin.json.part"})
    std::filesystem::create_symlink(model, folder.file(name));
  EXPECT_EQ(shell(folder, "$L run swing.yaml -o out.h5 --csv --report && $L linearize m.yaml -o lin.json").code, 0);
  EXPECT_EQ(read_all(model), kBoom);
  for (const char* name : {"out.h5", "out.csv", "out.html", "lin.json"})
    EXPECT_TRUE(std::filesystem::exists(folder.file(name)));
  EXPECT_EQ(folder.names().size(), 10u);
}

TEST(Outputs, LinearizeReplacesItsOwnFilesAlone) {
  const Folder folder;
  folder.write("m.yaml", kBoom);
  const std::string state = folder.write("s.json", R"({"q": [0, 0, 0], "v": [0, 0, 0]})");
  for (int k = 0; k < 2; ++k) EXPECT_EQ(shell(folder, "$L linearize m.yaml -o lin.json").code, 0);
  const Result result = shell(folder, "$L linearize m.yaml -o s.json");
  EXPECT_TRUE(result.is_one_error_line()) << result.out << result.err;
  EXPECT_TRUE(contains(result.err, "s.json: exists and is not a linearisation")) << result.err;
  EXPECT_TRUE(contains(read_all(state), "\"q\""));
}

// A full disk, as a limit of the size of files.
TEST(Outputs, AFullDiskIsNamedWithItsFile) {
  const Folder folder;
  folder.write("swing.yaml", swing("duration: 0.1\n"));
  folder.write("m.yaml", kBoom);
  const Result result = shell(folder, "trap '' XFSZ; ulimit -f 1; $L linearize m.yaml -o lin.json");
  EXPECT_TRUE(result.is_one_error_line()) << result.out << result.err;
  EXPECT_TRUE(contains(result.err, "lin.json: cannot be written: File too large")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder.file("lin.json")));
}

TEST(Outputs, ErrorsThatNobodyHears) {
  const Folder folder;
  folder.write("swing.yaml", swing("duration: 0.1\n"));
  for (const char* nobody : {"2>&-", "2>/dev/full", ">&- 2>&-", "<&- >&- 2>&-"}) {
    EXPECT_EQ(shell(folder, fmt::format("$L check none.yaml {}", nobody)).code, 1) << nobody;
    EXPECT_EQ(shell(folder, fmt::format("$L run swing.yaml -o a.h5 -q {}", nobody)).code, 0) << nobody;
    EXPECT_EQ(Recorded(folder.file("a.h5")).number("/", "complete"), 1);
  }
  for (const char* nobody : {">&-", ">/dev/full"}) {
    const Result result = shell(folder, fmt::format("$L run swing.yaml -o a.h5 {}", nobody));
    EXPECT_TRUE(result.is_one_error_line()) << result.code << result.err;
    EXPECT_TRUE(contains(result.err, "the output cannot be written")) << result.err;
    EXPECT_EQ(Recorded(folder.file("a.h5")).number("/", "complete"), 1);
  }
}

// A closed terminal: with nohup the run continues to the end, without it stops in order.
TEST(Outputs, LostTerminal) {
  const Folder folder;
  const std::string scenario = folder.write("s.yaml", swing("solver: {method: rk4, step: 1e-5}\nduration: 1\n"));
  for (const bool ignored : {true, false}) {
    const std::string path = folder.file(ignored ? "a.h5" : "b.h5");
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_TRUE(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    const std::string name = ptsname(master);
    const pid_t child = fork();
    if (child == 0) {
      setsid();
      const int terminal = open(name.c_str(), O_RDWR);  // becomes the controlling one
      for (const int number : {0, 1, 2}) dup2(terminal, number);
      close(terminal);
      close(master);
      setenv("TERM", "xterm", 1);
      if (ignored) std::signal(SIGHUP, SIG_IGN);
      execl(LIMBER_PROGRAM, LIMBER_PROGRAM, "run", scenario.c_str(), "-o", path.c_str(), "--flush", "0.01", nullptr);
      _exit(127);
    }
    char drawn = 0;
    ASSERT_EQ(read(master, &drawn, 1), 1);  // of the bar
    close(master);
    int status = 0;
    ASSERT_TRUE(eventually([&] { return waitpid(child, &status, WNOHANG) == child; }, 60)) << "hangs";
    EXPECT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
    const Recorded file(path);
    EXPECT_EQ(file.number("/", "complete"), ignored ? 1 : 0);
    EXPECT_EQ(file.text("/", "ended"), ignored ? "finished" : "interrupted");
  }
}

TEST(Outputs, PathsThatCannotBeLookedAt) {
  const Folder folder;
  folder.write("swing.yaml", swing("duration: 0.1\n"));
  std::filesystem::create_symlink("loop", folder.file("loop"));
  for (const char* options : {"--csv loop/a.csv", "--csv swing.yaml/a.csv", "--report loop", "-o loop/a.h5"}) {
    const Result result = shell(folder, fmt::format("$L run swing.yaml {}", options));
    EXPECT_TRUE(result.is_one_error_line()) << options << result.out << result.err;
    EXPECT_FALSE(contains(result.err, "bug")) << result.err;
  }
}

TEST(Inputs, PipesAreReadOnce) {
  const Folder folder;
  folder.write("m.yaml", kBoom);
  folder.write("swing.yaml", swing("duration: 0.1\n"));
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  for (const char* file : {"m.yaml", "swing.yaml"}) {
    const Result result = shell(folder, fmt::format("cat {} > pipe & $L check pipe", file));
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "pipe: ok")) << result.out;
  }
  EXPECT_EQ(shell(folder, "cat swing.yaml > pipe & $L run pipe -q -o a.h5").code, 0);
  EXPECT_EQ(shell(folder, "cat m.yaml > pipe & $L info pipe").code, 0);
}

TEST(Inputs, PageOfModesOrNothing) {
  const Folder folder;
  folder.write("m.yaml", R"(limber: 1
bodies: [{name: rod, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}]
joints: [{name: a, type: revolute, axis: [0, 0, 1], parent: world, child: rod}]
)");
  const Result result = shell(folder, "$L info m.yaml --report modes.html");
  EXPECT_TRUE(result.is_one_error_line()) << result.out << result.err;
}

// `check` refuses what `run` refuses before its first step, with the same message.
TEST(Inputs, CheckAndRunAgree) {
  const Folder folder;
  const std::string bad[] = {
      swing("duration: 1\nsolver: {method: rk4, step: 1e-300}\n"),
      swing("duration: 1\nsolver: {method: dopri5, max_step: 1e-300}\n"),
      swing("duration: 1e300\nsolver: {method: rk4}\n"),
      swing("duration: 1\nrecord: {every: 1e-9}\n"),
      swing("duration: 1\ninputs: [{joint: elbow, torque: {table: {t: [0, 1, 2, 1e300], y: [0, 1, 0, 1], interpolate: "
            "cubic}}}]\n"),
      swing("duration: 1\ninputs: [{joint: elbow, torque: {table: {t: [0, 1e-310, 2e-310, 3e-310, 1, 2, 3], y: [0, 1, "
            "0, 1, 2, 3, 4], interpolate: quintic}}}]\n"),
      R"(limber: 1
scenario: x
model:
  bodies: [{name: rod, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}, nodes: [{name: tip, position: [1, 0, 0]}]},
           {name: far, rigid: {mass: 1, inertia: [1, 1, 1, 0, 0, 0]}}]
  joints: [{name: a, type: revolute, axis: [0, 0, 1], parent: world, child: rod},
           {name: b, type: revolute, axis: [0, 0, 1], parent: world, child: far, origin: {xyz: [5, 0, 0]}}]
  closures: [{name: gap, type: spherical, a: rod.tip, b: far}]
duration: 1
)"};
  for (const std::string& text : bad) {
    folder.write("s.yaml", text);
    const Result check = shell(folder, "$L check s.yaml"), run = shell(folder, "$L run s.yaml -o a.h5");
    EXPECT_TRUE(check.is_one_error_line()) << text << check.out << check.err;
    EXPECT_EQ(check.err, run.err);
    EXPECT_EQ(folder.names(), Names{"s.yaml"});
  }
  // In a build without cvode, both report it.
  folder.write("s.yaml", swing("duration: 0.1\nsolver: {method: cvode}\n"));
  const Result check = shell(folder, "$L check s.yaml"), run = shell(folder, "$L run s.yaml -o a.h5 -q");
  EXPECT_EQ(check.code, run.code) << check.err << run.err;
}

}  // namespace
}  // namespace limber::test
