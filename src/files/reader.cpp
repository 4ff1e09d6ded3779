// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "limber/files/detail/quantity.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/spatial/rotation.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using Kind = DocumentNode::Kind;

// Describes a value for "must be ..., but is ...".
std::string describe(const DocumentNode& node) {
  switch (node.kind) {
    case Kind::null:
      return "empty";
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a map";
    case Kind::scalar:
      break;
  }
  return (node.quoted ? "the text " : "") + show(node.text);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Infinity and not-a-number in the spellings of YAML and C.
bool is_not_finite(std::string_view word) {
  if (!word.empty() && (word[0] == '-' || word[0] == '+')) word.remove_prefix(1);
  if (!word.empty() && word[0] == '.') word.remove_prefix(1);
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower == "inf" || lower == "infinity" || lower == "nan";
}

// Why the node is not a number; empty if it is one.
std::string number_fault(const DocumentNode& node, double& value) {
  if (node.kind != Kind::scalar) return "must be a number, but is " + describe(node);
  if (node.quoted) return fmt::format("must be a number, but is the text {}; remove the quotes", show(node.text));
  std::string_view word = node.text;
  if (is_not_finite(word)) return fmt::format("must be a finite number, but is {}", show(word));
  if (word.find_first_not_of("0123456789+-.eE") != std::string_view::npos)
    return fmt::format("must be a number, but is {}", show(word));

  // YAML permits a plus sign, from_chars does not.  010 is ambiguous: eight or ten.
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const std::string_view digits = word.substr(word.starts_with('-') ? 1 : 0);
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]))
    return fmt::format("must be a number, but is {}; write it without leading zeros", show(node.text));
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range)
    return fmt::format("must be a finite number, but {} is out of range", show(node.text));
  if (error != std::errc() || end != word.data() + word.size())
    return fmt::format("must be a number, but is {}", show(node.text));
  return "";
}

// A number with a unit, or a constant such as pi/2; reports `fault` for anything else.
double quantity_at(const Reader& at, const std::string& fault) {
  if (!at.is_scalar()) at.fail(fault);
  const std::string& text = at.node().text;
  const std::string_view units = units_at(at);
  std::string wanted(units);
  for (std::size_t bar = wanted.find('|'); bar != std::string::npos; bar = wanted.find('|'))
    wanted.replace(bar, 1, " or ");
  const std::optional<Quantity> given = parse_quantity(text);
  if (!given) {
    const std::string unit = unknown_unit(text);
    if (unit.empty()) at.fail(fault);
    at.fail(fmt::format("must be a number, but is {}: {} is no unit; {}", show(text), show(unit),
                        units.empty() ? "write the number alone" : fmt::format("write it in {}", wanted)));
  }
  if (given->unit.empty()) return given->value;
  if (units.empty()) at.fail(fmt::format("takes no unit, but is {}; write the number alone", show(text)));
  for (std::size_t from = 0; from <= units.size();) {
    const std::size_t end = std::min(units.find('|', from), units.size());
    if (same_quantity(given->dimension, parse_unit(units.substr(from, end - from))->dimension)) return given->value;
    from = end + 1;
  }
  at.fail(fmt::format("must be in {} or a multiple of it, but is {}", wanted, show(text)));
}

}  // namespace

// ---- places -------------------------------------------------------------------------------------

Reader Reader::in(std::string item) const {
  Reader same(*this, node_, "");
  same.item_ = std::move(item);
  return same;
}

void Reader::fail(std::string_view what) const {
  const bool whole_file = path_.empty() && item_.empty();
  fail_item(whole_file ? fmt::format("the file {}", what)
                       : fmt::format("{}{}{}", path_, path_.empty() ? "" : " ", what));
}

void Reader::fail_item(std::string_view what) const {
  throw InputError(fmt::format("{}:{}: {}{}{}", file(), line(), item_, item_.empty() ? "" : ": ", what));
}

Reader Reader::child(std::string_view key, const DocumentNode* node) const {
  return {*this, node, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key)};
}

Reader Reader::child(std::size_t index) const {
  return {*this, node_->items[index], fmt::format("{}[{}]", path_, index)};
}

// ---- maps ---------------------------------------------------------------------------------------

void Reader::check_keys(std::span<const std::string_view> known) const {
  if (!is_map()) fail(fmt::format("must be a map with the keys {}, but is {}", join(known), describe(*node_)));
  for (const DocumentNode* key : node_->keys) {
    if (std::find(known.begin(), known.end(), key->text) != known.end()) continue;
    const std::string place = path_.empty() ? "" : " in " + path_;
    Reader(*this, key, "")
        .fail_item(fmt::format("unknown key {}{};{} known: {}", show(key->text), place, suggest(key->text, known),
                               join(known)));
  }
}

std::vector<std::string> Reader::keys() const {
  if (!is_map()) fail("must be a map, but is " + describe(*node_));
  std::vector<std::string> names;
  for (const DocumentNode* key : node_->keys) names.push_back(key->text);
  return names;
}

std::vector<std::pair<Reader, Reader>> Reader::entries() const {
  if (!is_map()) fail("must be a map, but is " + describe(*node_));
  std::vector<std::pair<Reader, Reader>> entries;
  entries.reserve(node_->keys.size());
  for (std::size_t i = 0; i < node_->keys.size(); ++i)
    entries.emplace_back(Reader(*this, node_->keys[i], path_), child(node_->keys[i]->text, node_->items[i]));
  return entries;
}

std::optional<Reader> Reader::find(std::string_view key) const {
  for (std::size_t i = 0; i < node_->keys.size(); ++i) {
    if (node_->keys[i]->text == key) return child(key, node_->items[i]);
  }
  return std::nullopt;
}

Reader Reader::at(std::string_view key, std::string_view example) const {
  if (auto found = find(key)) return *found;
  if (!is_map()) fail(fmt::format("must be a map, but is {}; write {}", describe(*node_), example));
  fail_item(fmt::format("missing key '{}'{}; write for example {}", key, path_.empty() ? "" : " in " + path_, example));
}

std::string_view Reader::one_of(std::initializer_list<std::string_view> choices) const {
  std::vector<std::string_view> there;
  std::copy_if(choices.begin(), choices.end(), std::back_inserter(there), [&](auto key) { return has(key); });
  if (there.size() == 1) return there[0];
  fail_item(fmt::format("{}{}; write exactly one of {}",
                        there.empty() ? "missing key" : "too many keys: " + join(there),
                        path_.empty() ? "" : " in " + path_, join({choices.begin(), choices.size()})));
}

// ---- lists --------------------------------------------------------------------------------------

std::vector<Reader> Reader::list() const {
  if (!is_list()) fail("must be a list, but is " + describe(*node_));
  std::vector<Reader> items;
  items.reserve(node_->items.size());
  for (std::size_t i = 0; i < node_->items.size(); ++i) items.push_back(child(i));
  return items;
}

// ---- scalars ------------------------------------------------------------------------------------

double Reader::number() const {
  double value = 0;
  const std::string fault = number_fault(*node_, value);
  return fault.empty() ? value : quantity_at(*this, fault);
}

double Reader::positive() const {
  const double value = number();
  if (value <= 0) fail(fmt::format("must be greater than 0, but is {}", node_->text));
  return value;
}

double Reader::not_negative() const {
  const double value = number();
  if (value < 0) fail(fmt::format("must not be negative, but is {}", node_->text));
  return value;
}

int Reader::whole_number(int least, int most) const {
  const double value = number();
  if (value != std::floor(value) || value < least || value > most)
    fail(fmt::format("must be a whole number from {} to {}, but is {}", least, most, node_->text));
  return static_cast<int>(value);
}

bool Reader::boolean() const {
  const bool plain = node_->kind == Kind::scalar && !node_->quoted;
  if (plain && node_->text == "true") return true;
  if (plain && node_->text == "false") return false;
  fail("must be true or false, but is " + describe(*node_));
}

std::string Reader::text() const {
  if (node_->kind != Kind::scalar) fail("must be text, but is " + describe(*node_));
  return node_->text;
}

std::string Reader::one_line(std::size_t most) const {
  std::string out = text();
  if (out.empty()) fail("must not be empty");
  if (out.size() > most) fail(fmt::format("must have at most {} bytes, but has {}", most, out.size()));
  if (std::any_of(out.begin(), out.end(), [](unsigned char c) { return std::iscntrl(c); }))
    fail(fmt::format("{} must be on one line, without control characters", show(out)));
  return out;
}

std::string Reader::name() const {
  std::string name = text();
  if (const std::string fault = name_fault(name); !fault.empty()) fail(fault);
  return name;
}

int Reader::choice(std::span<const std::string_view> choices) const {
  if (node_->kind == Kind::scalar) {
    const auto found = std::find(choices.begin(), choices.end(), node_->text);
    if (found != choices.end()) return static_cast<int>(found - choices.begin());
  }
  fail(fmt::format("must be one of {}, but is {}{}", join(choices), describe(*node_),
                   node_->kind == Kind::scalar && !suggest(node_->text, choices).empty()
                       ? ";" + suggest(node_->text, choices)
                       : ""));
}

// ---- arrays -------------------------------------------------------------------------------------

void Reader::need_list(Eigen::Index size, std::string_view what) const {
  if (!is_list()) fail(fmt::format("must be a list of {} {}, but is {}", size, what, describe(*node_)));
  if (std::ssize(node_->items) != size)
    fail(fmt::format("must be a list of {} {}, but has {}", size, what, node_->items.size()));
}

VectorXd Reader::numbers() const {
  if (!is_list()) fail("must be a list of numbers, but is " + describe(*node_));
  VectorXd values(std::ssize(node_->items));
  for (std::size_t i = 0; i < node_->items.size(); ++i) {
    // The path of an element is only built for a unit or a message.
    double& value = values[static_cast<Eigen::Index>(i)];
    if (!number_fault(*node_->items[i], value).empty()) value = child(i).number();
  }
  return values;
}

VectorXd Reader::numbers(Eigen::Index size) const {
  need_list(size, "numbers");
  return numbers();
}

VectorXd Reader::number_or_numbers(Eigen::Index size) const {
  if (is_list()) return numbers(size);
  return VectorXd::Constant(size, number());
}

Matrix3d Reader::rpy() const {
  constexpr double kMax = 4 * std::numbers::pi;
  const Vector3d angles = vector3();
  if (angles.cwiseAbs().maxCoeff() > kMax) fail("must be angles in radians, each within 4 pi; 90 degrees are 1.570796");
  return rpy_rotation(angles);
}

MatrixXd Reader::matrix(Eigen::Index rows, Eigen::Index cols) const {
  need_list(rows, fmt::format("rows of {} numbers", cols));
  MatrixXd values(rows, cols);
  for (Eigen::Index i = 0; i < rows; ++i) values.row(i) = child(static_cast<std::size_t>(i)).numbers(cols).transpose();
  return values;
}

Eigen::Index Reader::length(Eigen::Index most) const {
  if (!is_list()) fail("must be a list, but is " + describe(*node_));
  if (std::ssize(node_->items) > most)
    fail(fmt::format("must have at most {} entries, but has {}", most, node_->items.size()));
  return std::ssize(node_->items);
}

MatrixXd Reader::square_or_diagonal(Eigen::Index n) const {
  const bool rows = is_list() && !node_->items.empty() && child(0).is_list();
  return rows ? matrix(n, n) : MatrixXd(numbers(n).asDiagonal());
}

std::array<MatrixXd, 3> Reader::three_matrices(Eigen::Index n) const {
  need_list(3, fmt::format("matrices of {0} x {0} numbers", n));
  return {child(0).matrix(n, n), child(1).matrix(n, n), child(2).matrix(n, n)};
}

}  // namespace limber
