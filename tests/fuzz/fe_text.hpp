// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "files/fe/mesh.hpp"
#include "limber/spatial/status.hpp"

namespace limber::fuzz {

// The reader accepts the text, or refuses it with one line that begins with its name.
template <class Read>
int read_or_refuse(const std::uint8_t* data, std::size_t size, const Read& read) {
  fe::Lines lines(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
  try {
    read(lines);
  } catch (const InputError& e) {
    if (std::strncmp(e.what(), "fuzz", 4) != 0 || std::strchr(e.what(), '\n') != nullptr) std::abort();
  }
  return 0;
}

}  // namespace limber::fuzz
