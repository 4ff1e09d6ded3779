// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/operators.hpp"

#include <algorithm>
#include <cmath>

#include "dynamics/aba/elimination.hpp"
#include "dynamics/kinematics/component.hpp"

namespace limber {
namespace {

using Block = Eigen::Block<MatrixXd>;

// Blocks of one body, or of a body and one further inward.
struct Blocks {
  const Layout& layout;
  SpatialOperators& ops;

  int size(int i) const { return layout.links[i].n + 6; }
  int speeds(int i) const { return layout.links[i].n + layout.links[i].nr; }
  Block wide(MatrixXd& m, int i, int j) const { return m.block(ops.row[i], ops.row[j], size(i), size(j)); }
  Block own(MatrixXd& m, int i) const { return wide(m, i, i); }
  Block H(int i) const { return ops.H.block(layout.links[i].v, ops.row[i], speeds(i), size(i)); }
  Block tall(MatrixXd& m, int i, int j) const { return m.block(ops.row[i], layout.links[j].v, size(i), speeds(j)); }
  Block small(MatrixXd& m, int i) const { return m.block(layout.links[i].v, layout.links[i].v, speeds(i), speeds(i)); }
  Block scratch(int k, Eigen::Index rows, Eigen::Index cols) const { return ops.scratch[k].block(0, 0, rows, cols); }
};

// M_m of a body: [G mu^T; mu M_rr].  theory §2, [JR] (23).
void put_mass(const Link& link, int i, const Kinematics& kin, Block M) {
  const int n = link.n, width = kLanes * lanes_for(n);
  const double* G = n > 0 ? kin.modal_mass(link, static_cast<std::size_t>(i)) : nullptr;
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) M(j, k) = G[j * width + k];
    M.block<6, 1>(n, k) = to_vector(kin.columns[link.columns + k]);
    M.block<1, 6>(k, n) = M.block<6, 1>(n, k).transpose();
  }
  const Mat6 inertia = body_inertia(kin.links[i].m, kin.links[i].s, kin.links[i].J);
  for (int k = 0; k < 6; ++k) M.block<6, 1>(n, n + k) = to_vector(inertia.c[k]);
}

// H of a body: rows [0 H_F^T] of its hinge and [1 U^T] of its modes.  theory §2, Body frame; [JR] (13).
void put_joint_map(const Link& link, const Kinematics& kin, Block H) {
  const int n = link.n;
  const Spatial* H_F = kin.hinge_map(link);
  for (int k = 0; k < link.nr; ++k) H.block<1, 6>(k, n) = to_vector(H_F[k]).transpose();
  for (int k = 0; k < n; ++k) {
    H(link.nr + k, k) = 1;
    if (link.inboard >= 0) H.block<1, 6>(link.nr + k, n) = to_vector(kin.columns[link.inboard_columns + k]).transpose();
  }
}

// E_Phi from body i to its parent: maps wrenches f_r to [Y_t^T; X_t^T] Z^T f_r; modal forces are not transmitted.
// [JR] (12).
void put_step(const Layout& layout, int i, const Kinematics& kin, Block E) {
  const Link& link = layout.links[i];
  const int n = layout.links[link.parent].n;
  for (int r = 0; r < 6; ++r) {
    Spatial g = zero_spatial();
    half(g, r)[r % 3] = 1;
    g = back_across(kin.links[i], g);
    if (link.attachment >= 0) {
      const Spatial* Y = &kin.columns[layout.attachments[link.attachment].columns];
      for (int k = 0; k < n; ++k) E(k, link.n + r) = dot(Y[k], g);
      g = wrench_from(kin.attachments[link.attachment].l, g);
    }
    E.block<6, 1>(n, link.n + r) = to_vector(g);
  }
}

// D = L L^T in place.  Returns the column without inertia, or -1.  `scale`: scale of rounding errors of each pivot.
template <typename Scale>
int factor_diagonal(Block D, const Scale& scale) {
  for (Eigen::Index j = 0; j < D.cols(); ++j) {
    const double pivot = D(j, j) - D.row(j).head(j).squaredNorm();
    if (!(pivot > kNoInertia * scale(j))) return static_cast<int>(j);
    D(j, j) = std::sqrt(pivot);
    for (Eigen::Index i = j + 1; i < D.rows(); ++i) {
      D(i, j) = (D(i, j) - D.row(i).head(j).dot(D.row(j).head(j))) / D(j, j);
    }
    D.col(j).head(j).setZero();
  }
  return -1;
}

// Adds E R E^T to R of the parent.  [JR] (47).
void compose(const Blocks& b, int i, int parent, MatrixXd& m, const Block& inertia) {
  const Block E = b.wide(b.ops.E_Phi, parent, i);
  Block product = b.scratch(0, E.rows(), E.cols());
  product.noalias() = E * inertia;
  b.own(m, parent).noalias() += product * E.transpose();
}

// D, G, tau and P+ of one body, and their contribution to the parent.  [JR] (51).  Returns the speed without inertia or
// -1.
int articulate(const Blocks& b, int i) {
  SpatialOperators& ops = b.ops;
  const Link& link = b.layout.links[i];
  const Block H = b.H(i), P = b.own(ops.P, i), R = b.own(ops.R, i);
  Block D = b.small(ops.D, i), L = b.small(ops.D_factor, i), G = b.tall(ops.G, i, i), tau = b.own(ops.tau, i);
  Block HP = b.scratch(0, H.rows(), H.cols());
  HP.noalias() = H * P;
  D.noalias() = HP * H.transpose();
  for (int k = 0; k < link.nr; ++k) D(k, k) += link.armature[k];
  L = D;
  const auto scale = [&](Eigen::Index k) { return H.row(k).cwiseAbs2().dot(R.diagonal()); };
  if (const int k = factor_diagonal(L, scale); k >= 0) return link.v + k;
  G = HP.transpose();
  L.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(G);
  L.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(G);
  tau.setIdentity();
  tau.noalias() -= G * H;
  if (link.parent == kGround) return -1;
  const Block E = b.wide(ops.E_Phi, link.parent, i);
  b.tall(ops.K, link.parent, i).noalias() = E * G;
  b.wide(ops.E_Psi, link.parent, i).noalias() = E * tau;
  Block P_plus = b.scratch(1, P.rows(), P.cols()), half = b.scratch(2, P.rows(), P.cols());
  half.noalias() = tau * P;
  P_plus = 0.5 * (half + half.transpose());
  compose(b, i, link.parent, ops.P, P_plus);
  return -1;
}

// (1 - E)^-1 = 1 + E + E^2 + ...: E is nilpotent.  Row blocks from the leaves inward.  [JR] (19), (53).
void accumulate(const Blocks& b, MatrixXd& E, MatrixXd& out) {
  for (int i = static_cast<int>(b.layout.links.size()) - 1; i > 0; --i) {
    const int parent = b.layout.links[i].parent;
    b.own(out, i).setIdentity();
    if (parent == kGround) continue;
    for (const int j : b.ops.subtree[i]) {
      if (j == i) {
        b.wide(out, parent, i) = b.wide(E, parent, i);
      } else {
        b.wide(out, parent, j).noalias() = b.wide(E, parent, i) * b.wide(out, i, j);
      }
    }
  }
}

// Given forces minus elastic and passive ones, and the inertial forces p.
void collect_forces(const Layout& layout, const Forces& forces, OperatorsData& ws) {
  const Kinematics& kin = ws.ops.kin;
  ws.T = forces.tau;
  for (int i = 1; i < static_cast<int>(layout.links.size()); ++i) {
    const Link& link = layout.links[i];
    if (link.passive) add_passive_force(link, &kin.q[link.q], &kin.v[link.v], &ws.T[link.v]);
    if (link.n > 0) {
      double* f = &ws.p[ws.ops.row[i]];
      std::fill_n(f, link.n, 0.0);
      add_elastic_force(*link.constants, &kin.eta[link.scalars], &kin.etadot[link.scalars], f);
      for (int k = 0; k < link.n; ++k) {
        ws.T[link.vm + k] -= f[k];
        f[k] = kin.p_f[link.scalars + k];
      }
    }
    ws.p.segment<6>(ws.ops.row[i] + link.n) = to_vector(kin.links[i].p);
  }
  for_motors(layout,
             [&](const Link& link, int, int m) { ws.T[m] += motor_reaction(link, kin.q.data(), kin.v.data()); });
}

}  // namespace

SpatialOperators::SpatialOperators(const Model& model) : kin(model) {
  refuse_rotors(model, "operators");
  const Layout& layout = *model.layout;
  for (const Link& link : layout.links) {
    row.push_back(rows);
    if (row.size() > 1) rows += link.n + 6;
  }
  if (rows > kMaxOperatorRows) {
    throw InputError("operators: dense matrices of " + std::to_string(rows) + " rows; at most " +
                     std::to_string(kMaxOperatorRows) + ", take aba for larger machines");
  }
  subtree.resize(layout.links.size());
  for (int i = static_cast<int>(layout.links.size()) - 1; i > 0; --i) {
    subtree[i].insert(subtree[i].begin(), i);
    std::vector<int>& parent = subtree[layout.links[i].parent];
    parent.insert(parent.end(), subtree[i].begin(), subtree[i].end());
  }
  H.setZero(model.nv, rows);
  D.setZero(model.nv, model.nv);
  D_factor = D;
  K = G = H.transpose();
  for (MatrixXd* m : {&E_Phi, &Phi, &M_m, &R, &P, &tau, &E_Psi, &Psi}) m->setZero(rows, rows);
  for (MatrixXd& m : scratch) m.setZero(layout.max_modes + 6, layout.max_modes + 6);
}

Status compute_operators(const Model& model, SpatialOperators& ops) {
  const Layout& layout = *model.layout;
  const Blocks b{layout, ops};
  ops.failure = -1;
  for (int i = 1; i < model.body_count(); ++i) {
    const Link& link = layout.links[i];
    put_mass(link, i, ops.kin, b.own(ops.M_m, i));
    put_joint_map(link, ops.kin, b.H(i));
    if (link.parent != kGround) put_step(layout, i, ops.kin, b.wide(ops.E_Phi, link.parent, i));
    b.own(ops.R, i) = b.own(ops.P, i) = b.own(ops.M_m, i);
  }
  accumulate(b, ops.E_Phi, ops.Phi);
  for (int i = model.body_count() - 1; i > 0; --i) {
    if (layout.links[i].parent != kGround) compose(b, i, layout.links[i].parent, ops.R, b.own(ops.R, i));
  }
  for (int i = model.body_count() - 1; i > 0; --i) {
    ops.failure = articulate(b, i);
    if (ops.failure >= 0) return ops.kin->q.allFinite() ? Status::singular_mass : Status::not_finite;
  }
  for_motors(layout, [&](const Link& link, int, int m) {
    ops.D(m, m) = link.motor.inertia;
    ops.D_factor(m, m) = std::sqrt(link.motor.inertia);
  });
  accumulate(b, ops.E_Psi, ops.Psi);
  return Status::ok;
}

OperatorsData::OperatorsData(const Model& model) : ops(model) {
  T.setZero(model.nv);
  nu.setZero(model.nv);
  p.setZero(ops.rows);
  wide.setZero(ops.rows);
}

// With p = M_m Phi^T a_m + b_m in place of [JR]'s two terms, and the elastic forces K_m in T, lemma 7.1 (57) reads
//   nu = D^-1 (T - H Psi (K T + p))        vdot = (1 - H Psi K)^T nu
Status operators_forward(const Model& model, const State& x, const Forces& forces, OperatorsData& ws, Vec vdot) {
  check_sizes(model, x, forces.tau, vdot);
  SpatialOperators& ops = ws.ops;
  compute_bias(model, x, forces.wrenches, ops.kin);
  collect_forces(*model.layout, forces, ws);
  const Status status = compute_operators(model, ops);
  ws.failure = ops.failure;
  if (status != Status::ok) return status;
  ws.p.noalias() += ops.K * ws.T;
  ws.wide.noalias() = ops.Psi * ws.p;
  ws.nu = ws.T;
  ws.nu.noalias() -= ops.H * ws.wide;
  ops.D_factor.triangularView<Eigen::Lower>().solveInPlace(ws.nu);
  ops.D_factor.triangularView<Eigen::Lower>().transpose().solveInPlace(ws.nu);
  ws.p.noalias() = ops.H.transpose() * ws.nu;
  ws.wide.noalias() = ops.Psi.transpose() * ws.p;
  vdot = ws.nu;
  vdot.noalias() -= ops.K.transpose() * ws.wide;
  return is_finite(vdot) ? Status::ok : Status::not_finite;
}

}  // namespace limber
