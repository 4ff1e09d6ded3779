// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/kinematics.hpp"
#include "limber/dynamics/study/two_stage.hpp"

namespace limber {

// Result of the recursion for one body, in its basis.  Letters of [JR] (63)-(64).
struct TwoStageBody {
  Mat6 P;     // articulated inertia P_rr, then P_R once the modes are eliminated    by the inward sweep
  Spatial z;  // bias wrench p_r, then z_R                                           by the inward sweep
  Spatial a;  // acceleration of the body frame beyond the bias                      by the outward sweep
};

// The same for an outboard attachment.
struct TwoStageAttachment {
  Mat6 Gamma;  // articulated inertia of its load                                    by the inward sweep
  Spatial z;   // and its bias wrench                                                by the inward sweep
  Spatial a;   // acceleration of the attachment beyond the bias                     by the outward sweep
};

struct TwoStageData {
  explicit TwoStageData(const Model& model);
  Kinematics kin;
  std::vector<TwoStageBody> bodies;
  std::vector<TwoStageAttachment> attachments;
  // Modes: D_f = L d L^T.
  std::vector<double, Vec4dAllocator> e_f;        // (at link.scalars) e_f, then L^-1 e_f, then etaddot
  std::vector<double, Vec4dAllocator> d_inverse;  // (at link.scalars)
  std::vector<Spatial> y;                         // (at link.columns) L^-1 mu^T
  std::vector<Vec4d> L;                           // (body) columns of L, at factor_begin
  std::vector<std::size_t> factor_begin;
  // Hinges, one speed after the other.
  std::vector<Spatial> PH;        // (speed) P_R H
  std::vector<double> D_inverse;  // (speed) 1 / D_R
  std::vector<double> e_R;        // (speed)
  // Scratch of one body.
  std::vector<Vec4d> R;
  std::vector<Spatial> g;
  std::vector<double> d;
  int failure = -1;  // index of the speed without inertia, after Status::singular_mass
};

}  // namespace limber
