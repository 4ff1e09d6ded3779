// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "limber/files/detail/output.hpp"
#include "limber/spatial/status.hpp"

namespace limber::apps {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

}  // namespace

void write_output(std::string_view text, std::FILE* out, const std::string& file) {
  if (std::fwrite(text.data(), 1, text.size(), out) == text.size() && std::fflush(out) == 0) return;
  if (out == stderr) return;
  const std::string why = std::strerror(errno);
  if (!file.empty()) refuse_output(file, why);
  throw FileError(fmt::format("limber: the output cannot be written: {}", why));
}

std::string Style::wrap(const char* code, std::string_view text) const {
  return color_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

bool is_terminal(std::FILE* out) { return isatty(fileno(out)) == 1; }

Style style_for(std::FILE* out) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return Style(is_terminal(out) && !dumb && (no_color == nullptr || *no_color == '\0'));
}

int display_width(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string fit(std::string_view text, int width) {
  std::string out;
  const bool cut = display_width(text) > width;
  int columns = 0;
  for (const char c : text) {
    if (starts_character(c) && ++columns > (cut ? width - 1 : width)) break;
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    out += control ? ' ' : c;
  }
  return cut ? out + "…" : out;
}

std::string pad(std::string_view text, int width, bool right) {
  const std::string space(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
  return right ? space + std::string(text) : std::string(text) + space;
}

std::string short_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value == 0 ? 0.0 : value) : "–";
}

Table& Table::column(std::string_view title, Align align, int most) {
  columns_.push_back({std::string(title), align, most});
  return *this;
}

std::vector<int> Table::widths(const std::vector<std::size_t>& shown) const {
  std::vector<int> out;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    int width = 0;
    for (const std::size_t r : shown) width = std::max(width, std::min(columns_[c].most, display_width(rows_[r][c])));
    out.push_back(width == 0 ? 0 : std::max(width, display_width(columns_[c].title)));
  }
  return out;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<int>& widths) const {
  std::string out = "  ";
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (widths[c] == 0) continue;  // empty column
    if (c > 0) out += "  ";
    out += pad(fit(cells[c], widths[c]), widths[c], columns_[c].align == Align::right);
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::string Table::render(const Style& style, std::size_t most, std::string_view items) const {
  constexpr std::size_t kLast = 3;
  const bool all = rows_.size() <= most;
  const std::size_t first = all ? rows_.size() : most - kLast;
  std::vector<std::size_t> shown;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (r < first || r + kLast >= rows_.size()) shown.push_back(r);
  }
  const std::vector<int> columns = widths(shown);
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  const auto has_text = [](const std::string& title) { return !title.empty(); };
  std::string out;
  if (std::any_of(titles.begin(), titles.end(), has_text)) out = style.dim(line(titles, columns)) + "\n";
  int total = 0;
  for (const int width : columns) total += width == 0 ? 0 : width + 2;
  std::string across = "  ";
  for (int i = 2; i < total; ++i) across += "─";
  for (const std::size_t r : shown) {
    if (!all && r + kLast == rows_.size())
      out += style.dim(fmt::format("  ⋯ {} more {}; --all shows them", rows_.size() - most, items)) + "\n";
    if (std::find(rules_.begin(), rules_.end(), r) != rules_.end()) out += style.dim(across) + "\n";
    out += line(rows_[r], columns) + "\n";
  }
  return out;
}

}  // namespace limber::apps
