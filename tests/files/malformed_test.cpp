// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "limber/files/model_file.hpp"
#include "limber/files/text_file.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

std::string model_message(const std::string& text, const std::string& name) {
  try {
    parse_model(text, name);
  } catch (const Error& e) {
    return e.what();
  }
  return "read without complaint";
}

// Every file in data/malformed has one fault; its first line is "# expect: " and the message.
TEST(Malformed, EveryFaultHasItsMessage) {
  constexpr std::string_view kMark = "# expect: ";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LIMBER_TEST_DATA "/malformed")) {
    const std::string name = entry.path().filename().string();
    const std::string text = read_text_file(entry.path().string());
    ASSERT_TRUE(text.starts_with(kMark)) << name;
    const std::string expected = text.substr(kMark.size(), text.find('\n') - kMark.size());
    EXPECT_EQ(model_message(text, name), expected);
    ++count;
  }
  EXPECT_GE(count, 200);
}

// Windows line ends have no effect.
TEST(Malformed, MessagesAreTheSameWithCarriageReturns) {
  for (const auto& entry : std::filesystem::directory_iterator(LIMBER_TEST_DATA "/malformed")) {
    const std::string text = read_text_file(entry.path().string());
    std::string dos;
    for (const char c : text) dos += c == '\n' ? "\r\n" : std::string(1, c);
    EXPECT_EQ(model_message(dos, "x"), model_message(text, "x")) << entry.path();
  }
}

// Every error is reported in one line.
TEST(Malformed, CutFilesAreRefusedInOneLine) {
  const std::string text = read_text_file(LIMBER_TEST_DATA "/cases/spacecraft-panels/model.yaml");
  const std::size_t last_joint = text.rfind("mount2");
  for (std::size_t length = 0; length < last_joint; length += 7) {
    const std::string message = model_message(text.substr(0, length), "cut.yaml");
    EXPECT_TRUE(message.starts_with("cut.yaml:")) << length << ": " << message;
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 0) << message;
  }
}

}  // namespace
}  // namespace limber
