// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/json_writer.hpp"

#include <cmath>

#include "apps/json.hpp"
#include "apps/terminal.hpp"

namespace limber::apps {

std::string json_text(std::string_view text) {
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void JsonWriter::add(std::string_view piece) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  buffer_.append(piece.data(), piece.data() + piece.size());
  if (buffer_.size() >= kPiece) flush();
}

void JsonWriter::flush() {
  write_output({buffer_.data(), buffer_.size()}, out_, file_);
  buffer_.clear();
}

// Members of an object are written on separate lines, items of a list are not.
void JsonWriter::separate() {
  if (after_key_ || levels_.empty()) {
    after_key_ = false;
    return;
  }
  Level& level = levels_.back();
  if (!level.empty) add(level.object ? "," : ", ");
  if (level.object) add("\n" + std::string(2 * levels_.size(), ' '));
  level.empty = false;
}

void JsonWriter::begin(char bracket) {
  separate();
  add({&bracket, 1});
  levels_.push_back({bracket == '{', true});
}

void JsonWriter::end(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.object && !level.empty) add("\n" + std::string(2 * levels_.size(), ' '));
  add({&bracket, 1});
}

void JsonWriter::key(std::string_view name) {
  separate();
  add(json_text(name));
  add(": ");
  after_key_ = true;
}

void JsonWriter::text(std::string_view value) {
  separate();
  add(json_text(value));
}

void JsonWriter::texts(const std::vector<std::string>& values) {
  begin_list();
  for (const std::string& value : values) text(value);
  end_list();
}

void JsonWriter::boolean(bool value) {
  separate();
  add(value ? "true" : "false");
}

void JsonWriter::number(double value) {
  separate();
  if (!std::isfinite(value)) return add("null");
  constexpr std::size_t kLongest = 32;
  char digits[kLongest];
  const auto end = fmt::format_to_n(digits, kLongest, "{:.17g}", value);
  add({digits, end.size});
}

void JsonWriter::numbers(ConstVec values) {
  begin_list();
  for (const double value : values) number(value);
  end_list();
}

void JsonWriter::rows(const Eigen::Ref<const MatrixXd>& matrix) {
  constexpr Eigen::Index kSmall = 3;
  const bool small = matrix.rows() <= kSmall;
  separate();
  add("[");
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    if (i > 0) add(small ? ", " : ",");
    if (!small) add("\n" + std::string(2 * levels_.size() + 2, ' '));
    after_key_ = true;  // the row is the next value
    numbers(VectorXd(matrix.row(i)));
  }
  add(small ? "]" : "\n" + std::string(2 * levels_.size(), ' ') + "]");
}

void JsonWriter::finish() {
  add("\n");
  flush();
}

}  // namespace limber::apps
