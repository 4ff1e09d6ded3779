// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace limber::apps {

// Writes all of it, or throws FileError.  What the standard error does not take is lost: no work ends for want of a
// reader of its messages.
void write_output(std::string_view text, std::FILE* out);

// Colours, where they are wanted: on a terminal, unless NO_COLOR is set.
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

// Columns that UTF-8 text takes; every character counts as one.
int display_width(std::string_view text);
// The same text without control characters, cut to `width` columns.
std::string fit(std::string_view text, int width);
std::string pad(std::string_view text, int width, bool right);
// A number for people: four significant digits.
std::string short_number(double value);

// Text in columns.
class Table {
 public:
  enum class Align { left, right };
  // A column, `most` characters wide at most; one without any text is left out.
  Table& column(std::string_view title, Align align = Align::left, int most = 60);
  // As many cells as there are columns.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // A line across, above the next row.
  void rule() { rules_.push_back(rows_.size()); }
  std::size_t size() const { return rows_.size(); }
  // More than `most` rows: those in the middle are left out, with a line that says how many `items` they are.
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
