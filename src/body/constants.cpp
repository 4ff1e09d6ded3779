// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/detail/constants.hpp"

#include <cmath>
#include <limits>

namespace limber {
namespace {

// The nine numbers of C_ab that the dynamics reads.
std::array<double, 9> pair_numbers(const Matrix3& C) {
  return {C(1, 1) + C(2, 2),          C(0, 0) + C(2, 2),          C(0, 0) + C(1, 1),
          -0.5 * (C(0, 1) + C(1, 0)), -0.5 * (C(0, 2) + C(2, 0)), -0.5 * (C(1, 2) + C(2, 1)),
          C(2, 1) - C(1, 2),          C(0, 2) - C(2, 0),          C(1, 0) - C(0, 1)};
}

void make_blocks(const Body& body, BodyConstants& shape) {
  for (int chunk = 0; chunk < lanes_for(shape.ne); ++chunk) {
    shape.block_begin.push_back(static_cast<int>(shape.blocks.size()));
    for (int b = 0; b <= shape.ne; ++b) {
      PairBlock block{};
      block.b = b;
      bool used = b == 0;
      for (int lane = 0; lane < kLanes && chunk * kLanes + lane < shape.ne; ++lane) {
        const auto numbers = pair_numbers(body.c(1 + chunk * kLanes + lane, b));
        for (int i = 0; i < 6; ++i) block.inertia[i][lane] = numbers[i];
        for (int i = 0; i < 3; ++i) block.axial[i][lane] = numbers[6 + i];
        for (const double number : numbers) used = used || number != 0;
      }
      if (used) shape.blocks.push_back(block);
    }
  }
  shape.block_begin.push_back(static_cast<int>(shape.blocks.size()));
}

bool is_diagonal(const MatrixX& m) {
  for (int i = 0; i < m.rows(); ++i) {
    for (int j = 0; j < m.cols(); ++j) {
      if (i != j && m(i, j) != 0) return false;
    }
  }
  return true;
}

// Off-diagonal modal masses at the level of rounding count as zero.
bool is_mass_diagonal(const BodyConstants& shape) {
  constexpr double kRounding = 16 * std::numeric_limits<double>::epsilon();
  const auto G = [&](int a, int b) { return shape.G[static_cast<std::size_t>(a) * shape.ne + b]; };
  for (int a = 0; a < shape.n; ++a) {
    if (!(G(a, a) > 0)) return false;
    for (int b = 0; b < a; ++b) {
      if (std::abs(G(a, b)) > kRounding * std::sqrt(G(a, a) * G(b, b))) return false;
    }
  }
  return true;
}

void make_matrices(const Body& body, BodyConstants& shape) {
  for (int a = 1; a <= shape.ne; ++a) {
    for (int b = 1; b <= shape.ne; ++b) shape.G.push_back(body.c(a, b).trace());
  }
  if (shape.ne == shape.n) {
    const int width = kLanes * lanes_for(shape.n);
    shape.G_rows.assign(static_cast<std::size_t>(shape.n) * width, 0);
    for (int a = 0; a < shape.n; ++a) {
      for (int b = 0; b < shape.n; ++b) shape.G_rows[a * width + b] = shape.G[a * shape.n + b];
    }
  }
  if (shape.ne == shape.n && is_mass_diagonal(shape)) {
    shape.G_inverse.assign(static_cast<std::size_t>(kLanes) * lanes_for(shape.n), 0);
    for (int a = 0; a < shape.n; ++a) shape.G_inverse[a] = 1 / shape.G[static_cast<std::size_t>(a) * shape.ne + a];
  }
  shape.elastic_diagonal = is_diagonal(body.stiffness) && is_diagonal(body.damping);
  for (int a = 0; a < shape.n; ++a) {
    for (int b = 0; b < shape.n; ++b) {
      if (shape.elastic_diagonal && a != b) continue;
      shape.K.push_back(body.stiffness(a, b));
      shape.D.push_back(body.damping(a, b));
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
  BodyConstants shape;
  shape.n = body.modes;
  shape.ne = body.shapes() - 1;
  shape.m = body.mass;
  shape.s = to_vec4d(body.S.col(0));
  const Matrix3& C = body.c(0, 0);
  shape.J = pack(C.trace() * Matrix3::Identity() - C);
  shape.pairs = body.pairs;
  const int chunks = lanes_for(shape.ne);
  shape.S_rows.assign(static_cast<std::size_t>(3) * chunks, zero());
  for (int a = 0; a < shape.ne; ++a) {
    shape.S.push_back(to_vec4d(body.S.col(1 + a)));
    for (int i = 0; i < 3; ++i)
      shape.S_rows[static_cast<std::size_t>(a / kLanes) * 3 + i][a % kLanes] = body.S(i, 1 + a);
  }
  make_blocks(body, shape);
  make_matrices(body, shape);
  for (const Node& node : body.nodes) shape.nodes.push_back(make_node(node, shape.n));
  return shape;
}

}  // namespace limber
