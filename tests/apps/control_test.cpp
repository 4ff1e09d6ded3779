// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// `limber run` with a controller.
#include "apps/program.hpp"
#include "support/recorded.hpp"

namespace limber::test {
namespace {

const std::string kArm = std::string(LIMBER_SOURCE_DIR) + "/examples/canadarm/planar.yaml";

std::string controlled(const std::string& control, const std::string& rest = "") {
  return "limber: 1\nscenario: short\nmodel: " + kArm + "\nduration: 2\nrecord: {every: 0.01}\n" + rest +
         "control:\n  desired: {waypoints: [{q: [0.02, 0.01, 0.01], duration: 2}]}\n" + control;
}

TEST(ControlledRun, RecordsWhatTheControllerDid) {
  const Folder folder;
  const std::string path = folder.write(
      "s.yaml",
      controlled("  feed_forward: hybrid\n  feedback: {pid: {frequency: 0.005}}\n  servos: {max_torque: 400}\n"));
  const Result result = limber({"run", path, "--json", "-o", folder.file("a.h5")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_LT(result.json()["tracking"]["shoulder"]["largest"].get<double>(), 2e-2);
  const Recorded file(folder.file("a.h5"));
  const auto read = [&](const char* name) { return file.numbers(std::string("control/") + name); };
  const auto desired = read("desired"), measured = read("measured"), error = read("error"), command = read("command"),
             forward = read("feed_forward"), feedback = read("feedback"), torque = read("torque");
  ASSERT_EQ(desired.size(), 3 * file.rows("time"));
  EXPECT_EQ(file.texts("control/desired", "names"), (std::vector<std::string>{"shoulder", "elbow", "wrist"}));
  const std::vector<double> applied = file.numbers("joints/shoulder/torque");
  bool limited = false;
  for (std::size_t k = 0; k < desired.size(); ++k) {
    EXPECT_DOUBLE_EQ(error[k], desired[k] - measured[k]);
    EXPECT_DOUBLE_EQ(command[k], forward[k] + feedback[k]);
    EXPECT_LE(std::abs(torque[k]), 400);
    limited = limited || std::abs(command[k]) > 400;
    if (k % 3 == 0) {
      EXPECT_DOUBLE_EQ(applied[k / 3], torque[k]);
    }
  }
  EXPECT_TRUE(limited) << "the limit had nothing to do";
}

// The plant and the controller's model may differ.
TEST(ControlledRun, TheMachineMayDiffer) {
  const Folder folder;
  std::string stiffer = read_all(kArm);
  for (std::size_t at = stiffer.find("1e5"); at != std::string::npos; at = stiffer.find("1e5", at + 4))
    stiffer.replace(at, 3, "2e5");
  folder.write("believed.yaml", stiffer);
  const std::string path =
      folder.write("s.yaml", controlled("  model: believed.yaml\n  feedback: {correction: {frequency: 0.5}}\n"));
  const Result result = limber({"run", path, "--json", "-o", folder.file("a.h5")});
  ASSERT_EQ(result.code, 0) << result.err;
  const double largest = result.json()["tracking"]["shoulder"]["largest"].get<double>();
  EXPECT_LT(largest, 1e-3);
  EXPECT_GT(largest, 1e-8);
  const Recorded file(folder.file("a.h5"));
  EXPECT_EQ(file.texts("control/modes", "names").size(), 6u);
  EXPECT_EQ(file.shape("control/correction")[1], 3u);
}

TEST(ControlledRun, EveryMethodTakesAController) {
  for (const char* solver : {"solver: {method: implicit, step: 1e-3}\n", "solver: {method: rk4, step: 5e-4}\n",
                             "solver: {method: dopri5}\n", "solver: {method: dopri5, algorithm: denoc}\n"}) {
    const Folder folder;
    const std::string path = folder.write("s.yaml", controlled("  feed_forward: hybrid\n", solver));
    const Result result = limber({"run", path, "--json", "-o", folder.file("a.h5")});
    ASSERT_EQ(result.code, 0) << solver << result.err;
    EXPECT_LT(result.json()["tracking"]["wrist"]["largest"].get<double>(), 1e-5) << solver;
    EXPECT_LT(result.json()["relative_energy_error"].get<double>(), 1e-3) << solver;
  }
}

TEST(ControlledRun, GainsThatCannotBeStableAreRefused) {
  const Folder folder;
  const std::string path = folder.write("s.yaml", controlled("  feedback: {pid: {frequency: 1}}\n"));
  const Result result = limber({"run", path, "-o", folder.file("a.h5")});
  EXPECT_TRUE(result.is_one_error_line()) << result.err;
  EXPECT_NE(result.err.find("the control loop is unstable"), std::string::npos) << result.err;
}

// `check` refuses what `run` refuses, with the same message.
TEST(ControlledRun, CheckRefusesWhatRunRefuses) {
  const Folder folder;
  for (const char* control : {"  feedback: {pid: {kp: 1, kd: 1e6}}\n", "  feedback: {pid: {kp: -100, kd: 1}}\n",
                              "  feed_forward: rigid\n  feedback: {pid: {kp: 1, gravity: true}}\n"}) {
    const std::string path = folder.write("s.yaml", controlled(control));
    const Result run = limber({"run", path, "-q", "-o", folder.file("a.h5")}), check = limber({"check", path});
    EXPECT_EQ(run.code, 1) << control;
    EXPECT_EQ(check.code, 1) << control;
    EXPECT_EQ(run.err, check.err);
  }
}

// Saturation, a run that is too short, and an unstable loop are reported.
TEST(ControlledRun, SaysHowItWent) {
  const Folder folder;
  const std::string path =
      folder.write("s.yaml", controlled("  feed_forward: hybrid\n  servos: {max_torque: 1}\n  sensors: {delay: 0.2}\n"
                                        "  feedback: {pid: {frequency: 0.005}}\n  shaping: {kind: zv}\n"));
  const Result check = limber({"check", path});
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_NE(check.out.find("note: the run ends after 2 s"), std::string::npos) << check.out;
  const Result text = limber({"run", path, "-o", folder.file("a.h5")});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("saturated"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("zv for "), std::string::npos) << text.out;
  EXPECT_NE(text.err.find("was at its limit "), std::string::npos) << text.err;
  const Result json = limber({"run", path, "--json", "-o", folder.file("a.h5")});
  EXPECT_GT(json.json()["tracking"]["shoulder"]["saturated"].get<double>(), 0.5);
  EXPECT_GE(json.json()["warnings"].size(), 2u);
}

}  // namespace
}  // namespace limber::test
