// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "part_nodes.hpp"

namespace limber {
namespace {

constexpr std::size_t kMaxStations = 5000;  // of a surface that is drawn

using Triangles = std::vector<std::array<int, 3>>;

// Displacement of a node per mode, through its own rows or those of the rigid body it belongs to.
struct Motion {
  const FePart& part;
  const MatrixXd& shapes;
  body_impl::PartNodes nodes{part};
  std::vector<int> reference = std::vector<int>(static_cast<std::size_t>(part.positions.cols()), -1);

  Motion(const FePart& part_, const MatrixXd& shapes_) : part(part_), shapes(shapes_) {
    for (const FeRigid& rigid : part.rigid)
      for (const int p : rigid.nodes) reference[static_cast<std::size_t>(p)] = rigid.reference;
  }
  bool known(int p) const { return nodes.moves(p) || reference[static_cast<std::size_t>(p)] >= 0; }
  MatrixXd of(int p) const {
    const int base = nodes.moves(p) ? p : reference[static_cast<std::size_t>(p)];
    const auto& row = nodes.first[static_cast<std::size_t>(base)];
    MatrixXd u(3, shapes.cols());
    for (int c = 0; c < 3; ++c) u.row(c) = shapes.row(row[static_cast<std::size_t>(c)]);
    if (base == p) return u;
    const Vector3d d = part.positions.col(p) - part.positions.col(base);
    for (int i = 0; i < 3; ++i) {  // theta_i e_i x d
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      u.row(k) += d(j) * shapes.row(row[static_cast<std::size_t>(3 + i)]);
      u.row(j) -= d(k) * shapes.row(row[static_cast<std::size_t>(3 + i)]);
    }
    return u;
  }
};

// Nodes in one cell of a grid become the first of them; triangles that collapse go.
Triangles merged(const FePart& part, const Triangles& all, double cell) {
  std::map<std::tuple<long, long, long>, int> first;
  const auto place = [&](int p) {
    const Vector3d x = (part.positions.col(p) / cell).array().floor();
    return first.emplace(std::make_tuple(std::lround(x.x()), std::lround(x.y()), std::lround(x.z())), p).first->second;
  };
  Triangles out;
  for (const auto& [a, b, c] : all) {
    const std::array<int, 3> t = {place(a), place(b), place(c)};
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) out.push_back(t);
  }
  return out;
}

std::vector<int> stations_of(const Triangles& triangles) {
  std::vector<int> out;
  for (const auto& t : triangles) out.insert(out.end(), t.begin(), t.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

void set_surface(const FePart& part, const FeReduction& reduction, PartSpec& out) {
  const Motion motion(part, reduction.shapes);
  Triangles triangles;
  for (const auto& t : part.triangles)
    if (motion.known(t[0]) && motion.known(t[1]) && motion.known(t[2])) triangles.push_back(t);
  std::vector<int> stations = stations_of(triangles);
  const Triangles all = triangles;
  const double size = (part.positions.rowwise().maxCoeff() - part.positions.rowwise().minCoeff()).norm();
  for (double cell = size / 200; stations.size() > kMaxStations && cell < size; cell *= 1.3) {
    triangles = merged(part, all, cell);
    stations = stations_of(triangles);
  }
  const auto count = static_cast<Eigen::Index>(stations.size());
  out.places.resize(count, 3);
  out.shapes.resize(3 * count, reduction.shapes.cols());
  for (Eigen::Index i = 0; i < count; ++i) {
    const int p = stations[static_cast<std::size_t>(i)];
    out.places.row(i) = (part.positions.col(p) - reduction.origin).transpose().cast<float>();
    out.shapes.middleRows(3 * i, 3) = motion.of(p).cast<float>();
  }
  out.triangles.clear();
  const auto index = [&](int p) {
    return static_cast<int>(std::lower_bound(stations.begin(), stations.end(), p) - stations.begin());
  };
  for (const auto& [a, b, c] : triangles) out.triangles.push_back({index(a), index(b), index(c)});
}

}  // namespace limber
