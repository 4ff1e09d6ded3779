// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "files/fe/mesh.hpp"

namespace limber::fe {

// "node, degree of freedom, node, degree of freedom, value" of *MATRIX OUTPUT, FORMAT=MATRIX INPUT or LABELS.
NamedMatrix read_abaqus_matrix(Lines& lines) {
  constexpr double kFixed = 1e35;  // Abaqus writes 1e36 on the diagonal of constrained degrees of freedom
  NamedMatrix out;
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view text = trim(line);
    if (text.empty() || text.starts_with('*') || text.starts_with('%')) continue;
    const auto fields = words(text);
    if (fields.size() == 3)
      lines.fail(
          "is a matrix by rows, which does not name its nodes; write it with *MATRIX OUTPUT, FORMAT=MATRIX INPUT");
    if (fields.size() != 5) lines.fail("must be NODE, DOF, NODE, DOF, VALUE; the file was cut short?");
    NamedMatrix::Row at[2];
    for (std::size_t k = 0; k < 2; ++k) {
      const long node = integer_at(lines, fields[2 * k], "the node");
      const long direction = integer_at(lines, fields[2 * k + 1], "the degree of freedom");
      if (node <= 0)
        lines.fail(fmt::format("node {} is internal to Abaqus; export a model without constraints of that kind", node));
      if (direction < 1 || direction > 6)
        lines.fail(fmt::format("degree of freedom {} is not a displacement or rotation", direction));
      at[k] = {node, static_cast<int>(direction) - 1};
    }
    const double value = number_at(lines, fields[4], "the value");
    if (std::abs(value) >= kFixed)
      lines.fail(fmt::format("node {} is held by a boundary condition; export the free part", at[0].node));
    out.rows.push_back(at[0]);
    out.columns.push_back(at[1]);
    out.values.push_back(value);
  }
  if (out.values.empty()) lines.fail("holds no entries");
  return out;
}

}  // namespace limber::fe

namespace limber {

FeModel read_abaqus(const std::string& stiffness, const std::string& mass, const std::string& mesh_file) {
  const std::filesystem::path folder = std::filesystem::path(mesh_file).parent_path();
  fe::Mesh mesh;
  fe::Lines deck = fe::Lines::open(mesh_file);
  fe::read_deck(
      deck, [&](const std::string& name) { return fe::Lines::open((folder / name).string()); }, mesh);
  fe::Lines K = fe::Lines::open(stiffness), M = fe::Lines::open(mass);
  const fe::NamedMatrix k = fe::read_abaqus_matrix(K), m = fe::read_abaqus_matrix(M);
  FeModel out = fe::join_named(mesh, k, m, stiffness);
  out.files = fmt::format("Abaqus {}, {}, mesh {}", K.name(), M.name(), mesh_file);
  return out;
}

}  // namespace limber
