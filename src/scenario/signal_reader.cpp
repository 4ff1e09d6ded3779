// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "scenario/signal_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "limber/files/detail/quantity.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr std::size_t kLongestExpression = 10'000;  // bytes
constexpr std::array<std::string_view, 3> kInterpolations = {"linear", "cubic", "quintic"};

// Adds the place to errors of a constructor.
template <class Make>
Signal make_at(const Reader& at, const Make& make) {
  try {
    return make();
  } catch (const InputError& e) {
    at.fail_item(fmt::format("{}: {}", at.path(), e.what()));
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether a plain scalar is meant as a number, valid or not: 5, -1e3, 010, 1e999, .inf.  Anything else is an
// expression.
bool means_number(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string_view name : {"inf", ".inf", "infinity", "nan", ".nan"}) {
    if (lower == name) return true;
  }
  std::size_t at = 0;
  const auto skip_digits = [&] {
    const std::size_t begin = at;
    while (at < word.size() && (is_digit(word[at]) || word[at] == '.')) ++at;
    return at > begin;
  };
  if (!skip_digits()) return false;
  if (at == word.size()) return true;
  if (lower[at] != 'e') return false;
  ++at;
  if (at < word.size() && (word[at] == '-' || word[at] == '+')) ++at;
  return skip_digits() && at == word.size();
}

Signal read_expression(const Reader& at) {
  std::string text = at.text();
  if (text.size() > kLongestExpression)
    at.fail(fmt::format("is an expression of {} bytes, more than {}; write it shorter, or as a table", text.size(),
                        kLongestExpression));
  // A folded text of several lines is one expression.
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c > 0x7e; }))
    at.fail(fmt::format("{} has a character that is not allowed in an expression; write plain letters, such as pi",
                        show(text)));
  return make_at(at, [&] { return Signal::expression(text); });
}

Signal read_table(const Reader& table) {
  table.check_keys({"t", "y", "interpolate"});
  const VectorXd t = table.at("t", "t: [0, 1, 2]").numbers(), y = table.at("y", "y: [0, 50, 0]").numbers();
  const auto interpolate = table.find("interpolate");
  const int kind = interpolate ? interpolate->choice(kInterpolations) : 0;
  return make_at(table, [&] { return Signal::table(t, y, static_cast<Interpolation>(kind)); });
}

Signal read_sine(const Reader& sine) {
  sine.check_keys({"amplitude", "frequency", "phase", "offset"});
  const double amplitude = sine.at("amplitude", "amplitude: 10").number();
  const double frequency = sine.at("frequency", "frequency: 0.5").not_negative();
  const auto phase = sine.find("phase"), offset = sine.find("offset");
  return Signal::sine(amplitude, frequency, phase ? phase->number() : 0, offset ? offset->number() : 0);
}

Signal read_form(const Reader& at, bool in_pieces);

Signal read_pieces(const Reader& pieces) {
  const std::vector<Reader> list = pieces.list();
  if (list.empty()) pieces.fail("must have at least one piece; write for example [{until: 5, value: 1}, {value: 0}]");
  std::vector<Signal::Piece> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Reader& entry = list[i];
    entry.check_keys({"until", "value"});
    Signal::Piece piece;
    const bool last = i + 1 == list.size();
    const auto until = last ? entry.find("until") : entry.at("until", "until: 5");
    if (until && last) until->fail("is not allowed in the last piece, which has no end; remove it, or add a piece");
    if (until) piece.until = until->number();
    if (until && i > 0 && piece.until <= out.back().until)
      until->fail(fmt::format("must be greater than {}, where the piece before ends", out.back().until));
    piece.signal = read_form(entry.at("value", "value: 0"), true);
    out.push_back(std::move(piece));
  }
  return make_at(pieces, [&] { return Signal::pieces(out); });
}

Signal read_form(const Reader& at, bool in_pieces) {
  if (at.is_list()) at.fail("must be one signal, but is a list");
  if (!at.is_map()) {
    const std::optional<Quantity> given = at.is_scalar() ? parse_quantity(at.text()) : std::nullopt;
    const bool unit = given && !given->unit.empty();
    const bool expression = at.is_scalar() && !unit && (at.is_quoted() || !means_number(at.text()));
    return expression ? read_expression(at) : Signal(at.number());
  }
  at.check_keys({"table", "pieces", "sine"});
  const std::string_view form = at.one_of({"table", "pieces", "sine"});
  const Reader value = at.at(form, "");
  if (form == "table") return read_table(value);
  if (form == "sine") return read_sine(value);
  if (in_pieces) value.fail("is not allowed inside pieces; write one list of pieces");
  return read_pieces(value);
}

}  // namespace

Signal read_signal(const Reader& at) {
  Signal signal = read_form(at, false);
  const auto check = [&](double t) {
    if (!std::isfinite(signal.at(t).value))
      at.fail(fmt::format("is not finite at t = {}; write a signal that has a value there", t));
  };
  check(0);
  for (const double t : signal.breaks()) check(t);
  return signal;
}

std::vector<Signal> read_signals(const Reader& at, std::span<const std::string> names, std::string_view what) {
  const auto refuse = [&](std::string_view found) {
    at.fail(fmt::format("must be a list of {} {}, one per {} ({}), but {}", names.size(),
                        names.size() == 1 ? "signal" : "signals", what, join(views(names), 8), found));
  };
  if (!at.is_list() && names.size() == 1) return {read_signal(at)};
  if (!at.is_list()) refuse("is one");
  std::vector<Signal> signals;
  const std::vector<Reader> list = at.list();
  if (list.size() != names.size()) refuse(fmt::format("has {}", list.size()));
  for (const Reader& entry : list) signals.push_back(read_signal(entry));
  return signals;
}

}  // namespace limber
