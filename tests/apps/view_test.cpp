// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "apps/process.hpp"
#include "apps/program.hpp"
#include "support/no_alloc.hpp"
#include "support/page_reader.hpp"
#include "support/recorded.hpp"

namespace limber::test {
namespace {

const std::string kViewedExamples = LIMBER_SOURCE_DIR "/examples/";

void put(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

Result run_in(const Folder& folder, const std::vector<std::string>& words) {
  return Process(words, {.folder = folder.file("")}).wait();
}

TEST(View, MakesAPageOfARecording) {
  const Folder folder;
  ASSERT_EQ(run_in(folder, {"run", kViewedExamples + "spin-up/scenario.yaml", "-o", "a.h5", "-q"}).code, 0);
  const Result result = run_in(folder, {"view", "a.h5"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "a.html, ")) << result.out;
  const PageReader page = PageReader::of_file(folder.file("a.html"));
  EXPECT_EQ(page.header["name"], "spin-up");
  EXPECT_EQ(page.header["kind"], "recording");
  EXPECT_EQ(page.shape("poses")[0], Recorded(folder.file("a.h5")).rows("time"));
  EXPECT_FALSE(page.header["frequencies"].empty());

  const Result checked = run_in(folder, {"check", "a.h5"});
  EXPECT_EQ(checked.out, "a.h5: ok (recording, model spin-up, 401 records, 20 s)\n") << checked.err;

  const Result json = run_in(folder, {"view", "a.h5", "-o", "b.html", "--json"});
  const auto facts = nlohmann::json::parse(json.out);
  EXPECT_EQ(facts["page"], "b.html");
  EXPECT_EQ(facts["bytes"], std::filesystem::file_size(folder.file("b.html")));
  EXPECT_EQ(facts["records"], facts["records_shown"]);
  EXPECT_EQ(run_in(folder, {"view", "a.h5", "-q"}).out, "");
}

TEST(View, TheSummaryHoldsWhatTheRunSaid) {
  const Folder folder;
  const Result run = run_in(folder, {"run", kViewedExamples + "spin-up/scenario.yaml", "--report", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto said = nlohmann::json::parse(run.out);
  EXPECT_EQ(said["page"], "scenario.html");
  const PageReader page = PageReader::of_file(folder.file("scenario.html"));
  std::string deflection;
  for (const auto& fact : page.header["summary"])
    if (fact["label"] == "largest deflection") deflection = fact["value"];
  EXPECT_TRUE(contains(deflection, said["largest_deflection"]["node"].get<std::string>())) << deflection;
  EXPECT_NEAR(std::stod(deflection), said["largest_deflection"]["value"], 1e-4);
  EXPECT_EQ(page.header["warnings"], said["warnings"]);
}

TEST(View, ReportOfARunGoesWhereItIsTold) {
  const Folder folder;
  const std::string scenario = kViewedExamples + "spin-up/scenario.yaml";
  EXPECT_EQ(run_in(folder, {"run", scenario, "-o", "x.h5", "--report", "-q"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("x.html")));
  EXPECT_EQ(run_in(folder, {"run", scenario, "-o", "x.h5", "--report", "page.html", "-q"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("page.html")));
  // The word after --report is the scenario if there is no other.
  EXPECT_EQ(run_in(folder, {"run", "-q", "-o", "y.h5", "--report", scenario}).code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("y.html")));
  // Refused before the run, not after it.
  const Result same = run_in(folder, {"run", scenario, "-o", "z.h5", "--report", "z.h5"});
  EXPECT_EQ(same.code, 1);
  EXPECT_TRUE(contains(same.err, "is the recording; name another file for the page")) << same.err;
  const Result nowhere = run_in(folder, {"run", scenario, "-o", "z.h5", "--report", "no/z.html"});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder.file("z.h5")));
  EXPECT_TRUE(contains(run_in(folder, {"run"}).err, "SCENARIO is required"));
}

TEST(View, OverwritesPagesAndNothingElse) {
  const Folder folder;
  ASSERT_EQ(run_in(folder, {"run", kViewedExamples + "spin-up/scenario.yaml", "-o", "a.h5", "-q"}).code, 0);
  put(folder.file("mine.html"), "<html>my own</html>");
  const Result mine = run_in(folder, {"view", "a.h5", "-o", "mine.html"});
  EXPECT_EQ(mine.code, 1);
  EXPECT_TRUE(contains(mine.err, "mine.html: exists and is not a page of limber")) << mine.err;
  const Result self = run_in(folder, {"view", "a.h5", "-o", "a.h5"});
  EXPECT_EQ(self.code, 1);
  EXPECT_TRUE(contains(self.err, "would overwrite a.h5")) << self.err;
  EXPECT_EQ(run_in(folder, {"view", "a.h5"}).code, 0);
  EXPECT_EQ(run_in(folder, {"view", "a.h5"}).code, 0);
}

TEST(View, SaysInOneLineWhatIsWrong) {
  const Folder folder;
  put(folder.file("text.h5"), "hello");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"view"}, "RECORDING is required"},
      {{"view", "none.h5"}, "none.h5: no such file"},
      {{"view", "text.h5"}, "text.h5: is not a recording"},
      {{"view", "."}, ".: is a directory"},
      {{"info", kViewedExamples + "canadarm/planar-rigid.yaml", "--report", "m.html"},
       "this machine has no vibrations"},
      {{"info", kViewedExamples + "canadarm/model.yaml", "--report", "no/m.html"},
       "no/m.html: the folder 'no' does not exist"},
      {{"info", kViewedExamples + "canadarm/model.yaml", "--at", "none.json"}, "none.json"}};
  for (const auto& [words, message] : cases) {
    const Result result = run_in(folder, words);
    EXPECT_EQ(result.code, 1);
    EXPECT_TRUE(contains(result.err, message)) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("m.html")));
}

TEST(View, AFullDiskLeavesNoHalfPage) {
  const Folder folder;
  ASSERT_EQ(run_in(folder, {"run", kViewedExamples + "spin-up/scenario.yaml", "-o", "a.h5", "-q"}).code, 0);
  const Result result = Process({"view", "a.h5"}, {.folder = folder.file(""), .file_limit = 100'000}).wait();
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_TRUE(contains(result.err, "a.html: cannot be written: File too large")) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.html")));
  for (const std::string& name : folder.names()) EXPECT_FALSE(name.ends_with(".part")) << name;
}

TEST(View, SaysWhenThereIsNoBrowserToOpen) {
  const Folder folder;
  ASSERT_EQ(run_in(folder, {"run", kViewedExamples + "spin-up/scenario.yaml", "-o", "a.h5", "-q"}).code, 0);
  const char* path = std::getenv("PATH");
  const std::string kept = path == nullptr ? "" : path;
  setenv("PATH", "/nowhere", 1);
  const Result result = run_in(folder, {"view", "a.h5", "--open"});
  setenv("PATH", kept.c_str(), 1);
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(contains(result.err, "a.html: was written, but xdg-open could not open it")) << result.err;
  EXPECT_TRUE(std::filesystem::exists(folder.file("a.html")));
}

TEST(View, MakesAPageOfATableToo) {
  const Folder folder;
  ASSERT_EQ(run_in(folder, {"run", kViewedExamples + "spin-up/scenario.yaml", "-o", "a.h5", "--csv", "-q"}).code, 0);
  ASSERT_EQ(run_in(folder, {"view", "a.csv", "-q"}).code, 0);
  const PageReader page = PageReader::of_file(folder.file("a.html"));
  const Recorded recorded(folder.file("a.h5"));
  EXPECT_EQ(page.numbers("time"), recorded.numbers("time"));
  EXPECT_EQ(page.header["channels"][0]["group"], "q");
  EXPECT_EQ(page.header["channels"][0]["name"], "drive");
  const std::vector<double> angle = recorded.numbers("q"), shown = page.numbers("channels");
  const std::size_t width = angle.size() / page.numbers("time").size();
  for (std::size_t i = 0; i < page.numbers("time").size(); i += 50)
    EXPECT_EQ(static_cast<float>(angle[i * width]), static_cast<float>(shown[i]));
}

// Size of a page: ten minutes at 1 kHz in less than 10 MB.
TEST(View, TenMinutesAtAKilohertzFitInTenMegabytes) {
  if (!kNoAllocWorks) GTEST_SKIP() << "600 001 records are too many for a sanitizer";
  const Folder folder;
  put(folder.file("s.yaml"), "limber: 1\nscenario: long\nmodel: " + kViewedExamples + "canadarm/planar.yaml\n" +
                                 "inputs: [{joint: shoulder, torque: \"3*sin(0.7*t) + 0.5*sin(9*t)\"}]\n" +
                                 "solver: {method: implicit, step: 0.001}\nduration: 600\nrecord: {every: 0.001}\n");
  const Result run = run_in(folder, {"run", "s.yaml", "--report", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["records"], 600'001);
  EXPECT_LT(std::filesystem::file_size(folder.file("s.html")), 10'000'000u);
  const PageReader page = PageReader::of_file(folder.file("s.html"));
  EXPECT_EQ(page.header["thinned"]["records"], 600'001);
}

}  // namespace
}  // namespace limber::test
