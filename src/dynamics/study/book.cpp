// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Recursive Lagrangian dynamics with 4x4 matrices: [Book] (58)-(90), in the letters of the paper.  In comments, "~" and
// "^" denote the paper's tilde and hat, and jW_i its left superscript j.
//
//   W_i  = W^_(i-1) A_i           frame of link i in the base: joint i after the far end of link i-1        [Book] (3)
//   W^_i = W_i E_i                far end of link i
//   W_i  = W^_(j-1) A_j jW_i      jW_i = E_j A_(j+1) E_(j+1) ... A_i                                        [Book] (58)
//        = W_j E_j jW^_i          jW^_i = A_(j+1) E_(j+1) ... A_i = A_(j+1) (j+1)W_i                        [Book] (59)
// So  dW_i/dq_j = W^_(j-1) U_j jW_i  and  dW_i/ddelta_jf = W_j M_jf jW^_i.
#include "limber/dynamics/detail/book.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "dynamics/aba/elimination.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

// ---- constants and checks ---------------------------------------------------------------------------

Matrix4d transformation(const Pose& X) {
  Matrix4d out = Matrix4d::Identity();
  out.bottomLeftCorner<3, 1>() = X.p;
  out.bottomRightCorner<3, 3>() = X.R;
  return out;
}

Pose node_pose(const Body& body, int node) {
  if (node == kBodyFrame) return {};
  return {body.nodes[node].rotation, body.nodes[node].position};
}

[[noreturn]] void refuse(const std::string& what) {
  throw InputError("algorithm 'book': " + what + "; choose another algorithm");
}

void check_covered(const Model& model) {
  refuse_rotors(model, "book");
  if (model.fidelity != Fidelity::full) {
    refuse("fidelity " + std::string(to_string(model.fidelity)) + " is not covered, only full");
  }
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (joint.parent.body != i - 1) refuse("body '" + model.body_names[i] + "' branches off, only chains are covered");
    if (joint.kind != JointKind::revolute && joint.kind != JointKind::fixed) {
      refuse("joint '" + joint.name + "' is " + to_string(joint.kind) + ", only revolute and fixed are covered");
    }
    if (model.layout->links[i].inboard >= 0) {
      refuse("joint '" + joint.name + "' holds '" + model.body_names[i] +
             "' at a node that its modes move, only clamped modes are covered");
    }
  }
}

// Far end of a link: the frame O+ of its outboard joint.  [Book] (5)-(7), with any rotation of the node and any
// placement of the joint on it.
void set_end(const Body& body, const Joint& joint, BookLink& link) {
  const Matrix4d origin = transformation(joint.origin);
  const int node = joint.parent.node;
  link.H = transformation(node_pose(body, node)) * origin;
  for (int k = 0; k < body.modes && node != kBodyFrame; ++k) {
    Matrix4d M = Matrix4d::Zero();
    M.bottomLeftCorner<3, 1>() = body.nodes[node].translation.col(k);
    M.bottomRightCorner<3, 3>() = skew(body.nodes[node].turn.col(k)) * body.nodes[node].rotation;
    link.M[k] = M * origin;
  }
}

void set_joint(const Body& body, const Joint& joint, BookLink& link) {
  link.B = transformation(inverse(node_pose(body, joint.child_node)));
  link.axis.setZero();
  link.axis.bottomRightCorner<3, 3>() = skew(joint.axis);
  link.axis2 = link.axis * link.axis;
}

// Half the integral of phi_a phi_b^T over the mass, phi_0 = [1; r], phi_k = [0; shape k].  [Book] (25), (28), (30): the
// paper's C_kf, C_f and C are (k, f), (0, f) and (0, 0).
Matrix4d pseudo_inertia(const Body& body, int a, int b) {
  Matrix4d C = Matrix4d::Zero();
  if (a == 0 && b == 0) C(0, 0) = body.mass / 2;
  if (a == 0) C.topRightCorner<1, 3>() = body.S.col(b).transpose() / 2;
  if (b == 0) C.bottomLeftCorner<3, 1>() = body.S.col(a) / 2;
  C.bottomRightCorner<3, 3>() = body.c(a, b) / 2;
  return C;
}

// ---- kinematics -------------------------------------------------------------------------------------

// A = Rot(axis, q) B and its derivatives U = dA/dq, U2 = d^2A/dq^2, [Book] (11)-(12), by Rodrigues' formula.
Matrix4d move_joint(JointKind kind, double q, BookLink& link) {
  link.A = link.B;
  link.U.setZero();
  if (kind == JointKind::fixed) return link.U;
  const double c = std::cos(q), s = std::sin(q);
  link.A += (s * link.axis + (1 - c) * link.axis2) * link.B;
  link.U = (c * link.axis + s * link.axis2) * link.B;
  return (c * link.axis2 - s * link.axis) * link.B;
}

// Outward: transformations and their rates.
void move_link(const Link& at, const State& x, const BookLink& before, BookLink& link) {
  const Matrix4d U2 = move_joint(at.kind, at.nr > 0 ? x.q[at.q] : 0, link);
  const double rate = at.nr > 0 ? x.v[at.v] : 0;
  link.W = before.W_hat * link.A;                                                 // [Book] (3)
  link.W_rate = before.W_hat_rate * link.A + before.W_hat * link.U * rate;        // [Book] (9)
  link.W_v = before.W_hat_v * link.A + before.W_hat_rate * link.U * (2 * rate) +  // [Book] (64)-(65), from (10)
             before.W_hat * U2 * (rate * rate);
  link.E = link.H;
  link.E_rate.setZero();
  for (int k = 0; k < at.n; ++k) {
    link.E += x.q[at.qm + k] * link.M[k];       // [Book] (5)
    link.E_rate += x.v[at.vm + k] * link.M[k];  // [Book] (16)
  }
  link.W_hat = link.W * link.E;                                      // [Book] (13)
  link.W_hat_rate = link.W_rate * link.E + link.W * link.E_rate;     // [Book] (14)
  link.W_hat_v = link.W_v * link.E + link.W_rate * link.E_rate * 2;  // [Book] (64)-(65), from (15)
  link.metric = link.W.transpose() * link.W;
}

// Inertia of one link at its deflection.
//   D_k = C_k + sum_l delta_l C_lk      G = C + sum_k delta_k (C_k + C_k^T) + sum_kl delta_k delta_l C_kl
void deform_link(const Body& body, const Link& at, const State& x, BookLink& link) {
  const auto column = [&](int k) {  // half the integral of h phi_k^T, h the deformed position
    Matrix4d D = pseudo_inertia(body, 0, k);
    for (int l = 0; l < at.n; ++l) D += x.q[at.qm + l] * pseudo_inertia(body, 1 + l, k);
    return D;
  };
  link.G = column(0);
  link.D_rate.setZero();
  for (int k = 0; k < at.n; ++k) {
    link.D[k] = column(1 + k);             // [Book] (36)
    link.G += x.q[at.qm + k] * link.D[k];  // [Book] (37)
    link.D_rate += x.v[at.vm + k] * link.D[k];
  }
}

void compute_links(const Model& model, const State& x, BookData& ws) {
  const auto& at = model.layout->links;
  for (std::size_t j = 1; j < at.size(); ++j) {
    const BookLink& before = ws.links[j - 1];
    BookLink& link = ws.links[j];
    move_link(at[j], x, before, link);
    deform_link(*model.bodies[j], at[j], x, link);
    ws.links[j - 1].next = before.E * link.A;
    if (at[j].nr > 0) ws.left[at[j].v] = before.W_hat * link.U;
    for (int f = 0; f < at[j].n; ++f) ws.left[at[j].vm + f] = link.W * link.M[f];
  }
}

// ---- inertia matrix ---------------------------------------------------------------------------------

double trace(const Matrix4d& a, const Matrix4d& b) { return a.cwiseProduct(b).sum(); }  // Tr{a b^T}

// jF~_h = sum over i >= max(h, j) of jW_i G_i hW_i^T, [Book] (67), and jW_h for j <= h.
struct Pairs {
  const BookData& ws;
  std::size_t size() const { return ws.links.size(); }
  std::size_t last() const { return size() - 1; }
  const Matrix4d& F_tilde(std::size_t j, std::size_t h) const { return ws.F[j * size() + h]; }
  const Matrix4d& W(std::size_t j, std::size_t h) const { return ws.T[j * size() + h]; }
  const Matrix4d& A(std::size_t j) const { return ws.links[j].A; }
  // [Book] (80), (71): jF_h = sum over i >= max(h + 1, j) of jW_i G_i hW^_i^T.
  Matrix4d F(std::size_t j, std::size_t h) const { return F_tilde(j, h + 1) * A(h + 1).transpose(); }
  // [Book] (81), (76): jPhi_h = sum over i >= max(h + 1, j + 1) of jW^_i G_i hW^_i^T.
  Matrix4d Phi(std::size_t j, std::size_t h) const { return A(j + 1) * F(j + 1, h); }
};

// [Book] (77)-(79), and jW_h by its definition.
void compute_pairs(BookData& ws) {
  const std::size_t size = ws.links.size();
  for (std::size_t j = size - 1; j > 0; --j) {
    const Matrix4d& next = ws.links[j].next;
    Matrix4d& own = ws.F[j * size + j];
    own = ws.links[j].G;                                                              // [Book] (77)
    if (j + 1 < size) own += next * ws.F[(j + 1) * size + j + 1] * next.transpose();  // [Book] (79)
    for (std::size_t h = j - 1; h > 0; --h) {                                         // [Book] (78)
      ws.F[j * size + h] = ws.F[j * size + h + 1] * ws.links[h].next.transpose();
      ws.F[h * size + j] = ws.F[j * size + h].transpose();
    }
    ws.T[j * size + j].setIdentity();
    for (std::size_t h = j + 1; h < size; ++h) ws.T[j * size + h] = next * ws.T[(j + 1) * size + h];
  }
}

// Row of joint j: with joint h (j <= h) and the modes of any link h.
void joint_row(const Layout& layout, std::size_t j, std::size_t h, const Pairs& pairs, BookData& ws) {
  const Link &row = layout.links[j], &column = layout.links[h];
  const Matrix4d& left = ws.left[row.v];
  if (column.nr > 0 && j <= h) {
    ws.J(row.v, column.v) = 2 * trace(left * pairs.F_tilde(j, h), ws.left[column.v]);  // [Book] (66)
  }
  if (column.n == 0) return;
  Matrix4d carried = Matrix4d::Zero(), own = Matrix4d::Zero();
  if (h < pairs.last()) carried = left * pairs.F(j, h);
  if (h >= j) own = left * pairs.W(j, h);
  for (int k = 0; k < column.n; ++k) {  // [Book] (68)-(70), omitting empty sums
    ws.J(row.v, column.vm + k) =
        2 * (trace(carried, ws.left[column.vm + k]) + trace(own * ws.links[h].D[k], ws.links[h].W));
  }
}

// Rows of the modes of link j: with the modes of link h, j <= h.
void mode_rows(const Model& model, std::size_t j, std::size_t h, const Pairs& pairs, BookData& ws) {
  const Link &row = model.layout->links[j], &column = model.layout->links[h];
  const Body& body = *model.bodies[j];
  const BookLink& link = ws.links[h];
  Matrix4d Phi = Matrix4d::Zero(), W_hat = Matrix4d::Zero();
  if (h < pairs.last()) Phi = pairs.Phi(j, h);
  if (h > j) W_hat = pairs.A(j + 1) * pairs.W(j + 1, h);
  for (int f = 0; f < row.n; ++f) {
    const Matrix4d carried = ws.left[row.vm + f] * Phi, own = ws.left[row.vm + f] * W_hat;
    for (int k = 0; k < column.n; ++k) {
      double sum = trace(carried, ws.left[column.vm + k]);  // [Book] (73), (75)
      if (h > j) sum += trace(own * link.D[k], link.W);     // [Book] (74), (75)
      // [Book] (72), (73).  The paper has Tr{C_kf} for Tr{W C_kf W^T}, as if W were a rotation, which it is only to
      // first order.
      if (h == j) sum += trace(link.metric, pseudo_inertia(body, 1 + f, 1 + k));
      ws.J(row.vm + f, column.vm + k) = 2 * sum;
    }
  }
}

// J of [Book] (82), both triangles, including motor inertias.
void assemble_inertia(const Model& model, BookData& ws) {
  const Layout& layout = *model.layout;
  const Pairs pairs{ws};
  for (std::size_t j = 1; j < layout.links.size(); ++j) {
    const Link& link = layout.links[j];
    for (std::size_t h = 1; h < layout.links.size(); ++h) {
      if (link.nr > 0) joint_row(layout, j, h, pairs, ws);
      if (h >= j) mode_rows(model, j, h, pairs, ws);
    }
    if (link.nr == 0) continue;
    ws.scale[link.v] = 2 * ws.left[link.v].squaredNorm() * pairs.F_tilde(j, j).trace();
    ws.J(link.v, link.v) += link.armature[0];
  }
  for_motors(layout, [&](const Link& link, int, int m) { ws.J(m, m) = ws.scale[m] = link.motor.inertia; });
  // Mode-joint blocks and the other triangle by symmetry.
  for (std::size_t j = 1; j < layout.links.size(); ++j) {
    const Link& link = layout.links[j];
    for (int f = link.vm; f < link.vm + link.n; ++f) ws.scale[f] = ws.J(f, f);
    for (std::size_t h = 1; h < layout.links.size(); ++h) {
      const Link& other = layout.links[h];
      if (link.nr > 0) ws.J.block(other.vm, link.v, other.n, 1) = ws.J.block(link.v, other.vm, 1, other.n).transpose();
      if (h <= j) continue;
      if (link.nr > 0 && other.nr > 0) ws.J(other.v, link.v) = ws.J(link.v, other.v);
      ws.J.block(other.vm, link.vm, other.n, link.n) = ws.J.block(link.vm, other.vm, link.n, other.n).transpose();
    }
  }
}

// ---- terms without accelerations --------------------------------------------------------------------

// Springs, dampers and stiffness of link j, K of [Book] (48), and the given forces, F_j of (56).
void outer_forces(const Link& link, const State& x, ConstVec tau, Vec R) {
  R.segment(link.v, link.nr + link.n) = tau.segment(link.v, link.nr + link.n);
  if (link.passive && link.nr > 0) add_passive_force(link, &x.q[link.q], &x.v[link.v], &R[link.v]);
  if (link.n == 0) return;
  auto modal = R.segment(link.vm, link.n);
  modal = -modal;
  add_elastic_force(*link.constants, &x.q[link.qm], &x.v[link.vm], modal.data());
  modal = -modal;
}

// Modal equations of link j: [Book] (85), (86).
void mode_rest(const Body& body, const Link& at, const State& x, const Vector4d& g, const BookLink& link,
               const BookLink* next, BookData& ws) {
  for (int f = 0; f < at.n; ++f) {
    Matrix4d C_rate = Matrix4d::Zero();  // sum deltadot_k C_kf
    for (int k = 0; k < at.n; ++k) C_rate += x.v[at.vm + k] * pseudo_inertia(body, 1 + k, 1 + f);
    double& R = ws.R[at.vm + f];
    R -= 2 * trace(link.W_v * link.D[f] + 2 * link.W_rate * C_rate, link.W);
    R += g.tail<3>().dot(link.W.bottomRightCorner<3, 3>() * body.S.col(1 + f));  // g^T W epsilon_f, [Book] (54)-(55)
    if (next == nullptr) continue;
    const Matrix4d on_end = ws.left[at.vm + f] * next->A;
    R += g.dot(on_end * next->P) - 2 * trace(on_end, next->Q.transpose());
  }
}

// Inward: R of [Book] (82), all terms without accelerations.  [Book] (83)-(90).
void compute_rest(const Model& model, const State& x, ConstVec tau, BookData& ws) {
  const Layout& layout = *model.layout;
  Vector4d g;
  g << 0, model.gravity;
  const BookLink* next = nullptr;
  for (std::size_t j = layout.links.size() - 1; j > 0; --j) {
    const Link& at = layout.links[j];
    const Body& body = *model.bodies[j];
    BookLink& link = ws.links[j];
    link.Q = link.G * link.W_v.transpose() + 2 * link.D_rate * link.W_rate.transpose();  // [Book] (87)
    link.P << body.mass, body.S.col(0);                                                  // [Book] (89)
    for (int k = 0; k < at.n; ++k) link.P.tail<3>() += x.q[at.qm + k] * body.S.col(1 + k);
    if (next != nullptr) {
      link.Q += link.next * next->Q;  // [Book] (88)
      link.P += link.next * next->P;  // [Book] (90)
    }
    outer_forces(at, x, tau, ws.R);
    if (at.nr > 0) {
      const Matrix4d& left = ws.left[at.v];
      ws.R[at.v] += g.dot(left * link.P) - 2 * trace(left, link.Q.transpose());  // [Book] (83)-(84)
    }
    mode_rest(body, at, x, g, link, next, ws);
    next = &link;
  }
  for_motors(layout,
             [&](const Link& link, int, int m) { ws.R[m] = tau[m] + motor_reaction(link, x.q.data(), x.v.data()); });
}

}  // namespace

BookData::BookData(const Model& model) {
  check_covered(model);
  const std::size_t size = model.bodies.size();
  links.resize(size);
  for (std::size_t j = 0; j < size; ++j) {
    BookLink& link = links[j];
    const Body& body = *model.bodies[j];
    link.M.assign(body.modes, Matrix4d::Zero());
    link.D = link.M;
    link.H = link.W = Matrix4d::Identity();
    link.W_hat_rate = link.W_hat_v = Matrix4d::Zero();
    if (j + 1 < size) set_end(body, model.joints[j + 1], link);
    if (j > 0) set_joint(body, model.joints[j], link);
  }
  links[0].E = links[0].W_hat = links[0].H;
  left.assign(model.nv, Matrix4d::Zero());
  F.assign(size * size, Matrix4d::Zero());
  T = F;
  J.setZero(model.nv, model.nv);
  R.setZero(model.nv);
  scale.setZero(model.nv);
}

Status book(const Model& model, const State& x, const Forces& forces, BookData& ws, Vec vdot) {
  check_sizes(model, x, forces.tau, vdot);
  if (!forces.wrenches.empty()) refuse("forces on nodes are not covered, only joint torques and modal forces");
  compute_links(model, x, ws);
  compute_pairs(ws);
  assemble_inertia(model, ws);
  compute_rest(model, x, forces.tau, ws);
  // [Book] (82): J z = R.
  const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(ws.J);
  if (factor.info() != Eigen::Success || (ws.J.diagonal().array().square() <= kNoInertia * ws.scale.array()).any()) {
    return x.q.allFinite() ? Status::singular_mass : Status::not_finite;
  }
  vdot = ws.R;
  factor.solveInPlace(vdot);
  return is_finite(vdot) ? Status::ok : Status::not_finite;
}

}  // namespace limber
