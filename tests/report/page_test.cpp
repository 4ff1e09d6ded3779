// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "limber/report/run.hpp"
#include "support/page_reader.hpp"

namespace limber::test {
namespace {

TEST(Page, ArraysComeBackBitByBitHoweverTheyArePacked) {
  std::mt19937 random(1);
  std::vector<float> values = {0.0f, -0.0f, 1.0f, -1e-40f, std::numeric_limits<float>::infinity(), 3e38f, -3e38f};
  for (int i = 0; i < 1000; ++i) values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  for (const std::size_t stride : {0u, 1u, 7u, 2000u}) {
    PageData page;
    page.add("before", {1}, std::vector<float>{2.5f});
    page.add("a", {values.size()}, values, stride);
    page.add("after", {2}, std::vector<double>{0.1, 1e300});
    const PageReader back = PageReader::of_page(make_page(page));
    const std::vector<double> got = back.numbers("a");
    ASSERT_EQ(got.size(), values.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (std::isnan(values[i]))
        EXPECT_TRUE(std::isnan(got[i])) << i;
      else
        EXPECT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(got[i])), std::bit_cast<std::uint32_t>(values[i]))
            << i;
    }
    EXPECT_EQ(back.numbers("before"), std::vector<double>{2.5});
    EXPECT_EQ(back.numbers("after"), (std::vector<double>{0.1, 1e300}));
  }
}

// Every length of the packed data, and so every padding of base64, occurs.
TEST(Page, AnyTextInTheHeaderComesBackAndEndsNoElement) {
  const std::string hostile = "</script><script>alert(1)</script> \" ' & \u2028 \U0001f600 -->";
  for (std::size_t length = 0; length < 12; ++length) {
    PageData page;
    page.header["name"] = hostile + std::string(length, 'x');
    const std::string text = make_page(page);
    EXPECT_EQ(text.find("alert(1)"), std::string::npos);
    EXPECT_EQ(PageReader::of_page(text).header["name"], hostile + std::string(length, 'x'));
  }
}

TEST(Page, BytesThatAreNoTextAreReplacedNotRefused) {
  PageData page;
  page.header["name"] = std::string("a\xff\xfe", 3);
  EXPECT_EQ(PageReader::of_page(make_page(page)).header["name"].get<std::string>().substr(0, 1), "a");
}

TEST(Page, OutputsOfARunAreDifferentFiles) {
  for (const RunOutputs& outputs :
       {RunOutputs{.recording = "a.h5", .report = "a.h5"}, RunOutputs{.recording = "a.h5", .csv = "a.h5"},
        RunOutputs{.recording = "b.h5", .csv = "a.h5", .report = "a.h5"}}) {
    try {
      run({}, outputs);
      FAIL();
    } catch (const InputError& e) {
      EXPECT_STREQ(e.what(), "a.h5: is named for two outputs; give each a file of its own");
    }
  }
}

}  // namespace
}  // namespace limber::test
