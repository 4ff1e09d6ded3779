// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "limber/model/detail/layout.hpp"
#include "limber/model/slider.hpp"
#include "limber/spatial/detail/sincos.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

// A Rot(axis, q) B = K0 + cos q K1 + sin q K2, by Rodrigues' formula.
void set_rotation_terms(const Pose& A, const Vector3d& axis, const Pose& B, PackedPose* K) {
  const Matrix3d N = axis * axis.transpose();
  const Matrix3d terms[3] = {N, Matrix3d::Identity() - N, skew(axis)};
  for (int i = 0; i < 3; ++i) {
    K[i].R = pack(Matrix3d(A.R * terms[i] * B.R));
    K[i].p = to_vec4d(Vector3d(A.R * terms[i] * B.p));
  }
  K[0].p += to_vec4d(A.p);
}

// A twist [w; v] at O in the basis of O, transformed to F; B is the pose of F in O.
Spatial seen_from(const Pose& B, const Vector3d& w, const Vector3d& v) {
  return {to_vec4d(Vector3d(B.R.transpose() * w)), to_vec4d(Vector3d(B.R.transpose() * (v + w.cross(B.p))))};
}

// X_J = exp(s_1 q_1) ... exp(s_n q_n) is followed by B; with h_k = s_k transformed to F, A X_J B = A B exp(h_1 q_1) ...
// exp(h_n q_n), so that H at q = 0 suffices.  [MLS] §3.2.2.
void set_screws(const Joint& joint, const Pose& B, Link& link) {
  const std::vector<Vector6> screws = joint_traits(joint.kind).screws(joint);
  const int n = static_cast<int>(screws.size());
  for (int k = 0; k < n; ++k) link.H[k] = seen_from(B, screws[k].head<3>(), screws[k].tail<3>());
  for (int k = 1; k < n; ++k) {
    for (int j = 0; j < k; ++j) link.varies = link.varies || !to_vector(cross_twist(link.H[j], link.H[k])).isZero(0);
  }
}

// exp of a twist: a rotation by its angular part, a translation by the left Jacobian times its linear part.
PackedPose exp_twist(Spatial h) {
  const Vector3d w = to_vector(h.ang), u = to_vector(h.lin);
  const RotationSeries s = rotation_series(w.squaredNorm());
  const Vector3d p = u + s.a * w.cross(u) + s.b * w.cross(w.cross(u));
  return {pack(exp_rotation(w)), to_vec4d(p)};
}

LIMBER_INLINE PackedPose at_angle(const PackedPose* K, double angle) {
  double cosine = 0, sine = 0;
  sincos(angle, sine, cosine);
  const Vec4d c = spread(cosine), s = spread(sine);
  PackedPose out;
  for (int j = 0; j < 3; ++j) out.R.c[j] = K[0].R.c[j] + c * K[1].R.c[j] + s * K[2].R.c[j];
  out.p = K[0].p + c * K[1].p + s * K[2].p;
  return out;
}

// Both axes pass through the joint's point: H = [R2^T a1, a2], transformed to the child side.
void universal_hinge(const Link& link, const double* q, const double* v, Spatial* H, Hinge& out) {
  const PackedPose first = at_angle(link.K, q[0]), second = at_angle(link.L, q[1]);
  out.pose = first * second;
  const Mat3 Rt = transpose(second.R);
  H[0] = {Rt * link.axis, Rt * cross(link.axis, second.p)};
  H[1] = link.H[1];
  out.V = H[0] * v[0] + H[1] * v[1];
  // H[0] is fixed in the intermediate frame; the child moves relative to it with the twist H[1] v2.
  out.rate = zero_spatial() - cross_twist(H[1] * v[1], H[0] * v[0]);
}

void quaternion_hinge(const Link& link, const double* q, const double* v, Hinge& out) {
  PackedPose X{pack(quaternion_rotation(q)), zero()};
  if (link.kind == JointKind::free) X.p = Vec4d{q[4], q[5], q[6], 0};
  out.pose = link.K[0] * (X * link.L[0]);
  out.V = link.H[0] * v[0];
  for (int k = 1; k < link.nr; ++k) out.V += link.H[k] * v[k];
}

// From the last factor to the first: H_j is h_j transformed past all later factors, [RBDA §4.4]; the child moves
// relative to its frame with the twist sum_(k>j) H_k v_k.
void screw_hinge(const Link& link, const double* q, const double* v, Spatial* H, Hinge& out) {
  PackedPose after{pack(Matrix3d(Matrix3d::Identity())), zero()};
  out.V = zero_spatial();
  for (int j = link.nr - 1; j >= 0; --j) {
    const Mat3 Rt = transpose(after.R);
    const Spatial h = twist_at(after.p, link.H[j]), Hj{Rt * h.ang, Rt * h.lin};
    out.rate += cross_twist(Hj * v[j], out.V);
    out.V += Hj * v[j];
    if (link.varies) H[j] = Hj;
    after = exp_twist(link.H[j] * q[j]) * after;
  }
  out.pose = link.K[0] * after;
}

}  // namespace

void set_hinge(const Joint& joint, const Pose& A, const Pose& B, Link& link) {
  const Vector3d none = Vector3d::Zero();
  link.fixed_axis = joint.kind == JointKind::fixed || joint.kind == JointKind::revolute ||
                    joint.kind == JointKind::prismatic || joint.kind == JointKind::cylindrical;
  link.K[0] = pack(A * B);
  link.L[0] = pack(B);
  link.slide = to_vec4d(Vector3d(A.R * joint.axis));
  switch (joint.kind) {
    case JointKind::fixed:
      break;
    case JointKind::revolute:
    case JointKind::cylindrical:
      set_rotation_terms(A, joint.axis, B, link.K);
      link.H[0] = seen_from(B, joint.axis, none);
      link.H[1] = seen_from(B, none, joint.axis);
      break;
    case JointKind::prismatic:
      link.H[0] = seen_from(B, none, joint.axis);
      break;
    case JointKind::universal:
      set_rotation_terms(A, joint.axis, Pose{}, link.K);
      set_rotation_terms(Pose{}, joint.axis2, B, link.L);
      link.axis = to_vec4d(joint.axis);
      link.varies = true;
      link.H[0] = seen_from(B, joint.axis, none);
      link.H[1] = seen_from(B, joint.axis2, none);
      break;
    case JointKind::spherical:
    case JointKind::free:
      link.K[0] = pack(A);
      for (int k = 0; k < 3; ++k) {
        link.H[k] = seen_from(B, Vector3d::Unit(k), none);
        link.H[3 + k] = seen_from(B, none, Vector3d::Unit(k));
      }
      break;
    default:
      set_screws(joint, B, link);
      link.varies = link.varies || joint.kind == kSlider;
      break;
  }
}

void compute_hinge(const Link& link, const double* q, const double* v, Spatial* H, Hinge& out) {
  out.rate = zero_spatial();
  if (link.kind == kSlider) {
    // The relative motion is that of the attachment, which follows the section at q.
    out.pose = link.K[0];
    out.V = zero_spatial();
    return;
  }
  switch (link.kind) {
    case JointKind::universal:
      universal_hinge(link, q, v, H, out);
      break;
    case JointKind::spherical:
    case JointKind::free:
      quaternion_hinge(link, q, v, out);
      break;
    default:
      screw_hinge(link, q, v, H, out);
      break;
  }
}

// Springs: potential k q^2 / 2 of an angle or a slide; k |phi|^2 / 2 of the rotation vector phi of a quaternion, whose
// gradient on beta is k phi itself; k p^2 / 2 of the position of a free joint, whose gradient in O is R^T k p.
void add_passive_force(const Link& link, const double* q, const double* v, double* force) {
  for (int k = 0; k < link.nr; ++k) force[k] -= link.damping[k] * v[k];
  if (!link.quaternion) {
    for (int k = 0; k < link.nr; ++k) force[k] -= link.stiffness[k] * q[k];
    if (link.motor.v != 0) force[0] += link.motor.torque(q, v);
    return;
  }
  const Vector3d phi = quaternion_log(q);
  for (int k = 0; k < 3; ++k) force[k] -= link.stiffness[k] * phi[k];
  if (link.kind == JointKind::spherical) return;
  const Vector3d pull(link.stiffness[3] * q[4], link.stiffness[4] * q[5], link.stiffness[5] * q[6]);
  const Vector3d in_child = quaternion_rotation(q).transpose() * pull;
  for (int k = 0; k < 3; ++k) force[3 + k] -= in_child[k];
}

double spring_energy(const Link& link, const double* q) {
  double energy = 0;
  if (!link.quaternion) {
    for (int k = 0; k < link.nr; ++k) energy += 0.5 * link.stiffness[k] * q[k] * q[k];
    const double twist = link.motor.q != 0 ? link.motor.deflection(link.motor.twist(q)) : 0;
    return energy + 0.5 * link.motor.stiffness * twist * twist;
  }
  energy = 0.5 * link.stiffness[0] * quaternion_log(q).squaredNorm();
  if (link.kind == JointKind::spherical) return energy;
  for (int k = 0; k < 3; ++k) energy += 0.5 * link.stiffness[3 + k] * q[4 + k] * q[4 + k];
  return energy;
}

}  // namespace limber
