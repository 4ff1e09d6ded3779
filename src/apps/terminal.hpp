// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace limber::apps {

// Writes everything, or throws FileError.  Errors on standard error are ignored: lost messages end no run.
void write_output(std::string_view text, std::FILE* out, const std::string& file = "");

// Colours on a terminal, unless NO_COLOR is set.
class Style {
 public:
  explicit Style(bool color) : color_(color) {}
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  std::string accent(std::string_view text) const { return wrap("36", text); }

 private:
  std::string wrap(const char* code, std::string_view text) const;
  bool color_;
};
Style style_for(std::FILE* out);
bool is_terminal(std::FILE* out);

// Display width of UTF-8 text; every character counts as one column.
int display_width(std::string_view text);
// The text without control characters, truncated to `width` columns.
std::string fit(std::string_view text, int width);
std::string pad(std::string_view text, int width, bool right);
// A number with four significant digits.
std::string short_number(double value);

// A text table.
class Table {
 public:
  enum class Align { left, right };
  // A column, at most `most` characters wide; empty columns are omitted.
  Table& column(std::string_view title, Align align = Align::left, int most = 60);
  // One cell per column.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // A horizontal line above the next row.
  void rule() { rules_.push_back(rows_.size()); }
  std::size_t size() const { return rows_.size(); }
  // With more than `most` rows, those in the middle are replaced by a line with their number and `items`.
  std::string render(const Style& style, std::size_t most, std::string_view items) const;

 private:
  struct Column {
    std::string title;
    Align align = Align::left;
    int most = 0;
  };
  std::vector<int> widths(const std::vector<std::size_t>& shown) const;
  std::string line(const std::vector<std::string>& cells, const std::vector<int>& widths) const;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> rules_;
};

}  // namespace limber::apps
