// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/fe/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/files/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber::fe {
namespace {

using Corners = std::vector<std::vector<int>>;

// Corners of the faces of the linear element, and for each edge (pair of corners) the midside node of the quadratic
// one.
struct SolidShape {
  Corners faces;
  std::vector<std::array<int, 3>> middles;  // corner, corner, midside
};

// Node numbering of Abaqus and CalculiX (C3D10, C3D15, C3D20).
const SolidShape& shape_of(Solid kind) {
  static const SolidShape tet = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}},
                                 {{0, 1, 4}, {1, 2, 5}, {2, 0, 6}, {0, 3, 7}, {1, 3, 8}, {2, 3, 9}}};
  static const SolidShape hex = {{{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}},
                                 {{0, 1, 8},
                                  {1, 2, 9},
                                  {2, 3, 10},
                                  {3, 0, 11},
                                  {4, 5, 12},
                                  {5, 6, 13},
                                  {6, 7, 14},
                                  {7, 4, 15},
                                  {0, 4, 16},
                                  {1, 5, 17},
                                  {2, 6, 18},
                                  {3, 7, 19}}};
  static const SolidShape wedge = {
      {{0, 1, 2}, {3, 5, 4}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}},
      {{0, 1, 6}, {1, 2, 7}, {2, 0, 8}, {3, 4, 9}, {4, 5, 10}, {5, 3, 11}, {0, 3, 12}, {1, 4, 13}, {2, 5, 14}}};
  return kind == Solid::tet4 || kind == Solid::tet10 ? tet : kind == Solid::hex8 || kind == Solid::hex20 ? hex : wedge;
}

bool is_quadratic(Solid kind) { return kind == Solid::tet10 || kind == Solid::hex20 || kind == Solid::wedge15; }

int middle_of(const SolidShape& shape, int a, int b) {
  for (const auto& [from, to, middle] : shape.middles)
    if ((from == a && to == b) || (from == b && to == a)) return middle;
  return -1;
}

}  // namespace

std::array<int, 4> Mesh::Face::sorted() const {
  std::array<int, 4> out = corners;
  std::sort(out.begin(), out.end());
  return out;
}

void Mesh::add_node(const Lines& lines, long label, const Vector3d& position) {
  if (label <= 0) lines.fail(fmt::format("node {} must have a positive number", label));
  const auto [entry, is_new] = index_.emplace(label, static_cast<int>(labels_.size()));
  if (!is_new) {
    if (positions_[static_cast<std::size_t>(entry->second)] != position)
      lines.fail(fmt::format("duplicate node {}, at two positions; renumber the nodes", label));
    return;
  }
  if (labels_.size() >= kMaxMeshNodes) lines.fail(fmt::format("more than {} nodes", kMaxMeshNodes));
  labels_.push_back(label);
  positions_.push_back(position);
}

int Mesh::find(long label) const {
  const auto found = index_.find(label);
  return found == index_.end() ? -1 : found->second;
}

void Mesh::add_solid(Solid kind, const std::vector<int>& nodes) {
  const SolidShape& shape = shape_of(kind);
  for (const std::vector<int>& corners : shape.faces) {
    Face face;
    for (std::size_t k = 0; k < corners.size(); ++k) {
      face.corners[k] = nodes[static_cast<std::size_t>(corners[k])];
      if (!is_quadratic(kind)) continue;
      const int middle = middle_of(shape, corners[k], corners[(k + 1) % corners.size()]);
      face.middles[k] = nodes[static_cast<std::size_t>(middle)];
    }
    faces_.push_back(face);
  }
}

void Mesh::add_face(const std::vector<int>& corners) {
  Face face;
  std::copy(corners.begin(), corners.end(), face.corners.begin());
  shells_.push_back(face);
}

// Triangles of the faces that belong to one element only; midside nodes are corners of smaller triangles.
std::vector<std::array<int, 3>> Mesh::surface() const {
  std::vector<Face> faces = faces_;
  std::sort(faces.begin(), faces.end());
  std::vector<Face> outer = shells_;
  for (std::size_t k = 0; k < faces.size();) {
    std::size_t end = k + 1;
    while (end < faces.size() && faces[end].sorted() == faces[k].sorted()) ++end;
    if (end == k + 1) outer.push_back(faces[k]);
    k = end;
  }
  std::vector<std::array<int, 3>> out;
  for (const Face& face : outer) {
    const auto& [c, m] = std::tie(face.corners, face.middles);
    const bool quad = c[3] >= 0;
    if (m[0] < 0) {
      out.push_back({c[0], c[1], c[2]});
      if (quad) out.push_back({c[0], c[2], c[3]});
      continue;
    }
    const int sides = quad ? 4 : 3;
    for (int k = 0; k < sides; ++k)
      out.push_back({m[static_cast<std::size_t>((k + sides - 1) % sides)], c[static_cast<std::size_t>(k)],
                     m[static_cast<std::size_t>(k)]});
    out.push_back({m[0], m[1], m[2]});
    if (quad) out.push_back({m[0], m[2], m[3]});
  }
  return out;
}

void Mesh::finish(FeModel& model) const {
  model.part.positions.resize(3, static_cast<Eigen::Index>(positions_.size()));
  for (std::size_t p = 0; p < positions_.size(); ++p)
    model.part.positions.col(static_cast<Eigen::Index>(p)) = positions_[p];
  model.part.labels = labels_;
  model.part.triangles = surface();
  model.sets = sets;
}

// ---- matrices -----------------------------------------------------------------------------------

Eigen::SparseMatrix<double> Entries::matrix(Eigen::Index n, const std::string& file) const {
  Eigen::SparseMatrix<double> one(n, n);
  one.setFromTriplets(entries_.begin(), entries_.end());
  if (static_cast<std::size_t>(one.nonZeros()) < entries_.size())
    throw InputError(fmt::format("{}: {} duplicate entries; export the matrix again", file,
                                 entries_.size() - static_cast<std::size_t>(one.nonZeros())));
  if (above_ && below_) return one;
  Eigen::SparseMatrix<double> both(n, n);
  if (above_)
    both = one.selfadjointView<Eigen::Upper>();
  else
    both = one.selfadjointView<Eigen::Lower>();
  return both;
}

FeModel join_named(const Mesh& mesh, const NamedMatrix& stiffness, const NamedMatrix& mass, const std::string& file) {
  std::vector<NamedMatrix::Row> rows;
  for (const NamedMatrix* m : {&stiffness, &mass}) {
    rows.insert(rows.end(), m->rows.begin(), m->rows.end());
    rows.insert(rows.end(), m->columns.begin(), m->columns.end());
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  if (rows.size() > kMaxRows) throw InputError(fmt::format("{}: more than {} degrees of freedom", file, kMaxRows));
  FeModel out;
  mesh.finish(out);
  for (const NamedMatrix::Row& row : rows) {
    const int node = mesh.find(row.node);
    if (node < 0)
      throw InputError(
          fmt::format("{}: node {} is not in the mesh; name the mesh of this model with --mesh", file, row.node));
    out.part.dofs.push_back({node, row.direction});
  }
  const auto make = [&](const NamedMatrix& m) {
    Entries entries;
    const auto index = [&](const NamedMatrix::Row& row) {
      return static_cast<int>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
    };
    for (std::size_t k = 0; k < m.values.size(); ++k) entries.add(index(m.rows[k]), index(m.columns[k]), m.values[k]);
    return entries.matrix(static_cast<Eigen::Index>(rows.size()), file);
  };
  out.part.stiffness = make(stiffness);
  out.part.mass = make(mass);
  return out;
}

}  // namespace limber::fe

namespace limber {

std::vector<int> find_nodes(const FeModel& model, const std::string& text) {
  if (const auto found = model.sets.find(fe::upper(text)); found != model.sets.end()) {
    std::vector<int> nodes = found->second;
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }
  std::vector<std::string> names;
  for (const auto& [name, nodes] : model.sets) names.push_back(name);
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{} {};{} node sets: {}", show(text), why, suggest(fe::upper(text), views(names)),
                                 names.empty() ? "none" : join(views(names))));
  };
  std::unordered_map<long, int> index;
  for (std::size_t p = 0; p < model.part.labels.size(); ++p) index.emplace(model.part.labels[p], static_cast<int>(p));
  std::vector<int> out;
  for (const std::string_view item : fe::split(text, ',')) {
    const std::size_t dash = item.find('-');
    const auto first = fe::to_integer(item.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : fe::to_integer(item.substr(dash + 1));
    if (!first || !last || *first <= 0 || *last < *first || *last - *first > 10'000'000)
      refuse("is neither a node set nor a list of nodes such as 12,15,20-31");
    for (long label = *first; label <= *last; ++label) {
      const auto found = index.find(label);
      if (found == index.end()) refuse(fmt::format("names node {}, which does not exist", label));
      out.push_back(found->second);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void convert_units(FeUnits units, FePart& part) {
  if (units == FeUnits::m_kg_s) return;
  // Energies are in N mm = 1e-3 J; displacements in mm, rotations in rad.
  VectorXd scale(static_cast<Eigen::Index>(part.dofs.size()));
  for (Eigen::Index k = 0; k < scale.size(); ++k)
    scale(k) = part.dofs[static_cast<std::size_t>(k)].direction < 3 ? 1e3 : 1;
  for (Eigen::SparseMatrix<double>* m : {&part.stiffness, &part.mass})
    for (Eigen::Index c = 0; c < m->outerSize(); ++c)
      for (Eigen::SparseMatrix<double>::InnerIterator it(*m, c); it; ++it)
        it.valueRef() *= 1e-3 * (scale(it.row()) * scale(c));
  part.positions *= 1e-3;
}

}  // namespace limber
