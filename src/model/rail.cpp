// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/detail/rail.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

constexpr int kPowers = 12;  // polynomials of degree 11 in each cell

// Number of cells such that the phase of the highest shape changes by about one radian in each.
int count_cells(const BeamSpec& spec) {
  const int highest = *std::max_element(spec.modes.begin(), spec.modes.end());
  return std::max(4, static_cast<int>(std::ceil((highest + 0.5) * std::numbers::pi)));
}

// The beam with a node at each interpolation point, cell by cell; Chebyshev points.
Body with_samples(const BeamSpec& spec, int cells, const VectorXd& points, bool second_order) {
  BeamSpec dense = spec;
  dense.nodes.clear();
  for (int c = 0; c < cells; ++c) {
    for (int k = 0; k < kPowers; ++k)
      dense.nodes.push_back(
          {std::to_string(c) + "-" + std::to_string(k), (c + 0.5 * (1 + points[k])) / cells, Matrix3d::Identity()});
  }
  return make_beam_body(dense, second_order);
}

Vec4d pack_shape(const Node& node, int mode) {
  const Vector3d g = node.translation.col(mode);
  return Vec4d{g.x(), g.y(), g.z(), node.turn(0, mode)};
}

}  // namespace

int add_rail(const Body& beam, BodyConstants& constants) {
  const int cells = count_cells(*beam.beam), n = constants.n;
  VectorXd points(kPowers);
  for (int k = 0; k < kPowers; ++k) points[k] = -std::cos((k + 0.5) * std::numbers::pi / kPowers);
  MatrixXd vandermonde(kPowers, kPowers);
  for (int k = 0; k < kPowers; ++k)
    for (int p = 0; p < kPowers; ++p) vandermonde(k, p) = std::pow(points[k], p);
  const MatrixXd inverse = Lu(vandermonde).solve(MatrixXd(MatrixXd::Identity(kPowers, kPowers)));
  const bool second = !beam.pairs.empty();
  const Body samples = with_samples(*beam.beam, cells, points, second);

  const int first = static_cast<int>(constants.nodes.size());
  NodeConstants empty;
  empty.position = zero();
  empty.gamma.assign(static_cast<std::size_t>(n), zero());
  empty.lambda = empty.gamma;
  if (second) empty.second.assign(static_cast<std::size_t>(n) * n, zero());
  constants.nodes.push_back(empty);
  constants.nodes.back().position = Vec4d{beam.length, static_cast<double>(cells), static_cast<double>(kPowers), 1};
  constants.nodes.back().moves = true;
  for (int c = 0; c < cells; ++c) {
    for (int p = 0; p < kPowers; ++p) {
      NodeConstants coefficients = empty;
      for (int k = 0; k < kPowers; ++k) {
        const Vec4d share = spread(inverse(p, k));
        const Node& node = samples.nodes[static_cast<std::size_t>(2 + c * kPowers + k)];  // after root and tip
        for (int a = 0; a < n; ++a) coefficients.gamma[static_cast<std::size_t>(a)] += share * pack_shape(node, a);
        for (int ab = 0; second && ab < n * n; ++ab)
          coefficients.second[static_cast<std::size_t>(ab)] += share * Vec4d{node.second[0].data()[ab], 0, 0, 0};
      }
      constants.nodes.push_back(std::move(coefficients));
    }
  }
  return first;
}

RailPlace find_on_rail(const NodeConstants& rail, double s) {
  const double length = rail.position[0];
  const int cells = static_cast<int>(rail.position[1]);
  RailPlace out;
  const double on = std::clamp(std::isfinite(s) ? s : 0.0, 0.0, length);
  out.beyond = s - on;
  const double along = on / length * cells;
  out.cell = std::min(static_cast<int>(along), cells - 1);
  out.t = 2 * (along - out.cell) - 1;
  out.per_metre = 2 * cells / length;
  return out;
}

}  // namespace limber
