// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/detail/constants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

// The nine entries of C_ab used by the dynamics.
std::array<double, 9> pair_numbers(const Matrix3d& C) {
  return {C(1, 1) + C(2, 2),          C(0, 0) + C(2, 2),          C(0, 0) + C(1, 1),
          -0.5 * (C(0, 1) + C(1, 0)), -0.5 * (C(0, 2) + C(2, 0)), -0.5 * (C(1, 2) + C(2, 1)),
          C(2, 1) - C(1, 2),          C(0, 2) - C(2, 0),          C(1, 0) - C(0, 1)};
}

// The pairs of each mode with all shapes b; pairs that are all zero are omitted, except b = 0.
void make_shape_pairs(const Body& body, BodyConstants& constants) {
  for (int a = 1; a <= constants.ne; ++a) {
    constants.pair_begin.push_back(static_cast<int>(constants.shape_pairs.size()));
    for (int b = 0; b <= constants.ne; ++b) {
      const ShapePair pair{b, pair_numbers(body.c(a, b))};
      const bool used = std::any_of(pair.numbers.begin(), pair.numbers.end(), [](double x) { return x != 0; });
      if (b == 0 || used) constants.shape_pairs.push_back(pair);
    }
  }
  constants.pair_begin.push_back(static_cast<int>(constants.shape_pairs.size()));
}

bool is_diagonal(const MatrixXd& m) {
  for (int i = 0; i < m.rows(); ++i) {
    for (int j = 0; j < m.cols(); ++j) {
      if (i != j && m(i, j) != 0) return false;
    }
  }
  return true;
}

// Off-diagonal modal masses at rounding level count as zero.
bool is_mass_diagonal(const BodyConstants& constants) {
  constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
  const auto G = [&](int a, int b) { return constants.G[static_cast<std::size_t>(a) * constants.ne + b]; };
  for (int a = 0; a < constants.n; ++a) {
    if (!(G(a, a) > 0)) return false;
    for (int b = 0; b < a; ++b) {
      if (std::abs(G(a, b)) > kRounding * std::sqrt(G(a, a) * G(b, b))) return false;
    }
  }
  return true;
}

void make_matrices(const Body& body, BodyConstants& constants) {
  for (int a = 1; a <= constants.ne; ++a) {
    for (int b = 1; b <= constants.ne; ++b) constants.G.push_back(body.c(a, b).trace());
  }
  if (constants.ne == constants.n) {
    const int width = kLanes * lanes_for(constants.n);
    constants.G_rows.assign(static_cast<std::size_t>(constants.n) * width, 0);
    for (int a = 0; a < constants.n; ++a) {
      for (int b = 0; b < constants.n; ++b) constants.G_rows[a * width + b] = constants.G[a * constants.n + b];
    }
  }
  if (constants.ne == constants.n && is_mass_diagonal(constants)) {
    constants.G_inverse.assign(static_cast<std::size_t>(kLanes) * lanes_for(constants.n), 0);
    for (int a = 0; a < constants.n; ++a)
      constants.G_inverse[a] = 1 / constants.G[static_cast<std::size_t>(a) * constants.ne + a];
  }
  constants.elastic_diagonal = is_diagonal(body.stiffness) && is_diagonal(body.damping);
  for (int a = 0; a < constants.n; ++a) {
    for (int b = 0; b < constants.n; ++b) {
      if (constants.elastic_diagonal && a != b) continue;
      constants.K.push_back(body.stiffness(a, b));
      constants.D.push_back(body.damping(a, b));
    }
  }
}

NodeConstants make_node(const Node& node, int n) {
  NodeConstants out;
  out.position = to_vec4d(node.position);
  out.rotation = pack(node.rotation);
  for (int a = 0; a < n; ++a) {
    out.gamma.push_back(to_vec4d(node.translation.col(a)));
    out.lambda.push_back(to_vec4d(node.turn.col(a)));
  }
  out.moves = n > 0 && !(node.translation.isZero(0) && node.turn.isZero(0));
  if (node.second[0].size() == 0) return out;
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      out.second.push_back(Vec4d{node.second[0](a, b), node.second[1](a, b), node.second[2](a, b), 0});
      out.moves = out.moves || dot(out.second.back(), out.second.back()) > 0;
    }
  }
  return out;
}

}  // namespace

BodyConstants make_constants(const Body& body) {
  BodyConstants constants;
  constants.source = &body;
  constants.n = body.modes;
  constants.ne = body.shapes() - 1;
  constants.m = body.mass;
  constants.s = to_vec4d(body.S.col(0));
  const Matrix3d& C = body.c(0, 0);
  constants.J = pack(C.trace() * Matrix3d::Identity() - C);
  constants.pairs = body.pairs;
  for (int a = 0; a < constants.ne; ++a) constants.S.push_back(to_vec4d(body.S.col(1 + a)));
  make_shape_pairs(body, constants);
  make_matrices(body, constants);
  for (const Node& node : body.nodes) constants.nodes.push_back(make_node(node, constants.n));
  return constants;
}

}  // namespace limber
