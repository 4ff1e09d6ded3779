// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Any text becomes either a scenario or an InputError of one line.  There is no model file: the model is inside.
//   limber_scenario_fuzz tests/fuzz/corpus-scenario -dict=tests/fuzz/scenario.dict -max_len=4096 -timeout=10
//                        -rss_limit_mb=4096
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "limber/scenario/scenario.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    limber::parse_scenario({reinterpret_cast<const char*>(data), size}, "fuzz.yaml", "/no/such/folder");
  } catch (const limber::InputError& e) {
    if (std::strncmp(e.what(), "fuzz.yaml:", 10) != 0 || std::strchr(e.what(), '\n') != nullptr) std::abort();
  }
  return 0;
}
