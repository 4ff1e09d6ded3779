// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/crba.hpp"

#include <cmath>

#include "dynamics/aba/elimination.hpp"

namespace limber {
namespace {

// Propagates the wrench g of a unit acceleration from the inboard frame of joint i to the ground, and writes the force
// on each coordinate of the path to the column of M.
void walk_inboard(const Layout& layout, const Kinematics& kin, std::size_t i, Spatial g, double* column) {
  for (;;) {
    const Link& link = layout.links[i];
    if (link.parent == kGround) return;
    const Link& parent = layout.links[link.parent];
    Spatial f = g;
    if (link.attachment >= 0) {
      f = wrench_from(kin.attachments[link.attachment].l, g);
      const Spatial* Y = &kin.columns[layout.attachments[link.attachment].columns];
      for (int k = 0; k < parent.n; ++k) column[parent.vm + k] = dot(Y[k], g);
    }
    if (parent.inboard >= 0) {
      const Spatial* U = &kin.columns[parent.inboard_columns];
      for (int k = 0; k < parent.n; ++k) column[parent.vm + k] += dot(U[k], f);
    }
    const Spatial* H = kin.hinge_map(parent);
    for (int k = 0; k < parent.nr; ++k) column[parent.v + k] = dot(H[k], f);
    i = static_cast<std::size_t>(link.parent);
    g = back_across(kin.links[i], f);
  }
}
// The same, starting with a wrench f on body i.
void walk_column(const Layout& layout, const Kinematics& kin, std::size_t i, Spatial f, double* column) {
  walk_inboard(layout, kin, i, back_across(kin.links[i], f), column);
}

// The modes of body i: composite blocks P_ff, P_rf, and their columns of M.  [JR] (48)-(50) with H_f = [1 U^T].
void mode_columns(const Layout& layout, std::size_t i, CrbaData& ws, Eigen::Ref<MatrixXd>& M) {
  const Kinematics& kin = ws.rnea.kin;
  const Link& link = layout.links[i];
  const int n = link.n;
  Spatial* force = ws.column.data();  // P_rf + P_rr U
  auto own = M.block(link.vm, link.vm, n, n);
  const double* G = kin.modal_mass(link, i);
  const int width = kLanes * lanes_for(n);
  for (int k = 0; k < n; ++k) {
    force[k] = kin.columns[link.columns + k];
    for (int j = 0; j <= k; ++j) own(j, k) = G[j * width + k];
  }
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    const Spatial* Y = &kin.columns[layout.attachments[h].columns];
    for (int k = 0; k < n; ++k) {
      const Spatial g = ws.attachment_inertia[h] * Y[k];
      force[k] += wrench_from(kin.attachments[h].l, g);
      for (int j = 0; j <= k; ++j) own(j, k) += dot(Y[j], g);
    }
  }
  ws.scale.segment(link.vm, n) = own.diagonal();  // before adding the terms of U, which may cancel it
  if (link.inboard >= 0) {
    const Spatial* U = &kin.columns[link.inboard_columns];
    for (int k = 0; k < n; ++k) {
      const Spatial PU = ws.inertia[i] * U[k];
      for (int j = 0; j <= k; ++j) own(j, k) += dot(U[j], force[k] + PU);
    }
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j <= k; ++j) own(j, k) += dot(force[j], U[k]);
    }
    for (int k = 0; k < n; ++k) force[k] += ws.inertia[i] * U[k];
  }
  const Spatial* H = kin.hinge_map(link);
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < link.nr; ++j) M(link.v + j, link.vm + k) = dot(H[j], force[k]);
    walk_column(layout, kin, i, force[k], &M(0, link.vm + k));
  }
}

// Adds the rotor of joint i to the inertia of its carrier, and the column of its motor, if any (motors come last).
void rotor_columns(const Layout& layout, std::size_t i, const Kinematics& kin, Mat6& on_inboard,
                   Eigen::Ref<MatrixXd>& M) {
  const Link& link = layout.links[i];
  const Vec4d axis = rotor_frame(link, kin).axis;
  for (int j = 0; j < 3; ++j) on_inboard.c[j].ang += axis * spread(link.rotor.inertia * axis[j]);
  if (link.motor.v == 0) return;
  walk_inboard(layout, kin, i, {axis * spread(link.rotor.inertia), zero()}, &M(0, link.v + link.motor.v));
}

void compute_upper_triangle(const Model& model, CrbaData& ws, Eigen::Ref<MatrixXd> M) {
  const Layout& layout = *model.layout;
  const Kinematics& kin = ws.rnea.kin;
  M.setZero();
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    ws.inertia[i] = body_inertia(kin.links[i].m, kin.links[i].s, kin.links[i].J);
  }
  for (std::size_t i = layout.links.size() - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    Mat6& P = ws.inertia[i];
    for (int h = link.attachment_begin; h < link.attachment_end; ++h)
      add(P, inertia_from(kin.attachments[h].l, ws.attachment_inertia[h]));
    const Spatial* H = kin.hinge_map(link);
    for (int k = 0; k < link.nr; ++k) {
      const Spatial force = P * H[k];
      for (int j = 0; j <= k; ++j) M(link.v + j, link.v + k) = dot(H[j], force);
      ws.scale[link.v + k] = inertia_scale(P, H[k]);
      M(link.v + k, link.v + k) += link.armature[k];
      Spatial on_inboard = back_across(kin.links[i], force);
      if (link.rotor.spins && link.motor.v == 0)
        on_inboard.ang += rotor_frame(link, kin).axis * spread(link.rotor.ratio * link.rotor.inertia);
      walk_inboard(layout, kin, i, on_inboard, &M(0, link.v + k));
    }
    if (link.n > 0) mode_columns(layout, i, ws, M);
    if (link.parent == kGround) continue;
    Mat6 on_inboard = back_across(kin.links[i], P);
    if (link.rotor.spins) rotor_columns(layout, i, kin, on_inboard, M);
    if (link.attachment < 0) {
      add(ws.inertia[link.parent], on_inboard);
    } else if (link.opens_attachment) {
      ws.attachment_inertia[link.attachment] = on_inboard;
    } else {
      add(ws.attachment_inertia[link.attachment], on_inboard);
    }
  }
  for_motors(layout, [&](const Link& link, int, int m) { M(m, m) = ws.scale[m] = link.motor.inertia; });
}

// column[i] -= a x[i] + b y[i], i in [begin, end).
void subtract_columns(double* __restrict column, double a, const double* __restrict x, double b,
                      const double* __restrict y, Eigen::Index begin, Eigen::Index end) {
  for (Eigen::Index i = begin; i < end; ++i) column[i] -= a * x[i] + b * y[i];
}

// M = L L^T in its lower triangle, column by column, [GVL] algorithm 4.2.1.  Plain loops, which the compiler vectorises
// for the processor's full register width; Eigen may not (decision 0012).  Returns false if not positive definite.
bool cholesky_in_place(MatrixXd& M) {
  const Eigen::Index n = M.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    double* column = &M(0, j);
    Eigen::Index k = 0;
    for (; k + 1 < j; k += 2) subtract_columns(column, M(j, k), &M(0, k), M(j, k + 1), &M(0, k + 1), j, n);
    if (k < j) subtract_columns(column, M(j, k), &M(0, k), 0, &M(0, k), j, n);
    if (!(column[j] > 0)) return false;
    const double scale = 1 / std::sqrt(column[j]);
    for (Eigen::Index i = j; i < n; ++i) column[i] *= scale;
  }
  return true;
}

}  // namespace

CrbaData::CrbaData(const Model& model) : rnea(model) {
  const Layout& layout = *model.layout;
  inertia.resize(layout.links.size());
  attachment_inertia.resize(layout.attachments.size());
  column.resize(static_cast<std::size_t>(layout.max_modes));
  M.setZero(model.nv, model.nv);
  bias.setZero(model.nv);
  scale.setZero(model.nv);
  zero.setZero(model.nv);
}

void crba(const Model& model, const State& x, CrbaData& ws, Eigen::Ref<MatrixXd> M) {
  check_sizes(model, x, x.v, x.v);
  if (M.rows() != model.nv || M.cols() != model.nv)
    throw InputError("the mass matrix is " + std::to_string(M.rows()) + " x " + std::to_string(M.cols()) +
                     "; it must be nv x nv, " + std::to_string(model.nv) + " x " + std::to_string(model.nv));
  compute_kinematics(model, x, ws.rnea.kin);
  compute_mass_matrix(model, ws, M);
}

void compute_mass_matrix(const Model& model, CrbaData& ws, Eigen::Ref<MatrixXd> M) {
  compute_upper_triangle(model, ws, M);
  M.triangularView<Eigen::StrictlyLower>() = M.transpose();
}

Status crba_forward(const Model& model, const State& x, const Forces& forces, CrbaData& ws, Vec vdot) {
  check_sizes(model, x, forces.tau, vdot);
  rnea(model, x, ws.zero, forces.wrenches, ws.rnea, ws.bias);
  compute_mass_matrix(model, ws, ws.M);
  if (!cholesky_in_place(ws.M) || (ws.M.diagonal().array().square() <= kNoInertia * ws.scale.array()).any()) {
    return x.q.allFinite() ? Status::singular_mass : Status::not_finite;
  }
  vdot = forces.tau - ws.bias;
  ws.M.triangularView<Eigen::Lower>().solveInPlace(vdot);
  ws.M.transpose().triangularView<Eigen::Upper>().solveInPlace(vdot);
  return vdot.allFinite() ? Status::ok : Status::not_finite;
}

}  // namespace limber
