// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "support/brute_force.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <array>

namespace limber::test {
namespace {

template <class T>
Jet<T> constant(const T& x) {
  return {x, T(x * 0), T(x * 0)};
}

PoseJet constant(const Pose& a) { return {constant<RMat3>(a.R.cast<Real>()), constant<RVec3>(a.p.cast<Real>())}; }

PoseJet operator*(const PoseJet& a, const PoseJet& b) { return {a.R * b.R, a.R * b.p + a.p}; }

PoseJet inverse(const PoseJet& a) {
  const Jet<RMat3> Rt = transpose(a.R);
  return {Rt, -(Rt * a.p)};
}

// 1/2 eta^T Xi eta, or zero.
Jet<RVec3> second_order(const std::array<MatrixXd, 3>& Xi, const Jet<RVec>& eta) {
  Jet<RVec3> sum = constant<RVec3>(RVec3::Zero());
  for (int k = 0; k < 3; ++k) {
    if (Xi[k].size() == 0) continue;
    const RMat X = Xi[k].cast<Real>();
    const Jet<RVec> Xe = apply([&](const RVec& e) { return RVec(X * e); }, eta);
    const Jet<Real> s{eta.x.dot(Xe.x) / 2, eta.d.dot(Xe.x) / 2 + eta.x.dot(Xe.d) / 2,
                      eta.dd.dot(Xe.x) / 2 + eta.d.dot(Xe.d) + eta.x.dot(Xe.dd) / 2};
    sum.x[k] = s.x;
    sum.d[k] = s.d;
    sum.dd[k] = s.dd;
  }
  return sum;
}

// r + Phi eta + 1/2 eta^T Xi eta.
Jet<RVec3> place(const Vector3d& r, const Matrix3Xd& shape, const std::array<MatrixXd, 3>* Xi, const Jet<RVec>& eta) {
  Jet<RVec3> p = constant<RVec3>(r.cast<Real>());
  if (eta.x.size() == 0) return p;
  const RMat Phi = shape.cast<Real>();
  p = p + apply([&](const RVec& e) { return RVec3(Phi * e); }, eta);
  return Xi == nullptr ? p : p + second_order(*Xi, eta);
}

// World components [angular; linear] of the rate (order 1) or the acceleration (order 2) of a frame.
Eigen::Matrix<Real, 6, 1> twist(const PoseJet& a, int order) {
  // Rdot R^T = w~;  Rddot R^T = wdot~ + w~ w~.
  const RMat3 W1 = a.R.d * a.R.x.transpose();
  const RMat3 W = order == 1 ? W1 : RMat3(a.R.dd * a.R.x.transpose() - W1 * W1);
  Eigen::Matrix<Real, 6, 1> t;
  t << (W(2, 1) - W(1, 2)) / 2, (W(0, 2) - W(2, 0)) / 2, (W(1, 0) - W(0, 1)) / 2, (order == 1 ? a.p.d : a.p.dd);
  return t;
}

// Rotation of a unit quaternion w x y z, rotating with omega (constant in the rotated frame).
Jet<RMat3> turning(const Eigen::Vector4d& q, const RVec3& omega) {
  const Eigen::Matrix<Real, 4, 1> u = q.cast<Real>().normalized();
  const RVec3 n = u.tail<3>();
  const RMat3 N = skew(n);
  const RMat3 R = RMat3::Identity() + 2 * u[0] * N + 2 * N * N;
  const RMat3 W = skew(omega);
  return {R, R * W, R * W * W};
}

// Rotation vector of a unit quaternion, of length below pi.
RVec3 rotation_vector(const Eigen::Vector4d& q) {
  Eigen::Matrix<Real, 4, 1> u = q.cast<Real>().normalized();
  if (u[0] < 0) u = -u;
  const RVec3 n = u.tail<3>();
  const Real s = n.norm();
  if (s == 0) return RVec3::Zero();
  return 2 * std::atan2(s, u[0]) / s * n;
}

}  // namespace

BruteForce::BruteForce(const Machine& machine, const State& x) : machine_(machine) {
  number_coordinates();
  for (int j = 0; j < nv_; ++j) columns_.push_back(trace(x, VectorXd::Unit(nv_, j)));
  VectorXd v = x.v;
  moving_ = trace(x, v);
  if (machine.fidelity == Fidelity::ruthless) {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      v.segment(machine_.joints[i].v + speed_count(machine_.joints[i].kind), modes_[i]).setZero();
    }
  }
  coasting_ = trace(x, v);
  M_ = RMat::Zero(nv_, nv_);
  h_ = RVec::Zero(nv_);
  gross_ = VectorXd::Zero(nv_);
  add_points();
  add_elastic(x);
  add_joint_forces(x);
  energy_.kinetic = static_cast<double>(x.v.cast<Real>().dot(M_ * x.v.cast<Real>()) / 2);
  mass_ = M_.cast<double>();
  bias_ = h_.cast<double>();
}

void BruteForce::number_coordinates() {
  int q = 0;
  for (std::size_t i = 0; i < machine_.bodies.size(); ++i) {
    const BodySpec& spec = machine_.bodies[i];
    const auto* rigid = std::get_if<RigidSpec>(&spec);
    points_.push_back(rigid != nullptr ? mass_points(*rigid) : std::get<ModalSpec>(spec).points);
    modes_.push_back(mode_count(spec));
    Joint& joint = machine_.joints[i];
    joint.q = q;
    joint.v = nv_;
    q += position_count(joint.kind) + modes_.back();
    nv_ += speed_count(joint.kind) + modes_.back();
  }
}

// Pose of frame O in O+ along the curve with constant speeds.  theory §3.
PoseJet BruteForce::joint_pose(const Joint& joint, const State& x, const VectorXd& v) const {
  const auto coordinate = [&](int k) { return Jet<Real>{x.q[joint.q + k], v[joint.v + k], 0}; };
  const auto along = [&](const Vector3d& axis, int k) {
    return coordinate(k) * constant<RVec3>(axis.cast<Real>().normalized());
  };
  PoseJet o = constant(Pose{});
  switch (joint.kind) {
    case JointKind::fixed:
      break;
    case JointKind::revolute:
      o.R = rotation_by(along(joint.axis, 0));
      break;
    case JointKind::prismatic:
      o.p = along(joint.axis, 0);
      break;
    case JointKind::cylindrical:
      o.R = rotation_by(along(joint.axis, 0));
      o.p = along(joint.axis, 1);
      break;
    case JointKind::universal:
      o.R = rotation_by(along(joint.axis, 0)) * rotation_by(along(joint.axis2, 1));
      break;
    case JointKind::spherical:
      o.R = turning(x.q.segment<4>(joint.q), v.segment<3>(joint.v).cast<Real>());
      break;
    case JointKind::free: {
      o.R = turning(x.q.segment<4>(joint.q), v.segment<3>(joint.v).cast<Real>());
      // pdot = R u with constant u in O, so pddot = Rdot u.
      const RVec3 u = v.segment<3>(joint.v + 3).cast<Real>();
      o.p = {x.q.segment<3>(joint.q + 4).cast<Real>(), o.R.x * u, o.R.d * u};
      break;
    }
  }
  return o;
}

PoseJet BruteForce::node_in_body(int body, int node, const Jet<RVec>& eta) const {
  if (node == kBodyFrame) return constant(Pose{});
  const auto& spec = machine_.bodies[body];
  const auto* rigid = std::get_if<RigidSpec>(&spec);
  const Node& n = rigid != nullptr ? rigid->nodes[node] : std::get<ModalSpec>(spec).nodes[node];
  const bool second = machine_.fidelity == Fidelity::stiffened;
  PoseJet pose{constant<RMat3>(n.rotation.cast<Real>()),
               place(n.position, n.translation, second ? &n.second : nullptr, eta)};
  if (eta.x.size() > 0) {
    const RMat turn = n.turn.cast<Real>();
    pose.R = rotation_by(apply([&](const RVec& e) { return RVec3(turn * e); }, eta)) * pose.R;
  }
  return pose;
}

PoseJet BruteForce::node_in_world(const Frames& frames, NodeRef node) const {
  if (node.body == kGround) return constant(Pose{});
  const int i = node.body - 1;
  return frames.body[i] * node_in_body(i, node.node, frames.eta[i]);
}

BruteForce::Frames BruteForce::trace(const State& x, const VectorXd& v) const {
  Frames frames;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Joint& joint = machine_.joints[i];
    const int n = modes_[i];
    Jet<RVec> eta{x.q.segment(joint.q + position_count(joint.kind), n).cast<Real>(),
                  v.segment(joint.v + speed_count(joint.kind), n).cast<Real>(), RVec::Zero(n)};
    if (machine_.fidelity == Fidelity::ruthless) eta.x.setZero();
    frames.eta.push_back(eta);
    const PoseJet o_plus = node_in_world(frames, joint.parent) * constant(joint.origin);
    const PoseJet o = o_plus * joint_pose(joint, x, v);
    frames.body.push_back(o * inverse(node_in_body(static_cast<int>(i), joint.child_node, eta)));
  }
  return frames;
}

// Newton's law for every mass point, projected.
void BruteForce::add_points() {
  const RVec3 g = machine_.gravity.cast<Real>();
  const bool second = machine_.fidelity == Fidelity::stiffened;
  RVec3 p_sum = RVec3::Zero(), l_sum = RVec3::Zero(), h_sum = RVec3::Zero();
  Real mass_sum = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    for (const MassPoint& point : points_[i]) {
      const auto in_world = [&](const Frames& f) {
        return f.body[i].R * place(point.position, point.shape, second ? &point.second : nullptr, f.eta[i]) +
               f.body[i].p;
      };
      Eigen::Matrix<Real, 3, Eigen::Dynamic> J(3, nv_);
      for (int j = 0; j < nv_; ++j) J.col(j) = in_world(columns_[j]).d;
      const Jet<RVec3> coasting = in_world(coasting_);
      const Real m = point.mass;
      M_ += m * (J.transpose() * J);
      h_ += m * (J.transpose() * (coasting.dd - g));
      gross_ += (m * (J.cwiseAbs().transpose() * (coasting.dd.cwiseAbs() + g.cwiseAbs()))).cast<double>();
      const RVec3 velocity = in_world(moving_).d;
      p_sum += m * coasting.x;
      l_sum += m * velocity;
      h_sum += m * coasting.x.cross(velocity);
      mass_sum += m;
    }
  }
  com_ = (p_sum / mass_sum).cast<double>();
  total_mass_ = static_cast<double>(mass_sum);
  energy_.gravity = static_cast<double>(-g.dot(p_sum));
  momentum_ = {l_sum.cast<double>(), h_sum.cast<double>()};
}

void BruteForce::add_elastic(const State& x) {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const int n = modes_[i];
    if (n == 0) continue;
    const auto& spec = std::get<ModalSpec>(machine_.bodies[i]);
    const Joint& joint = machine_.joints[i];
    const int first = joint.v + speed_count(joint.kind);
    const RVec eta = x.q.segment(joint.q + position_count(joint.kind), n).cast<Real>();
    const RVec etadot = x.v.segment(first, n).cast<Real>();
    const RVec f = spec.stiffness.cast<Real>() * eta;
    h_.segment(first, n) += f;
    if (spec.damping.size() > 0) h_.segment(first, n) += spec.damping.cast<Real>() * etadot;
    gross_.segment(first, n) += spec.stiffness.cwiseAbs() * eta.cast<double>().cwiseAbs();
    if (spec.damping.size() > 0) {
      gross_.segment(first, n) += spec.damping.cwiseAbs() * etadot.cast<double>().cwiseAbs();
    }
    energy_.elastic += static_cast<double>(eta.dot(f) / 2);
  }
}

void BruteForce::add_joint_forces(const State& x) {
  for (const Joint& joint : machine_.joints) {
    const int n = speed_count(joint.kind);
    RVec force = RVec::Zero(n);    // of the spring on the coordinate
    RVec stretch = RVec::Zero(n);  // with energy sum k stretch^2 / 2
    if (joint.kind == JointKind::spherical || joint.kind == JointKind::free) {
      stretch.head<3>() = rotation_vector(x.q.segment<4>(joint.q));
      if (joint.kind == JointKind::free) stretch.tail<3>() = x.q.segment<3>(joint.q + 4).cast<Real>();
    } else {
      stretch = x.q.segment(joint.q, n).cast<Real>();
    }
    if (joint.stiffness.size() > 0) {
      force = -joint.stiffness.cast<Real>().cwiseProduct(stretch);
      energy_.springs += static_cast<double>(-force.dot(stretch) / 2);
    }
    // The position of a free joint is in O+, its velocity in O.
    if (joint.kind == JointKind::free) {
      const RMat3 R = turning(x.q.segment<4>(joint.q), RVec3::Zero()).x;
      force.tail<3>() = (R.transpose() * force.tail<3>()).eval();
    }
    if (joint.damping.size() > 0) {
      force -= joint.damping.cast<Real>().cwiseProduct(x.v.segment(joint.v, n).cast<Real>());
    }
    h_.segment(joint.v, n) -= force;
    gross_.segment(joint.v, n) += force.cast<double>().cwiseAbs();
    if (joint.armature.size() > 0) M_.diagonal().segment(joint.v, n) += joint.armature.cast<Real>();
  }
}

Pose BruteForce::node_pose(NodeRef node) const {
  const PoseJet a = node_in_world(coasting_, node);
  return {a.R.x.cast<double>(), a.p.x.cast<double>()};
}

Matrix6X BruteForce::node_jacobian(NodeRef node) const {
  Matrix6X J(6, nv_);
  for (int j = 0; j < nv_; ++j) J.col(j) = twist(node_in_world(columns_[j], node), 1).cast<double>();
  return J;
}

Vector6 BruteForce::node_bias_acceleration(NodeRef node) const {
  return twist(node_in_world(coasting_, node), 2).cast<double>();
}

VectorXd BruteForce::wrench_force(std::span<const NodeWrench> wrenches) const {
  VectorXd f = VectorXd::Zero(nv_);
  for (const NodeWrench& w : wrenches) {
    Vector6 world = w.wrench;
    if (w.frame == Frame::node) {
      const Matrix3d R = node_pose(w.at).R;
      world << R * w.wrench.head<3>(), R * w.wrench.tail<3>();
    }
    f += node_jacobian(w.at).transpose() * world;
  }
  return f;
}

VectorXd BruteForce::acceleration(const VectorXd& tau, std::span<const NodeWrench> wrenches) const {
  if (nv_ == 0) return {};
  const RVec rhs = tau.cast<Real>() + wrench_force(wrenches).cast<Real>() - h_;
  return M_.ldlt().solve(rhs).cast<double>();
}

}  // namespace limber::test
