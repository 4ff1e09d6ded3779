// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "limber/files/model_file.hpp"
#include "limber/files/text_file.hpp"

namespace limber {
namespace {

// What the fuzzer has found worth keeping, without the fuzzer.
TEST(FuzzCorpus, EveryTextIsAModelOrOneLineOfComplaint) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LIMBER_SOURCE_DIR "/tests/fuzz/corpus")) {
    const std::string text = read_text_file(entry.path().string());
    try {
      parse_model(text, "fuzz.yaml");
    } catch (const InputError& e) {
      const std::string message = e.what();
      EXPECT_TRUE(message.starts_with("fuzz.yaml:")) << entry.path();
      EXPECT_EQ(message.find('\n'), std::string::npos) << entry.path() << ": " << message;
    }
    ++count;
  }
  EXPECT_GE(count, 20);
}

}  // namespace
}  // namespace limber
