// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Decoupled natural orthogonal complement: [MS] (31)-(42).  The twists of all bodies are t = N_l N_d qdot, [MS] (14);
// N_d has the blocks P_i on its diagonal, N_l the products A_ij of the propagations from body j to body i, [MS] (15).
// The mass matrix is I = N_d^T N_l^T M N_l N_d, [MS] (31), and elimination from the leaves to the base gives
// I = U D U^T, [MS] (34), whose blocks are computed recursively.
//
// The paper treats a chain of revolute and prismatic joints.  Here body i may carry any number of others: a sum over
// them replaces the paper's i + 1, and A_ij = 0 if j is not on the path from i to the base.
#include "limber/dynamics/detail/denoc.hpp"

#include <cmath>

#include "dynamics/aba/elimination.hpp"

namespace limber {
namespace {

// [MS] (8)-(10):  A_ip = [ R F ]   P_i = [ H U ]   R = Z X_t,  F = Z Y_t of the node at the joint (theory §3);
//                        [ 0 0 ]         [ 0 1 ]   p_i is our H; U is zero except for a joint on a moving node.
// Constant zeros are not written.
void compute_propagation(const Layout& layout, const Kinematics& kin, int i, DenocBody& body) {
  const Link& link = layout.links[i];
  const LinkFrame& f = kin.links[i];
  for (int j = 0; j < 6; ++j) {
    const Spatial unit = to_spatial(Vector6::Unit(j));
    body.A.col(j) =
        to_vector(across(f, link.attachment < 0 ? unit : twist_at(kin.attachments[link.attachment].l, unit)));
  }
  if (link.attachment >= 0) {
    const Spatial* Y = &kin.columns[layout.attachments[link.attachment].columns];
    for (int k = 0; k < layout.links[link.parent].n; ++k) body.A.col(6 + k) = to_vector(across(f, Y[k]));
  }
  const Spatial* H = kin.hinge_map(link);
  for (int k = 0; k < link.nr; ++k) body.P.col(k) = to_vector(H[k]);
  if (link.inboard < 0) return;
  const Spatial* U = &kin.columns[link.inboard_columns];
  for (int k = 0; k < link.n; ++k) body.P.col(link.nr + k) = to_vector(U[k]);
}

// [MS] (24a): M_i, the mass matrix of the body alone.
void start_mass(const Layout& layout, const Kinematics& kin, int i, DenocBody& body) {
  const Link& link = layout.links[i];
  const LinkFrame& f = kin.links[i];
  MatrixXd& M = body.M_hat;
  const Mat6 rigid = body_inertia(f.m, f.s, f.J);
  for (int j = 0; j < 6; ++j) M.col(j).head<6>() = to_vector(rigid.c[j]);
  const double* G = kin.modal_mass(link, static_cast<std::size_t>(i));
  const int n = link.n, width = kLanes * lanes_for(n);
  for (int k = 0; k < n; ++k) {
    M.col(6 + k).head<6>() = to_vector(kin.columns[link.columns + k]);
    for (int j = 0; j < n; ++j) M(6 + j, 6 + k) = G[j * width + k];
  }
  M.bottomLeftCorner(n, 6) = M.topRightCorner(6, n).transpose();
}

// I = L L^T in place, below the diagonal.  Returns the row without inertia, or -1.
int factor_block(MatrixXd& I, const VectorXd& scale) {
  const Eigen::Index size = I.rows();
  for (Eigen::Index k = 0; k < size; ++k) {
    const double pivot = I(k, k) - I.row(k).head(k).squaredNorm();
    if (!(pivot > kNoInertia * scale[k])) return static_cast<int>(k);
    I(k, k) = std::sqrt(pivot);
    const Eigen::Index below = size - k - 1;
    for (Eigen::Index j = 0; j < k; ++j) I.col(k).tail(below) -= I(k, j) * I.col(j).tail(below);
    I.col(k).tail(below) /= I(k, k);
  }
  return -1;
}

// x = I^-1 x.
void solve_block(const MatrixXd& L, Vec x) {
  L.triangularView<Eigen::Lower>().solveInPlace(x);
  L.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
}

// Eliminates one body, whose M_hat includes the contributions of all outboard bodies.  Returns its speed without
// inertia, or -1.
int eliminate(const Link& link, DenocBody& body, DenocData& ws) {
  const int n = link.n, size = link.nr + n;
  const auto& P = body.P;
  // [MS] (37): Psi_hat = M_hat P.
  body.Psi_hat.noalias() = body.M_hat.leftCols<6>() * P;
  body.Psi_hat.rightCols(n) += body.M_hat.rightCols(n);
  // [MS] (36): I_hat = P^T Psi_hat, plus the armature of the hinge.
  body.I_hat.noalias() = P.transpose() * body.Psi_hat.topRows<6>();
  body.I_hat.bottomRows(n) += body.Psi_hat.bottomRows(n);
  for (int k = 0; k < link.nr; ++k) body.I_hat(k, k) += link.armature[k];
  // Scales as in crba: for hinges the diagonal of M_hat weighted with P^2, for modes the diagonal itself.  theory §5,
  // Without inertia.
  for (int k = 0; k < link.nr; ++k) ws.scale[k] = P.col(k).cwiseAbs2().dot(body.M_hat.diagonal().head<6>());
  ws.scale.segment(link.nr, n) = body.M_hat.diagonal().tail(n);
  if (const int k = factor_block(body.I_hat, ws.scale); k >= 0) return k;
  // [MS] (37): Psi = Psi_hat I_hat^-1.
  body.Psi_t = body.Psi_hat.topRows<6>().transpose();
  for (int j = 0; j < 6 && size > 0; ++j) solve_block(body.I_hat, body.Psi_t.col(j));
  // [MS] (38): M_bar = M_hat - Psi_hat Psi^T.
  body.M_bar = body.M_hat.topLeftCorner<6, 6>();
  body.M_bar.noalias() -= body.Psi_hat.topRows<6>() * body.Psi_t;
  return -1;
}

// [MS] (36)-(38), inward.  Returns the speed without inertia, or -1.
int factor_denoc(const Layout& layout, DenocData& ws) {
  const int count = static_cast<int>(layout.links.size());
  for (int i = 1; i < count; ++i) {
    compute_propagation(layout, ws.rnea.kin, i, ws.bodies[i]);
    start_mass(layout, ws.rnea.kin, i, ws.bodies[i]);
  }
  for (int i = count - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    DenocBody& body = ws.bodies[i];
    if (const int k = eliminate(link, body, ws); k >= 0) return link.v + k;
    if (link.parent == kGround) continue;
    // [MS] (38): M_hat_p += A^T M_bar A.
    auto product = ws.product.leftCols(body.A.cols());
    product.noalias() = body.M_bar * body.A;
    ws.bodies[link.parent].M_hat.noalias() += body.A.transpose() * product;
  }
  return -1;
}

// Step A, [MS] (39), inward: phi_hat = U^-1 phi.  The paper's first line lacks the bar on eta.
//   phi_hat = phi - P^T eta_bar      eta = Psi phi_hat + eta_bar      eta_bar_p += A^T eta
void substitute_inward(const Layout& layout, DenocData& ws) {
  for (DenocBody& body : ws.bodies) body.eta_bar.setZero();
  for (int i = static_cast<int>(layout.links.size()) - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    DenocBody& body = ws.bodies[i];
    auto phi = ws.phi.segment(link.v, link.nr + link.n);
    phi.noalias() -= body.P.transpose() * body.eta_bar.head<6>();
    phi.tail(link.n) -= body.eta_bar.tail(link.n);
    if (link.parent == kGround) continue;
    Vector6 eta = body.eta_bar.head<6>();
    eta.noalias() += body.Psi_t.transpose() * phi;
    ws.bodies[link.parent].eta_bar.noalias() += body.A.transpose() * eta;
  }
}

// Step B, [MS] (40): phi_tilde = D^-1 phi_hat.
void divide(const Layout& layout, DenocData& ws) {
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    if (link.nr + link.n > 0) solve_block(ws.bodies[i].I_hat, ws.phi.segment(link.v, link.nr + link.n));
  }
}

// Step C, [MS] (41)-(42), outward: qddot = U^-T phi_tilde.
//   mu_bar = A mu_p      qddot = phi_tilde - Psi^T mu_bar      mu = P qddot + mu_bar
void substitute_outward(const Layout& layout, DenocData& ws, Vec vdot) {
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    DenocBody& body = ws.bodies[i];
    Vector6 mu = Vector6::Zero();
    if (link.parent != kGround) mu.noalias() = body.A * ws.bodies[link.parent].mu;
    auto qddot = vdot.segment(link.v, link.nr + link.n);
    qddot = ws.phi.segment(link.v, link.nr + link.n);
    qddot.noalias() -= body.Psi_t * mu;
    mu.noalias() += body.P * qddot;
    body.mu.head<6>() = mu;
    body.mu.tail(link.n) = qddot.tail(link.n);
  }
}

}  // namespace

DenocData::DenocData(const Model& model) : rnea(model) {
  refuse_rotors(model, "denoc");
  const Layout& layout = *model.layout;
  bodies.resize(layout.links.size());
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    const int n = link.n, size = link.nr + n;
    DenocBody& body = bodies[i];
    body.A.setZero(6, 6 + (link.parent == kGround ? 0 : layout.links[link.parent].n));
    body.P.setZero(6, size);
    body.M_hat.setZero(6 + n, 6 + n);
    body.Psi_hat.setZero(6 + n, size);
    body.I_hat.setZero(size, size);
    body.Psi_t.setZero(size, 6);
    body.eta_bar.setZero(6 + n);
    body.mu.setZero(6 + n);
  }
  phi.setZero(model.nv);
  zero.setZero(model.nv);
  product.setZero(6, 6 + layout.max_modes);
  scale.setZero(6 + layout.max_modes);
}

Status denoc(const Model& model, const State& x, const Forces& forces, DenocData& ws, Vec vdot) {
  check_sizes(model, x, forces.tau, vdot);
  const Layout& layout = *model.layout;
  // [MS] (33): phi, all forces at zero accelerations.  The paper's formula lacks gamma of its (23).
  rnea(model, x, ws.zero, forces.wrenches, ws.rnea, ws.phi);
  ws.phi = forces.tau - ws.phi;
  ws.failure = factor_denoc(layout, ws);
  if (ws.failure >= 0) return x.q.allFinite() ? Status::singular_mass : Status::not_finite;
  substitute_inward(layout, ws);
  divide(layout, ws);
  substitute_outward(layout, ws, vdot);
  for_motors(layout, [&](const Link& link, int, int m) { vdot[m] = ws.phi[m] / link.motor.inertia; });
  return is_finite(vdot) ? Status::ok : Status::not_finite;
}

}  // namespace limber
