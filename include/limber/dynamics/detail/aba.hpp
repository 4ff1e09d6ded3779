// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/detail/kinematics.hpp"

namespace limber {

// A 3x3 block by columns.  Named, because compilers keep arrays of registers in memory.
struct Block {
  Vec4d x, y, z;
};

// A symmetric 6x6 matrix [A, B; B^T, C].  In the recursion the fourth lanes carry a wrench z beside it: z_ang in those
// of A, z_lin in those of B.
struct Inertia {
  Block A, B, C;
};

// What the recursion keeps of one body, at its origin.  theory §5; letters as there.
struct ArticulatedBody {
  Inertia P;  // of the body and what its frame carries; then, where the joint is prescribed, P+          inward
  Spatial z;  // solve_factored, prescribed joints: bias wrench, then that of the joint side              inward
  Spatial a;  // acceleration of the body frame beyond the bias                                           outward
};

// What it keeps of an outboard attachment, at the origin of its body, too.
struct ArticulatedAttachment {
  Inertia Gamma;  // articulated inertia of what it carries, with its bias wrench                         inward
  Block Bt;       // transpose of its block B                                                             inward
  Spatial z;      // solve_factored: bias wrench                                                          inward
  Spatial a;      // acceleration beyond the bias                                                         outward
};

// The unknowns x of one body: its modes, or the active ones among their combinations, then its hinge.
struct Unknowns {
  int modes = 0;          // all n, or the number of active coordinates
  int chunks = 0;         // registers that hold a column of D
  std::size_t begin = 0;  // where numbers and columns per unknown start, a multiple of kLanes
  std::size_t D = 0;      // where D_0 and L start
  bool active = false;
};

// Active coordinates of one body: eta = T x + (1 - T T^T G) ..., of which x alone moves the outboard attachments.
struct ActiveModes {
  std::vector<double, Vec4dAllocator> T;       // (active x n padded) columns
  std::vector<double, Vec4dAllocator> weight;  // (n padded) inverse of the diagonal modal mass
  Spatial lost = {};                           // diagonal of what the other modes take from the inertia   by start
};

// The same of four bodies (BodyGroup).
struct GroupModes {
  bool active = false;
  int k = 0;                          // the most mode columns of a body
  std::vector<Vec4d> T, weight;       // (k x n), (n)
  std::vector<FourSpatial> mu;        // (k) the bodies' own coupling; the linear part is constant   by start
  FourSymmetric lost_A = {}, C = {};  // what the other modes take from A, what they leave of C      by start
  FourMatrices lost_B = {};           // what they take from B                                       by start
};

// Implicit steps: what set_implicit adds to inertias.
struct ImplicitTerms {
  bool active = false;
  double c_D = 0, c_K = 0;
  VectorXd hinge_added;        // (nv) to D of hinges
  std::vector<Vec4d> D_added;  // (at Unknowns::D) c_D D + c_K K of the modes, where the modal mass depends on the state
};

// What the last call left in a workspace.
enum class AbaStage : std::uint8_t {
  none,           // nothing that others may use
  factors,        // of the mass matrix
  accelerations,  // the same, and the accelerations of all bodies under forces and bias
};

struct AbaData {
  explicit AbaData(const Model& model);
  Kinematics kin;
  std::vector<ArticulatedBody> bodies;
  std::vector<ArticulatedAttachment> attachments;
  std::vector<Unknowns> unknowns;         // (body)
  std::vector<ActiveModes> active;        // (body)
  State rest;                             // all zero
  std::vector<GroupModes> group_modes;    // (group)
  std::vector<FourSpatial> node_columns;  // (at node_group.modes) columns of undeformed attachments per unknown
  std::vector<int> node_unknowns;         // (node group) the most mode columns of a body
  std::vector<Spatial> mu;                // (unknown) of active coordinates: the body's own coupling        by start
  std::vector<Spatial> W;                 // (at attachment.columns) columns of attachments, at the origin   by start
  std::vector<Vec4d> W_rows;              // (at rows_begin[h]) the same, unknowns in the lanes              by start
  std::vector<std::size_t> rows_begin;    // (attachment)
  std::vector<Vec4d> D_0;                 // (at Unknowns::D) modal mass, armature
  std::vector<Vec4d> L;                   // (at Unknowns::D) D = L d L^T                                    inward
  std::vector<double> d_inverse;          // (unknown)                                                       inward
  std::vector<Spatial> Z;                 // (unknown) rows of D^-1 mu^T, in the fourth lane D^-1 b          inward
  std::vector<double, Vec4dAllocator> b;  // (unknown) bias forces: D x + mu^T a + b = 0              by start
  std::vector<double, Vec4dAllocator> b_modal;  // (at link.scalars) those of the modes of active bodies   by start
  std::vector<std::uint8_t> prescribed;         // (body) its hinge is prescribed, not eliminated           inward
  std::vector<double, Vec4dAllocator> x;        // (unknown) accelerations of active coordinates and hinges  outward
  std::vector<Vec4d> D, U_rows, mu_rows;        // scratch of one body
  std::vector<double, Vec4dAllocator> scale, modal;  // scratch of one body
  std::vector<FourSpatial> group_W;                  // scratch of four bodies
  std::vector<Vec4d> group_b;
  ImplicitTerms implicit;
  bool constant_columns = false;  // `ruthless`: mu and W of all bodies are there
  VectorXd tau, zero;             // (nv) scratch
  int failure = -1;               // index of the speed without inertia, after Status::singular_mass
  bool failure_is_number = true;  // its pivot was, so that inertia is what is missing
  AbaStage stage = AbaStage::none;
  std::uint64_t stamp = 0;  // kin.stamp that `stage` belongs to

  void set_stage(AbaStage reached) {
    stage = reached;
    stamp = kin.stamp;
  }
  // Throws InputError, naming the caller, where the last call with this workspace left less than `needed`.
  void check_stage(const Model& model, AbaStage needed, const char* caller) const;
};

// f_R = P_R a_R + z_R: the wrench that a prescribed joint passes, after a sweep that left the accelerations.
Spatial joint_wrench(const Layout& layout, int i, const AbaData& ws, const double* vdot);

}  // namespace limber
