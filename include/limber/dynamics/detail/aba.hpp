// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/detail/kinematics.hpp"

namespace limber {

// What the recursion keeps of one body.  theory §5; letters as there.
struct ArticulatedBody {
  Mat6 P;     // P_rr, then P_R once the modes are eliminated                     by the inward sweep
  Spatial z;  // z_R, then                                                        by the inward sweep
  Spatial a;  // acceleration of the body frame beyond the bias                   by the outward sweep
};

// What it keeps of an outboard attachment.
struct ArticulatedAttachment {
  Mat6 Gamma;  // articulated inertia of what it carries                           by the inward sweep
  Spatial z;   // and its bias wrench                                              by the inward sweep
  Spatial a;   // acceleration of the attachment beyond the bias                   by the outward sweep
};

// Cholesky elimination of modes: D_f = L d L^T.
struct CholeskyFactors {
  std::vector<Spatial> y;         // (at link.columns) L^-1 mu^T
  std::vector<double> d_inverse;  // (at link.scalars)
  std::vector<Vec4d> L;           // (body) columns of L, at factor_begin
  std::vector<std::size_t> factor_begin;
  std::vector<Vec4d> term_rows;       // scratch of one body
  std::vector<Spatial> term_columns;  // scratch of one body
  std::vector<double> pivots;         // scratch of one body
};

// Condensed elimination of modes.
struct CondensedFactors {
  std::vector<Mat6> gram;  // (body) b, then for each attachment X_bar^T, then Omega of each pair, at gram_begin
  std::vector<Mat6> T;     // (body) for each pair of attachments, at T_begin
  std::vector<std::size_t> gram_begin, T_begin, direction_begin;
  std::vector<Spatial> directions;  // (body) Omega of a single attachment as a sum over at most six directions
  std::vector<double> weights;
  std::vector<int> direction_count;
  std::vector<Spatial> stack;  // scratch: wrenches and accelerations of the attachments of one body
};

// Implicit steps: what set_implicit adds to inertias.
struct ImplicitTerms {
  bool active = false;
  double c_D = 0, c_K = 0;
  VectorXd hinge_added;                      // (nv) to D of hinges
  std::vector<std::vector<double>> G_added;  // (body) c_D D + c_K K, padded; with G where that is constant
  std::vector<std::vector<double, Vec4dAllocator>> G_inverse;  // (body) where the sum is diagonal
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
  std::vector<Spatial> PH;                  // (speed) P_R H of hinges
  std::vector<double> D_inverse;            // (speed) 1/D of hinges
  std::vector<double> e;                    // (speed) e_R
  std::vector<double, Vec4dAllocator> e_f;  // (at link.scalars) e_f
  std::vector<std::uint8_t> is_condensed;   // (body) which elimination served                by the inward sweep
  std::vector<std::uint8_t> prescribed;     // (body) its hinge is prescribed, not eliminated by the inward sweep
  CholeskyFactors cholesky;
  CondensedFactors condensed;
  ImplicitTerms implicit;
  VectorXd tau, zero;  // (nv) scratch
  int failure = -1;    // index of the speed without inertia, after Status::singular_mass
  AbaStage stage = AbaStage::none;
  std::uint64_t stamp = 0;  // kin.stamp that `stage` belongs to

  void set_stage(AbaStage reached) {
    stage = reached;
    stamp = kin.stamp;
  }
  // Throws InputError, naming the caller, where the last call with this workspace left less than `needed`.
  void check_stage(const Model& model, AbaStage needed, const char* caller) const;
};

}  // namespace limber
