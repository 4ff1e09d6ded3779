// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "files/fe/mesh.hpp"
#include "limber/spatial/status.hpp"

namespace limber::fe {
namespace {

constexpr long kMaxDense = 20'000;  // rows of a dense matrix

struct Header {
  bool dense = false, symmetric = false;
  long rows = 0, entries = 0;
};

// "%%MatrixMarket matrix coordinate real symmetric", comments, then the sizes.
Header read_header(Lines& lines) {
  Header out;
  std::string_view line;
  if (!lines.next(line) || !upper(line).starts_with("%%MATRIXMARKET"))
    lines.fail("is not a MatrixMarket file; its first line must be %%MatrixMarket matrix coordinate real symmetric");
  const std::string first = upper(line);
  const auto kind = words(first);
  const auto is = [&](std::size_t k, const char* word) { return k < kind.size() && kind[k] == word; };
  out.dense = is(2, "ARRAY");
  out.symmetric = is(4, "SYMMETRIC");
  if (!is(1, "MATRIX") || !(out.dense || is(2, "COORDINATE")) || !(is(3, "REAL") || is(3, "INTEGER")) ||
      !(out.symmetric || is(4, "GENERAL")))
    lines.fail("must be a matrix, coordinate or array, real, symmetric or general");
  while (lines.next(line))
    if (const auto text = trim(line); !text.empty() && !text.starts_with('%')) break;
  const auto sizes = words(line);
  if (sizes.size() != (out.dense ? 2 : 3)) lines.fail("must be the numbers of rows, columns and entries");
  out.rows = integer_at(lines, sizes[0], "the number of rows");
  const long columns = integer_at(lines, sizes[1], "the number of columns");
  if (out.rows < 1 || out.rows != columns) lines.fail(fmt::format("is {} x {}; K and M are square", out.rows, columns));
  if (out.rows > (out.dense ? kMaxDense : static_cast<long>(kMaxRows)))
    lines.fail(fmt::format("{} rows are too many", out.rows));
  out.entries = out.dense ? (out.symmetric ? out.rows * (out.rows + 1) / 2 : out.rows * out.rows)
                          : integer_at(lines, sizes[2], "the number of entries");
  return out;
}

}  // namespace

Eigen::SparseMatrix<double> read_matrix_market(Lines& lines) {
  const Header header = read_header(lines);
  Entries out;
  long count = 0;
  std::string_view line;
  while (lines.next(line)) {
    const auto fields = words(line);
    if (fields.empty() || fields[0].starts_with('%')) continue;
    if (++count > header.entries) lines.fail(fmt::format("more than the {} entries of the header", header.entries));
    if (fields.size() != (header.dense ? 1 : 3))
      lines.fail(header.dense ? "must be one number" : "must be ROW COLUMN VALUE");
    long row = 0, column = 0;
    if (header.dense) {  // column by column; for a symmetric matrix from the diagonal down
      long k = count - 1;
      if (header.symmetric)
        while (k >= header.rows - column) k -= header.rows - column++;
      else
        column = k / header.rows;
      row = header.symmetric ? column + k : k % header.rows;
    } else {
      row = integer_at(lines, fields[0], "the row") - 1;
      column = integer_at(lines, fields[1], "the column") - 1;
    }
    if (row < 0 || column < 0 || row >= header.rows || column >= header.rows)
      lines.fail(fmt::format("entry {}, {} is outside of the {} rows", row + 1, column + 1, header.rows));
    if (header.symmetric && !header.dense && row < column)
      lines.fail("a symmetric file holds the lower triangle: row >= column");
    out.add(static_cast<int>(row), static_cast<int>(column), number_at(lines, fields.back(), "the value"));
  }
  if (count < header.entries)
    lines.fail(fmt::format("only {} of {} entries; the file was cut short", count, header.entries));
  return out.matrix(header.rows, lines.name());
}

// node, x, y, z [, set]; sets of one node are separated by blanks or semicolons.  A header line is skipped.
void read_node_table(Lines& lines, Mesh& mesh) {
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view text = trim(line);
    if (text.empty() || text.starts_with('#')) continue;
    const bool commas = text.find(',') != std::string_view::npos, semicolons = text.find(';') != std::string_view::npos;
    const auto fields = commas ? split(text, ',') : semicolons ? split(text, ';') : words(text);
    if (mesh.size() == 0 && !to_integer(fields[0])) continue;  // column names
    if (fields.size() < 4) lines.fail("must be node, x, y, z [, set]");
    const long label = integer_at(lines, fields[0], "the number of the node");
    if (mesh.find(label) >= 0) lines.fail(fmt::format("duplicate node {}", label));
    Vector3d position;
    for (std::size_t k = 0; k < 3; ++k)
      position(static_cast<Eigen::Index>(k)) = number_at(lines, fields[k + 1], "a coordinate");
    mesh.add_node(lines, label, position);
    for (std::size_t k = 4; k < fields.size(); ++k) {
      std::string names(fields[k]);
      std::replace(names.begin(), names.end(), ';', ' ');
      for (const std::string_view name : words(names)) mesh.sets[upper(name)].push_back(mesh.find(label));
    }
  }
  if (mesh.size() == 0) lines.fail("holds no nodes; write node, x, y, z [, set] in each line");
}

}  // namespace limber::fe

namespace limber {

FeModel read_matrices(const std::string& stiffness, const std::string& mass, const std::string& nodes) {
  fe::Mesh mesh;
  fe::Lines table = fe::Lines::open(nodes), K = fe::Lines::open(stiffness), M = fe::Lines::open(mass);
  fe::read_node_table(table, mesh);
  FeModel out;
  mesh.finish(out);
  out.part.stiffness = fe::read_matrix_market(K);
  out.part.mass = fe::read_matrix_market(M);
  const auto count = static_cast<Eigen::Index>(mesh.size());
  const Eigen::Index each = out.part.stiffness.rows() / count;
  if ((each != 3 && each != 6) || each * count != out.part.stiffness.rows())
    throw InputError(fmt::format("{}: has {} rows for the {} nodes of {}; write 3 or 6 per node", K.name(),
                                 out.part.stiffness.rows(), count, table.name()));
  if (out.part.mass.rows() != out.part.stiffness.rows())
    throw InputError(fmt::format("{}: has {} rows, {} has {}; both are of one part", M.name(), out.part.mass.rows(),
                                 K.name(), out.part.stiffness.rows()));
  for (int p = 0; p < static_cast<int>(count); ++p)
    for (int k = 0; k < static_cast<int>(each); ++k) out.part.dofs.push_back({p, k});
  out.files = fmt::format("MatrixMarket {}, {}, nodes {}", K.name(), M.name(), table.name());
  return out;
}

}  // namespace limber
