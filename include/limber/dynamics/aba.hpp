// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "limber/dynamics/kinematics.hpp"

namespace limber {

struct AbaData;
extern template class Workspace<AbaData>;
class AbaWorkspace : public Workspace<AbaData> {  // one per thread
 public:
  explicit AbaWorkspace(const Model& model);
  // Of the last call with this workspace.
  Kinematics& kinematics();
  const Kinematics& kinematics() const;
  // Index of the speed without inertia, after Status::singular_mass; otherwise -1.
  int failure() const;
};

// Forward dynamics by the articulated-body recursion, O(N) and linear in the modes.  [JR] (63)-(64), theory §5.
// On failure ws.failure() is the index of the speed without inertia, and vdot is invalid.
// Here and in hybrid, what only Simulation and System have is missing: force elements, contacts, the key `rest` of
// joint springs, travel stops and dry friction.  Simulation::accelerations has them.
[[nodiscard]] Status aba(const Model& model, const State& x, const Forces& forces, AbaData& ws, Vec vdot);

// Hybrid dynamics: joints with prescribed[i] != 0 (i: index of the body they carry; size body_count()) have
// their hinge accelerations given in vdot on entry; the others, and all modes, are solved for.  theory §5, Hybrid.
// tau_out (nv) is forces.tau, with the required torques at the prescribed joints.
[[nodiscard]] Status hybrid(const Model& model, const State& x, const Forces& forces,
                            std::span<const std::uint8_t> prescribed, AbaData& ws, Vec vdot, Vec tau_out);

// Later calls of aba and hybrid with this workspace solve with M + c_D D + c_K K, the matrix of an implicit step,
// instead of M.  D and K are the damping and stiffness of modes and joints; `more` (nv) is added to the diagonal at
// hinge speeds, for other springs and dampers, already weighted.  open[i] != 0: the transmission to joint i is within
// its backlash; empty: none is.  theory §5, Implicit step.  Allocates only the first time.
void set_implicit(const Model& model, double c_D, double c_K, ConstVec more, AbaData& ws,
                  std::span<const std::uint8_t> open = {});
// tau += (c_D D + c_K K) a.
void add_implicit_force(const Model& model, const AbaData& ws, ConstVec a, Vec tau);

// Changes of the speeds due to impulses: M dv = impulses.  The impulses on prescribed joints are those that produce
// the dv given for these joints on entry; all others are zero.  O(N).
[[nodiscard]] Status hybrid_impulse(const Model& model, const State& x, std::span<const std::uint8_t> prescribed,
                                    AbaData& ws, Vec dv);

// Computes only kinematics and articulated inertias, for functions that use them repeatedly: solve_factored and those
// of operational.hpp.  aba, hybrid and solve_mass compute them, too.  Joints with prescribed[i] != 0 (as in hybrid;
// empty: none) are not eliminated: M is then the mass matrix without the rows and columns of these joints.  With
// set_implicit, M + c_D D + c_K K replaces M.  O(N).
[[nodiscard]] Status factor_mass(const Model& model, const State& x, AbaData& ws,
                                 std::span<const std::uint8_t> prescribed = {});
// out = M^-1 f with the factors in ws, zero for prescribed joints; out may be f.  O(N), two sweeps.
// Throws InputError if the workspace holds no factors.
void solve_factored(const Model& model, ConstVec f, AbaData& ws, Vec out);

// out = M(q)^-1 f, O(N).
[[nodiscard]] Status solve_mass(const Model& model, const State& x, ConstVec f, AbaData& ws, Vec out);

}  // namespace limber
