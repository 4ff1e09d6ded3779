// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "beam_basis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "beam_roots.hpp"

namespace limber::body_impl {
namespace {

ShapeTable make_table(Eigen::Index places, int shapes) {
  return {MatrixR::Zero(places, shapes), MatrixR::Zero(places, shapes), MatrixR::Zero(places, shapes)};
}

// Columns first ... of the table: bending eigenfunctions, scaled to a largest value of about 1.
void fill_beam_shapes(BeamRoot root, const BeamTip& tip, const std::vector<Real>& betas, const VectorR& s, int first,
                      ShapeTable& table) {
  for (std::size_t k = 0; k < betas.size(); ++k) {
    const Real beta = betas[k];
    const BeamShape shape(root, tip, beta);
    const Eigen::Index col = first + static_cast<Eigen::Index>(k);
    for (Eigen::Index i = 0; i < s.size(); ++i) {
      const auto phi = shape.at(s(i));
      table.value(i, col) = phi[0];
      table.slope(i, col) = beta * phi[1];
      table.bent(i, col) = beta * beta * phi[2];
    }
  }
}

// Columns first ... of the table: sin(gamma s) (root fixed) or cos(gamma s) (root free).
void fill_bar_shapes(bool root_free, const std::vector<Real>& gammas, const VectorR& s, int first, ShapeTable& table) {
  for (std::size_t k = 0; k < gammas.size(); ++k) {
    const Real gamma = gammas[k];
    const Eigen::Index col = first + static_cast<Eigen::Index>(k);
    for (Eigen::Index i = 0; i < s.size(); ++i) {
      const Real c = std::cos(gamma * s(i)), si = std::sin(gamma * s(i));
      table.value(i, col) = root_free ? c : si;
      table.slope(i, col) = gamma * (root_free ? -si : c);
    }
  }
  table.bent = table.slope;
}

BeamRoot root_of(BeamBasis basis) {
  if (basis == BeamBasis::free_free) return BeamRoot::free;
  return basis == BeamBasis::pinned_free ? BeamRoot::pinned : BeamRoot::clamped;
}

// Eigenfunctions of the beam that carries the tip load.  For axial and torsion modes pinned means fixed.
RawBasis eigenfunctions(const BeamSpec& spec, BeamFamily family, const VectorR& s) {
  const int n = spec.modes[static_cast<int>(family)];
  const Real L = spec.length, mass = spec.mass_per_length * L;
  RawBasis basis{make_table(s.size(), n), {}};
  std::vector<Real> omega;
  Real load = 0;
  if (is_bending(family)) {
    const BeamTip tip{false, spec.tip_mass / mass, spec.tip_inertia / (mass * L * L)};
    load = tip.mass + tip.inertia;
    omega = beam_roots(root_of(spec.basis), tip, n);
    fill_beam_shapes(root_of(spec.basis), tip, omega, s, 0, basis.shapes);
    for (Real& w : omega) w *= w;
  } else {
    const bool root_free = spec.basis == BeamBasis::free_free;
    const Real polar = (static_cast<Real>(spec.rotary_inertia_y) + spec.rotary_inertia_z) * L;
    load = family == BeamFamily::axial ? spec.tip_mass / mass : spec.tip_inertia / polar;
    omega = bar_roots(root_free, load, n);
    fill_bar_shapes(root_free, omega, s, 0, basis.shapes);
  }
  if (load == 0) basis.omega = Eigen::Map<const VectorR>(omega.data(), n);
  return basis;
}

// s^2 P_k(2s-1) for bending, s P_k for axial and torsion.
RawBasis polynomials(const BeamSpec& spec, BeamFamily family, const VectorR& s) {
  const auto [P, dP, ddP] = legendre(s, spec.modes[static_cast<int>(family)]);
  RawBasis basis;
  auto& [value, slope, bent] = basis.shapes;
  if (is_bending(family)) {
    const VectorR s2 = s.cwiseAbs2();
    value = s2.asDiagonal() * P;
    slope = 2 * (s.asDiagonal() * P) + s2.asDiagonal() * dP;
    bent = 2 * P + 4 * (s.asDiagonal() * dP) + s2.asDiagonal() * ddP;
  } else {
    value = s.asDiagonal() * P;
    slope = P + s.asDiagonal() * dP;
    bent = slope;
  }
  return basis;
}

// Static shapes of the tip (the root is the body frame), then eigenfunctions between fixed ends.
RawBasis craig_bampton(const BeamSpec& spec, BeamFamily family, const VectorR& s) {
  const int n = spec.modes[static_cast<int>(family)];
  RawBasis basis{make_table(s.size(), n), {}};
  ShapeTable& table = basis.shapes;
  if (is_bending(family)) {
    // Hermite: unit tip displacement s^2 (3 - 2s), unit tip slope s^2 (s - 1).
    const auto x = s.array();
    table.value.col(0) = x * x * (3 - 2 * x);
    table.slope.col(0) = 6 * x * (1 - x);
    table.bent.col(0) = 6 - 12 * x;
    if (n > 1) {
      table.value.col(1) = x * x * (x - 1);
      table.slope.col(1) = x * (3 * x - 2);
      table.bent.col(1) = 6 * x - 2;
    }
    const BeamTip tip{true, 0, 0};
    fill_beam_shapes(BeamRoot::clamped, tip, beam_roots(BeamRoot::clamped, tip, std::max(0, n - 2)), s, 2, table);
  } else {
    table.value.col(0) = s;
    table.slope.col(0).setOnes();
    std::vector<Real> gammas;
    for (int k = 1; k < n; ++k) gammas.push_back(k * std::numbers::pi_v<Real>);
    fill_bar_shapes(false, gammas, s, 1, table);
  }
  return basis;
}

// Polynomials in s by Horner's rule.
RawBasis custom(const BeamSpec& spec, BeamFamily family, const VectorR& s) {
  const auto& shapes = spec.shapes[static_cast<int>(family)];
  RawBasis basis{make_table(s.size(), static_cast<int>(shapes.size())), {}};
  ShapeTable& table = basis.shapes;
  for (std::size_t a = 0; a < shapes.size(); ++a) {
    const Eigen::Index col = static_cast<Eigen::Index>(a);
    for (Eigen::Index i = 0; i < s.size(); ++i) {
      Real p = 0, dp = 0, ddp = 0;  // ddp is half the second derivative
      for (auto c = shapes[a].rbegin(); c != shapes[a].rend(); ++c) {
        ddp = ddp * s(i) + dp;
        dp = dp * s(i) + p;
        p = p * s(i) + *c;
      }
      table.value(i, col) = p;
      table.slope(i, col) = dp;
      table.bent(i, col) = is_bending(family) ? 2 * ddp : dp;
    }
  }
  return basis;
}

// Phase of the highest shape of a family over the length, in rad; 0 for a polynomial.
Real highest_wave(const BeamSpec& spec, int modes) {
  if (spec.basis == BeamBasis::polynomial || spec.basis == BeamBasis::custom) return 0;
  return (modes + 0.5L) * std::numbers::pi_v<Real>;
}

int highest_degree(const BeamSpec& spec, int family) {
  if (spec.basis == BeamBasis::polynomial) return spec.modes[family] + 1;
  if (spec.basis == BeamBasis::craig_bampton) return 3;
  std::size_t terms = 0;
  for (const auto& shape : spec.shapes[family]) terms = std::max(terms, shape.size());
  return static_cast<int>(terms);
}

}  // namespace

const char* to_string(BeamFamily family) {
  constexpr const char* kNames[] = {"bending_y", "bending_z", "axial", "torsion"};
  return kNames[static_cast<int>(family)];
}

RawBasis make_raw_basis(const BeamSpec& spec, BeamFamily family, const VectorR& s) {
  if (spec.modes[static_cast<int>(family)] == 0) return {make_table(s.size(), 0), VectorR(0)};
  switch (spec.basis) {
    case BeamBasis::polynomial:
      return polynomials(spec, family, s);
    case BeamBasis::craig_bampton:
      return craig_bampton(spec, family, s);
    case BeamBasis::custom:
      return custom(spec, family, s);
    default:
      return eigenfunctions(spec, family, s);
  }
}

// On -1 ... 1 a wave e^{ikt} equals a polynomial of degree k + O(k^{1/3}) to rounding; n Gauss points integrate degree
// 2n - 1.  Products of two shapes have k = beta; their running integrals are interpolated (degree < n).
int quadrature_points(const BeamSpec& spec, bool second_order) {
  Real wave = 0;
  int degree = 1;
  for (int f = 0; f < 4; ++f) {
    if (spec.modes[f] == 0) continue;
    wave = std::max(wave, highest_wave(spec, spec.modes[f]));
    degree = std::max(degree, highest_degree(spec, f));
  }
  const Real product = (wave > 0 ? wave + 10 * std::cbrt(wave) + 14 : 0) + 2 * degree;
  const int points = static_cast<int>(std::ceil(second_order ? product + 2 : product / 2 + 2));
  return (points + 7) / 8 * 8;
}

}  // namespace limber::body_impl
