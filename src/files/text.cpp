// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/detail/text.hpp"

#include <fmt/format.h>

#include <charconv>

namespace limber {
namespace {

// Length in bytes of the UTF-8 character at the start of `s`; 0 if invalid.  RFC 3629, section 4.
std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : 4;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool too_long = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool no_character = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
  return too_long || no_character ? 0 : length;
}

// The escape \uXXXX at `at`, or -1.
int unicode_escape(std::string_view text, std::size_t at) {
  if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u') return -1;
  int value = 0;
  const char* end = text.data() + at + 6;
  const auto [stop, error] = std::from_chars(text.data() + at + 2, end, value, 16);
  return error == std::errc() && stop == end ? value : -1;
}

}  // namespace

std::size_t find_bad_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string join_surrogates(std::string_view text) {
  std::string joined;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  if (!json || text.find("\\u") == std::string_view::npos) return std::string(text);
  joined.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const int high = unicode_escape(text, i), low = unicode_escape(text, i + 6);
    if (high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
      joined += fmt::format("\\U{:08x}", 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
      i += 12;
      continue;
    }
    // An escape has at least two characters, so that "\\u" is left unchanged.
    const std::size_t step = text[i] == '\\' && i + 1 < text.size() ? 2 : 1;
    joined += text.substr(i, step);
    i += step;
  }
  return joined;
}

}  // namespace limber
