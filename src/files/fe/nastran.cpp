// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Nastran bulk data: lines of fields, free (commas), small (8 columns) or large (16 columns, a * after the name),
// continued by +, * or a comma in the first column.
#include <fmt/format.h>

#include <algorithm>

#include "files/fe/mesh.hpp"
#include "limber/spatial/status.hpp"

namespace limber::fe {
namespace {

constexpr std::size_t kMaxFields = 10'000'000;  // of one entry

struct Entry {
  std::string name;                 // without *
  std::vector<std::string> fields;  // after the name, continuations appended
  long line = 0;

  std::string_view at(std::size_t k) const { return k < fields.size() ? trim(fields[k]) : std::string_view(); }
};

bool goes_on(std::string_view line) {
  if (line.empty()) return false;
  return line[0] == '+' || line[0] == '*' || line[0] == ',' || (line.size() > 8 && trim(line.substr(0, 8)).empty());
}

// The fields after the first of one line: 8 or 4.
void append_fields(std::string_view line, std::vector<std::string>& out) {
  if (line.find(',') != std::string_view::npos) {
    auto parts = split(line, ',');
    parts.erase(parts.begin());
    const bool large = line.substr(0, line.find(',')).find('*') != std::string_view::npos;
    parts.resize(large ? 4 : 8);  // a continuation mark may follow
    for (const std::string_view part : parts) out.emplace_back(part);
    return;
  }
  const bool large = line.substr(0, 8).find('*') != std::string_view::npos;
  const std::size_t width = large ? 16 : 8, count = large ? 4 : 8;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t begin = 8 + k * width;
    out.emplace_back(begin < line.size() ? trim(line.substr(begin, width)) : std::string_view());
  }
}

// "SET 5 = 1 THRU 8, 12", continued after a comma, is case control and has no fields: number and list.
bool take_set(Lines& lines, std::string_view line, Entry& card) {
  std::string text = upper(trim(line));
  const std::size_t equals = text.find('=');
  if (!text.starts_with("SET ") || equals == std::string::npos) return false;
  while (text.ends_with(',') && text.size() < 1'000'000 && lines.next(line)) text += upper(trim(line));
  card.name = "SET";
  card.fields = {std::string(trim(std::string_view(text).substr(4, equals - 4))), text.substr(equals + 1)};
  return true;
}

// The next entry.
bool next_card(Lines& lines, Entry& card) {
  std::string_view line;
  while (lines.next(line)) {
    line = line.substr(0, line.find('$'));
    if (trim(line).empty() || goes_on(line)) continue;
    card.line = lines.number();
    card.fields.clear();
    if (take_set(lines, line, card)) return true;
    const std::string_view first = line.find(',') != std::string_view::npos
                                       ? line.substr(0, line.find(','))
                                       : line.substr(0, std::min<std::size_t>(8, line.size()));
    card.name = upper(trim(first));
    if (card.name.ends_with('*')) card.name.pop_back();
    append_fields(line, card.fields);
    while (lines.next(line)) {
      if (line.starts_with('$')) continue;
      if (!goes_on(line)) {
        lines.again();
        break;
      }
      append_fields(line, card.fields);
      if (card.fields.size() > kMaxFields) lines.fail("an entry without an end");
    }
    return true;
  }
  return false;
}

void add_grid(const Lines& lines, const Entry& card, Mesh& mesh) {
  const long label = integer_at(lines, card.at(0), "the number of the GRID");
  for (const std::size_t k : {std::size_t{1}, std::size_t{5}}) {
    if (card.at(k).empty() || card.at(k) == "0") continue;
    lines.fail(fmt::format("GRID {} uses coordinate system {}; write coordinates and displacements in the basic system",
                           label, card.at(k)));
  }
  Vector3d position = Vector3d::Zero();
  for (std::size_t k = 0; k < 3; ++k)
    if (!card.at(2 + k).empty())
      position(static_cast<Eigen::Index>(k)) = number_at(lines, card.at(2 + k), "a coordinate");
  mesh.add_node(lines, label, position);
}

// Corners first, then midside nodes: CHEXA and CPENTA have them in the order bottom, vertical, top; Abaqus bottom, top,
// vertical.
void add_element(const Lines& lines, const Entry& card, Mesh& mesh) {
  std::vector<int> nodes;
  for (std::size_t k = 2; k < card.fields.size() && nodes.size() < 20; ++k) {
    if (card.at(k).empty()) break;
    const long label = integer_at(lines, card.at(k), "a node of the element");
    nodes.push_back(mesh.find(label));
    if (nodes.back() < 0) lines.fail(fmt::format("GRID {} does not exist; write it above the elements", label));
  }
  const auto is = [&](const char* name, std::size_t count) { return card.name == name && nodes.size() == count; };
  if (is("CHEXA", 20)) std::rotate(nodes.begin() + 12, nodes.begin() + 16, nodes.end());
  if (is("CPENTA", 15)) std::rotate(nodes.begin() + 9, nodes.begin() + 12, nodes.end());
  if (is("CTETRA", 4)) return mesh.add_solid(Solid::tet4, nodes);
  if (is("CTETRA", 10)) return mesh.add_solid(Solid::tet10, nodes);
  if (is("CHEXA", 8)) return mesh.add_solid(Solid::hex8, nodes);
  if (is("CHEXA", 20)) return mesh.add_solid(Solid::hex20, nodes);
  if (is("CPENTA", 6)) return mesh.add_solid(Solid::wedge6, nodes);
  if (is("CPENTA", 15)) return mesh.add_solid(Solid::wedge15, nodes);
  const std::size_t corners = card.name.starts_with("CTRIA") ? 3 : card.name.starts_with("CQUAD") ? 4 : 0;
  if (corners == 0 || nodes.size() < 3) return;  // only needed for drawing
  nodes.resize(std::min(nodes.size(), corners));
  mesh.add_face(nodes);
}

// "1 THRU 8, 12" of a SET in case control.
std::vector<long> set_of(const Lines& lines, const std::string& list) {
  std::vector<long> set;
  const auto items = words(list);
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (items[k] == "ALL" || items[k] == "NONE") break;
    if (items[k] != "THRU") {
      set.push_back(integer_at(lines, items[k], "an item of the SET"));
      continue;
    }
    if (set.empty() || k + 1 >= items.size()) lines.fail("THRU of a SET needs a number before and after it");
    const long last = integer_at(lines, items[++k], "the end of THRU");
    if (last - set.back() > static_cast<long>(kMaxMeshNodes)) lines.fail("THRU of a SET is too long");
    for (long label = set.back() + 1; label <= last; ++label) set.push_back(label);
  }
  return set;
}

// DMIG NAME 0 IFO TIN TOUT POLAR - NCOL, then columns: NAME GJ CJ - (G C A B) ...
void add_matrix_entry(const Lines& lines, const Entry& card, Punch& punch) {
  const std::string name = upper(card.at(0));
  if (name.empty()) lines.fail("a DMIG entry without a name");
  if (card.at(1) == "0") {
    const std::string form(card.at(2)), type(card.at(3));
    if (form != "6" && form != "1")
      lines.fail(fmt::format("matrix {} has form {}; K and M have form 6 or 1", name, form));
    if (type == "3" || type == "4") lines.fail(fmt::format("matrix {} is complex; export real K and M", name));
    punch.matrices[name];
    return;
  }
  const auto found = punch.matrices.find(name);
  if (found == punch.matrices.end())
    lines.fail(fmt::format("a column of matrix {} without its first DMIG entry", name));
  NamedMatrix& m = found->second;
  const auto row_at = [&](std::size_t k) {
    const long node = integer_at(lines, card.at(k), "the node of a DMIG entry");
    const long component = integer_at(lines, card.at(k + 1), "the component of a DMIG entry");
    if (node <= 0 || component < 1 || component > 6)
      lines.fail(
          fmt::format("component {} of point {} is not a displacement or rotation; reduce scalar points out first",
                      component, node));
    return NamedMatrix::Row{node, static_cast<int>(component) - 1};
  };
  const NamedMatrix::Row column = row_at(1);
  for (std::size_t k = 4; k < card.fields.size(); k += 4) {
    if (card.at(k).empty() && card.at(k + 2).empty()) continue;
    m.rows.push_back(row_at(k));
    m.columns.push_back(column);
    m.values.push_back(number_at(lines, card.at(k + 2), "an entry of the matrix"));
  }
}

// Entries and sets of a file; elements come after all nodes.
void read_cards(Lines& lines, Mesh& mesh, Punch* punch) {
  std::map<std::string, std::vector<long>> sets;
  std::vector<Entry> elements;
  Entry card;
  while (next_card(lines, card)) {
    if (card.name == "GRID") add_grid(lines, card, mesh);
    if (card.name == "DMIG" && punch != nullptr) add_matrix_entry(lines, card, *punch);
    if (card.name.starts_with("CTETRA") || card.name.starts_with("CHEXA") || card.name.starts_with("CPENTA") ||
        card.name.starts_with("CTRIA") || card.name.starts_with("CQUAD"))
      elements.push_back(card);
    if (card.name == "SET" && card.fields.size() == 2) sets[card.fields[0]] = set_of(lines, card.fields[1]);
  }
  for (const Entry& element : elements) add_element(lines, element, mesh);
  for (const auto& [name, labels] : sets)
    for (const long label : labels)
      if (const int node = mesh.find(label); node >= 0) mesh.sets[name].push_back(node);
}

}  // namespace

void read_bulk(Lines& lines, Mesh& mesh) { read_cards(lines, mesh, nullptr); }

Punch read_punch(Lines& lines, Mesh& mesh) {
  Punch out;
  read_cards(lines, mesh, &out);
  return out;
}

}  // namespace limber::fe

namespace limber {
namespace {

const fe::NamedMatrix& one_matrix(const fe::Punch& punch, char letter, const std::string& file) {
  const fe::NamedMatrix* found = nullptr;
  std::string names;
  for (const auto& [name, matrix] : punch.matrices) {
    names += (names.empty() ? "" : ", ") + name;
    if (name[0] != letter) continue;
    if (found != nullptr)
      throw InputError(fmt::format("{}: two matrices begin with {}: {}; keep one", file, letter, names));
    found = &matrix;
  }
  if (found == nullptr || found->values.empty())
    throw InputError(fmt::format("{}: no DMIG matrix begins with {} (stiffness K, mass M); matrices: {}", file, letter,
                                 names.empty() ? "none" : names));
  return *found;
}

}  // namespace

FeModel read_nastran(const std::string& punch_file, const std::string& mesh_file) {
  fe::Mesh mesh;
  if (!mesh_file.empty()) {
    fe::Lines bulk = fe::Lines::open(mesh_file);
    fe::read_bulk(bulk, mesh);
  }
  fe::Lines lines = fe::Lines::open(punch_file);
  const fe::Punch punch = fe::read_punch(lines, mesh);
  if (mesh.size() == 0)
    throw InputError(fmt::format("{}: no GRID entries; name the bulk data file with --mesh",
                                 mesh_file.empty() ? punch_file : mesh_file));
  FeModel out =
      fe::join_named(mesh, one_matrix(punch, 'K', punch_file), one_matrix(punch, 'M', punch_file), punch_file);
  out.files = fmt::format("Nastran {}{}", lines.name(), mesh_file.empty() ? "" : ", mesh " + mesh_file);
  return out;
}

}  // namespace limber
