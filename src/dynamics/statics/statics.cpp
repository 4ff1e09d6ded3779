// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Statics of a tree in O(N).  A small displacement of body i is X = (theta, u): rotation theta and displacement u of
// its origin, in its own basis.  Changes of wrenches, Delta F, are relative to world: for a dead load, zero.
// docs/theory.md, Statics.
#include "limber/dynamics/statics.hpp"

#include <algorithm>
#include <cmath>

#include "dynamics/kinematics/sweeps.hpp"
#include "limber/dynamics/detail/rnea.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/rotation.hpp"
#include "node_curvature.hpp"

namespace limber {
namespace statics_impl {

// Equations of one body in the sweep:  Delta F = A X + B eta + z,  modal forces C X + E eta + w.
struct BodyStiffness {
  Matrix6 A;
  Matrix6X B;
  Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor> C;
  MatrixXd E;
  Vector6 z;
  VectorXd w;
};

// Wrench on all bodies outboard of a point: Delta G = Gamma X_t + zeta for a displacement X_t of the point.
struct OutboardStiffness {
  Matrix6 Gamma = Matrix6::Zero();
  Vector6 zeta = Vector6::Zero();
};

// A node of a body with its columns: `force` map modal forces, `move` displacements (none in `ruthless`).
struct NodeMaps {
  Vector3d l = Vector3d::Zero();
  Matrix6X force, move;
};

}  // namespace statics_impl

using namespace statics_impl;

namespace {

constexpr double kNeutral = 1e-12;  // added stiffness relative to the acting forces, per rad or m
constexpr double kAtRest = 1e-12;   // 1/s^2: added stiffness relative to the mass, if no forces act

using Rows6 = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>;
using Block3 = Eigen::Matrix<double, 6, 3>;

Matrix6X to_columns(const Spatial* columns, int n) {
  Matrix6X out(6, n);
  for (int k = 0; k < n; ++k) out.col(k) = to_vector(columns[k]);
  return out;
}

// [n~; f~]: [n~; f~] theta = -theta x F is the change of the components of a wrench when its basis rotates by theta.
Block3 turned_under(const Vector6& F) {
  Block3 out;
  out << skew(F.head<3>()), skew(F.tail<3>());
  return out;
}

// X(l) = [1, 0; -l~, 1].
Matrix6 twist_map(const Vector3d& l) {
  Matrix6 T = Matrix6::Identity();
  T.bottomLeftCorner<3, 3>() = -skew(l);
  return T;
}

// Tangent of a joint's springs.
void add_spring_stiffness(const Link& link, const double* q, Eigen::Ref<MatrixXd> D) {
  if (!link.quaternion) {
    for (int k = 0; k < link.nr; ++k) D(k, k) += link.stiffness[k];
    return;
  }
  const Vector3d phi = quaternion_log(q);
  for (int k = 0; k < 3; ++k) D.block<3, 1>(0, k) += link.stiffness[k] * inverse_right_jacobian(phi, Vector3d::Unit(k));
  if (link.nr == 3) return;
  const Matrix3d R = quaternion_rotation(q);
  const Vector3d k(link.stiffness[3], link.stiffness[4], link.stiffness[5]), p(q[4], q[5], q[6]);
  D.block<3, 3>(3, 0) += skew(R.transpose() * k.cwiseProduct(p));
  D.block<3, 3>(3, 3) += R.transpose() * k.asDiagonal() * R;
}

// A motor with elastic transmission, eliminated before its joint.  Within its backlash it has no stiffness.
struct MotorStiffness {
  double stiffness, coupling, own;
  MotorStiffness(const Link& link, const double* q, double sigma, ConstVec added)
      : stiffness(
            link.motor.gap > 0 && link.motor.deflection(link.motor.twist(q + link.q)) == 0 ? 0 : link.motor.stiffness),
        coupling(stiffness * link.motor.per_turn),
        own(coupling * link.motor.per_turn + sigma * link.motor.inertia + added[link.v + link.motor.v]) {}
  double share() const { return own == 0 ? 0 : coupling / own; }
  double move(double force, double joint) const { return own == 0 ? 0 : (force + coupling * joint) / own; }
  double at_joint() const { return stiffness - coupling * share(); }
};

// Number of nonpositive eigenvalues of the symmetric part.
int count_not_positive(const MatrixXd& D) {
  return static_cast<int>(D.rows() - (eigenvalues_symmetric(MatrixXd(0.5 * (D + D.transpose()))).array() > 0).count());
}

}  // namespace

struct StaticTangent::Data {
  explicit Data(const Model& m) : model(m), rnea_ws(m) {
    forces.setZero(m.nv);
    scale = mass = none = y0 = forces;
    gains.setZero(m.nv, 6);
    bodies.resize(m.bodies.size());
    outboard.resize(m.layout->attachments.size());
    X.assign(m.bodies.size(), Vector6::Zero());
  }

  const Model& model;
  RneaData rnea_ws;
  std::vector<NodeWrench> wrenches;
  std::vector<std::vector<std::size_t>> loads_of;   // (body) indices of wrenches
  VectorXd forces, scale, mass, none;               // (nv)
  std::vector<OutboardStiffness> bodies, outboard;  // (body) bodies on its frame; (outboard attachment) bodies on it
  Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor> gains;  // (nv x 6) y = y0 - gains X+
  VectorXd y0;                                                      // (nv)
  std::vector<Vector6> X;                                           // (body)

  const Data& configured() const {
    return loads_of.empty() ? throw InputError("StaticTangent: there is no configuration; call set first") : *this;
  }
  bool ruthless() const { return model.layout->ruthless; }
  const Kinematics& kin() const { return rnea_ws.kin; }

  NodeMaps attachment(const Link& link, int h) const {
    NodeMaps maps;
    maps.l = to_vector(kin().attachments[h].l);
    maps.force = to_columns(&kin().columns[model.layout->attachments[h].columns], link.n);
    maps.move = ruthless() ? Matrix6X::Zero(6, link.n) : maps.force;
    return maps;
  }
  NodeMaps node(const Link& link, NodeRef at) const {
    NodeMaps maps;
    maps.force = maps.move = Matrix6X::Zero(6, link.n);
    if (at.node == kBodyFrame) return maps;
    std::vector<Spatial> Y(static_cast<std::size_t>(kLanes * lanes_for(std::max(link.n, 1))));
    const NodeFrame frame = node_in_body(model, kin(), at, Y.data());
    maps.l = to_vector(frame.l);
    maps.force = to_columns(Y.data(), link.n);
    if (!ruthless()) maps.move = maps.force;
    return maps;
  }

  void compute_scales();
  void compute_masses();
  void own_stiffness(int i, double sigma, BodyStiffness& b) const;
  void add_node(const Link& link, int node, const NodeMaps& at, const Vector6& G, const OutboardStiffness& outboard,
                BodyStiffness& b) const;
  void add_loads(int i, const Link& link, BodyStiffness& b) const;
  void add_inboard_node(const Link& link, const Vector6& F, const Matrix6X& U, BodyStiffness& b) const;
  void hand_inboard(int i, const Matrix6X& W, const Matrix6X& AW, const MatrixXd& solved, const BodyStiffness& b);
  int eliminate(int i, bool hinge, double sigma, ConstVec added, ConstVec r, BodyStiffness& b);
};

StaticTangent::StaticTangent(const Model& model) : data_(std::make_unique<Data>(model)) {}
StaticTangent::~StaticTangent() = default;
const VectorXd& StaticTangent::forces() const { return data_->configured().forces; }
const VectorXd& StaticTangent::scale() const { return data_->configured().scale; }
const VectorXd& StaticTangent::mass() const { return data_->configured().mass; }

void StaticTangent::set(const State& x, const Vector3d& gravity, std::span<const NodeWrench> wrenches) {
  Data& d = *data_;
  set_gravity(gravity, d.rnea_ws.kin);
  d.wrenches.assign(wrenches.begin(), wrenches.end());
  rnea(d.model, {x.t, x.q, d.none}, d.none, wrenches, d.rnea_ws, d.forces);
  d.loads_of.assign(d.model.bodies.size(), {});
  for (std::size_t k = 0; k < wrenches.size(); ++k)
    d.loads_of[static_cast<std::size_t>(wrenches[k].at.body)].push_back(k);
  d.compute_scales();
  d.compute_masses();
}

// The same sums as in rnea, with the magnitudes of the terms.
void StaticTangent::Data::compute_scales() {
  const Layout& layout = *model.layout;
  const std::size_t count = layout.links.size();
  struct Size {
    double n = 0, f = 0;
  };
  std::vector<Size> at_body(count), at_node(layout.attachments.size());
  for (std::size_t i = count - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    const LinkFrame& f = kin().links[i];
    const Vector3d a0 = to_vector(f.a.lin), s = to_vector(f.s);
    Size& size = at_body[i];
    VectorXd load_scale = VectorXd::Zero(link.n);
    size.n += s.norm() * a0.norm();
    size.f += f.m * a0.norm();
    for (const std::size_t k : loads_of[i]) {
      const double force = wrenches[k].wrench.tail<3>().norm(), torque = wrenches[k].wrench.head<3>().norm();
      const NodeMaps at = node(link, wrenches[k].at);
      size.f += force;
      size.n += torque + at.l.norm() * force;
      for (int a = 0; a < link.n; ++a)
        load_scale[a] += at.force.col(a).head<3>().norm() * torque + at.force.col(a).tail<3>().norm() * force;
    }
    const Spatial* mu = link.n > 0 ? &kin().columns[link.columns] : nullptr;
    for (int a = 0; a < link.n; ++a) {
      double terms = to_vector(mu[a].lin).norm() * a0.norm();
      for (int b = 0; b < link.n; ++b)
        terms += std::abs(model.body(static_cast<int>(i)).stiffness(a, b) * kin().eta[link.scalars + b]);
      scale[link.vm + a] = terms + load_scale[a];
    }
    for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
      const Spatial* Y = &kin().columns[layout.attachments[h].columns];
      for (int a = 0; a < link.n; ++a)
        scale[link.vm + a] += to_vector(Y[a].ang).norm() * at_node[h].n + to_vector(Y[a].lin).norm() * at_node[h].f;
      size.n += at_node[h].n + to_vector(kin().attachments[h].l).norm() * at_node[h].f;
      size.f += at_node[h].f;
    }
    for (int a = 0; link.inboard >= 0 && a < link.n; ++a) {
      const Spatial& U = kin().columns[link.inboard_columns + a];
      scale[link.vm + a] += to_vector(U.ang).norm() * size.n + to_vector(U.lin).norm() * size.f;
    }
    const Spatial* H = kin().hinge_map(link);
    for (int k = 0; k < link.nr; ++k) {
      const Vector6 h = to_vector(H[k]);
      scale[link.v + k] =
          h.head<3>().norm() * size.n + h.tail<3>().norm() * size.f + std::abs(link.stiffness[k] * kin().q[link.q + k]);
    }
    if (link.motor.v != 0) {
      const double twist = std::abs(kin().q[link.q]) + std::abs(kin().q[link.q + link.motor.q] * link.motor.per_turn);
      scale[link.v] += link.motor.stiffness * twist;
      scale[link.v + link.motor.v] = link.motor.stiffness * twist * std::abs(link.motor.per_turn);
    }
    Size& in = link.attachment >= 0 ? at_node[link.attachment] : at_body[link.parent];
    in.n += size.n + to_vector(f.r).norm() * size.f;
    in.f += size.f;
  }
}

// The diagonal of M from composite inertias.
void StaticTangent::Data::compute_masses() {
  const Layout& layout = *model.layout;
  std::vector<Matrix6> composite(layout.links.size(), Matrix6::Zero());
  for (std::size_t i = layout.links.size() - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    const LinkFrame& f = kin().links[i];
    for (int a = 0; a < link.n; ++a)
      mass[link.vm + a] = kin().modal_mass(link, i)[static_cast<std::size_t>(a) * kLanes * lanes_for(link.n) + a];
    const Mat6 own = body_inertia(f.m, f.s, f.J);
    for (int j = 0; j < 6; ++j) composite[i].col(j) += to_vector(own.c[j]);
    const Spatial* H = kin().hinge_map(link);
    for (int k = 0; k < link.nr; ++k) {
      const Vector6 h = to_vector(H[k]);
      mass[link.v + k] = h.dot(composite[i] * h) + link.armature[k];
    }
    if (link.motor.v != 0) mass[link.v + link.motor.v] = link.motor.inertia;
    Matrix6 Z = twist_map(to_vector(f.r) +
                          (link.attachment >= 0 ? to_vector(kin().attachments[link.attachment].l) : Vector3d::Zero()));
    const Matrix3d Rt = to_matrix(f.Rt);
    Z.topRows<3>() = (Rt * Z.topRows<3>()).eval();
    Z.bottomRows<3>() = (Rt * Z.bottomRows<3>()).eval();
    composite[link.parent].noalias() += Z.transpose() * composite[i] * Z;
  }
}

// Gravity, elasticity and sigma M of one body alone.  With a0 = -g:
//   Delta n = Delta s x a0,  Delta s = theta x s + S eta,  modal force S_a . a0
void StaticTangent::Data::own_stiffness(int i, double sigma, BodyStiffness& b) const {
  const Link& link = model.layout->links[i];
  const LinkFrame& f = kin().links[i];
  const Vector3d a0 = to_vector(f.a.lin);
  const int n = link.n;
  const Mat6 M = body_inertia(f.m, f.s, f.J);
  for (int j = 0; j < 6; ++j) b.A.col(j) = sigma * to_vector(M.c[j]);
  b.A.topLeftCorner<3, 3>() += skew(a0) * skew(to_vector(f.s));
  b.z.setZero();
  b.B.setZero(6, n);
  b.C.setZero(n, 6);
  b.E.setZero(n, n);
  b.w.setZero(n);
  if (n == 0) return;
  const Matrix6X mu = to_columns(&kin().columns[link.columns], n);
  const auto S = mu.bottomRows<3>();
  b.B = sigma * mu;
  if (!ruthless()) b.B.topRows<3>() -= skew(a0) * S;
  b.C = sigma * mu.transpose();
  b.C.leftCols<3>() += S.transpose() * skew(a0);
  b.E = model.body(i).stiffness;
  const double* G = kin().modal_mass(link, static_cast<std::size_t>(i));
  for (int r = 0; r < n; ++r) {
    for (int c = 0; c < n; ++c) b.E(r, c) += sigma * G[static_cast<std::size_t>(r) * kLanes * lanes_for(n) + c];
  }
  for (std::size_t k = 0; !ruthless() && k < link.constants->pairs.size();
       ++k) {  // first moments of the products of modes
    const auto [r, c] = link.constants->pairs[k];
    const double load = to_vector(link.constants->S[static_cast<std::size_t>(n) + k]).dot(a0);
    b.E(r, c) += load;
    if (r != c) b.E(c, r) += load;
  }
}

// A wrench G at a node, which changes by Gamma X_t + zeta with the displacement X_t = T X + move eta of the node:
//   Delta F = T^T Delta G + [Delta l x f; 0],   modal forces Y^T (Delta G - theta x G) + (dY)^T G
void StaticTangent::Data::add_node(const Link& link, int node, const NodeMaps& at, const Vector6& G,
                                   const OutboardStiffness& outboard_of, BodyStiffness& b) const {
  const Matrix6 T = twist_map(at.l);
  const Matrix3d f = skew(G.tail<3>());
  const Matrix6 TG = T.transpose() * outboard_of.Gamma;
  b.A.noalias() += TG * T;
  b.A.topLeftCorner<3, 3>() += f * skew(at.l);
  b.z.noalias() += T.transpose() * outboard_of.zeta;
  if (link.n == 0 || node == kBodyFrame) return;
  b.B.noalias() += TG * at.move;
  b.B.topRows<3>() -= f * at.move.bottomRows<3>();
  const Rows6 YG = at.force.transpose() * outboard_of.Gamma;
  b.C.noalias() += YG * T;
  b.C.leftCols<3>() += at.force.transpose() * turned_under(G);
  b.E.noalias() += YG * at.move;
  b.w.noalias() += at.force.transpose() * outboard_of.zeta;
  if (ruthless()) return;
  const NodeCurvature curvature(link.constants->nodes[node], link.n, &kin().eta[link.scalars]);
  for (int a = 0; a < link.n; ++a) {
    for (int c = 0; c < link.n; ++c)
      b.E(a, c) += curvature.turn(a, c).dot(G.head<3>()) + curvature.shift(a, c).dot(G.tail<3>());
  }
}

// External wrenches: dead loads are constant, followers rotate with their node, Delta G = phi x G.
void StaticTangent::Data::add_loads(int i, const Link& link, BodyStiffness& b) const {
  for (const std::size_t k : loads_of[static_cast<std::size_t>(i)]) {
    const NodeWrench& load = wrenches[k];
    const Matrix3d R = load.frame == Frame::node ? to_matrix(node_in_body(model, kin(), load.at, nullptr).R)
                                                 : Matrix3d(kin().world[i].R.transpose());
    Vector6 G;  // minus the applied wrench
    G << -R * load.wrench.head<3>(), -R * load.wrench.tail<3>();
    OutboardStiffness follow;
    if (load.frame == Frame::node) follow.Gamma.leftCols<3>() = -turned_under(G);
    add_node(link, load.at.node, node(link, load.at), G, follow, b);
  }
}

// For a joint on a moving node of the body: modal forces U^T F.
//   U_a = -[A lambda_a; gamma_a - A lambda_a x l]                    theory §2, Body frame
void StaticTangent::Data::add_inboard_node(const Link& link, const Vector6& F, const Matrix6X& U,
                                           BodyStiffness& b) const {
  b.C.noalias() += U.transpose() * b.A;
  b.C.leftCols<3>() += U.transpose() * turned_under(F);
  b.E.noalias() += U.transpose() * b.B;
  b.w.noalias() += U.transpose() * b.z;
  if (ruthless()) return;
  const NodeConstants& constants = link.constants->nodes[link.inboard];
  const NodeCurvature curvature(constants, link.n, &kin().eta[link.scalars]);
  std::vector<Spatial> Y(static_cast<std::size_t>(kLanes * lanes_for(link.n)));
  NodeFrame frame;
  compute_node(constants, link.n, &kin().eta[link.scalars], &kin().etadot[link.scalars], frame, Y.data());
  const Vector3d l = to_vector(frame.l), n = F.head<3>(), f = F.tail<3>();
  for (int a = 0; a < link.n; ++a) {
    for (int c = 0; c < link.n; ++c) {
      const Vector3d turn = curvature.turn(a, c);
      const Vector3d shift = curvature.shift(a, c) - turn.cross(l) - to_vector(Y[a].ang).cross(to_vector(Y[c].lin));
      b.E(a, c) -= turn.dot(n) + shift.dot(f);
    }
  }
}

// To the inboard frame: G = Z^T F, where the origin of F moves relative to that frame by phi x r + R W_lin y.
void StaticTangent::Data::hand_inboard(int i, const Matrix6X& W, const Matrix6X& AW, const MatrixXd& solved,
                                       const BodyStiffness& b) {
  const Link& link = model.layout->links[i];
  const LinkFrame& frame = kin().links[i];
  const Vector6 F = to_vector(rnea_ws.sweep.f[i]);
  const auto Yx = solved.leftCols<6>();
  const Matrix3d R = to_matrix(frame.R), r_tilde = skew(to_vector(frame.r));
  Matrix6 Z = Matrix6::Zero();
  Z.topLeftCorner<3, 3>() = R.transpose();
  Z.bottomRightCorner<3, 3>() = R.transpose();
  Z.bottomLeftCorner<3, 3>() = -R.transpose() * r_tilde;
  const Matrix3d f_tilde = skew(R * F.tail<3>());
  OutboardStiffness& in = link.attachment >= 0 ? outboard[link.attachment] : bodies[link.parent];
  const Matrix6 P = b.A - AW * Yx;
  in.Gamma += Z.transpose() * P * Z;
  in.Gamma.topLeftCorner<3, 3>() += f_tilde * r_tilde;
  in.zeta += Z.transpose() * (b.z + AW * solved.col(6));
  if (W.cols() > 0) {
    const Eigen::Matrix<double, 3, Eigen::Dynamic> arm = f_tilde * R * W.bottomRows<3>();
    in.Gamma.topRows<3>() += arm * Yx * Z;
    in.zeta.head<3>() -= arm * solved.col(6);
  }
}

// Eliminates hinge and modes of body i, y = (hinge, modes), and passes Gamma, zeta inboard.  With W = [H, U]:
//   X = X+ + W y,  Delta F = A X + B eta + z,  D y = (r_hinge - H^T z, r_modes - w) - [H^T A'; C] X+
int StaticTangent::Data::eliminate(int i, bool hinge, double sigma, ConstVec added, ConstVec r, BodyStiffness& b) {
  const Link& link = model.layout->links[i];
  const Vector6 F = to_vector(rnea_ws.sweep.f[i]);
  const int n = link.n, nr = hinge ? link.nr : 0, m = nr + n;
  Matrix6X W = Matrix6X::Zero(6, m), W_joint;
  const Spatial* maps = kin().hinge_map(link);
  W.leftCols(nr) = to_columns(maps, nr);
  W_joint = W;  // motion on the joint side
  if (link.inboard >= 0) {
    const Matrix6X U = to_columns(&kin().columns[link.inboard_columns], n);
    add_inboard_node(link, F, U, b);
    if (!ruthless()) W.rightCols(n) = U;
  }
  const auto H = W.leftCols(nr);
  Matrix6X AW = b.A * W;
  AW.rightCols(n) += b.B;
  const Block3 under = turned_under(F);
  MatrixXd D(m, m);
  Rows6 right(m, 6);
  D.topRows(nr) = H.transpose() * (AW + under * W_joint.topRows<3>());
  right.topRows(nr) = H.transpose() * b.A;
  right.topRows(nr).leftCols<3>() += H.transpose() * under;
  D.bottomRows(n) = b.C * W;
  D.bottomRightCorner(n, n) += b.E;
  right.bottomRows(n) = b.C;
  if (nr > 0) {
    if (link.inboard >= 0 && !ruthless())
      D.topRightCorner(nr, n) -= H.topRows<3>().transpose() * skew(F.tail<3>()) * W.rightCols(n).bottomRows<3>();
    for (int k = 1; link.varies && k < nr; ++k) {  // dH_j / dq_k = H_j x H_k, j < k: theory §8 (4)
      for (int j = 0; j < k; ++j) D(j, k) += to_vector(cross_twist(maps[j], maps[k])).dot(F);
    }
    if (link.passive) add_spring_stiffness(link, &kin().q[link.q], D.topLeftCorner(nr, nr));
    for (int k = 0; k < nr; ++k) D(k, k) += added[link.v + k] + sigma * link.armature[k];
    if (link.motor.v != 0) D(0, 0) += MotorStiffness(link, kin().q.data(), sigma, added).at_joint();
  }
  for (int k = 0; k < n; ++k) D(nr + k, nr + k) += added[link.vm + k];
  for (int k = 0; k < m; ++k) {  // so that a coordinate without stiffness is neither singular nor unstable
    const int v = link.vm - nr + k;
    D(k, k) += kNeutral * (scale[v] + std::abs(D(k, k))) + kAtRest * mass[v];
  }
  VectorXd rhs(m);
  rhs.head(nr) = r.segment(link.v, nr) - H.transpose() * b.z;
  rhs.tail(n) = r.segment(link.vm, n) - b.w;
  if (nr > 0 && link.motor.v != 0)
    rhs[0] += MotorStiffness(link, kin().q.data(), sigma, added).share() * r[link.v + link.motor.v];
  int not_positive = 0;
  MatrixXd solved(m, 7);
  if (m > 0) solved << right, rhs;
  if (m > 0) not_positive = count_not_positive(D);
  if (m > 0) solved = m == 1 ? MatrixXd(solved / D(0, 0)) : Lu(D).solve(solved);
  gains.middleRows(link.vm - nr, m) = solved.leftCols<6>();
  y0.segment(link.vm - nr, m) = solved.col(6);

  hand_inboard(i, W, AW, solved, b);
  return not_positive;
}

int StaticTangent::solve(double sigma, ConstVec added, std::span<const std::uint8_t> prescribed, ConstVec r, Vec dq) {
  Data& d = *data_;
  const Layout& layout = *d.configured().model.layout;
  const int count = static_cast<int>(layout.links.size());
  for (OutboardStiffness& o : d.bodies) o = {};
  for (OutboardStiffness& o : d.outboard) o = {};
  int not_positive = 0;
  BodyStiffness b;
  for (int i = count - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    d.own_stiffness(i, sigma, b);
    d.add_loads(i, link, b);
    b.A += d.bodies[i].Gamma;
    b.z += d.bodies[i].zeta;
    for (int h = link.attachment_begin; h < link.attachment_end; ++h)
      d.add_node(link, layout.attachments[h].node, d.attachment(link, h), to_vector(d.rnea_ws.sweep.attachment_f[h]),
                 d.outboard[h], b);
    not_positive += d.eliminate(i, prescribed.empty() || prescribed[i] == 0, sigma, added, r, b);
  }
  dq.setZero();
  for (int i = 1; i < count; ++i) {
    const Link& link = layout.links[i];
    const LinkFrame& f = d.kin().links[i];
    const int nr = prescribed.empty() || prescribed[i] == 0 ? link.nr : 0, m = nr + link.n;
    Vector6 X = d.X[link.parent];
    if (link.attachment >= 0) {
      const Link& parent = layout.links[link.parent];
      const NodeMaps at = d.attachment(parent, link.attachment);
      X = (twist_map(at.l) * X + at.move * dq.segment(parent.vm, parent.n)).eval();
    }
    const Matrix3d Rt = to_matrix(f.Rt);
    Vector6 own;
    own << Rt * X.head<3>(), Rt * (X.tail<3>() + X.head<3>().cross(to_vector(f.r)));
    dq.segment(link.vm - nr, m) = d.y0.segment(link.vm - nr, m) - d.gains.middleRows(link.vm - nr, m) * own;
    const Spatial* H = d.kin().hinge_map(link);
    for (int k = 0; k < nr; ++k) own += to_vector(H[k]) * dq[link.v + k];
    if (link.inboard >= 0 && !d.ruthless())
      own += to_columns(&d.kin().columns[link.inboard_columns], link.n) * dq.segment(link.vm, link.n);
    d.X[i] = own;
  }
  for_motors(layout, [&](const Link& link, int, int m) {
    const MotorStiffness motor(link, d.kin().q.data(), sigma, added);
    dq[m] = motor.move(r[m], dq[link.v]);
  });
  return not_positive;
}

}  // namespace limber
