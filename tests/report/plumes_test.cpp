// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Thrusters of a recording are included in its page, with their thrust in each frame.
#include <gtest/gtest.h>

#include "apps/program.hpp"
#include "limber/report/report.hpp"
#include "limber/scenario/run.hpp"
#include "support/page_reader.hpp"

namespace limber::test {
namespace {

TEST(Plumes, ThrustersAreDrawnAsTheyFire) {
  const Folder folder;
  Scenario scenario = read_scenario(LIMBER_SOURCE_DIR "/examples/spacecraft/thrusters.yaml");
  scenario.run = {6, 0.1};
  RunOutputs outputs;
  outputs.recording = folder.file("run.h5");
  ASSERT_TRUE(record_run(scenario, outputs).complete());
  write_report(folder.file("run.h5"), folder.file("run.html"));
  const PageReader page = PageReader::of_file(folder.file("run.html"));
  ASSERT_EQ(page.header["thrusters"].size(), 12u);
  EXPECT_EQ(page.header["thrusters"][0]["node"], "hub.yp");
  EXPECT_EQ(page.header["thrusters"][0]["direction"], nlohmann::json({0.0, 0.0, 1.0}));
  EXPECT_EQ(page.header["thrusters"][0]["force"], 1.0);
  const std::vector<double> thrust = page.numbers("thrust");
  ASSERT_EQ(page.shape("thrust"), (std::vector<std::size_t>{61, 12}));
  double fired = 0, wrong = 0;
  for (std::size_t k = 0; k < thrust.size(); ++k) {
    fired += k % 12 < 2 ? thrust[k] : 0;                  // x1 and x2 accelerate the slew
    wrong += k % 12 == 2 || k % 12 == 3 ? thrust[k] : 0;  // the opposite thrusters
  }
  EXPECT_GT(fired, 4);
  EXPECT_LT(wrong, 0.1 * fired);
}

}  // namespace
}  // namespace limber::test
