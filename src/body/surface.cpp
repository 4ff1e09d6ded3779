// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/detail/surface.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "limber/body/visual_mesh.hpp"

namespace limber {
namespace {

constexpr std::size_t kMaxStations = 5000;  // of a drawn surface

// Merges the points in one cell of a grid into the first of them; degenerate triangles are dropped.
SurfaceTriangles merged(const Matrix3Xd& points, const SurfaceTriangles& all, double cell) {
  std::map<std::tuple<long, long, long>, int> first;
  const Vector3d corner = points.rowwise().minCoeff();
  const auto place = [&](int p) {
    const Vector3d x = ((points.col(p) - corner) / cell).array().floor();
    return first.emplace(std::make_tuple(std::lround(x.x()), std::lround(x.y()), std::lround(x.z())), p).first->second;
  };
  SurfaceTriangles out;
  for (const auto& [a, b, c] : all) {
    const std::array<int, 3> t = {place(a), place(b), place(c)};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) out.push_back(t);
  }
  return out;
}

// Marks a DrawnSpec, as distinct from a plain RigidSpec.
struct DrawnDeleter {
  void operator()(const DrawnSpec* drawn) const { delete drawn; }
};

}  // namespace

std::vector<int> points_of(const SurfaceTriangles& triangles) {
  std::vector<int> out;
  for (const auto& t : triangles) out.insert(out.end(), t.begin(), t.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

SurfaceTriangles thin_surface(const Matrix3Xd& points, const SurfaceTriangles& triangles) {
  SurfaceTriangles out = triangles;
  if (points.cols() == 0) return out;
  const double size = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
  for (double cell = size / 200; points_of(out).size() > kMaxStations && cell < size; cell *= 1.3)
    out = merged(points, triangles, cell);
  return out;
}

std::shared_ptr<const RigidSpec> share_drawn(DrawnSpec drawn) {
  return std::shared_ptr<const DrawnSpec>(new DrawnSpec(std::move(drawn)), DrawnDeleter());
}

const DrawnSpec* drawn_of(const Body& body) {
  const bool is_drawn = body.rigid && std::get_deleter<DrawnDeleter>(body.rigid) != nullptr;
  return is_drawn ? static_cast<const DrawnSpec*>(body.rigid.get()) : nullptr;
}

}  // namespace limber
