// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include <algorithm>

#include "dynamics/kinematics/sweeps.hpp"
#include "inertia.hpp"

// Elimination of one body in the articulated-body recursion, modes and hinge together.  theory §5.
namespace limber {

// Pivots below this fraction of their terms count as zero: rounding error.
inline constexpr double kNoInertia = 1e-13;

// Scale of rounding errors in h^T P h: the diagonal of P weighted with h^2.
LIMBER_INLINE double inertia_scale(Spatial diagonal, Spatial h) {
  return sum(diagonal.ang * h.ang * h.ang + diagonal.lin * h.lin * h.lin);
}
LIMBER_INLINE double inertia_scale(const Mat6& P, Spatial h) {
  const Vec4d ang{P.c[0].ang[0], P.c[1].ang[1], P.c[2].ang[2], 0}, lin{P.c[3].lin[0], P.c[4].lin[1], P.c[5].lin[2], 0};
  return inertia_scale(Spatial{ang, lin}, h);
}

// A wrench decays as it is propagated through many bodies, some components faster than others.  Components are flushed
// to zero before they become subnormal, because arithmetic on subnormal numbers is about a hundred times slower.
LIMBER_INLINE Vec4d flush_subnormals(Vec4d x) {
  constexpr double kTiny = 1e-200;
  return x < spread(kTiny) && x > spread(-kTiny) ? x * zero() : x;  // keeps NaN
}
LIMBER_INLINE void flush_subnormals(Spatial& z) { z = {flush_subnormals(z.ang), flush_subnormals(z.lin)}; }

// Transforms a wrench from the body's origin to the parent's: X^T f.
LIMBER_INLINE Spatial wrench_to_parent(int i, const AbaData& ws, Spatial f) { return wrench_from(ws.frames[i].l, f); }

// ---- stores past the cache ----------------------------------------------------------------------------

// Data of a machine with Z and L of more bytes than this are written past the cache: a store through it would first
// read what it overwrites.
inline constexpr std::size_t kStreamed = std::size_t{4} << 20;

template <typename T>
LIMBER_INLINE void stream(const T* from, std::size_t count, T* to) {
#ifdef __SSE2__
  const double* in = reinterpret_cast<const double*>(from);
  double* out = reinterpret_cast<double*>(to);
  const std::size_t size = count * (sizeof(T) / sizeof(double));
#ifdef __AVX__
  for (std::size_t k = 0; k < size; k += 4) _mm256_stream_pd(out + k, _mm256_load_pd(in + k));
#else
  for (std::size_t k = 0; k < size; k += 2) _mm_stream_pd(out + k, _mm_load_pd(in + k));
#endif
#else
  std::copy_n(from, count, to);
#endif
}
// Orders these stores with all later ones.
inline void finish_stores() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

// Maximum number of mode columns for which specialised kernels are compiled.
inline constexpr int kFewModes = 6;

// ---- active coordinates (active.cpp) ------------------------------------------------------------------

// Relative tolerance for linearly dependent rows.
inline constexpr double kSameRow = 1e-12;
// Whether the modal mass is diagonal, including the terms added by an implicit step.
inline bool has_diagonal_mass(const BodyConstants& constants, const ImplicitTerms& implicit) {
  return constants.mass_diagonal() && (!implicit.active || constants.elastic_diagonal);
}
// Finds the active coordinates of a body, with the modal mass of an implicit step, if they are fewer than its modes.
void find_active(const Layout& layout, int i, AbaData& ws);
// Computes b of the active coordinates and adds the wrench of the other modes to z of the body.
void start_active_forces(const Layout& layout, int i, AbaData& ws);
// (Lambda - T T^T) b: minus the modal accelerations that bias forces cause outside the active coordinates.
void other_modes(const Link& link, int i, const AbaData& ws, double* out);

// ---- four bodies (groups.cpp) ---------------------------------------------------------------------------

// Constants of active coordinates and of attachments (group_setup.cpp).
void set_group_modes(const Layout& layout, std::size_t g, AbaData& ws);
void set_node_columns(const Layout& layout, std::size_t g, AbaData& ws);
// Inertias, coupling and forces of four bodies, without loads, after compute_motion.  Bias: with the forces of that
// motion.
template <bool Bias>
void start_group(const Layout& layout, std::size_t g, AbaData& ws);
// The columns W of four attachments.
void start_columns(const Layout& layout, std::size_t g, AbaData& ws);
// Bias forces b_modal of the modes of active bodies, for expand_group.
void gather_forces(const Layout& layout, AbaData& ws);
// Accelerations of all modes from the active coordinates and the accelerations of the body frames.
void expand_group(const Layout& layout, std::size_t g, AbaData& ws, double* vdot);

// ---- drives (drives.cpp) --------------------------------------------------------------------------------

// Inertia of a motor and its coupling to the joint in the system matrix, M + c_D D + c_K K for an implicit step.
struct MotorTerms {
  double inertia, coupling;
  MotorTerms(const Link& link, int m, const ImplicitTerms& implicit)
      : inertia(link.motor.inertia + implicit.hinge_added[m]), coupling(implicit.coupling[m]) {}
};
// Eliminates motors of elastic transmissions before their joints, to which only springs couple them, and places
// spinning rotors.  Bias: with the forces of the motion.  Call after start_hinges.
template <bool Bias>
void start_drives(const Layout& layout, AbaData& ws);
// The same for solve_factored: only forces on motors, in ws.u.
void start_motor_forces(const Layout& layout, AbaData& ws);
// Outward sweep: accelerations of the motors.
void accelerate_motors(const Layout& layout, AbaData& ws, double* vdot);
// Torque that the rotor adds at a prescribed hinge with a rigid gear, without that of the armature.
double rotor_torque(const BodyStep& step);

// ---- one body (elimination.cpp) -----------------------------------------------------------------------

// For any number of unknowns and for prescribed hinges.  Returns the index of the speed without inertia, or -1.
int eliminate_any(const BodyStep& step, const double* given, AbaData& ws);
void accelerate_any(const BodyStep& step, AbaData& ws, double* vdot);
// Inward: passes the articulated inertia and bias wrench to the parent.  `given`: prescribed accelerations, null if the
// hinge is free.
LIMBER_INLINE int eliminate(const BodyStep& step, const double* given, AbaData& ws) {
  return given != nullptr ? eliminate_any(step, given, ws) : step.eliminate(step, nullptr, 0, ws);
}
// Outward: vdot of the body, accelerations of its frame and attachments.
LIMBER_INLINE void accelerate(const BodyStep& step, AbaData& ws, double* vdot) {
  const bool prescribed = ws.has_prescribed && ws.prescribed[step.i] != 0;
  prescribed ? accelerate_any(step, ws, vdot) : step.accelerate(step, ws, vdot);
}
// Bias forces b' of the unknowns, body.z of the joint side, and the fourth lane of Z, with the factors of `eliminate`.
void reduce(const Layout& layout, int i, AbaData& ws);
// Selects the kernels of a body by its numbers of unknowns.  `moving`: number of mode columns that rotate no
// attachment.
void choose_step_kernels(int moving, BodyStep& step);
// Pointers and kernels of all bodies, after their unknowns are known (steps.cpp, motion.cpp, group_setup.cpp).
// `first`: first call for this workspace.  Later calls, for implicit steps, do not allocate if the active bodies are
// the same.
void set_steps(bool first, AbaData& ws);
void set_motion_steps(AbaData& ws);
void set_group_steps(AbaData& ws);
// The order of the sweeps, and the slots of bodies and attachments in scratch memory (places.cpp).
void set_places(bool first, AbaData& ws);
inline Spatial* own_columns(int i, AbaData& ws) {
  return &ws.mu[static_cast<std::size_t>(ws.body_places[i]) * ws.body_columns];
}
// Where the columns of an outboard attachment are written by start_columns and read by the inward sweep.
inline Spatial* placed_columns(const Layout& layout, int h, AbaData& ws) {
  const int place = ws.streams ? ws.column_places[h] : -1;
  return place < 0 ? &ws.W[layout.attachments[h].columns]
                   : &ws.placed_W[static_cast<std::size_t>(place) * layout.max_modes];
}
// An outboard attachment relative to its body; constant in `ruthless`.
AttachmentFrame* placed_attachment(int h, AbaData& ws);
// x = D^-1 b, with the factors of `eliminate`.
void solve_unknowns(const Unknowns& u, int count, const AbaData& ws, const double* b, double* x);

// The two halves of solve_factored.  Between them, wrenches may be added to z of bodies, and modal forces to
// modal_bias.
void start_solve(const Model& model, ConstVec f, AbaData& ws);
void finish_solve(const Model& model, AbaData& ws, Vec out);
// Adds a wrench on a node, in world components, to the bias wrench z and bias forces b of its body.  Needs the modes in
// kin.
void load_node(const Model& model, NodeRef node, const Spatial& wrench, AbaData& ws, Spatial& z, double* b);
// Bias forces of all modes of a body.
inline double* modal_bias(const Link& link, int i, AbaData& ws) {
  return ws.unknowns[i].active ? &ws.b_modal[link.scalars] : &ws.b[ws.unknowns[i].begin];
}

}  // namespace limber
