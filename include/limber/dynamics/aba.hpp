// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "limber/dynamics/kinematics.hpp"

namespace limber {

// What the recursion keeps of one body.  theory §5; letters as there.
struct ArticulatedBody {
  Mat6 P;     // P_rr, then P_R once the modes are eliminated                     by the inward sweep
  Spatial z;  // z_R, then                                                        by the inward sweep
  Spatial a;  // acceleration of the body frame beyond the bias                   by the outward sweep
};

// What it keeps of a moving node that carries others.
struct ArticulatedHandle {
  Mat6 Gamma;  // articulated inertia of what it carries                           by the inward sweep
  Spatial z;   // and its bias wrench                                              by the inward sweep
  Spatial a;   // acceleration of the node beyond the bias                         by the outward sweep
};

// Scratch of compute_operational_inertia; made when that is first called.
struct OperationalScratch {
  struct Traveller {  // the six unit wrenches on one node, on their way inward
    int body = 0;     // where they are
    int from = 0;     // body through which they came, 0: they start here
    Spatial z[6];     // on the frame of the body; once its modes are passed, on the joint side
  };
  std::vector<Traveller> travellers;  // (node)
  std::vector<int> carried;           // (body) how many of the nodes it carries
  std::vector<Mat6> W;                // (body) mobility: acceleration of the joint side per wrench there
  std::vector<Mat6> through;          // (body) wrench on the joint side of the parent per wrench on the carrier
  std::vector<double> e, x;           // (6 unit wrenches of a node, padded modes) modal forces e, D_f^-1 e
  std::vector<Spatial> columns;       // (mode) Pi of one node
};

struct AbaWorkspace {  // one per thread
  explicit AbaWorkspace(const Model& model);
  Kinematics kin;
  std::vector<ArticulatedBody> bodies;
  std::vector<ArticulatedHandle> handles;
  std::vector<Spatial> PH;                  // (speed) P_R H of hinges
  std::vector<double> D_inverse;            // (speed) 1/D of hinges
  std::vector<double> e;                    // (speed) e_R
  std::vector<double, Vec4dAllocator> e_f;  // (at link.scalars) e_f
  std::vector<std::uint8_t> condensed;      // (body) which elimination served                by the inward sweep
  std::vector<std::uint8_t> held;           // (body) its hinge is prescribed, not eliminated by the inward sweep
  // Cholesky elimination: D_f = L d L^T.
  std::vector<Spatial> y;         // (at link.columns) L^-1 mu^T
  std::vector<double> d_inverse;  // (at link.scalars)
  std::vector<Vec4d> L;           // (body) columns of L, at factor_begin
  std::vector<std::size_t> factor_begin;
  std::vector<Vec4d> term_rows;       // scratch of one body
  std::vector<Spatial> term_columns;  // scratch of one body
  std::vector<double> pivots;         // scratch of one body
  // Condensed elimination.
  std::vector<Mat6> gram;  // (body) b, then for each handle X_bar^T, then Omega of each pair, at gram_begin
  std::vector<Mat6> T;     // (body) for each pair of handles, at T_begin
  std::vector<std::size_t> gram_begin, T_begin, direction_begin;
  std::vector<Spatial> directions;  // (body) Omega of a single handle as a sum over at most six directions
  std::vector<double> weights;
  std::vector<int> direction_count;
  std::vector<Spatial> stack;  // scratch: wrenches and accelerations of the handles of one body
  VectorX tau, zero;           // (nv) scratch
  // Implicit steps, by set_implicit: what is added to inertias.
  bool implicit = false;
  double c_D = 0, c_K = 0;
  VectorX hinge_added;                       // (nv) to D of hinges
  std::vector<std::vector<double>> G_added;  // (body) rows of c_D D + c_K K, padded; with G where that is constant
  std::vector<std::vector<double, Vec4dAllocator>> G_inverse;  // (body) where the sum is diagonal
  OperationalScratch operational;
  int failure = -1;  // index of the speed without inertia, after Status::singular_mass
};

// Forward dynamics by the articulated-body recursion, O(N) and linear in the modes.  [JR] (63)-(64), theory §5.
// On failure ws.failure is the index of the speed that has no inertia, and vdot is not to be used.
[[nodiscard]] Status aba(const Model& model, const State& x, const Forces& forces, AbaWorkspace& ws, Vec vdot);

// Hybrid dynamics: joints with prescribed[i] != 0 (i: index of the body they carry; size body_count()) have
// their hinge accelerations given in vdot on entry; the others, and all modes, are solved for.  theory §5, Hybrid.
// tau_out (nv) is forces.tau with the torques that the prescribed joints need in their place.
[[nodiscard]] Status hybrid(const Model& model, const State& x, const Forces& forces,
                            std::span<const std::uint8_t> prescribed, AbaWorkspace& ws, Vec vdot, Vec tau_out);

// From now on aba and hybrid with this workspace solve with M + c_D D + c_K K in the place of M, D and K the damping
// and stiffness of modes and joints and `more` (nv) that of other springs on hinge speeds, already weighted: the matrix
// of an implicit step.  theory §5, Implicit step.  Allocates the first time only.
void set_implicit(const Model& model, double c_D, double c_K, ConstVec more, AbaWorkspace& ws);
// tau += (c_D D + c_K K) a.
void add_implicit_force(const Model& model, const AbaWorkspace& ws, ConstVec a, Vec tau);

// Speeds after impulses: M dv = impulses, where those on prescribed joints are whatever gives these joints the dv that
// they have on entry; the others are zero.  O(N).
[[nodiscard]] Status hybrid_impulse(const Model& model, const State& x, std::span<const std::uint8_t> prescribed,
                                    AbaWorkspace& ws, Vec dv);

// Kinematics and articulated inertias alone, for functions that use them more than once: solve_factored, and those of
// operational.hpp.  After aba, hybrid and solve_mass they are there, too.  Joints with prescribed[i] != 0 (as in
// hybrid; empty: none) are not eliminated: M is then the mass matrix of the other coordinates, that is with the rows
// and columns of these left out.  With set_implicit, M + c_D D + c_K K takes the place of M.  O(N).
[[nodiscard]] Status factor_mass(const Model& model, const State& x, AbaWorkspace& ws,
                                 std::span<const std::uint8_t> prescribed = {});
// out = M^-1 f with the factors in ws, zero for prescribed joints; out may be f.  O(N), two sweeps.
void solve_factored(const Model& model, ConstVec f, AbaWorkspace& ws, Vec out);

// out = M(q)^-1 f, O(N).
[[nodiscard]] Status solve_mass(const Model& model, const State& x, ConstVec f, AbaWorkspace& ws, Vec out);

}  // namespace limber
