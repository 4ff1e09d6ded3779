// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/detail/four_bodies.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

using Bodies = std::span<const BodyConstants* const, kLanes>;

// value(lane) for the four bodies.
template <typename Value>
Vec4d four(Value value) {
  return Vec4d{value(0), value(1), value(2), value(3)};
}
// vector(lane) for the four bodies, each a Vec4d.
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

PairKind kind_of(unsigned used) {  // one bit per entry of the nine
  const auto only = [&](unsigned numbers) { return (used & ~numbers) == 0; };
  if (only(0b000000111)) return PairKind::diagonal;
  if (only(0b001100000)) return PairKind::x;
  if (only(0b010010000)) return PairKind::y;
  if (only(0b100001000)) return PairKind::z;
  return PairKind::any;
}

// The entries, of the nine, that the kernels read.
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

// The pair (a, b); all zero if the body has none.
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

// Whether the entries of mode a alone have the form of the family.
bool fits_family(const BodyConstants& body, int a, const FamilyAxes& family) {
  const ShapePair own = find_pair(body, a, 0);
  const auto J = [&](int axis) { return own.numbers[axis]; };
  const Vector3d S = to_vector(body.S[a]);
  for (int axis = 0; axis < 3; ++axis) {
    const bool diagonal = family.f < 0 && axis != family.axes[1];
    if (J(axis) != 0 && !diagonal) return false;
    if (own.numbers[5 - axis] != 0 && axis != family.f) return false;
    if (own.numbers[6 + axis] != 0 && axis != family.f) return false;
    if (S[axis] != 0 && axis != family.S) return false;
  }
  return family.f >= 0 || J(family.axes[0]) == J(family.axes[2]);
}

// Whether modes a and b of families A and B have only the entry that the kernels read, up to rounding.
bool fits_pair(const BodyConstants& body, int a, int b, int A, int B) {
  constexpr double kRounding = 1e-14;
  const ShapePair pair = find_pair(body, a, b + 1);
  const auto G = [&](int i, int j) { return body.G[static_cast<std::size_t>(i) * body.ne + j]; };
  const double size = kRounding * std::sqrt(G(a, a) * G(b, b));
  const FamilyAxes& family = kFamilyAxes[A];
  const int axis = A == B ? -1 : family.partner[B];
  const auto is = [&](int i, double value) { return std::abs(pair.numbers[i] - value) <= size; };
  const double mass = A == B && a == b ? G(a, a) : 0, p = A == B ? pair.numbers[family.axes[1]] : 0;
  if (!is(family.axes[0], mass) || !is(family.axes[1], p) || !is(family.axes[2], A == B ? mass - p : 0)) return false;
  for (int w = 0; w < 3; ++w) {
    const double F = w == axis ? pair.numbers[6 + w] : 0;
    if (!is(6 + w, F) || !is(5 - w, w == axis ? 0.5 * family.sign[B] * F : 0)) return false;
  }
  return true;
}

// The first family, from index `from` on, that mode a has in all four bodies; kShapeFamilies if none.
int find_family(Bodies bodies, int a, int from) {
  for (int family = from; family < kShapeFamilies; ++family) {
    const auto fits = [&](const BodyConstants* body) { return fits_family(*body, a, kFamilyAxes[family]); };
    if (std::all_of(bodies.begin(), bodies.end(), fits)) return family;
  }
  return kShapeFamilies;
}

void set_families(Bodies bodies, FourBodies& out) {
  std::vector<int> family(out.n);
  for (int a = 0; a < out.n; ++a) {
    family[a] = find_family(bodies, a, a > 0 ? family[a - 1] : 0);
    if (family[a] == kShapeFamilies) return;
    for (int b = 0; b <= a; ++b) {
      for (const BodyConstants* body : bodies) {
        if (!fits_pair(*body, a, b, family[a], family[b]) || !fits_pair(*body, b, a, family[b], family[a])) return;
      }
    }
  }
  for (int a = 0; a < out.n; ++a) {
    const FamilyAxes& axes = kFamilyAxes[family[a]];
    FourBodies::Range& range = out.families[family[a]];
    if (range.end == 0) range.begin = a;
    range.end = a + 1;
    const auto own = [&](int i) { return four([&](int lane) { return find_pair(*bodies[lane], a, 0).numbers[i]; }); };
    FourBodies::BeamMode mode;
    mode.g = four([&](int lane) { return bodies[lane]->G[static_cast<std::size_t>(a) * out.ne + a]; });
    mode.f = axes.f < 0 ? zero() : own(6 + axes.f);
    mode.S = four([&](int lane) { return axes.S < 0 ? 0 : to_vector(bodies[lane]->S[a])[axes.S]; });
    const Vec4d J = own(axes.f < 0 ? axes.axes[0] : 5 - axes.f);
    mode.h = J - axes.half(axes.f) * mode.f;
    mode.h_0 = J + mode.h;
    out.beam_modes.push_back(mode);
    for (int b = 0; b < out.n; ++b) {
      const int axis = axes.partner[family[b]], i = family[a] == family[b] ? axes.axes[1] : 6 + axis;
      out.beam_pairs.push_back(i < 6 && family[a] != family[b] ? zero() : four([&](int lane) {
        return find_pair(*bodies[lane], a, b + 1).numbers[i];
      }));
    }
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
  std::string form = std::to_string(constants.n) + (constants.elastic_diagonal ? "" : "full");
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
  out.elastic_diagonal = bodies[0]->elastic_diagonal;
  for (std::size_t k = 0; k < bodies[0]->K.size(); ++k) {
    out.K.push_back(four([&](int lane) { return bodies[lane]->K[k]; }));
    out.D.push_back(four([&](int lane) { return bodies[lane]->D[k]; }));
  }
  if (out.ne > out.n) set_product_masses(bodies, out);
  if (out.ne == out.n) set_families(bodies, out);
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
