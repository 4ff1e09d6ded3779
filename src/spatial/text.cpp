// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/spatial/detail/text.hpp"

#include <algorithm>
#include <cctype>

namespace limber {
namespace {

constexpr std::size_t kLongestShown = 60;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Edit distance from a to b (insertion, deletion, substitution, transposition of neighbours); case-insensitive.
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
  return words.size() > most ? joined + " and " + std::to_string(words.size() - most) + " more" : joined;
}

std::string suggest(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t kLongest = 40;
  if (word.size() > kLongest) return "";
  // At most a third of the letters may differ.
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
  return nearest.empty() ? "" : " did you mean '" + std::string(nearest) + "'?";
}

std::vector<std::string_view> views(std::span<const std::string> words) { return {words.begin(), words.end()}; }

std::string name_fault(std::string_view name) {
  constexpr std::size_t kLongestName = 200;
  if (name.empty()) return "must not be empty";
  if (name.size() > kLongestName)
    return "must have at most " + std::to_string(kLongestName) + " bytes, but has " + std::to_string(name.size());
  if (name.find_first_of("./") != std::string_view::npos) return show(name) + " must have no '.' and no '/'";
  if (std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }))
    return show(name) + " must be on one line, without control characters";
  return "";
}

std::string reserved_fault(std::string_view name) {
  if (name != "world" && name != "equilibrium") return "";
  return "'" + std::string(name) + "' is a reserved word; choose another";
}

}  // namespace limber
