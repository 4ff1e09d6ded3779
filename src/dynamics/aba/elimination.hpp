// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/kinematics/sweeps.hpp"
#include "inertia.hpp"

// One body leaves the articulated-body recursion: its modes and its hinge in one elimination.  theory §5.
namespace limber {

// Inertia that counts as none: what rounding leaves of the terms that make it up.
inline constexpr double kNoInertia = 1e-13;

// The diagonal of P weighted with h^2: what rounding in h^T P h is measured against.
LIMBER_INLINE double inertia_scale(Spatial diagonal, Spatial h) {
  return sum(diagonal.ang * h.ang * h.ang + diagonal.lin * h.lin * h.lin);
}
LIMBER_INLINE double inertia_scale(const Mat6& P, Spatial h) {
  const Vec4d ang{P.c[0].ang[0], P.c[1].ang[1], P.c[2].ang[2], 0}, lin{P.c[3].lin[0], P.c[4].lin[1], P.c[5].lin[2], 0};
  return inertia_scale(Spatial{ang, lin}, h);
}

// A wrench on one body decays on its way through many others, some components sooner than others; subnormal numbers
// cost a hundred times as much as normal ones.  So components are flushed to zero before they become subnormal.
LIMBER_INLINE Vec4d flush_subnormals(Vec4d x) {
  constexpr double kTiny = 1e-200;
  return x < spread(kTiny) && x > spread(-kTiny) ? x * zero() : x;  // NaN stays
}
LIMBER_INLINE void flush_subnormals(Spatial& z) { z = {flush_subnormals(z.ang), flush_subnormals(z.lin)}; }

// A wrench on the body's origin, on its parent's: X^T f.
LIMBER_INLINE Spatial wrench_to_parent(int i, const AbaData& ws, Spatial f) { return wrench_from(ws.frames[i].l, f); }

// Columns of modes that have kernels of their own.
inline constexpr int kFewModes = 6;

// ---- active coordinates (active.cpp) ------------------------------------------------------------------

// Rows that are combinations of others, but for rounding.
inline constexpr double kSameRow = 1e-12;
// That of its modes, with what an implicit step adds.
inline bool has_diagonal_mass(const BodyConstants& constants, const ImplicitTerms& implicit) {
  return constants.mass_diagonal() && (!implicit.active || constants.elastic_diagonal);
}
// Whether a body has fewer active coordinates than modes; finds them, with the modal mass of an implicit step.
void find_active(const Layout& layout, int i, AbaData& ws);
// b of the active coordinates; the other modes leave the wrench z of the body.
void start_active_forces(const Layout& layout, int i, AbaData& ws);
// (Lambda - T T^T) b: what bias forces do to the modes that are not active, less its sign.
void other_modes(const Link& link, int i, const AbaData& ws, double* out);

// ---- four bodies (groups.cpp) ---------------------------------------------------------------------------

// Constants of their active coordinates, and of attachments (group_setup.cpp).
void set_group_modes(const Layout& layout, std::size_t g, AbaData& ws);
void set_node_columns(const Layout& layout, std::size_t g, AbaData& ws);
// Inertias, coupling and forces of four bodies alone, after compute_motion; Bias: with the forces of that motion.
template <bool Bias>
void start_group(const Layout& layout, std::size_t g, AbaData& ws);
// The columns W of four attachments.
void start_columns(const Layout& layout, std::size_t g, AbaData& ws);
// Bias forces b_modal of the modes of active bodies, for expand_group.
void gather_forces(const Layout& layout, AbaData& ws);
// All modes out of the active ones, and the acceleration of the body frames.
void expand_group(const Layout& layout, std::size_t g, AbaData& ws, double* vdot);

// ---- drives (drives.cpp) --------------------------------------------------------------------------------

// Inertia of a motor in the equations that are solved, and how it is coupled to its joint there: both are those of an
// implicit step, M + c_D D + c_K K.
struct MotorTerms {
  double inertia, coupling;
  MotorTerms(const Link& link, int m, const ImplicitTerms& implicit)
      : inertia(link.motor.inertia + implicit.hinge_added[m]), coupling(implicit.coupling[m]) {}
};
// Motors of elastic transmissions leave before their joints, to which springs alone couple them; rotors that spin.
// Bias: with the forces of the motion.  After the hinges have their forces.
template <bool Bias>
void start_drives(const Layout& layout, AbaData& ws);
// The same for solve_factored: forces on motors alone, in ws.u.
void start_motor_forces(const Layout& layout, AbaData& ws);
// Outward: the motors' accelerations.
void accelerate_motors(const Layout& layout, AbaData& ws, double* vdot);
// What a prescribed hinge with a rigid gear needs for its rotor, besides the armature.
double rotor_torque(const BodyStep& step);

// ---- one body (elimination.cpp) -----------------------------------------------------------------------

// Any numbers of unknowns, a prescribed hinge.  Returns the speed without inertia, or -1.
int eliminate_any(const BodyStep& step, const double* given, AbaData& ws);
void accelerate_any(const BodyStep& step, AbaData& ws, double* vdot);
// Inertias and bias wrenches, inward, to the parent.  `given`: prescribed accelerations, null where the hinge is free.
LIMBER_INLINE int eliminate(const BodyStep& step, const double* given, AbaData& ws) {
  return given != nullptr ? eliminate_any(step, given, ws) : step.eliminate(step, nullptr, 0, ws);
}
// Accelerations, outward: vdot of the body, a of its frame and its attachments.
LIMBER_INLINE void accelerate(const BodyStep& step, AbaData& ws, double* vdot) {
  const bool prescribed = ws.has_prescribed && ws.prescribed[step.i] != 0;
  prescribed ? accelerate_any(step, ws, vdot) : step.accelerate(step, ws, vdot);
}
// Bias forces b' of the unknowns, body.z of the joint side, and the fourth lane of Z, over the factors of `eliminate`.
void reduce(const Layout& layout, int i, AbaData& ws);
// Kernels of a body for its numbers of unknowns.  `moving`: of its mode columns, those that turn no attachment.
void choose_step_kernels(int moving, BodyStep& step);
// Places and kernels of all bodies, once their unknowns are known (steps.cpp, motion.cpp, group_setup.cpp).
// `first`: of this workspace; later calls, of implicit steps, allocate nothing where the active bodies stay the same.
void set_steps(bool first, AbaData& ws);
void set_motion_steps(AbaData& ws);
void set_group_steps(AbaData& ws);
// The order of the sweeps, and the places of bodies and attachments in scratch memory (places.cpp).
void set_places(bool first, AbaData& ws);
inline Spatial* own_columns(int i, AbaData& ws) {
  return &ws.mu[static_cast<std::size_t>(ws.body_places[i]) * ws.body_columns];
}
// An outboard attachment as its body sees it: in `ruthless` a constant.
AttachmentFrame* placed_attachment(int h, AbaData& ws);
// x = D^-1 b, over the factors.
void solve_unknowns(const Unknowns& u, int count, const AbaData& ws, const double* b, double* x);

// The two halves of solve_factored, between which wrenches on bodies may be added to z, and modal forces by add_modal.
void start_solve(const Model& model, ConstVec f, AbaData& ws);
void finish_solve(const Model& model, AbaData& ws, Vec out);
// A wrench on a node, in world components, as bias wrench z and bias forces b of its body.  Needs the modes in kin.
void load_node(const Model& model, NodeRef node, const Spatial& wrench, AbaData& ws, Spatial& z, double* b);
// Bias forces of the modes of a body: all of them.
inline double* modal_bias(const Link& link, int i, AbaData& ws) {
  return ws.unknowns[i].active ? &ws.b_modal[link.scalars] : &ws.b[ws.unknowns[i].begin];
}

}  // namespace limber
