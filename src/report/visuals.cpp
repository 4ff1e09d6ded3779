// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/visuals.hpp"

#include <cmath>
#include <numbers>

#include "limber/body/visual_mesh.hpp"

namespace limber {
namespace {

struct Surface {
  std::vector<Vector3d> points;
  std::vector<std::array<int, 3>> triangles;

  int add(const Vector3d& point) {
    points.push_back(point);
    return static_cast<int>(points.size()) - 1;
  }
  void add_field(int a, int b, int c, int d) {
    triangles.push_back({a, b, c});
    triangles.push_back({a, c, d});
  }
};

void add_box_surface(const Vector3d& edges, Surface& out) {
  const int first = static_cast<int>(out.points.size());
  for (int k = 0; k < 8; ++k)
    out.add(0.5 * edges.cwiseProduct(Vector3d((k & 1) * 2 - 1, (k & 2) - 1, ((k & 4) >> 1) - 1)));
  constexpr int kFaces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (const auto& f : kFaces) out.add_field(first + f[0], first + f[1], first + f[2], first + f[3]);
}

// Circles of points about z, each with its radius and height; the first and the last may have radius 0.
void add_rings(const std::vector<std::array<double, 2>>& rings, Surface& out) {
  constexpr int kSides = 24;
  const int first = static_cast<int>(out.points.size());
  for (const auto& [radius, z] : rings)
    for (int k = 0; k < kSides; ++k) {
      const double angle = 2 * std::numbers::pi * k / kSides;
      out.add({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  for (int r = 0; r + 1 < static_cast<int>(rings.size()); ++r)
    for (int k = 0; k < kSides; ++k) {
      const int a = first + r * kSides, next = (k + 1) % kSides;
      out.add_field(a + k, a + next, a + kSides + next, a + kSides + k);
    }
}

void add_mesh(const VisualMesh& mesh, const Vector3d& scale, Surface& out) {
  const int first = static_cast<int>(out.points.size());
  for (Eigen::Index i = 0; i < mesh.points.cols(); ++i) out.add(mesh.points.col(i).cwiseProduct(scale));
  const bool mirrored = scale.prod() < 0;
  for (const auto& [a, b, c] : mesh.triangles)
    out.triangles.push_back({first + a, first + (mirrored ? c : b), first + (mirrored ? b : c)});
}

void add_visual(const Visual& visual, const VisualMesh* mesh, Surface& out) {
  const std::size_t before = out.points.size();
  const Vector3d& s = visual.size;
  if (visual.kind == VisualKind::box) add_box_surface(s, out);
  if (visual.kind == VisualKind::cylinder)
    add_rings({{0, -s[1] / 2}, {s[0], -s[1] / 2}, {s[0], s[1] / 2}, {0, s[1] / 2}}, out);
  if (visual.kind == VisualKind::sphere) {
    std::vector<std::array<double, 2>> rings;
    constexpr int kRings = 12;
    for (int k = 0; k <= kRings; ++k) {
      const double angle = std::numbers::pi * k / kRings;
      rings.push_back({s[0] * std::sin(angle), -s[0] * std::cos(angle)});
    }
    add_rings(rings, out);
  }
  if (mesh != nullptr) add_mesh(*mesh, s, out);
  for (std::size_t i = before; i < out.points.size(); ++i)
    out.points[i] = Vector3d(visual.pose.R * out.points[i] + visual.pose.p);
}

}  // namespace

Outline visual_outline(const Body& body) {
  const DrawnSpec* drawn = drawn_of(body);
  Surface surface;
  for (std::size_t k = 0; k < body.visuals.size(); ++k)
    add_visual(body.visuals[k], drawn != nullptr && k < drawn->meshes.size() ? drawn->meshes[k].get() : nullptr,
               surface);
  Outline out;
  out.places.resize(static_cast<Eigen::Index>(surface.points.size()), 3);
  out.shapes.setZero(3 * out.places.rows(), 0);
  for (Eigen::Index i = 0; i < out.places.rows(); ++i)
    out.places.row(i) = surface.points[static_cast<std::size_t>(i)].transpose().cast<float>();
  out.triangles = surface.triangles;
  return out;
}

}  // namespace limber
