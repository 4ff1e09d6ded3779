// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Any text becomes either a robot or an InputError of one line; a robot can be written and read again.
//   limber_urdf_fuzz tests/fuzz/corpus-urdf -dict=tests/fuzz/urdf.dict -max_len=4096 -timeout=10 -rss_limit_mb=4096
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "limber/files/model_file.hpp"
#include "limber/files/urdf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  limber::ImportedModel robot;
  try {
    robot = limber::import_urdf({reinterpret_cast<const char*>(data), size}, "fuzz.urdf");
  } catch (const limber::InputError& e) {
    if (std::strncmp(e.what(), "fuzz.urdf:", 10) != 0 || std::strchr(e.what(), '\n') != nullptr) std::abort();
    return 0;
  }
  limber::parse_model(robot.text, "fuzz.yaml");  // must be valid
  return 0;
}
