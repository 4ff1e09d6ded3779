// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/detail/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace limber {
namespace {

constexpr std::size_t kLongestShown = 60;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Letters to insert, remove, change, or swap with their neighbour, to get from a to b; case is free.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto same = [&](std::size_t k, std::size_t l) { return lower(a[k - 1]) == lower(b[l - 1]); };
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same(i, j) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

// Bytes of the UTF-8 character that starts at `s`, 0 if none does.  RFC 3629, section 4.
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

std::string show(std::string_view text) {
  std::size_t end = std::min(text.size(), kLongestShown);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  std::string shown(text.substr(0, end));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return std::iscntrl(static_cast<unsigned char>(c)); }, ' ');
  return "'" + shown + (end < text.size() ? "...'" : "'");
}

std::string join(std::span<const std::string_view> words, std::size_t most) {
  std::string joined;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) {
    joined += i == 0 ? "" : ", ";
    joined += words[i];
  }
  return words.size() > most ? fmt::format("{} and {} more", joined, words.size() - most) : joined;
}

std::string suggest(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t kLongest = 40;
  if (word.size() > kLongest) return "";
  // A third of the letters may differ.
  int best = 1 + std::max(1, static_cast<int>(word.size()) / 3);
  std::string_view nearest;
  for (const std::string_view candidate : known) {
    if (candidate.size() > kLongest) continue;
    const int distance = edit_distance(word, candidate);
    if (distance < best && distance < static_cast<int>(std::max(word.size(), candidate.size()))) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : fmt::format(" did you mean '{}'?", nearest);
}

std::vector<std::string_view> views(std::span<const std::string> words) { return {words.begin(), words.end()}; }

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
    // An escape is two characters at least, so that "\\u" stays what it is.
    const std::size_t step = text[i] == '\\' && i + 1 < text.size() ? 2 : 1;
    joined += text.substr(i, step);
    i += step;
  }
  return joined;
}

}  // namespace limber
