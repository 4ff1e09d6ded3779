// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/kinematics.hpp"

// Steps that all sweeps share.
namespace limber {

// Sizes only, O(1); throws InputError.
void check_sizes(const Model& model, const State& x, ConstVec in, ConstVec out);

// compute_kinematics, with the wrenches on nodes subtracted from p.
void compute_bias(const Model& model, const State& x, std::span<const NodeWrench> wrenches, Kinematics& kin);

// From the carrier to the body: Z a.
LIMBER_INLINE Spatial across(const LinkFrame& f, Spatial a) {
  return {f.Rt * a.ang, f.Rt * (a.lin + cross(a.ang, f.r))};
}
// A wrench of the body on its carrier: Z^T f.
LIMBER_INLINE Spatial back_across(const LinkFrame& f, Spatial w) {
  return wrench_from(f.r, Spatial{f.R * w.ang, f.R * w.lin});
}
// Z^T P Z.
LIMBER_INLINE Mat6 back_across(const LinkFrame& f, const Mat6& P) {
  return inertia_from(f.r, rotate_inertia(f.R, f.Rt, P));
}

// columns * x.
LIMBER_INLINE Spatial times(const Spatial* columns, const double* x, int n) {
  Spatial out = zero_spatial();
  for (int k = 0; k < n; ++k) out += columns[k] * x[k];
  return out;
}

// The dot products of four columns with a.
LIMBER_INLINE Lane four_dots(const Spatial* c, Spatial a) {
  return sums(c[0].ang * a.ang + c[0].lin * a.lin, c[1].ang * a.ang + c[1].lin * a.lin,
              c[2].ang * a.ang + c[2].lin * a.lin, c[3].ang * a.ang + c[3].lin * a.lin);
}

// out = columns^T a; columns and out are padded to a multiple of kLanes.
LIMBER_INLINE void times_transposed(const Spatial* columns, Spatial a, int n, double* out) {
  for (int k = 0; k < n; k += kLanes) store(out + k, four_dots(columns + k, a));
}
LIMBER_INLINE void add_times_transposed(const Spatial* columns, Spatial a, int n, double* out) {
  for (int k = 0; k < n; k += kLanes) store(out + k, load(out + k) + four_dots(columns + k, a));
}

// out += G x, with G the state's modal mass matrix where it has one (G_state, n x n), else the body's own.
inline void add_modal_mass(const Shape& shape, const double* G_state, const double* x, double* out) {
  const double* G = shape.ne > shape.n ? G_state : shape.G.data();
  for (int a = 0; a < shape.n; ++a) {
    if (shape.mass_diagonal()) {
      out[a] += G[a * shape.n + a] * x[a];
      continue;
    }
    for (int b = 0; b < shape.n; ++b) out[a] += G[a * shape.n + b] * x[b];
  }
}

// out += K eta + D etadot.
LIMBER_INLINE void add_elastic_force(const Shape& shape, const double* eta, const double* etadot, double* out) {
  if (shape.elastic_diagonal) {
    for (int a = 0; a < shape.n; ++a) out[a] += shape.K[a] * eta[a] + shape.D[a] * etadot[a];
    return;
  }
  for (int a = 0; a < shape.n; ++a) {
    for (int b = 0; b < shape.n; ++b) {
      out[a] += shape.K[a * shape.n + b] * eta[b] + shape.D[a * shape.n + b] * etadot[b];
    }
  }
}

// out = M(q) a over kinematics that are already there.
void multiply_mass(const Model& model, const Kinematics& kin, ConstVec a, LinearSweep& sweep, Vec out);

}  // namespace limber
