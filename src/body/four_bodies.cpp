// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/detail/four_bodies.hpp"

#include <algorithm>

namespace limber {
namespace {

using Bodies = std::span<const BodyConstants* const, kLanes>;

// value(lane) of each of the four.
template <typename Value>
Vec4d four(Value value) {
  return Vec4d{value(0), value(1), value(2), value(3)};
}
// vector(lane): a Vec4d of one body.
template <typename Vector>
FourVectors four_vectors(Vector vector) {
  const auto component = [&](int i) { return four([&](int lane) { return to_vector(vector(lane))[i]; }); };
  return {component(0), component(1), component(2)};
}
template <typename Matrix>
FourMatrices four_matrices(Matrix matrix) {
  const auto column = [&](int j) { return four_vectors([&](int lane) { return matrix(lane).c[j]; }); };
  return {column(0), column(1), column(2)};
}

PairKind kind_of(unsigned used) {  // a bit for each of the nine numbers
  const auto only = [&](unsigned numbers) { return (used & ~numbers) == 0; };
  if (only(0b000000111)) return PairKind::diagonal;
  if (only(0b001100000)) return PairKind::x;
  if (only(0b010010000)) return PairKind::y;
  if (only(0b100001000)) return PairKind::z;
  return PairKind::any;
}

// Which of the nine numbers the kernels read.
std::span<const int> numbers_of(PairKind kind) {
  static constexpr std::array<int, 9> kAny = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  static constexpr std::array<int, 3> kDiagonal = {0, 1, 2};
  static constexpr std::array<int, 2> kAlong[3] = {{5, 6}, {4, 7}, {3, 8}};
  if (kind == PairKind::any) return kAny;
  if (kind == PairKind::diagonal) return kDiagonal;
  return kAlong[static_cast<int>(kind) - static_cast<int>(PairKind::x)];
}

unsigned used_numbers(const ShapePair& pair) {
  unsigned used = 0;
  for (unsigned i = 0; i < 9; ++i) used |= (pair.numbers[i] != 0 ? 1U : 0U) << i;
  return used;
}

// The pair (a, b), all zero where a body has none.
ShapePair find_pair(const BodyConstants& body, int a, int b) {
  for (int k = body.pair_begin[a]; k < body.pair_begin[a + 1]; ++k) {
    if (body.shape_pairs[k].b == b) return body.shape_pairs[k];
  }
  return {b, {}};
}

void set_pairs(Bodies bodies, int a, FourBodies& out) {
  const auto number = [&](int b, int i) {
    return four([&](int lane) { return find_pair(*bodies[lane], a, b).numbers[i]; });
  };
  FourBodies::Pairs& pairs = out.pairs_of[a];
  pairs.inertia = {number(0, 0), number(0, 1), number(0, 2), number(0, 3), number(0, 4), number(0, 5)};
  pairs.axial = {number(0, 6), number(0, 7), number(0, 8)};
  pairs.begin = static_cast<int>(out.shape.size());
  pairs.numbers = static_cast<int>(out.numbers.size());
  std::vector<unsigned> used(static_cast<std::size_t>(out.ne) + 1, 0);
  for (int b = 1; b <= out.ne; ++b) {
    for (const BodyConstants* body : bodies) used[b] |= used_numbers(find_pair(*body, a, b));
  }
  for (int kind = 0; kind < kPairKinds; ++kind) {
    for (int b = 1; b <= out.ne; ++b) {
      if (used[b] == 0 || kind_of(used[b]) != static_cast<PairKind>(kind)) continue;
      out.shape.push_back(kLanes * (b - 1));
      for (const int i : numbers_of(static_cast<PairKind>(kind))) out.numbers.push_back(number(b, i));
    }
    pairs.end[kind] = static_cast<int>(out.shape.size());
  }
}

void set_product_masses(Bodies bodies, FourBodies& out) {
  const auto mass = [&](int a, int b) {
    return four([&](int lane) { return bodies[lane]->G[static_cast<std::size_t>(a) * out.ne + b]; });
  };
  for (int a = 0; a < out.ne; ++a) {
    for (int b = 0; b < out.n; ++b) out.G.push_back(mass(a, b));
    for (int b = out.n; b < out.ne; ++b) {
      const Vec4d m = mass(a, b);
      if (dot(m, m) > 0) out.product_masses.push_back({a, b - out.n, m});
    }
  }
}

}  // namespace

std::string form_of(const BodyConstants& constants) {
  std::string form = std::to_string(constants.n);
  for (const auto [a, b] : constants.pairs) form += "," + std::to_string(a) + "*" + std::to_string(b);
  for (int a = 0; a < constants.ne; ++a) {
    form += "|";
    for (int k = constants.pair_begin[a]; k < constants.pair_begin[a + 1]; ++k) {
      const ShapePair& pair = constants.shape_pairs[k];
      form += std::to_string(pair.b) + "xdabc"[static_cast<int>(kind_of(used_numbers(pair)))];
    }
  }
  return form;
}

FourBodies make_four_bodies(Bodies bodies) {
  FourBodies out;
  out.n = bodies[0]->n;
  out.ne = bodies[0]->ne;
  out.m = four([&](int lane) { return bodies[lane]->m; });
  out.s = four_vectors([&](int lane) { return bodies[lane]->s; });
  const FourMatrices J = four_matrices([&](int lane) -> const Mat3& { return bodies[lane]->J; });
  out.J = {J.c[0].x, J.c[1].y, J.c[2].z, J.c[1].x, J.c[2].x, J.c[2].y};
  out.products = bodies[0]->pairs;
  out.pairs_of.resize(out.ne);
  for (int a = 0; a < out.ne; ++a) {
    out.S.push_back(four_vectors([&](int lane) { return bodies[lane]->S[a]; }));
    set_pairs(bodies, a, out);
  }
  if (out.ne > out.n) set_product_masses(bodies, out);
  return out;
}

FourNodes make_four_nodes(std::span<const NodeConstants* const, kLanes> nodes, int n) {
  FourNodes out;
  out.position = four_vectors([&](int lane) { return nodes[lane]->position; });
  out.rotation = four_matrices([&](int lane) -> const Mat3& { return nodes[lane]->rotation; });
  for (const NodeConstants* node : nodes) out.turned = out.turned || !to_matrix(node->rotation).isIdentity(0);
  for (int a = 0; a < n; ++a) {
    out.gamma.push_back(four_vectors([&](int lane) { return nodes[lane]->gamma[a]; }));
    out.lambda.push_back(four_vectors([&](int lane) { return nodes[lane]->lambda[a]; }));
  }
  const bool second = std::any_of(nodes.begin(), nodes.end(), [](const auto* node) { return !node->second.empty(); });
  for (int k = 0; second && k < n * n; ++k) {
    out.second.push_back(
        four_vectors([&](int lane) { return nodes[lane]->second.empty() ? zero() : nodes[lane]->second[k]; }));
  }
  return out;
}

}  // namespace limber
