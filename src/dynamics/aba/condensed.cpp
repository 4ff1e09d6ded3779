// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "elimination.hpp"

namespace limber {
namespace {

// sum left_k right_k^T / G_k.
LIMBER_INLINE Mat6 product(const Spatial* left, const Spatial* right, const double* inverse, int n) {
  Mat6Registers sum{};
  for (int k = 0; k < n; ++k) sum.add(left[k] * inverse[k], right[k]);
  Mat6 out;
  sum.put(out);
  return out;
}

// T loses digits to a child that is heavy beside the modal masses: with x = weight w^T Gamma w, f = T t is wrong by
// eps x^2.  On the way out it is refined, which leaves eps^2 x^4; what it gives to z_R is not, and is wrong by eps x
// beside the other terms.  Beyond this x Cholesky serves.
constexpr double kHeavy = 1e3;

// T <- T - T w w^T T / (1/weight + w^T T w): one direction w in which the nodes comply.  Every step divides by a
// number above 1, so that no pivoting is needed, and a singular Gamma does no harm.  Returns x.
LIMBER_INLINE double rank_one_update(Mat6Registers& T, const Spatial& w, double weight) {
  const Spatial g = T.times(w);
  const double x = weight * dot(w, g);
  T.add(g * (-weight / (1 + x)), g);
  return x;
}

// The same for several nodes: T and w are blocks.
double rank_one_update(int c, Mat6* T, const Spatial* const* w, int k, double weight, Spatial* g) {
  double total = 0;
  for (int h = 0; h < c; ++h) {
    g[h] = zero_spatial();
    for (int s = 0; s < c; ++s) g[h] += T[h * c + s] * w[s][k];
    total += dot(w[h][k], g[h]);
  }
  const double x = weight * total, scale = weight / (1 + x);
  for (int h = 0; h < c; ++h) {
    for (int s = 0; s < c; ++s) subtract_outer(T[h * c + s], g[h] * scale, g[s]);
  }
  return x;
}

// Omega = sum w w^T weight over at most six directions: L D L^T, columns without weight left out.
int split_omega(const Mat6& Omega, Spatial* w, double* weight) {
  int count = 0;
  for (int j = 0; j < 6; ++j) {
    const auto row = [j](const Spatial& s) { return j < 3 ? s.ang[j] : s.lin[j - 3]; };
    Spatial column = Omega.c[j];
    for (int k = 0; k < count; ++k) column -= w[k] * (weight[k] * row(w[k]));
    const double d = row(column);
    if (!(d > kNoInertia * row(Omega.c[j]))) continue;
    w[count] = column;
    weight[count++] = 1 / d;
  }
  return count;
}

// T = (1 + Gamma Omega)^-1 Gamma.  False: the child is too heavy.
LIMBER_INLINE bool factor_child(const AbaData& ws, const ArticulatedAttachment& attachment, int i, Mat6& T) {
  Mat6Registers compliant = Mat6Registers::from(attachment.Gamma);
  const Spatial* w = ws.condensed.directions.data() + ws.condensed.direction_begin[i];
  const double* weight = ws.condensed.weights.data() + ws.condensed.direction_begin[i];
  double heaviest = 0;
  for (int k = 0; k < ws.condensed.direction_count[i]; ++k)
    heaviest = std::max(heaviest, rank_one_update(compliant, w[k], weight[k]));
  compliant.put(T);
  return heaviest < kHeavy;
}

bool factor_children(const Layout& layout, const Link& link, int i, int c, AbaData& ws) {
  Mat6* T = ws.condensed.T.data() + ws.condensed.T_begin[i];
  const Spatial* Y[kMaxStack];
  for (int h = 0; h < c; ++h) {
    Y[h] = &ws.kin.columns[layout.attachments[link.attachment_begin + h].columns];
    for (int s = 0; s < c; ++s) T[h * c + s] = h == s ? ws.attachments[link.attachment_begin + h].Gamma : Mat6{};
  }
  double heaviest = 0;
  for (int k = 0; k < link.n; ++k) {
    heaviest =
        std::max(heaviest, rank_one_update(c, T, Y, k, modal_mass_inverse(link, i, ws)[k], ws.condensed.stack.data()));
  }
  return heaviest < kHeavy;
}

// P += X_bar^T T X_bar.
LIMBER_INLINE void add_child(const AbaData& ws, int i, const Mat6& T, Mat6& P) {
  const Mat6& X = ws.condensed.gram[ws.condensed.gram_begin[i] + gram_x(0)];
  Mat6 N;
  for (int r = 0; r < 6; ++r) N.c[r] = X * T.c[r];
  Mat6Registers sum = Mat6Registers::from(P);
  for (int r = 0; r < 6; ++r) sum.add(X.c[r], N.c[r]);
  sum.put(P);
}

void add_children(int i, int c, AbaData& ws) {
  const Mat6* gram = ws.condensed.gram.data() + ws.condensed.gram_begin[i];
  const Mat6* T = ws.condensed.T.data() + ws.condensed.T_begin[i];
  Mat6& P = ws.bodies[i].P;
  for (int h = 0; h < c; ++h) {
    for (int s = 0; s < c; ++s) {
      for (int r = 0; r < 6; ++r) add_outer(P, gram[gram_x(h)] * T[h * c + s].c[r], gram[gram_x(s)].c[r]);
    }
  }
}

// f = T (y - Omega z) + z: the wrenches of the children when the nodes alone would have the accelerations y.
LIMBER_INLINE void child_wrenches(const Link& link, int i, int c, const Spatial* y, const AbaData& ws, Spatial* f) {
  const Mat6* gram = ws.condensed.gram.data() + ws.condensed.gram_begin[i];
  const Mat6* T = ws.condensed.T.data() + ws.condensed.T_begin[i];
  for (int h = 0; h < c; ++h) f[h] = ws.attachments[link.attachment_begin + h].z;
  for (int h = 0; h < c; ++h) {
    Spatial t = y[h];
    for (int g = 0; g < c; ++g) t -= gram[gram_omega(c, h, g)] * ws.attachments[link.attachment_begin + g].z;
    for (int g = 0; g < c; ++g) f[g] += T[g * c + h] * t;
  }
}

// What f = z + Gamma (y - Omega f) misses, solved for once more: f += (1 - T Omega) missing.
LIMBER_INLINE void refine(const Link& link, int i, int c, const Spatial* y, const AbaData& ws, Spatial* f) {
  const Mat6* gram = ws.condensed.gram.data() + ws.condensed.gram_begin[i];
  const Mat6* T = ws.condensed.T.data() + ws.condensed.T_begin[i];
  const ArticulatedAttachment* attachments = &ws.attachments[link.attachment_begin];
  Spatial missing[kMaxStack];
  for (int h = 0; h < c; ++h) {
    Spatial a = y[h];
    for (int g = 0; g < c; ++g) a -= gram[gram_omega(c, h, g)] * f[g];
    missing[h] = attachments[h].z + attachments[h].Gamma * a - f[h];
  }
  for (int h = 0; h < c; ++h) {
    Spatial t = zero_spatial();
    for (int g = 0; g < c; ++g) t += gram[gram_omega(c, h, g)] * missing[g];
    for (int g = 0; g < c; ++g) f[g] -= T[g * c + h] * t;
  }
  for (int h = 0; h < c; ++h) f[h] += missing[h];
}

template <typename N>
void reduce(N n, const Layout& layout, const Link& link, int i, AbaData& ws) {
  const int c = link.attachment_end - link.attachment_begin;
  const double* inverse = modal_mass_inverse(link, i, ws);
  double* e = &ws.e_f[link.scalars];
  for_each(
      lane_count(n), LIMBER_EACH(k) { store(e + k * kLanes, load(e + k * kLanes) * load(inverse + k * kLanes)); });
  Spatial z = ws.bodies[i].z + times(&ws.kin.columns[link.columns], e, n);
  Spatial* y = ws.condensed.stack.data();
  for (int h = 0; h < c; ++h)
    y[h] = times(&ws.kin.columns[layout.attachments[link.attachment_begin + h].columns], e, n);
  Spatial* f = y + c;
  child_wrenches(link, i, c, y, ws, f);
  for (int h = 0; h < c; ++h) z += ws.condensed.gram[ws.condensed.gram_begin[i] + gram_x(h)] * f[h];
  ws.bodies[i].z = z;
}

// s -= Lambda columns^T by.
template <typename N>
LIMBER_INLINE void subtract(N n, const Spatial* columns, Spatial by, const double* inverse, double* s) {
  for_each(
      lane_count(n), LIMBER_EACH(c) {
        const int k = c * kLanes;
        store(s + k, load(s + k) - load(inverse + k) * four_dots(columns + k, by));
      });
}

template <typename N>
void expand(N n, const Layout& layout, const Link& link, int i, AbaData& ws, double* etaddot) {
  const int c = link.attachment_end - link.attachment_begin;
  const double* inverse = modal_mass_inverse(link, i, ws);
  const Spatial a = ws.bodies[i].a;
  double* s = &ws.e_f[link.scalars];  // Lambda (e_f - mu^T a): the modes without the children; then etaddot
  subtract(n, &ws.kin.columns[link.columns], a, inverse, s);
  Spatial* y = ws.condensed.stack.data();
  Spatial* f = y + c;
  for (int h = 0; h < c; ++h) {
    const OutboardAttachment& attachment = layout.attachments[link.attachment_begin + h];
    y[h] =
        twist_at(ws.kin.attachments[link.attachment_begin + h].l, a) + times(&ws.kin.columns[attachment.columns], s, n);
  }
  child_wrenches(link, i, c, y, ws, f);
  if (c > 0) refine(link, i, c, y, ws, f);
  const Mat6* gram = ws.condensed.gram.data() + ws.condensed.gram_begin[i];
  for (int h = 0; h < c; ++h) {
    subtract(n, &ws.kin.columns[layout.attachments[link.attachment_begin + h].columns], f[h], inverse, s);
    for (int g = 0; g < c; ++g) y[h] -= gram[gram_omega(c, h, g)] * f[g];
    ws.attachments[link.attachment_begin + h].a = y[h];
  }
  for_each(
      n, LIMBER_EACH(k) { etaddot[k] = s[k]; });
}

}  // namespace

void compute_gram(const Layout& layout, int i, AbaData& ws) {
  const Link& link = layout.links[i];
  const int n = link.n, c = link.attachment_end - link.attachment_begin;
  const Spatial* mu = &ws.kin.columns[link.columns];
  const double* inverse = modal_mass_inverse(link, i, ws);
  Mat6* gram = ws.condensed.gram.data() + ws.condensed.gram_begin[i];
  gram[0] = product(mu, mu, inverse, n);
  for (int h = 0; h < c; ++h) {
    const Spatial* Y = &ws.kin.columns[layout.attachments[link.attachment_begin + h].columns];
    Mat6& X = gram[gram_x(h)];  // X_bar^T = X(l)^T - mu Lambda Y^T
    X = product(mu, Y, inverse, n);
    const Vec4d l = ws.kin.attachments[link.attachment_begin + h].l;
    for (int r = 0; r < 3; ++r) {
      Vec4d unit = zero();
      unit[r] = 1;
      X.c[r] = wrench_from(l, {unit, zero()}) - X.c[r];
      X.c[3 + r] = wrench_from(l, {zero(), unit}) - X.c[3 + r];
    }
    for (int g = 0; g < c; ++g) {
      const Spatial* other = &ws.kin.columns[layout.attachments[link.attachment_begin + g].columns];
      gram[gram_omega(c, g, h)] = product(other, Y, inverse, n);
    }
  }
  if (c != 1) return;
  const std::size_t at = ws.condensed.direction_begin[i];
  ws.condensed.direction_count[i] =
      split_omega(gram[gram_omega(1, 0, 0)], &ws.condensed.directions[at], &ws.condensed.weights[at]);
}

bool factor_condensed(const Layout& layout, int i, AbaData& ws) {
  const Link& link = layout.links[i];
  const int c = link.attachment_end - link.attachment_begin;
  if (!layout.ruthless) compute_gram(layout, i, ws);
  if (c == 1 && !factor_child(ws, ws.attachments[link.attachment_begin], i, ws.condensed.T[ws.condensed.T_begin[i]]))
    return false;
  if (c > 1 && !factor_children(layout, link, i, c, ws)) return false;
  const Mat6& b = ws.condensed.gram[ws.condensed.gram_begin[i]];
  Mat6& P = ws.bodies[i].P;
  for (int j = 0; j < 6; ++j) P.c[j] -= b.c[j];
  if (c == 1) add_child(ws, i, ws.condensed.T[ws.condensed.T_begin[i]], P);
  if (c > 1) add_children(i, c, ws);
  return true;
}

void reduce_condensed(const Layout& layout, int i, AbaData& ws) {
  const Link& link = layout.links[i];
  with_size(link.n, [&](auto n) { reduce(n, layout, link, i, ws); });
}

void expand_condensed(const Layout& layout, int i, AbaData& ws, double* etaddot) {
  const Link& link = layout.links[i];
  with_size(link.n, [&](auto n) { expand(n, layout, link, i, ws, etaddot); });
}

void solve_attachment_wrenches(const Layout& layout, int i, AbaData& ws, Spatial* f) {
  const Link& link = layout.links[i];
  const int c = link.attachment_end - link.attachment_begin;
  Spatial* y = ws.condensed.stack.data();
  for (int h = 0; h < c; ++h) y[h] = zero_spatial();
  child_wrenches(link, i, c, y, ws, f);
  refine(link, i, c, y, ws, f);
}

//   det(G + Y^T Gamma Y) = det G det(1 + Omega Gamma)
double log_det_condensed(const Layout& layout, int i, const AbaData& ws) {
  const Link& link = layout.links[i];
  const int c = link.attachment_end - link.attachment_begin;
  const double* inverse = modal_mass_inverse(link, i, ws);
  double total = 0;
  for (int k = 0; k < link.n; ++k) total -= std::log(inverse[k]);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6 * kMaxStack, 6 * kMaxStack> S(6 * c, 6 * c);
  for (int h = 0; h < c; ++h) {
    const Mat6& Gamma = ws.attachments[link.attachment_begin + h].Gamma;
    for (int g = 0; g < c; ++g) {
      const Mat6& Omega = ws.condensed.gram[ws.condensed.gram_begin[i] + gram_omega(c, g, h)];
      for (int r = 0; r < 6; ++r) S.block<6, 1>(6 * g, 6 * h + r) = to_vector(Omega * Gamma.c[r]);
    }
  }
  S.diagonal().array() += 1;
  if (c > 0) total += S.partialPivLu().matrixLU().diagonal().array().abs().log().sum();
  return total;
}

}  // namespace limber
