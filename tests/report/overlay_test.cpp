// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "apps/program.hpp"
#include "limber/report/report.hpp"
#include "support/page_reader.hpp"

namespace limber::test {
namespace {

// A table with x(t) at times first, first + step, ...
void put_table(const std::string& path, double first, double step, int count, double (*x)(double),
               const char* names = "time,q:x") {
  std::ofstream out(path);
  out.precision(17);
  out << names << "\n";
  for (int i = 0; i < count; ++i) out << first + i * step << "," << x(first + i * step) << "\n";
}

PageReader part(PageReader page, const std::string& list, std::size_t k) {
  page.header = nlohmann::json(page.header[list][k]);
  return page;
}

TEST(Overlay, HoldsEachRecordingAndTheirDifference) {
  const Folder folder;
  const std::string a = folder.file("a.csv"), b = folder.file("b.csv"), page = folder.file("ab.html");
  put_table(a, 0, 0.1, 51, [](double t) { return std::sin(t); });
  put_table(b, 0, 0.05, 81, [](double t) { return std::sin(t) + 0.25 * t; });
  const ReportFacts facts = write_overlay_report({a, b}, page);
  const PageReader read = PageReader::of_file(page);
  EXPECT_EQ(read.header["kind"], "overlay");
  EXPECT_EQ(read.header["name"], "a.csv, b.csv");
  ASSERT_EQ(read.header["runs"].size(), 2u);
  EXPECT_EQ(part(read, "runs", 0).numbers("time").size(), 51u);
  EXPECT_EQ(part(read, "runs", 1).numbers("time").size(), 81u);
  EXPECT_NEAR(part(read, "runs", 1).numbers("channels")[40], std::sin(2) + 0.5, 1e-6);
  // Compared at common times: the sine is not interpolated.
  EXPECT_TRUE(read.header["differences"][0].is_null());
  const PageReader difference = part(read, "differences", 1);
  EXPECT_EQ(difference.header["interpolated"], false);
  const std::vector<double> time = difference.numbers("time"), values = difference.numbers("channels");
  ASSERT_EQ(time.size(), 41u);
  for (std::size_t i = 0; i < time.size(); ++i) EXPECT_NEAR(values[i], 0.25 * time[i], 1e-7);
  ASSERT_EQ(facts.differences.size(), 1u);
  EXPECT_EQ(facts.differences[0].signal, "x");
  EXPECT_NEAR(facts.differences[0].largest, 1, 1e-12);
}

// Without common times the first recording is interpolated: exact for straight lines, and only within its time range.
TEST(Overlay, InterpolatesBetweenRecords) {
  const Folder folder;
  const std::string a = folder.file("a.csv"), b = folder.file("b.csv"), page = folder.file("ab.html");
  put_table(a, 0, 0.1, 31, [](double t) { return 3 * t; });
  put_table(b, 0.03, 0.1, 51, [](double t) { return 3 * t + 1; });
  write_overlay_report({a, b}, page);
  const PageReader difference = part(PageReader::of_file(page), "differences", 1);
  EXPECT_EQ(difference.header["interpolated"], true);
  const std::vector<double> time = difference.numbers("time"), values = difference.numbers("channels");
  EXPECT_EQ(time.size(), 30u);
  EXPECT_LE(time.back(), 3);
  for (const double value : values) EXPECT_NEAR(value, 1, 1e-6);
}

TEST(Overlay, ComparesWhatBothHave) {
  const Folder folder;
  const std::string a = folder.file("a.csv"), b = folder.file("b.csv"), c = folder.file("c.csv");
  put_table(a, 0, 0.1, 31, [](double t) { return t; });
  put_table(
      b, 0, 0.1, 31, [](double t) { return t; }, "time,q:y");
  put_table(c, 50, 0.1, 31, [](double t) { return t; });  // clock time: counts from the first line
  const ReportFacts facts = write_overlay_report({a, b, c}, folder.file("abc.html"));
  ASSERT_EQ(facts.differences.size(), 1u);
  EXPECT_EQ(facts.differences[0].recording, "c.csv");
  EXPECT_NEAR(facts.differences[0].largest, 50, 1e-9);
  const PageReader read = PageReader::of_file(folder.file("abc.html"));
  EXPECT_TRUE(read.header["differences"][1].is_null()) << "no common signal";
}

TEST(Overlay, RefusesWhatIsWrong) {
  const Folder folder;
  const std::string a = folder.file("a.csv"), page = folder.file("p.html");
  put_table(a, 0, 0.1, 31, [](double t) { return t; });
  const auto message = [&](const std::vector<std::string>& files, const std::string& target) -> std::string {
    try {
      write_overlay_report(files, target);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_TRUE(message({a, a}, page).ends_with("a.csv: is a duplicate; name each recording once"));
  EXPECT_TRUE(message({a}, page).starts_with("an overlay needs at least two recordings"));
  EXPECT_TRUE(message({a, folder.file("no.h5")}, page).ends_with("no.h5: no such file"));
  EXPECT_TRUE(message(std::vector<std::string>(9, a), page).starts_with("9 recordings are too many for one page"));
  EXPECT_TRUE(contains(message({a, folder.file("no.h5")}, a), "would overwrite"));
}

}  // namespace
}  // namespace limber::test
