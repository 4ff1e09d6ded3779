// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Input decks of CalculiX and Abaqus.
#include <fmt/format.h>

#include <algorithm>

#include "files/fe/mesh.hpp"
#include "limber/files/detail/text.hpp"

namespace limber::fe {
namespace {

constexpr int kDeepestInclude = 8;
constexpr std::size_t kMaxSetNodes = 50'000'000;  // of all sets together

struct Element {
  std::string_view family;  // prefix of its name
  Solid kind;
  std::size_t nodes;
};
// Longer names first: C3D20R is a C3D20, not a C3D2.
constexpr Element kElements[] = {{"C3D20", Solid::hex20, 20}, {"C3D15", Solid::wedge15, 15},
                                 {"C3D10", Solid::tet10, 10}, {"C3D8", Solid::hex8, 8},
                                 {"C3D6", Solid::wedge6, 6},  {"C3D4", Solid::tet4, 4}};

// "*NODE, NSET=NALL": name in capitals, without blanks around commas, and its parameters.
struct Card {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parameters;  // names in capitals, values unchanged

  std::string find(std::string_view parameter) const {
    for (const auto& [key, value] : parameters)
      if (key == parameter) return value;
    return "";
  }
  bool has(std::string_view parameter) const {
    return std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) { return p.first == parameter; });
  }
};

Card card_of(std::string_view line) {
  Card card;
  for (const std::string_view part : split(line, ',')) {
    if (card.name.empty()) {
      card.name = upper(part);
      continue;
    }
    const std::size_t equals = part.find('=');
    card.parameters.emplace_back(upper(trim(part.substr(0, equals))),
                                 equals == std::string_view::npos ? "" : std::string(trim(part.substr(equals + 1))));
  }
  return card;
}

class DeckReader {
 public:
  DeckReader(const Include& include, Mesh& mesh) : include_(include), mesh_(mesh) {}
  void read(Lines& lines, int depth);

 private:
  bool data(Lines& lines, std::string_view& line) const;
  void read_nodes(Lines& lines, const Card& card);
  void read_elements(Lines& lines, const Card& card);
  void read_set(Lines& lines, const Card& card);
  void read_rigid(Lines& lines, const Card& card);
  void add_to(const Lines& lines, std::vector<int>& set, int node);
  int node_at(const Lines& lines, long label) const;

  const Include& include_;
  Mesh& mesh_;
  std::size_t in_sets_ = 0;
  std::map<std::string, std::vector<int>> element_nodes_;  // by element set
};

// The next data line; false at a card or the end.
bool DeckReader::data(Lines& lines, std::string_view& line) const {
  while (lines.next(line)) {
    const std::string_view text = trim(line);
    if (text.empty() || text.starts_with("**")) continue;
    if (text.starts_with('*')) {
      lines.again();
      return false;
    }
    line = text;
    return true;
  }
  return false;
}

int DeckReader::node_at(const Lines& lines, long label) const {
  const int node = mesh_.find(label);
  if (node < 0) lines.fail(fmt::format("node {} does not exist; define it with *NODE above", label));
  return node;
}

void DeckReader::add_to(const Lines& lines, std::vector<int>& set, int node) {
  if (++in_sets_ > kMaxSetNodes) lines.fail("the node sets are too large");
  set.push_back(node);
}

void DeckReader::read_nodes(Lines& lines, const Card& card) {
  const std::string name = upper(card.find("NSET"));
  std::string_view line;
  while (data(lines, line)) {
    const auto fields = split(line, ',');
    if (fields.size() < 2) lines.fail("a node needs its number and coordinates, as in: 1, 0.5, 0, 0");
    const long label = integer_at(lines, fields[0], "the number of the node");
    Vector3d position = Vector3d::Zero();  // missing fields are 0
    for (std::size_t k = 0; k < 3 && k + 1 < fields.size(); ++k)
      if (!fields[k + 1].empty())
        position(static_cast<Eigen::Index>(k)) = number_at(lines, fields[k + 1], "a coordinate");
    mesh_.add_node(lines, label, position);
    if (!name.empty()) add_to(lines, mesh_.sets[name], mesh_.find(label));
  }
}

void DeckReader::read_elements(Lines& lines, const Card& card) {
  const std::string type = upper(card.find("TYPE")), set = upper(card.find("ELSET"));
  const auto* found = std::find_if(std::begin(kElements), std::end(kElements),
                                   [&](const Element& e) { return type.starts_with(e.family); });
  const bool solid = found != std::end(kElements);
  std::string_view line;
  while (data(lines, line)) {
    std::vector<long> numbers;
    // An element continues after a line that ends with a comma, until it has all its nodes.
    for (bool more = true; more;) {
      for (const std::string_view field : split(line, ','))
        if (!field.empty()) numbers.push_back(integer_at(lines, field, "the number of a node"));
      more = line.ends_with(',') || (solid && numbers.size() < found->nodes + 1);
      if (numbers.size() > 1000) lines.fail("an element with more than 1000 numbers");
      if (more && !data(lines, line)) {
        if (solid && numbers.size() < found->nodes + 1)
          lines.fail(fmt::format("element {} of type {} has {} nodes, not {}; the file was cut short?",
                                 numbers.empty() ? 0 : numbers[0], type, numbers.empty() ? 0 : numbers.size() - 1,
                                 found->nodes));
        more = false;
      }
    }
    if (!solid) continue;
    if (numbers.size() != found->nodes + 1)
      lines.fail(fmt::format("element {} of type {} has {} nodes, not {}", numbers[0], type, numbers.size() - 1,
                             found->nodes));
    std::vector<int> nodes;
    for (std::size_t k = 1; k < numbers.size(); ++k) nodes.push_back(node_at(lines, numbers[k]));
    mesh_.add_solid(found->kind, nodes);
    if (!set.empty())
      for (const int node : nodes) add_to(lines, element_nodes_[set], node);
  }
}

void DeckReader::read_set(Lines& lines, const Card& card) {
  const std::string name = upper(card.find("NSET"));
  if (name.empty()) lines.fail("*NSET has no name; write *NSET, NSET=NAME");
  std::vector<int>& set = mesh_.sets[name];
  std::string_view line;
  while (data(lines, line)) {
    const auto fields = split(line, ',');
    if (card.has("GENERATE")) {
      if (fields.size() < 2) lines.fail("*NSET, GENERATE needs first, last and step");
      const long first = integer_at(lines, fields[0], "the first node"),
                 last = integer_at(lines, fields[1], "the last node");
      const long step = fields.size() > 2 && !fields[2].empty() ? integer_at(lines, fields[2], "the step") : 1;
      if (first <= 0 || step <= 0 || last < first || (last - first) / step > static_cast<long>(kMaxMeshNodes))
        lines.fail("*NSET, GENERATE needs first, last and step, rising");
      for (long label = first; label <= last; label += step) add_to(lines, set, node_at(lines, label));
      continue;
    }
    for (const std::string_view field : fields) {
      if (field.empty()) continue;
      if (const auto label = to_integer(field)) {
        add_to(lines, set, node_at(lines, *label));
      } else {
        const auto other = mesh_.sets.find(upper(field));
        if (other == mesh_.sets.end() || other->first == name)
          lines.fail(fmt::format("{} is neither a node nor a node set above", show(std::string(field.substr(0, 80)))));
        for (const int node : std::vector<int>(other->second)) add_to(lines, set, node);
      }
    }
  }
}

void DeckReader::read_rigid(Lines& lines, const Card& card) {
  RigidBody body;
  body.line = lines.number();
  const std::string nodes = upper(card.find("NSET")), elements = upper(card.find("ELSET"));
  const auto& sets = nodes.empty() ? element_nodes_ : mesh_.sets;
  const auto found = sets.find(nodes.empty() ? elements : nodes);
  if (found == sets.end()) lines.fail("*RIGID BODY needs NSET=NAME or ELSET=NAME of a set above");
  body.nodes = found->second;
  body.reference = integer_at(lines, card.find("REF NODE"), "REF NODE of *RIGID BODY");
  if (card.has("ROT NODE")) body.rotation = integer_at(lines, card.find("ROT NODE"), "ROT NODE of *RIGID BODY");
  mesh_.rigid.push_back(std::move(body));
}

void DeckReader::read(Lines& lines, int depth) {
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view text = trim(line);
    if (!text.starts_with('*') || text.starts_with("**")) continue;
    // A card continues after a line that ends with a comma.
    std::string whole(text);
    while (whole.ends_with(',') && whole.size() < 10'000 && lines.next(line)) whole += trim(line);
    const Card card = card_of(whole);
    if (card.name == "*NODE") read_nodes(lines, card);
    if (card.name == "*ELEMENT") read_elements(lines, card);
    if (card.name == "*NSET") read_set(lines, card);
    if (card.name == "*RIGID BODY") read_rigid(lines, card);
    if (card.name == "*INCLUDE") {
      const std::string name = card.find("INPUT");
      if (name.empty()) lines.fail("*INCLUDE needs INPUT=FILE");
      if (depth >= kDeepestInclude) lines.fail("*INCLUDE is nested too deeply; does a file include itself?");
      Lines inner = include_(name);
      read(inner, depth + 1);
    }
  }
}

}  // namespace

void read_deck(Lines& lines, const Include& include, Mesh& mesh) {
  DeckReader(include, mesh).read(lines, 0);
  if (mesh.size() == 0) lines.fail("no nodes; name the deck with *NODE, or the file that it includes");
}

}  // namespace limber::fe
