// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Time-domain cases: `limber run` against the expected numbers of data/cases, with the tolerances given there.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/process.hpp"
#include "limber/files/text_file.hpp"
#include "support/recorded.hpp"

namespace limber::test {
namespace {

using Json = nlohmann::json;

std::vector<std::string> case_folders() {
  std::vector<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(LIMBER_TEST_DATA "/cases")) {
    const std::string folder = entry.path().string();
    if (std::filesystem::exists(folder + "/scenario.yaml")) folders.push_back(folder);
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

// A dataset by rows; of several datasets, their sum.
struct Table {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
};
Table read_table(const Recorded& file, const Json& names) {
  Table sum;
  for (const Json& name : names.is_array() ? names : Json::array({names})) {
    const std::vector<double> values = file.numbers(name.get<std::string>());
    if (sum.values.empty()) sum.values.assign(values.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i) sum.values[i] += values[i];
    sum.rows = file.rows(name.get<std::string>());
  }
  sum.columns = sum.values.size() / sum.rows;
  return sum;
}

void check(const Recorded& file, const Json& expected) {
  SCOPED_TRACE(expected.dump());
  const std::vector<double> time = file.numbers("/time");
  const Table table = read_table(file, expected.at("dataset"));
  ASSERT_EQ(table.rows, time.size());
  const bool all = expected.at("time").is_string();
  int found = 0;
  for (std::size_t row = 0; row < time.size(); ++row) {
    if (!all && std::abs(time[row] - expected.at("time").get<double>()) > 1e-12) continue;
    ++found;
    const Json& values = expected.at("value");
    for (std::size_t k = 0; k < values.size(); ++k) {
      const std::size_t column = expected.contains("index") ? expected["index"][k].get<std::size_t>() : k;
      const double value = values[k];
      const double tolerance =
          expected.at("abs_tol").get<double>() + expected.at("rel_tol").get<double>() * std::abs(value);
      EXPECT_NEAR(table.values[row * table.columns + column], value, tolerance) << "t = " << time[row];
    }
  }
  EXPECT_GE(found, 1);
}

class TimeCases : public testing::TestWithParam<std::string> {};

TEST_P(TimeCases, GiveTheExpectedNumbers) {
  const Folder folder;
  const Result result = limber({"run", GetParam() + "/scenario.yaml", "-o", folder.file("out.h5"), "--quiet"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Recorded file(folder.file("out.h5"));
  const Json all = Json::parse(read_text_file(GetParam() + "/expected.json"));
  for (const Json& expected : all.at("checks")) {
    check(file, expected);
  }
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).filename().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Data, TimeCases, testing::ValuesIn(case_folders()), name_of);

TEST(TimeCasesThere, AreAll) { EXPECT_GE(case_folders().size(), 15u); }

}  // namespace
}  // namespace limber::test
