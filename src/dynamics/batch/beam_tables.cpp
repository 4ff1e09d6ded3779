// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which bodies are beams, and their numbers.
#include <algorithm>
#include <cmath>

#include "machine.hpp"

namespace limber {
namespace {

// Numbers that are zero, or equal, but for rounding: against the modal mass 1 and the largest integral of their kind.
constexpr double kBeamRounding = 1e-13;
constexpr double kBeamSameDirection = 1e-12;  // rows that are multiples of each other, but for rounding

enum class ModeFamily { none, y, z, torsion };

// The integrals of a body, by kind: see numbers_of in machine.cpp.  They are zero but for rounding, or not.
struct BeamReader {
  const BatchLink& link;
  const BatchMachine& out;
  double size[9] = {};  // the largest of each kind, at least 1: the modal mass

  BeamReader(const BatchLink& l, const BatchMachine& o) : link(l), out(o) {
    std::fill(size, size + 9, 1.0);
    for (int a = 0; a < link.n; ++a) {
      for (int i = 0; i < 9; ++i) size[i] = std::max(size[i], std::abs(first(a)[i]));
    }
  }
  const double* first(int a) const { return &out.numbers[link.first_pairs + 9 * a]; }
  const double* pair(int a, int b) const { return &out.numbers[link.pairs + 9 * (a * link.n + b)]; }
  const double* S(int a) const { return &out.numbers[link.S + 3 * a]; }
  const BatchNode* node() const { return link.first_node < link.last_node ? &out.nodes[link.first_node] : nullptr; }
  double shift(int a, int axis) const { return node() == nullptr ? 0 : out.numbers[node()->gamma + 3 * a + axis]; }
  double turn(int a, int axis) const { return node() == nullptr ? 0 : out.numbers[node()->lambda + 3 * a + axis]; }

  // All but the places in `used` are zero.
  bool only(const double* c, unsigned used) const {
    for (unsigned i = 0; i < 9; ++i) {
      if ((used >> i & 1u) == 0 && !(std::abs(c[i]) <= kBeamRounding * size[i])) return false;
    }
    return true;
  }
};
bool is_equal(double a, double b) { return std::abs(a - b) <= kBeamRounding * std::max(1.0, std::abs(a)); }

constexpr unsigned kDiagonal = 0b000000111;
constexpr unsigned along(int axis) { return 1u << (5 - axis) | 1u << (6 + axis); }  // x, y, z of PairForm

// Axis that a family's numbers with the rigid body, and with the next families, belong to.
int axis_of(ModeFamily f) { return f == ModeFamily::y ? 2 : f == ModeFamily::z ? 1 : 0; }
int axis_between(ModeFamily f, ModeFamily g) { return 3 - axis_of(f) - axis_of(g); }

// Bending in y moves along y and turns about z; bending in z along z and about y; torsion turns about x.
ModeFamily family_of(const BeamReader& body, int a) {
  for (const ModeFamily f : {ModeFamily::y, ModeFamily::z, ModeFamily::torsion}) {
    const int axis = axis_of(f), moves = f == ModeFamily::torsion ? -1 : 3 - axis;
    bool fits = body.only(body.first(a), along(axis)) && body.only(body.pair(a, a), kDiagonal);
    // what the shape itself does not turn or move by: the integral of its square along that direction
    const double* c = body.pair(a, a);
    const int whole = f == ModeFamily::y ? 2 : f == ModeFamily::z ? 1 : 0;  // tr C less the direction without motion
    fits = fits && is_equal(c[whole], 1) && is_equal(c[0] + c[1] + c[2] - c[whole], 1);
    for (int k = 0; k < 3; ++k) {
      fits = fits && (k == moves || (std::abs(body.S(a)[k]) <= kBeamRounding && body.shift(a, k) == 0));
      fits = fits && (k == axis || body.turn(a, k) == 0);
    }
    if (fits) return f;
  }
  return ModeFamily::none;
}

// The one number of a pair of modes, or false.
bool pair_number(const BeamReader& body, ModeFamily f, ModeFamily g, int a, int b, double& number) {
  const double* c = body.pair(a, b);
  if (f == g) {
    const int whole = f == ModeFamily::y ? 2 : f == ModeFamily::z ? 1 : 0, own = f == ModeFamily::z ? 2 : 1;
    number = c[own];
    const double mass = a == b ? 1 : 0;
    return body.only(c, kDiagonal) && is_equal(c[whole], mass) && is_equal(c[0] + c[1] + c[2] - c[whole], mass);
  }
  const int axis = axis_between(f, g);
  const double* back = body.pair(b, a);
  number = c[6 + axis];
  // the products of inertia are half of what turns, with the sign of the pair's order
  const bool forward = (f == ModeFamily::y && g == ModeFamily::z) || (f == ModeFamily::torsion && g == ModeFamily::y) ||
                       (f == ModeFamily::z && g == ModeFamily::torsion);
  return body.only(c, along(axis)) && is_equal(back[6 + axis], -number) &&
         is_equal(c[5 - axis], (forward ? 0.5 : -0.5) * number);
}

// Two orthonormal combinations of a family in the metric of the modal mass: the first turns the node, the second does
// not.  l: what they do there.  Returns how many there are.
int combine(const BeamReader& body, ModeFamily f, int first, int count, const VectorXd& root, double* l, VectorXd* q) {
  const int axis = axis_of(f), moves = 3 - axis;
  VectorXd turn(count), shift = VectorXd::Zero(count);
  for (int i = 0; i < count; ++i) {
    turn[i] = root[first + i] * body.turn(first + i, axis);
    if (f != ModeFamily::torsion) shift[i] = root[first + i] * body.shift(first + i, moves);
  }
  if (body.node() == nullptr) {  // any will do: the first modes themselves
    for (int k = 0; k < 2; ++k) q[k] = k < count ? VectorXd(VectorXd::Unit(count, k)) : VectorXd(VectorXd::Zero(count));
    return f == ModeFamily::torsion ? std::min(count, 1) : std::min(count, 2);
  }
  int found = 0;
  q[0] = q[1] = VectorXd::Zero(count);
  l[0] = turn.norm();
  if (l[0] > 0) q[0] = turn / l[0], ++found;
  if (f == ModeFamily::torsion) return found;
  const double length = shift.norm();
  l[1] = q[0].dot(shift);
  shift -= l[1] * q[0];
  shift -= q[0].dot(shift) * q[0];
  l[2] = shift.norm();
  if (l[2] > kBeamSameDirection * length) {
    q[1] = shift / l[2], ++found;
  } else {
    l[2] = 0;
  }
  return found;
}

// Families of all modes, in the order y, z, torsion, and the numbers of their pairs; false: not a beam.
bool find_families(const BeamReader& body, int* families, std::vector<double>& pairs) {
  const int n = body.link.n;
  std::vector<ModeFamily> family(n);
  for (int a = 0; a < n; ++a) {
    family[a] = family_of(body, a);
    if (family[a] == ModeFamily::none || (a > 0 && family[a] < family[a - 1])) return false;
    ++families[static_cast<int>(family[a]) - 1];
  }
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      pairs.push_back(0);
      if (!pair_number(body, family[a], family[b], a, b, pairs.back())) return false;
    }
  }
  return true;
}

// Numbers of the modes of one family, and what its active coordinates have of them.
int put_family(const BeamReader& body, ModeFamily family, int first, int count, const VectorXd& weight,
               std::vector<double>& numbers) {
  constexpr int at_l[] = {kBeamLy, kBeamLz, kBeamLt}, at_F[] = {kBeamFy, kBeamFz, kBeamFt}, at_S[] = {kBeamSy, kBeamSz},
                at_rest[] = {kBeamRestY, kBeamRestZ};
  const int k = static_cast<int>(family) - 1, axis = axis_of(family), moves = 3 - axis;
  const VectorXd root = weight.cwiseSqrt();
  VectorXd q[2];
  const int found = combine(body, family, first, count, root, &numbers[at_l[k]], q);
  for (int i = 0; i < count; ++i) {
    const int a = first + i;
    double* mode = &numbers[static_cast<std::size_t>(kBeamHead + kBeamMode * a)];
    const double h = 2 * body.first(a)[5 - axis], f = body.first(a)[6 + axis];
    mode[kBeamH] = h, mode[kBeamF] = f, mode[kBeamM1] = 0.5 * (h + f), mode[kBeamM2] = 0.5 * (h - f);
    mode[kBeamTurn] = body.turn(a, axis);
    mode[kBeamWeight] = weight[a];
    mode[kBeamQ1] = root[a] * q[0][i];
    numbers[at_F[k]] += mode[kBeamQ1] * f;
    if (family == ModeFamily::torsion) continue;
    mode[kBeamQ2] = root[a] * q[1][i];
    mode[kBeamS] = body.S(a)[moves], mode[kBeamShift] = body.shift(a, moves);
    numbers[at_F[k] + 1] += mode[kBeamQ2] * f;
    numbers[at_S[k]] += mode[kBeamQ1] * mode[kBeamS];
    numbers[at_S[k] + 1] += mode[kBeamQ2] * mode[kBeamS];
    numbers[at_rest[k]] += weight[a] * mode[kBeamS] * mode[kBeamS];
  }
  if (family != ModeFamily::torsion) {
    const double* S = &numbers[at_S[k]];
    numbers[at_rest[k]] -= S[0] * S[0] + S[1] * S[1];
  }
  return found;
}

}  // namespace

void set_beam(const BatchChoice& choice, BatchLink& link, BatchMachine& out) {
  const int n = link.n;
  const bool implicit = choice.c_D != 0 || choice.c_K != 0;
  if (n == 0 || link.mass_varies || !link.mass_diagonal || !link.elastic_diagonal || link.inboard >= 0 ||
      link.last_node - link.first_node > 1 || (implicit && link.parameters >= 0)) {
    return;
  }
  const BeamReader body(link, out);
  int families[3] = {};
  std::vector<double> pairs;
  if ((body.node() != nullptr && body.node()->second >= 0) || !find_families(body, families, pairs)) return;
  VectorXd weight(n);
  for (int a = 0; a < n; ++a) weight[a] = 1 / out.numbers[link.D_0 + a * n + a];
  std::vector<double> numbers(static_cast<std::size_t>(kBeamHead + kBeamMode * n), 0.0);
  int found = 0, first = 0;
  for (const ModeFamily f : {ModeFamily::y, ModeFamily::z, ModeFamily::torsion}) {
    const int count = families[static_cast<int>(f) - 1];
    found += put_family(body, f, first, count, weight, numbers);
    first += count;
  }
  numbers.insert(numbers.end(), pairs.begin(), pairs.end());
  // Equal beams one after the other share them: they stay in the first cache.
  const auto size = static_cast<std::ptrdiff_t>(numbers.size());
  const auto before = out.numbers.begin() + std::max(out.last_beam, 0);
  const bool same =
      out.last_beam >= 0 && out.numbers.end() - before >= size && std::equal(numbers.begin(), numbers.end(), before);
  if (!same) {
    out.last_beam = static_cast<int>(out.numbers.size());
    out.numbers.insert(out.numbers.end(), numbers.begin(), numbers.end());
  }
  link.beam = out.last_beam;
  std::copy_n(families, 3, link.families);
  link.usual = families[0] == 2 && families[1] == 2 && families[2] == 1 && found == kBeamColumns;
}

}  // namespace limber
