// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "limber/body/detail/families.hpp"

namespace limber {
namespace {

// The nine numbers of C_ab that the dynamics reads.
std::array<double, 9> pair_numbers(const Matrix3d& C) {
  return {C(1, 1) + C(2, 2),          C(0, 0) + C(2, 2),          C(0, 0) + C(1, 1),
          -0.5 * (C(0, 1) + C(1, 0)), -0.5 * (C(0, 2) + C(2, 0)), -0.5 * (C(1, 2) + C(2, 1)),
          C(2, 1) - C(1, 2),          C(0, 2) - C(2, 0),          C(1, 0) - C(0, 1)};
}

// 1: not all zero.  By a copy, because g++ 12 with the undefined-behaviour sanitizer misreads v[lane] in a condition
// with a variable lane (see component.hpp of dynamics).
unsigned is_used(const Vec4d& v) {
  double numbers[kLanes];
  std::memcpy(numbers, &v, sizeof numbers);
  return std::any_of(numbers, numbers + kLanes, [](double number) { return number != 0; }) ? 1 : 0;
}

BlockKind kind_of(const PairBlock& block) {
  if (block.b == 0) return BlockKind::any;
  unsigned used = 0;  // a bit for each of the nine numbers
  for (unsigned i = 0; i < 6; ++i) used |= is_used(block.inertia[i]) << i;
  for (unsigned i = 0; i < 3; ++i) used |= is_used(block.axial[i]) << (6 + i);
  const auto only = [&](unsigned numbers) { return (used & ~numbers) == 0; };
  if (only(0b000000111)) return BlockKind::diagonal;
  if (only(0b001100000)) return BlockKind::x;
  if (only(0b010010000)) return BlockKind::y;
  if (only(0b100001000)) return BlockKind::z;
  return BlockKind::any;
}

// The blocks of four modes with all shapes b; those that are all zero are left out, but for b = 0.
std::vector<PairBlock> blocks_of(const Body& body, const BodyConstants& constants, int chunk) {
  std::vector<PairBlock> out;
  for (int b = 0; b <= constants.ne; ++b) {
    PairBlock block{};
    block.b = b;
    bool used = b == 0;
    for (int lane = 0; lane < kLanes && chunk * kLanes + lane < constants.ne; ++lane) {
      const auto numbers = pair_numbers(body.c(1 + chunk * kLanes + lane, b));
      for (int i = 0; i < 6; ++i) block.inertia[i][lane] = numbers[i];
      for (int i = 0; i < 3; ++i) block.axial[i][lane] = numbers[6 + i];
      for (const double number : numbers) used = used || number != 0;
    }
    if (used) out.push_back(block);
  }
  return out;
}

void make_blocks(const Body& body, BodyConstants& constants) {
  std::vector<int> ends;
  for (int chunk = 0; chunk < lanes_for(constants.ne); ++chunk) {
    constants.block_begin.push_back(static_cast<int>(constants.blocks.size()));
    const std::vector<PairBlock> blocks = blocks_of(body, constants, chunk);
    for (int kind = 0; kind < kBlockKinds; ++kind) {
      for (const PairBlock& block : blocks) {
        if (kind_of(block) == static_cast<BlockKind>(kind)) constants.blocks.push_back(block);
      }
      ends.push_back(static_cast<int>(constants.blocks.size()));
    }
  }
  constants.block_begin.push_back(static_cast<int>(constants.blocks.size()));
  constants.block_begin.insert(constants.block_begin.end(), ends.begin(), ends.end());
}

bool is_diagonal(const MatrixXd& m) {
  for (int i = 0; i < m.rows(); ++i) {
    for (int j = 0; j < m.cols(); ++j) {
      if (i != j && m(i, j) != 0) return false;
    }
  }
  return true;
}

// Off-diagonal modal masses at the level of rounding count as zero.
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
  const int chunks = lanes_for(constants.ne);
  constants.S_rows.assign(static_cast<std::size_t>(3) * chunks, zero());
  for (int a = 0; a < constants.ne; ++a) {
    constants.S.push_back(to_vec4d(body.S.col(1 + a)));
    for (int i = 0; i < 3; ++i)
      constants.S_rows[static_cast<std::size_t>(a / kLanes) * 3 + i][a % kLanes] = body.S(i, 1 + a);
  }
  make_blocks(body, constants);
  make_matrices(body, constants);
  for (const Node& node : body.nodes) constants.nodes.push_back(make_node(node, constants.n));
  return constants;
}

}  // namespace limber
