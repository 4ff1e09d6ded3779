// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <cstring>
#include <thread>

#include "apps/program.hpp"
#include "limber/files/study_table.hpp"

namespace limber::test {
namespace {

constexpr const char* kSpring = R"(limber: 1
scenario: spring
model:
  bodies: [{name: mass, rigid: {mass: 2}}]
  joints: [{name: spring, type: prismatic, axis: [1, 0, 0], parent: world, child: mass, stiffness: 800}]
initial: {spring: {q: 1}}
solver: {method: rk4, step: 1e-4}
duration: 1
record: {every: 0.1}
)";

std::string spring_study(int runs) {
  return "limber: 1\nstudy: springs\nscenario: spring.yaml\nparameters: [{path: spring.stiffness, uniform: [400, "
         "1200]}]\n"
         "sampling: {method: sobol, count: " +
         std::to_string(runs) +
         "}\nresults: [{name: last, of: q, reduce: last}, {name: f, frequency: 1, joints: free}]\n";
}

class SweepFolder : public Folder {
 public:
  explicit SweepFolder(int runs) {
    write("spring.yaml", kSpring);
    study = write("study.yaml", spring_study(runs));
  }
  std::string study;
};

void expect_equal(const StudyData& a, const StudyData& b) {
  EXPECT_EQ(a.status, b.status);
  for (std::size_t k = 0; k < a.results.size(); ++k) {
    ASSERT_EQ(a.results[k].values.size(), b.results[k].values.size());
    EXPECT_EQ(std::memcmp(a.results[k].values.data(), b.results[k].values.data(), a.results[k].values.size() * 8), 0);
  }
}

// In a separate process, which is killed after a while.
void kill_sweep(const std::vector<std::string>& words, int milliseconds) {
  const pid_t child = fork();
  if (child == 0) {
    std::vector<char*> pointers;
    std::vector<std::string> own = words;
    for (std::string& word : own) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
}

TEST(Sweep, AnswersInWordsAndInJson) {
  const SweepFolder folder(16);
  const Result words = limber({"sweep", folder.study, "-o", folder.file("t.h5"), "--threads", "2"});
  EXPECT_EQ(words.code, 0) << words.err;
  EXPECT_TRUE(contains(words.out, "16 runs: 16 ok")) << words.out;
  const Json json = limber({"sweep", folder.study, "-o", folder.file("t.h5"), "--json"}).json();
  EXPECT_EQ(json["runs"], 16);
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["results"][1]["name"], "f");
  EXPECT_EQ(limber({"check", folder.file("t.h5"), folder.study}).code, 0);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"spring.yaml", "study.yaml", "t.h5"}));
}

TEST(Sweep, IsResumedAfterAKillWithTheSameNumbers) {
  const SweepFolder folder(200);
  const std::vector<std::string> whole = {"sweep", folder.study, "-q", "-o", folder.file("whole.h5")};
  EXPECT_EQ(limber(whole).code, 0);
  const StudyData expected = read_study_table(folder.file("whole.h5"));
  for (const int milliseconds : {60, 200, 400}) {
    const std::string table = folder.file("killed.h5");
    kill_sweep({LIMBER_PROGRAM, "sweep", folder.study, "-q", "-o", table}, milliseconds);
    const Result resumed = limber({"sweep", folder.study, "-q", "-o", table, "--resume"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    const StudyData data = read_study_table(table);
    EXPECT_TRUE(data.complete);
    expect_equal(expected, data);
    std::filesystem::remove(table);
  }
}

TEST(Sweep, UnderMpirunHasTheSameNumbers) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "OpenMPI does not free all its memory";
#endif
  const std::string mpi = std::filesystem::path(LIMBER_PROGRAM).replace_filename("limber-mpi");
  if (!std::filesystem::exists(mpi) || std::system("command -v mpirun > /dev/null") != 0) GTEST_SKIP() << "no MPI";
  const SweepFolder folder(40);
  EXPECT_EQ(limber({"sweep", folder.study, "-q", "-o", folder.file("one.h5")}).code, 0);
  const std::string command = "mpirun --allow-run-as-root --oversubscribe -n 3 " + quoted(LIMBER_PROGRAM) + " sweep " +
                              quoted(folder.study) + " -q -o " + quoted(folder.file("three.h5"));
  EXPECT_EQ(std::system(command.c_str()), 0);
  expect_equal(read_study_table(folder.file("one.h5")), read_study_table(folder.file("three.h5")));
}

// As on a full disk.
TEST(Sweep, AFullDiskIsOneLineAndLeavesWhatWasWritten) {
  const SweepFolder folder(2000);
  const std::string limits = "ulimit -f 64; " + quoted(LIMBER_PROGRAM) + " sweep " + quoted(folder.study) + " -q -o " +
                             quoted(folder.file("t.h5")) + " 2> " + quoted(folder.file("err"));
  const int status = std::system(("bash -c " + quoted(limits)).c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  const std::string error = read_all(folder.file("err"));
  EXPECT_TRUE(contains(error, "t.h5: cannot be written: File too large")) << error;
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 1);
}

TEST(Sweep, BadCallsAreOneLine) {
  const SweepFolder folder(2);
  EXPECT_TRUE(limber({"sweep", folder.file("no.yaml")}).is_one_error_line());
  EXPECT_TRUE(limber({"sweep", folder.study, "--threads", "-2"}).is_one_error_line());
  EXPECT_TRUE(limber({"sweep", folder.study, "-o", folder.study}).is_one_error_line());
  EXPECT_TRUE(limber({"sweep", folder.study, "-o", folder.file("no/t.h5")}).is_one_error_line());
  EXPECT_TRUE(limber({"tune", folder.study}).is_one_error_line());
}

TEST(Set, IsTakenByEveryCommandAndKeptInTheRecording) {
  const SweepFolder folder(2);
  const std::string scenario = folder.file("spring.yaml"), recording = folder.file("r.h5");
  const Result run = limber({"run", scenario, "-q", "-o", recording, "--set", "mass.mass=5", "--set", "duration=0.2"});
  EXPECT_EQ(run.code, 0) << run.err;
  const std::string bytes = read_all(recording);
  EXPECT_TRUE(contains(bytes, "bodies.mass.rigid.mass=5"));
  EXPECT_TRUE(contains(bytes, "scenario.duration=0.2"));
  EXPECT_TRUE(contains(bytes, "{mass: 5}"));
  EXPECT_EQ(limber({"check", scenario, "--set", "spring.stiffness=3"}).code, 0);
  const Result wrong = limber({"check", scenario, "--set", "sprnig.stiffness=3"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_TRUE(contains(wrong.err, "did you mean 'spring'?")) << wrong.err;
  const std::string model =
      folder.write("m.yaml",
                   "limber: 1\nbodies: [{name: a, rigid: {mass: 2}}]\n"
                   "joints: [{name: j, type: prismatic, axis: [1, 0, 0], parent: world, child: a}]\n");
  const std::string state = folder.write("s.json", R"({"q": [0], "v": [0], "tau": [6]})");
  EXPECT_EQ(limber({"eval", model, state, "--set", "a.mass=3"}).json()["acceleration"][0], 2.0);
  EXPECT_EQ(limber({"info", model, "--json", "--set", "a.mass=3"}).json()["total_mass"], 3.0);
  EXPECT_EQ(limber({"linearize", model, "--json", "--set", "j.stiffness=8"}).code, 0);
}

}  // namespace
}  // namespace limber::test
