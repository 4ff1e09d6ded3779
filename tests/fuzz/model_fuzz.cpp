// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Any text becomes either a model or an InputError of one line.
//   limber_model_fuzz tests/fuzz/corpus -dict=tests/fuzz/model.dict -max_len=4096 -timeout=10 -rss_limit_mb=4096
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "limber/files/model_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    limber::parse_model({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  } catch (const limber::InputError& e) {
    if (std::strncmp(e.what(), "fuzz.yaml:", 10) != 0 || std::strchr(e.what(), '\n') != nullptr) std::abort();
  }
  return 0;
}
