// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "derivative_steps.hpp"

// The inertial forces of one body and their derivatives.  With J_a = tr C_a 1 - sym C_a, F_a = ax(C_a) as in theory §2,
// e the modes and products of modes, de and d2e their time derivatives, primes for contraction with de, ds = S_a de_a:
//   f_a = -w^T J_a w + 2 w . F'_a + F_a . wdot + S_a . vdot + G_ab d2e_b
//   n   = J wdot + s x vdot + w x J w + de_a (2 J_a w - F_a x w) + F_a d2e_a
//   f   = m vdot + wdot x s + w x (w x s + 2 ds) + S_a d2e_a
namespace limber {
namespace {

Mat3 inertia_of(const ShapePair& pair) {
  const auto& at = pair.numbers;
  return {{Vec4d{at[0], at[3], at[4], 0}, Vec4d{at[3], at[1], at[5], 0}, Vec4d{at[4], at[5], at[2], 0}}};
}
Vec4d axial_of(const ShapePair& pair) { return Vec4d{pair.numbers[6], pair.numbers[7], pair.numbers[8], 0}; }

void add(Mat3& sum, const Mat3& m, double s) {
  for (int j = 0; j < 3; ++j) sum.c[j] += m.c[j] * spread(s);
}

// Calls visit(a, pair) for each mode or product a and each pair of its row.
template <typename Visit>
void for_rows(const BodyConstants& constants, Visit visit) {
  for (int a = 0; a < constants.ne; ++a) {
    for (int k = constants.pair_begin[a]; k < constants.pair_begin[a + 1]; ++k) visit(a, constants.shape_pairs[k]);
  }
}

// out += E^T in, E the derivative of modes and products by the modes.  theory §2, Geometric stiffening.
void add_projected_slopes(const BodyConstants& constants, const double* e, const double* in, double* out) {
  for (int a = 0; a < constants.n; ++a) out[a] += in[a];
  for (int k = constants.n; k < constants.ne; ++k) {
    const auto [a, b] = constants.pairs[static_cast<std::size_t>(k - constants.n)];
    out[a] += in[k] * e[b];
    if (a != b) out[b] += in[k] * e[a];
  }
}

// The other factor of a product that contains mode c, or -1.
int partner(const ModePair& pair, int c) { return pair.a == c ? pair.b : pair.b == c ? pair.a : -1; }

// Derivatives of e, its rate and its acceleration by mode c or by its rate.
void extended_slope(const Link& link, int c, bool rate, DerivativesData& ws) {
  const BodyConstants& constants = *link.constants;
  std::fill_n(ws.de.begin(), constants.ne, 0.0);
  std::fill_n(ws.de_rate.begin(), constants.ne, 0.0);
  std::fill_n(ws.de_acc.begin(), constants.ne, 0.0);
  std::vector<double>& own = rate ? ws.de_rate : ws.de;
  own[c] = 1;
  for (int k = constants.n; k < constants.ne; ++k) {
    const int p = partner(constants.pairs[static_cast<std::size_t>(k - constants.n)], c);
    if (p < 0) continue;
    if (!rate) ws.de[k] = ws.e[link.scalars + p];
    ws.de_rate[k] = rate ? ws.e[link.scalars + p] : ws.e_rate[link.scalars + p];
    ws.de_acc[k] = rate ? 2 * ws.e_rate[link.scalars + p] : ws.e_acc[link.scalars + p];
  }
}

// G_a . x.
double mass_row(const BodyConstants& constants, int a, const double* x) {
  double sum = 0;
  for (int b = 0; b < constants.ne; ++b) sum += constants.G[static_cast<std::size_t>(a) * constants.ne + b] * x[b];
  return sum;
}

}  // namespace

void compute_terms(const Link& link, const BodyMotion& m, DerivativesData& ws) {
  const BodyConstants& constants = *link.constants;
  const double *e = &ws.e[link.scalars], *e_rate = &ws.e_rate[link.scalars], *e_acc = &ws.e_acc[link.scalars];
  ModeTerms* terms = &ws.terms[link.scalars];
  std::fill_n(terms, constants.ne, ModeTerms{});
  for_rows(constants, [&](int a, const ShapePair& pair) {
    const Mat3 J = inertia_of(pair);
    const Vec4d F = axial_of(pair);
    const int b = pair.b - 1;  // -1: the undeformed body
    add(terms[a].J, J, b < 0 ? 1 : e[b]);
    terms[a].F += F * spread(b < 0 ? 1 : e[b]);
    if (b < 0) return;
    add(terms[a].J_rate, J, e_rate[b]);
    terms[a].F_rate += F * spread(e_rate[b]);
    terms[a].F_acc += F * spread(e_acc[b]);
  });
  for (int a = 0; a < constants.ne; ++a) {
    ws.f_e[link.scalars + a] = 2 * dot(m.w, terms[a].F_rate) - dot(m.w, terms[a].J * m.w) +
                               dot(terms[a].F, m.alpha.ang) + dot(constants.S[a], m.alpha.lin) +
                               mass_row(constants, a, e_acc);
  }
}

Spatial motion_force_slope(const Link& link, const LinkFrame& f, const BodyMotion& m, const BodyMotion& dm,
                           DerivativesData& ws, double* df_modal) {
  const BodyConstants& constants = *link.constants;
  const Vec4d w = m.w, dw = dm.w;
  Spatial df = apply_inertia(f.m, f.s, f.J, dm.alpha);
  df.ang += cross(dw, f.J * w) + cross(w, f.J * dw);
  Vec4d s_rate = zero();
  double* slopes = ws.mode_slopes.data();
  for (int a = 0; a < constants.ne; ++a) {
    const ModeTerms& t = ws.terms[link.scalars + a];
    const double rate = ws.e_rate[link.scalars + a];
    s_rate += constants.S[a] * spread(rate);
    df.ang += spread(rate) * (spread(2) * (t.J * dw) - cross(t.F, dw));
    slopes[a] = 2 * dot(dw, t.F_rate - t.J * w) + dot(t.F, dm.alpha.ang) + dot(constants.S[a], dm.alpha.lin);
  }
  df.lin += cross(dw, cross(w, f.s) + spread(2) * s_rate) + cross(w, cross(dw, f.s));
  add_projected_slopes(constants, &ws.e[link.scalars], slopes, df_modal);
  return df;
}

Spatial mode_force_slope(const Link& link, const BodyMotion& m, int c, bool rate, DerivativesData& ws,
                         double* df_modal) {
  const BodyConstants& constants = *link.constants;
  const Vec4d w = m.w, wdot = m.alpha.ang, vdot = m.alpha.lin;
  extended_slope(link, c, rate, ws);
  Spatial df = zero_spatial();
  for (int k = 0; k < constants.ne; ++k) {
    const ModeTerms& t = ws.terms[link.scalars + k];
    const Vec4d S = constants.S[k], Jw = t.J * w;
    // C_ab = C_ba^T: for sums over columns instead of rows, ax(C) changes sign.
    const Vec4d by_e =
        spread(2) * (t.J * wdot + cross(w, Jw) + t.J_rate * w) + cross(S, vdot) + cross(t.F_rate, w) - t.F_acc;
    df.ang +=
        by_e * spread(ws.de[k]) + (spread(2) * Jw - cross(t.F, w)) * spread(ws.de_rate[k]) + t.F * spread(ws.de_acc[k]);
    df.lin += (cross(wdot, S) + cross(w, cross(w, S))) * spread(ws.de[k]) + spread(2 * ws.de_rate[k]) * cross(w, S) +
              S * spread(ws.de_acc[k]);
  }
  double* slopes = ws.mode_slopes.data();
  for (int a = 0; a < constants.ne; ++a) slopes[a] = mass_row(constants, a, ws.de_acc.data());
  for_rows(constants, [&](int a, const ShapePair& pair) {
    const int b = pair.b - 1;
    if (b < 0 || (ws.de[b] == 0 && ws.de_rate[b] == 0)) return;
    const Vec4d F = axial_of(pair);
    slopes[a] += ws.de[b] * (dot(F, wdot) - dot(w, inertia_of(pair) * w)) + 2 * ws.de_rate[b] * dot(w, F);
  });
  add_projected_slopes(constants, &ws.e[link.scalars], slopes, df_modal);
  if (rate) return df;
  for (int k = constants.n; k < constants.ne; ++k) {  // (dE/deta_c)^T f
    const int p = partner(constants.pairs[static_cast<std::size_t>(k - constants.n)], c);
    if (p >= 0) df_modal[p] += ws.f_e[link.scalars + k];
  }
  return df;
}

}  // namespace limber
