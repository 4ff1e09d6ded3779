// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "limber/dynamics/detail/kinematics.hpp"

// Steps common to all sweeps.
namespace limber {

// ---- loops over modes -------------------------------------------------------------------------------
// Small numbers of modes are compile-time constants: a kernel is written once, for a size n that is an int or a
// Size<N>, and its loops are unrolled in the second case.

template <int N>
using Size = std::integral_constant<int, N>;

template <typename Kernel>
LIMBER_INLINE decltype(auto) with_size(int n, Kernel kernel) {
  switch (n) {
    case 1:
      return kernel(Size<1>{});
    case 2:
      return kernel(Size<2>{});
    case 3:
      return kernel(Size<3>{});
    case 4:
      return kernel(Size<4>{});
    case 5:
      return kernel(Size<5>{});
    case 6:
      return kernel(Size<6>{});
    case 8:
      return kernel(Size<8>{});
    case 10:
      return kernel(Size<10>{});
    default:
      return kernel(n);
  }
}

template <int... I, typename Body>
LIMBER_INLINE void unrolled(std::integer_sequence<int, I...>, Body&& body) {
  (body(Size<I>{}), ...);
}
template <int N, typename Body>
LIMBER_INLINE void for_each(Size<N>, Body&& body) {
  unrolled(std::make_integer_sequence<int, N>{}, body);
}
template <typename Body>
LIMBER_INLINE void for_each(int n, Body&& body) {
  for (int k = 0; k < n; ++k) body(k);
}
// The same for steps of one or two instructions.
template <int N, typename Body>
LIMBER_INLINE void for_many(Size<N> n, Body&& body) {
  for_each(n, body);
}
template <typename Body>
LIMBER_INLINE void for_many(int n, Body&& body) {
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    body(k);
    body(k + 1);
    body(k + 2);
    body(k + 3);
  }
  for (; k < n; ++k) body(k);
}
template <int N>
constexpr Size<lanes_for(N)> lane_count(Size<N>) {
  return {};
}
constexpr int lane_count(int n) { return lanes_for(n); }
#define LIMBER_EACH(k) [&](auto k) __attribute__((always_inline))

// ---- steps ------------------------------------------------------------------------------------------

// Checks sizes only, O(1); throws InputError.
void check_sizes(const Model& model, const State& x, ConstVec in, ConstVec out);
void check_speeds(const Model& model, ConstVec v);
// Check that kin was made for this model; that its poses in world are those of its state.
[[noreturn]] void throw_other_model();
[[noreturn]] void throw_not_posed();
inline void check_model(const Model& model, const Kinematics& kin) {
  if (kin.layout != model.layout) throw_other_model();
}
inline void check_poses(const Kinematics& kin) {
  if (kin.posed_stamp != kin.stamp || kin.stamp == 0) throw_not_posed();
}

// 0 x is 0 for every finite x, and NaN otherwise.
inline bool is_finite(ConstVec x) { return (0 * x).sum() == 0; }

// compute_kinematics without checks and without a new `stamp`.
void compute_frames(const double* q, const double* v, Kinematics& kin);

// compute_kinematics, with the wrenches on nodes subtracted from p.
void compute_bias(const Model& model, const State& x, std::span<const NodeWrench> wrenches, Kinematics& kin);

// A node relative to its body at the state of kin.  Y: its columns Pi, one per mode of the body, or null; not written
// for kBodyFrame.  Throws InputError if there is no such node.
NodeFrame node_in_body(const Model& model, const Kinematics& kin, NodeRef node, Spatial* Y);

// From the inboard frame to the body: Z a.
LIMBER_INLINE Spatial across(const LinkFrame& f, Spatial a) {
  return {f.Rt * a.ang, f.Rt * (a.lin + cross(a.ang, f.r))};
}
// From the body to its inboard frame: Z^T f.
LIMBER_INLINE Spatial back_across(const LinkFrame& f, Spatial w) {
  return wrench_from(f.r, Spatial{f.R * w.ang, f.R * w.lin});
}
// Z^T P Z.
LIMBER_INLINE Mat6 back_across(const LinkFrame& f, const Mat6& P) {
  return inertia_from(f.r, rotate_inertia(f.R, f.Rt, P));
}

// ---- rotors -----------------------------------------------------------------------------------------

// The rotor of a joint, in the basis of the parent's body frame.  theory §3, Drives.
struct RotorFrame {
  Vec4d axis;
  Vec4d w, wdot;  // angular velocity of its carrier, and its rate at constant speeds
  double spin;    // J (theta' + axis . w)
};
inline RotorFrame rotor_frame(const Link& link, const Kinematics& kin) {
  const bool on_node = link.attachment >= 0;
  const Spatial& V = on_node ? kin.attachments[link.attachment].V : kin.links[link.parent].V;
  const Spatial& a = on_node ? kin.attachments[link.attachment].a : kin.links[link.parent].a;
  const Vec4d axis = on_node ? kin.attachments[link.attachment].R * link.rotor.axis : link.rotor.axis;
  const double turn = link.motor.v != 0 ? kin.v[link.v + link.motor.v] : link.rotor.ratio * kin.v[link.v];
  return {axis, V.ang, a.ang, link.rotor.inertia * (turn + dot(axis, V.ang))};
}
// The speed that drives the rotor, and the gear ratio.
inline int rotor_speed(const Link& link) { return link.v + link.motor.v; }
inline double rotor_ratio(const Link& link) { return link.motor.v != 0 ? 1 : link.rotor.ratio; }
// Throws InputError for a model with spinning rotors, which `algorithm` does not support.
void refuse_rotors(const Model& model, const char* algorithm);

// columns * x.
template <typename N>
LIMBER_INLINE Spatial times(const Spatial* columns, const double* x, N n) {
  Spatial out = zero_spatial();
  for_each(
      n, LIMBER_EACH(k) { out += columns[k] * x[k]; });
  return out;
}

// The dot products of four columns with a.
LIMBER_INLINE Vec4d four_dots(const Spatial* c, Spatial a) {
  return sums(c[0].ang * a.ang + c[0].lin * a.lin, c[1].ang * a.ang + c[1].lin * a.lin,
              c[2].ang * a.ang + c[2].lin * a.lin, c[3].ang * a.ang + c[3].lin * a.lin);
}

// out = columns^T a; columns and out are padded to a multiple of kLanes.
template <typename N>
LIMBER_INLINE void times_transposed(const Spatial* columns, Spatial a, N n, double* out) {
  for_each(
      lane_count(n), LIMBER_EACH(c) { store(out + c * kLanes, four_dots(columns + c * kLanes, a)); });
}
template <typename N>
LIMBER_INLINE void add_times_transposed(const Spatial* columns, Spatial a, N n, double* out) {
  for_each(
      lane_count(n),
      LIMBER_EACH(c) { store(out + c * kLanes, load(out + c * kLanes) + four_dots(columns + c * kLanes, a)); });
}

// out += G x; G by rows, padded.
inline void add_modal_mass(const BodyConstants& constants, const double* G, const double* x, double* out) {
  const int width = kLanes * lanes_for(constants.n);
  for (int a = 0; a < constants.n; ++a) {
    if (constants.mass_diagonal()) {
      out[a] += G[a * width + a] * x[a];
      continue;
    }
    for (int b = 0; b < constants.n; ++b) out[a] += G[a * width + b] * x[b];
  }
}

// out += K eta + D etadot.
LIMBER_INLINE void add_elastic_force(const BodyConstants& constants, const double* eta, const double* etadot,
                                     double* out) {
  if (constants.elastic_diagonal) {
    for (int a = 0; a < constants.n; ++a) out[a] += constants.K[a] * eta[a] + constants.D[a] * etadot[a];
    return;
  }
  for (int a = 0; a < constants.n; ++a) {
    for (int b = 0; b < constants.n; ++b) {
      out[a] += constants.K[a * constants.n + b] * eta[b] + constants.D[a * constants.n + b] * etadot[b];
    }
  }
}

}  // namespace limber
