// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "study/result_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "limber/files/detail/flow.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/simulate/expression.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using ResultKind = StudyResult::Kind;
using Reduce = StudyResult::Reduce;

constexpr std::size_t kLongestChannel = 1000;
constexpr int kMaxModes = 100'000;
constexpr std::array<std::string_view, 6> kReductions = {"max", "min", "max_abs", "rms", "mean", "last"};
constexpr std::array<std::string_view, 4> kParts = {"real", "imaginary", "modulus", "damping"};
constexpr std::array<std::string_view, 6> kErrors = {"rms", "largest", "last", "settling", "residual", "saturation"};

ChannelColumn read_column(const Reader& at) {
  ChannelColumn out;
  out.channel = at.at("of", "of: nodes/boom.tip/deflection").one_line(kLongestChannel);
  if (out.channel.starts_with('/')) out.channel.erase(0, 1);
  if (const auto component = at.find("component")) out.component = component->one_line(kLongestChannel);
  return out;
}

// `reduce: max`, `reduce: {at: 2.5}`, `reduce: {settling: 0.01, about: 0}`; the last two also without `reduce`.
void read_reduce(const Reader& at, StudyResult& out) {
  const auto reduce = at.find("reduce");
  const bool inside = reduce && reduce->is_map();
  if (inside) reduce->check_keys({"at", "settling", "about"});
  const Reader& map = inside ? *reduce : at;
  const auto time = map.find("at"), band = map.find("settling"), about = map.find("about");
  if (reduce && !inside && (time || band)) reduce->fail("and at or settling are both given; leave one out");
  if (time && band) band->fail("and at are both given; leave one out");
  if (about && !band) about->fail("belongs to settling; remove it");
  if (time) {
    out.reduce = Reduce::at;
    out.argument = time->not_negative();
  } else if (band) {
    out.reduce = Reduce::settling;
    out.argument = band->positive();
    if (about) out.about = about->number();
  } else if (reduce) {
    if (inside || !reduce->is_scalar() ||
        std::find(kReductions.begin(), kReductions.end(), reduce->text()) == kReductions.end())
      reduce->fail(fmt::format("must be {}, {{at: time}} or {{settling: band}}{}", join(kReductions),
                               reduce->is_scalar() ? ";" + suggest(reduce->text(), kReductions) : ""));
    out.reduce = static_cast<Reduce>(reduce->choice(kReductions));
  } else {
    at.fail_item(fmt::format("missing key 'reduce' in {}; write one of {}, {{at: time}}, {{settling: band}}", at.path(),
                             join(kReductions)));
  }
  if (const auto from = at.find("from")) out.from = from->not_negative();
}

void check_letters(const Reader& with, const std::vector<std::string>& letters) {
  constexpr std::array<std::string_view, 3> kTaken = {"t", "pi", "e"};
  const auto is_word = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; }) &&
           !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0;
  };
  for (const std::string& letter : letters) {
    if (!is_word(letter) || std::find(kTaken.begin(), kTaken.end(), letter) != kTaken.end())
      with.fail(
          fmt::format("{} cannot be a name in an expression; use letters and digits, not t, pi or e", show(letter)));
  }
}

// The path of a parameter, or the name of an earlier result.
std::pair<bool, std::size_t> find_source(const Reader& at, const Study& study, const std::vector<StudyResult>& above) {
  const std::string name = at.text();
  std::vector<std::string_view> known;
  for (std::size_t k = 0; k < study.parameters.size(); ++k) {
    if (study.parameters[k].path == name) {
      if (!study.parameters[k].numbers) at.fail(fmt::format("{} has values that are not numbers", show(name)));
      return {true, k};
    }
    known.push_back(study.parameters[k].path);
  }
  for (std::size_t k = 0; k < above.size(); ++k) {
    if (above[k].name == name) return {false, k};
    known.push_back(above[k].name);
  }
  at.fail(fmt::format("{} is neither a parameter nor a result above;{} there are {}", show(name), suggest(name, known),
                      join(known, 12)));
}

void read_expression(const Reader& at, const Study& study, const std::vector<StudyResult>& above, StudyResult& out) {
  const Reader text = at.at("expression", "");
  out.expression = text.one_line(kLongestChannel);
  const auto with = at.find("with");
  std::size_t channels = 0;
  for (const auto& [letter, value] : with ? with->entries() : std::vector<std::pair<Reader, Reader>>()) {
    out.letters.push_back(letter.text());
    if (value.is_map()) {
      value.check_keys({"of", "component"});
      out.columns.push_back(read_column(value));
      ++channels;
    } else {
      out.sources.push_back(find_source(value, study, above));
    }
  }
  if (with) check_letters(*with, out.letters);
  if (channels > 0 && !out.sources.empty())
    with->fail("mixes channels with parameters or results; reduce the channels first, in results of their own");
  out.kind = channels > 0 ? ResultKind::channel : ResultKind::formula;
  try {
    Expression(out.expression, out.letters);
  } catch (const InputError& e) {
    text.fail_item(fmt::format("{}: {}", text.path(), e.what()));
  }
  if (out.kind == ResultKind::channel) return read_reduce(at, out);
  for (const std::string_view key : {"reduce", "at", "settling", "about", "from"}) {
    if (const auto given = at.find(key)) given->fail("belongs to channels, and the expression has none; remove it");
  }
}

void read_kind(const Reader& at, const Study& study, const std::vector<StudyResult>& above, StudyResult& out) {
  const std::string_view form = at.one_of({"of", "expression", "frequency", "pole", "tracking"});
  if (form == "of") {
    at.check_keys({"name", "of", "component", "reduce", "at", "settling", "about", "from"});
    out.columns = {read_column(at)};
    read_reduce(at, out);
  } else if (form == "expression") {
    at.check_keys({"name", "expression", "with", "reduce", "at", "settling", "about", "from"});
    read_expression(at, study, above, out);
  } else if (form == "frequency") {
    at.check_keys({"name", "frequency", "joints"});
    constexpr std::array<std::string_view, 2> kJoints = {"locked", "free"};
    out.kind = ResultKind::frequency;
    out.number = at.at("frequency", "").whole_number(1, kMaxModes);
    if (const auto joints = at.find("joints")) out.locked = joints->choice(kJoints) == 0;
  } else if (form == "pole") {
    at.check_keys({"name", "pole", "part"});
    out.kind = ResultKind::pole;
    out.number = at.at("pole", "").whole_number(1, kMaxModes);
    out.word = kParts[static_cast<std::size_t>(at.at("part", "part: real").choice(kParts))];
  } else {
    at.check_keys({"name", "tracking", "component"});
    out.kind = ResultKind::tracking;
    out.word = kErrors[static_cast<std::size_t>(at.at("tracking", "").choice(kErrors))];
    if (const auto joint = at.find("component")) out.component = joint->one_line(kLongestChannel);
  }
}

}  // namespace

std::vector<StudyResult> read_results(const Reader& list, const Study& study) {
  std::vector<StudyResult> out;
  for (const Reader& entry : list.list()) {
    if (!entry.is_map()) entry.check_keys({"name", "of", "component", "reduce"});
    StudyResult one;
    one.name = entry.at("name", "name: tip").name();
    for (const StudyResult& other : out) {
      if (other.name == one.name)
        entry.at("name", "").fail(fmt::format("{} is a duplicate; rename one", show(one.name)));
    }
    read_kind(entry, study, out, one);
    const std::string text = write_flow(entry.node());
    one.text = text.substr(1, text.size() - 2);
    out.push_back(std::move(one));
  }
  if (out.empty()) list.fail("is empty; write at least one result");
  return out;
}

}  // namespace limber
