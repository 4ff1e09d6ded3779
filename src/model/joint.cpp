// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "limber/model/detail/layout.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

PackedPose at_angle(const PackedPose* K, double angle) {
  const Vec4d c = spread(std::cos(angle)), s = spread(std::sin(angle));
  PackedPose out;
  for (int j = 0; j < 3; ++j) out.R.c[j] = K[0].R.c[j] + c * K[1].R.c[j] + s * K[2].R.c[j];
  out.p = K[0].p + c * K[1].p + s * K[2].p;
  return out;
}

// Both axes pass through the joint's point: H = [R2^T a1, a2], brought to the child side.
void universal_hinge(const Link& link, const double* q, const double* v, Spatial* H, Hinge& out) {
  const PackedPose first = at_angle(link.K, q[0]), second = at_angle(link.L, q[1]);
  out.pose = first * second;
  const Mat3 Rt = transpose(second.R);
  H[0] = {Rt * link.axis, Rt * cross(link.axis, second.p)};
  H[1] = link.H[1];
  out.V = H[0] * v[0] + H[1] * v[1];
  // H[0] is fixed in the frame between the axes, which the child leaves with the twist H[1] v2.
  out.rate = zero_spatial() - cross_twist(H[1] * v[1], H[0] * v[0]);
}

void quaternion_hinge(const Link& link, const double* q, const double* v, Hinge& out) {
  PackedPose X{pack(quaternion_rotation(q)), zero()};
  if (link.kind == JointKind::free) X.p = Vec4d{q[4], q[5], q[6], 0};
  out.pose = link.K[0] * (X * link.L[0]);
  out.V = link.H[0] * v[0];
  for (int k = 1; k < link.nr; ++k) out.V += link.H[k] * v[k];
}

}  // namespace

void compute_hinge(const Link& link, const double* q, const double* v, Spatial* H, Hinge& out) {
  out.rate = zero_spatial();
  switch (link.kind) {
    case JointKind::fixed:
      out.pose = link.K[0];
      out.V = zero_spatial();
      break;
    case JointKind::revolute:
      out.pose = at_angle(link.K, q[0]);
      out.V = link.H[0] * v[0];
      break;
    case JointKind::prismatic:
      out.pose = link.K[0];
      out.pose.p += link.slide * spread(q[0]);
      out.V = link.H[0] * v[0];
      break;
    case JointKind::cylindrical:
      out.pose = at_angle(link.K, q[0]);
      out.pose.p += link.slide * spread(q[1]);
      out.V = link.H[0] * v[0] + link.H[1] * v[1];
      break;
    case JointKind::universal:
      universal_hinge(link, q, v, H, out);
      break;
    case JointKind::spherical:
    case JointKind::free:
      quaternion_hinge(link, q, v, out);
      break;
  }
}

// Springs: potential k q^2 / 2 of an angle or a slide; k |phi|^2 / 2 of the rotation vector phi of a quaternion, whose
// gradient on beta is k phi itself; k p^2 / 2 of the position of a free joint, whose gradient in O is R^T k p.
void add_passive_force(const Link& link, const double* q, const double* v, double* force) {
  for (int k = 0; k < link.nr; ++k) force[k] -= link.damping[k] * v[k];
  if (link.kind != JointKind::spherical && link.kind != JointKind::free) {
    for (int k = 0; k < link.nr; ++k) force[k] -= link.stiffness[k] * q[k];
    return;
  }
  const Vector3 phi = quaternion_log(q);
  for (int k = 0; k < 3; ++k) force[k] -= link.stiffness[k] * phi[k];
  if (link.kind == JointKind::spherical) return;
  const Vector3 pull(link.stiffness[3] * q[4], link.stiffness[4] * q[5], link.stiffness[5] * q[6]);
  const Vector3 in_child = quaternion_rotation(q).transpose() * pull;
  for (int k = 0; k < 3; ++k) force[3 + k] -= in_child[k];
}

double spring_energy(const Link& link, const double* q) {
  double energy = 0;
  if (link.kind != JointKind::spherical && link.kind != JointKind::free) {
    for (int k = 0; k < link.nr; ++k) energy += 0.5 * link.stiffness[k] * q[k] * q[k];
    return energy;
  }
  energy = 0.5 * link.stiffness[0] * quaternion_log(q).squaredNorm();
  if (link.kind == JointKind::spherical) return energy;
  for (int k = 0; k < 3; ++k) energy += 0.5 * link.stiffness[3 + k] * q[4 + k] * q[4 + k];
  return energy;
}

}  // namespace limber
