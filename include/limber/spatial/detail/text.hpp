// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// A number for a message.
inline std::string text(double x, int digits = 9) {
  char out[32];
  std::snprintf(out, sizeof out, "%.*g", digits, x);
  return out;
}

// Text of a file for a message, in quotes, on one line, cut where it is long: 'boom'.
std::string show(std::string_view text);
// "a, b, c"; beyond `most` words only their number.
std::string join(std::span<const std::string_view> words, std::size_t most = 20);
// " did you mean 'length'?", or nothing if no known word is similar.
std::string suggest(std::string_view word, std::span<const std::string_view> known);
std::vector<std::string_view> views(std::span<const std::string> words);

// The error in the name of a body, joint, node or closure ("must not be empty"), or nothing.
std::string name_fault(std::string_view name);
// The same for reserved words of models and scenarios, which no body or joint may have as a name.
std::string reserved_fault(std::string_view name);

}  // namespace limber
