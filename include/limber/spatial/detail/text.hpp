// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

namespace limber {

// A number for a message.
inline std::string text(double x, int digits = 9) {
  char out[32];
  std::snprintf(out, sizeof out, "%.*g", digits, x);
  return out;
}

}  // namespace limber
