// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "limber/body/detail/surface.hpp"
#include "part_nodes.hpp"

namespace limber {
namespace {

// Displacement of a node per mode, from its own rows or from those of its rigid body.
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

}  // namespace

void set_surface(const FePart& part, const FeReduction& reduction, PartSpec& out) {
  const Motion motion(part, reduction.shapes);
  SurfaceTriangles triangles;
  for (const auto& t : part.triangles)
    if (motion.known(t[0]) && motion.known(t[1]) && motion.known(t[2])) triangles.push_back(t);
  triangles = thin_surface(part.positions, triangles);
  const std::vector<int> stations = points_of(triangles);
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
