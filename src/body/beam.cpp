// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "beam_modes.hpp"
#include "checks.hpp"
#include "limber/body/body.hpp"
#include "tapered.hpp"

namespace limber {
namespace {

using body_impl::FamilyModes;
using body_impl::GaussRule;
using body_impl::MatrixR;
using body_impl::Real;
using body_impl::VectorR;

enum Family { kBendY, kBendZ, kAxial, kTorsion };  // BeamFamily as an index

constexpr Real kRounding = 3e-17L;  // an integral below this fraction of its bound is zero

// Working data of a beam under construction.  Lengths in units of L, shapes dimensionless (FamilyModes); `unit`
// restores the units.
struct Assembly {
  const BeamSpec& spec;
  const GaussRule& rule;
  std::array<FamilyModes, 4> families;
  std::array<int, 4> first{};  // shape index of the first mode of each family
  std::array<Real, 4> unit{};  // shape = unit * FamilyModes::value: 1 / sqrt of the mass, or of the polar moment
  bool planes_alike = false;   // bending in y and in z have the same shapes
  MatrixR foreshortening;      // (Gauss points x pairs), in units of unit^2 / L
  Body body;

  Real L() const { return spec.length; }
  Real mass() const { return static_cast<Real>(spec.mass_per_length) * spec.length; }
  Eigen::Index points() const { return rule.x.size(); }
  auto value(int f) const { return families[f].value.topRows(points()); }
  auto slope(int f) const { return families[f].slope.topRows(points()); }

  // Entry (i, j) of C_ab, and of C_ba = C_ab^T with it.
  void set(int a, int b, int i, int j, Real x) {
    const std::size_t shapes = static_cast<std::size_t>(body.shapes());
    body.C[a * shapes + b](i, j) = static_cast<double>(x);
    body.C[b * shapes + a](j, i) = static_cast<double>(x);
  }
};

// int f_a g_b over the Gauss points, exact zeros where orthogonality makes them zero to rounding.
template <class F, class G>
MatrixR integrate(const VectorR& w, const F& f, const G& g) {
  MatrixR I = f.transpose() * w.asDiagonal() * g;
  const VectorR ff = (w.transpose() * f.cwiseAbs2()).cwiseSqrt(), gg = (w.transpose() * g.cwiseAbs2()).cwiseSqrt();
  for (Eigen::Index b = 0; b < I.cols(); ++b) {
    for (Eigen::Index a = 0; a < I.rows(); ++a) {
      if (std::abs(I(a, b)) <= kRounding * ff(a) * gg(b)) I(a, b) = 0;
    }
  }
  return I;
}

Real rotary_ratio(const BeamSpec& spec, int family) {
  const Real area = static_cast<Real>(spec.mass_per_length) * spec.length * spec.length;
  if (family == kBendY) return spec.rotary_inertia_z / area;
  if (family == kBendZ) return spec.rotary_inertia_y / area;
  return 0;
}

void make_families(Assembly& beam, const std::vector<BeamNode>& stations) {
  const BeamSpec& spec = beam.spec;
  const Eigen::Index points = beam.points(), count = static_cast<Eigen::Index>(stations.size());
  VectorR s(points + count + 1);
  s.head(points) = beam.rule.x;
  for (Eigen::Index i = 0; i < count; ++i) s(points + i) = stations[static_cast<std::size_t>(i)].at;
  s(points + count) = 1;

  beam.planes_alike = spec.modes[kBendY] == spec.modes[kBendZ] && spec.shapes[kBendY] == spec.shapes[kBendZ] &&
                      spec.rotary_inertia_y == spec.rotary_inertia_z;
  const Real polar = (static_cast<Real>(spec.rotary_inertia_y) + spec.rotary_inertia_z) * spec.length;
  int next = 1;
  for (int f = 0; f < 4; ++f) {
    beam.families[f] =
        f == kBendZ && beam.planes_alike
            ? beam.families[kBendY]
            : body_impl::make_family_modes(spec, static_cast<BeamFamily>(f), beam.rule, s, rotary_ratio(spec, f));
    beam.unit[f] = 1 / std::sqrt(f == kTorsion ? polar : beam.mass());
    beam.first[f] = next;
    next += spec.modes[f];
  }
  beam.body.modes = next - 1;
}

// Xi_ab = -int_0^x phi_a' phi_b' for two bending modes of one plane.  theory §2, Geometric stiffening.
void make_pairs(Assembly& beam) {
  std::vector<ModePair>& pairs = beam.body.pairs;
  for (const int f : {kBendY, kBendZ}) {
    const int from = beam.first[f] - 1, to = from + beam.spec.modes[f];
    for (int a = from; a < to; ++a)
      for (int b = a; b < to; ++b) pairs.push_back({a, b});
  }
  if (pairs.empty()) return;
  MatrixR products(beam.points(), static_cast<Eigen::Index>(pairs.size()));
  Eigen::Index p = 0;
  for (const int f : {kBendY, kBendZ}) {
    const auto slope = beam.slope(f);
    for (int a = 0; a < beam.spec.modes[f]; ++a)
      for (int b = a; b < beam.spec.modes[f]; ++b) products.col(p++) = -slope.col(a).cwiseProduct(slope.col(b));
  }
  beam.foreshortening = body_impl::running_weights(static_cast<int>(beam.points())) * products;
}

// S_a, and C_0a of the undeformed shape r = (x, y, z) with every mode.
// Averages over the four quarters of a section: <y y> = rho I_z, <z z> = rho I_y, all odd ones 0.  theory §7.
void set_first_moments(Assembly& beam) {
  const BeamSpec& spec = beam.spec;
  const Real L = beam.L(), m = beam.mass(), Iy = spec.rotary_inertia_y, Iz = spec.rotary_inertia_z;
  const VectorR one = VectorR::Ones(beam.points());
  Matrix3Xd& S = beam.body.S;
  beam.body.mass = static_cast<double>(m);
  S(0, 0) = static_cast<double>(m * L / 2);
  beam.set(0, 0, 0, 0, m * L * L / 3);
  beam.set(0, 0, 1, 1, Iz * L);
  beam.set(0, 0, 2, 2, Iy * L);
  for (int f = 0; f < 4; ++f) {
    const FamilyModes& modes = beam.families[f];
    const Real unit = beam.unit[f];
    const MatrixR sum = integrate(beam.rule.w, one, beam.value(f));             // int phi
    const MatrixR moment = integrate(beam.rule.w, beam.rule.x, beam.value(f));  // int s phi
    const MatrixR rise = integrate(beam.rule.w, one, beam.slope(f));            // phi(1) - phi(0)
    for (int k = 0; k < modes.count(); ++k) {
      const int a = beam.first[f] + k;
      switch (f) {
        case kBendY:  // phi = (-w' y, w, 0)
          S(1, a) = static_cast<double>(m * unit * sum(0, k));
          beam.set(0, a, 0, 1, m * L * unit * moment(0, k));
          beam.set(0, a, 1, 0, -Iz * unit * rise(0, k));
          break;
        case kBendZ:  // phi = (-w' z, 0, w)
          S(2, a) = static_cast<double>(m * unit * sum(0, k));
          beam.set(0, a, 0, 2, m * L * unit * moment(0, k));
          beam.set(0, a, 2, 0, -Iy * unit * rise(0, k));
          break;
        case kAxial:  // phi = (u, 0, 0)
          S(0, a) = static_cast<double>(m * unit * sum(0, k));
          beam.set(0, a, 0, 0, m * L * unit * moment(0, k));
          break;
        default:  // phi = (0, -psi z, psi y)
          beam.set(0, a, 1, 2, Iz * L * unit * sum(0, k));
          beam.set(0, a, 2, 1, -Iy * L * unit * sum(0, k));
      }
    }
  }
}

// Splits a unit modal mass into the part t along x and the rest, both to full relative accuracy, with sum exactly 1.
std::array<double, 2> split_unit(Real t) {
  const double small = static_cast<double>(std::min(t, 1 - t));
  return t <= 0.5L ? std::array{small, 1 - small} : std::array{1 - small, small};
}

// C_ab of two modes of one family.  tr C_ab is the unit matrix, exactly.
void set_own_blocks(Assembly& beam) {
  const Real Iy = beam.spec.rotary_inertia_y, Iz = beam.spec.rotary_inertia_z;
  for (int f = 0; f < 4; ++f) {
    const int n = beam.families[f].count(), first = beam.first[f];
    const Real rotary = rotary_ratio(beam.spec, f);
    MatrixR turning = MatrixR::Zero(n, n);  // rotary inertia of the sections, in x
    if (rotary > 0) turning = rotary * integrate(beam.rule.w, beam.slope(f), beam.slope(f));
    for (int k = 0; k < n; ++k) {
      const int a = first + k;
      if (f == kAxial) beam.set(a, a, 0, 0, 1);
      if (f == kTorsion) {
        const auto [y, z] = split_unit(Iy / (Iy + Iz));
        beam.set(a, a, 1, 1, y);
        beam.set(a, a, 2, 2, z);
      }
      if (f == kAxial || f == kTorsion) continue;
      const auto [x, w] = split_unit(turning(k, k));
      beam.set(a, a, 0, 0, x);
      beam.set(a, a, 1 + f, 1 + f, w);
      for (int b = a + 1; b < first + n; ++b) {
        const Real t = turning(k, b - first);
        beam.set(a, b, 0, 0, t);
        beam.set(a, b, 1 + f, 1 + f, -t);
      }
    }
  }
}

// C_ab of modes of two families: one entry each.
void set_cross_blocks(Assembly& beam) {
  const auto fill = [&](int f, int g, int i, int j, const MatrixR& I) {
    for (Eigen::Index b = 0; b < I.cols(); ++b)
      for (Eigen::Index a = 0; a < I.rows(); ++a)
        beam.set(beam.first[f] + static_cast<int>(a), beam.first[g] + static_cast<int>(b), i, j, I(a, b));
  };
  const auto product = [&](int f, int g) { return integrate(beam.rule.w, beam.value(f), beam.value(g)); };
  MatrixR planes = product(kBendY, kBendZ);
  if (beam.planes_alike) {
    // The integrals of the coupling within one plane, with the same zeros.
    for (Eigen::Index b = 0; b < planes.cols(); ++b)
      for (Eigen::Index a = 0; a < planes.rows(); ++a)
        planes(a, b) =
            beam.body.c(beam.first[kBendY] + static_cast<int>(a), beam.first[kBendY] + static_cast<int>(b))(1, 1);
  }
  fill(kBendY, kBendZ, 1, 2, planes);
  fill(kBendY, kAxial, 1, 0, product(kBendY, kAxial));
  fill(kBendZ, kAxial, 2, 0, product(kBendZ, kAxial));
  // -w' y against psi y, and -w' z against -psi z.
  const Real Iy = beam.spec.rotary_inertia_y, Iz = beam.spec.rotary_inertia_z;
  const auto turning = [&](int f) -> MatrixR {
    return beam.unit[f] * beam.unit[kTorsion] * integrate(beam.rule.w, beam.slope(f), beam.value(kTorsion));
  };
  if (beam.spec.modes[kTorsion] == 0) return;
  fill(kBendY, kTorsion, 0, 2, -Iz * turning(kBendY));
  fill(kBendZ, kTorsion, 0, 1, Iy * turning(kBendZ));
}

// S and C of the second-order shapes (Xi, 0, 0), which move whole sections along x.
void set_second_order(Assembly& beam) {
  const MatrixR& X = beam.foreshortening;
  const VectorR& w = beam.rule.w;
  const int first = 1 + beam.body.modes, count = static_cast<int>(beam.body.pairs.size());
  const Real L = beam.L(), m = beam.mass(), unit = 1 / (m * L);
  const VectorR sum = X.transpose() * w, moment = X.transpose() * w.cwiseProduct(beam.rule.x);
  const MatrixR own = X.transpose() * w.asDiagonal() * X;
  for (int p = 0; p < count; ++p) {
    beam.body.S(0, first + p) = static_cast<double>(m * unit * sum(p));
    beam.set(0, first + p, 0, 0, m * L * unit * moment(p));
    for (int q = p; q < count; ++q) beam.set(first + p, first + q, 0, 0, m * unit * unit * own(p, q));
  }
  constexpr int kDirection[] = {1, 2, 0};
  for (const int f : {kBendY, kBendZ, kAxial}) {
    const MatrixR cross = integrate(w, X, beam.value(f));
    for (int p = 0; p < count; ++p)
      for (int k = 0; k < beam.families[f].count(); ++k)
        beam.set(first + p, beam.first[f] + k, 0, kDirection[f], m * unit * beam.unit[f] * cross(p, k));
  }
}

// K = omega^2, D = 2 zeta omega, names.
void set_stiffness(Assembly& beam) {
  const BeamSpec& spec = beam.spec;
  Body& body = beam.body;
  const Real L = beam.L(), m = beam.mass();
  const Real polar = (static_cast<Real>(spec.rotary_inertia_y) + spec.rotary_inertia_z) * L;
  const std::array<Real, 4> square = {spec.EIz / (m * L * L * L), spec.EIy / (m * L * L * L), spec.EA / (m * L),
                                      polar > 0 ? spec.GJ / (polar * L) : 0};
  body.stiffness = MatrixXd::Zero(body.modes, body.modes);
  body.damping = MatrixXd::Zero(body.modes, body.modes);
  for (int f = 0; f < 4; ++f) {
    for (int k = 0; k < beam.families[f].count(); ++k) {
      const int a = beam.first[f] - 1 + k;
      const Real omega = beam.families[f].omega(k);
      const Real ratio =
          spec.damping.empty() ? 0 : spec.damping[spec.damping.size() == 1 ? 0 : static_cast<std::size_t>(a)];
      body.stiffness(a, a) = static_cast<double>(omega * omega * square[f]);
      body.damping(a, a) = static_cast<double>(2 * ratio * omega * std::sqrt(square[f]));
      body.mode_names.push_back(body_impl::to_string(static_cast<BeamFamily>(f)) + std::to_string(k + 1));
    }
  }
}

// gamma and lambda of a node in row `row` of the tables.  theory §7.
void set_node_shapes(const Assembly& beam, Eigen::Index row, Node& node) {
  node.translation = Matrix3Xd::Zero(3, beam.body.modes);
  node.turn = Matrix3Xd::Zero(3, beam.body.modes);
  for (int f = 0; f < 4; ++f) {
    for (int k = 0; k < beam.families[f].count(); ++k) {
      const int a = beam.first[f] - 1 + k;
      const double w = static_cast<double>(beam.unit[f] * beam.families[f].value(row, k));
      const double slope = static_cast<double>(beam.unit[f] * beam.families[f].slope(row, k) / beam.L());
      switch (f) {
        case kBendY:
          node.translation(1, a) = w, node.turn(2, a) = slope;
          break;
        case kBendZ:
          node.translation(2, a) = w, node.turn(1, a) = -slope;
          break;
        case kAxial:
          node.translation(0, a) = w;
          break;
        default:
          node.turn(0, a) = w;
      }
    }
  }
}

// Xi of a node, in x only; zero at the root.
void set_node_second(const Assembly& beam, Real at, Node& node) {
  const std::vector<ModePair>& pairs = beam.body.pairs;
  if (pairs.empty() || at == 0) return;
  const MatrixR weights = body_impl::running_weights(static_cast<int>(beam.points()), VectorR::Constant(1, at));
  MatrixXd Xi = MatrixXd::Zero(beam.body.modes, beam.body.modes);
  for (const int f : {kBendY, kBendZ}) {
    const auto slope = beam.slope(f);
    const MatrixR own = slope.transpose() * weights.row(0).transpose().asDiagonal() * slope;
    const int n = beam.families[f].count(), from = beam.first[f] - 1;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        Xi(from + a, from + b) = static_cast<double>(-own(std::min(a, b), std::max(a, b)) / (beam.mass() * beam.L()));
  }
  node.second.fill(MatrixXd::Zero(beam.body.modes, beam.body.modes));
  node.second[0] = std::move(Xi);
}

void set_nodes(Assembly& beam, const std::vector<BeamNode>& stations) {
  for (std::size_t i = 0; i < stations.size(); ++i) {
    Node node;
    node.name = stations[i].name;
    node.position.x() = stations[i].at * beam.spec.length;
    node.rotation = stations[i].rotation;
    set_node_shapes(beam, beam.points() + static_cast<Eigen::Index>(i), node);
    set_node_second(beam, stations[i].at, node);
    beam.body.nodes.push_back(std::move(node));
  }
}

// Refuses values so large or so small that their products overflow or underflow double.
void check_range(const Body& body) {
  bool good = body.mass > 0 && body.S.allFinite() && body.damping.allFinite() && body.stiffness.allFinite();
  for (int a = 0; a < body.modes; ++a) good = good && body.stiffness(a, a) > 0;
  for (const Matrix3d& C : body.C) good = good && C.allFinite();
  for (const Node& node : body.nodes) good = good && node.translation.allFinite() && node.turn.allFinite();
  if (!good) body_impl::fail("the numbers of this beam are too large or too small to compute with", "check the units");
}

}  // namespace

Body make_beam_body(const BeamSpec& spec, bool second_order) {
  body_impl::check_beam(spec, second_order);
  if (!spec.stations.empty()) return body_impl::make_tapered_body(spec, second_order);
  const bool any_bending = spec.modes[kBendY] + spec.modes[kBendZ] > 0;
  Assembly beam{spec, body_impl::gauss_rule(body_impl::quadrature_points(spec, second_order && any_bending)),
                {},   {},
                {},   false,
                {},   {}};
  const std::vector<BeamNode> stations = body_impl::make_beam_nodes(spec);
  make_families(beam, stations);
  if (second_order) make_pairs(beam);

  Body& body = beam.body;
  const std::size_t shapes = static_cast<std::size_t>(body.shapes());
  body.length = spec.length;
  body.second_order = second_order;
  body.beam = std::make_shared<const BeamSpec>(spec);
  body.S = Matrix3Xd::Zero(3, body.shapes());
  body.C.assign(shapes * shapes, Matrix3d::Zero());
  set_first_moments(beam);
  set_own_blocks(beam);
  set_cross_blocks(beam);
  if (!body.pairs.empty()) set_second_order(beam);
  set_stiffness(beam);
  set_nodes(beam, stations);
  check_range(body);
  return std::move(beam.body);
}

}  // namespace limber
