// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "job.hpp"

// Joints.  theory §3; the same as src/model/joint.cpp, for several states at once.
namespace limber::LIMBER_BATCH_MACHINE {

template <class T>
struct Hinge {
  T R[9], p[3];  // pose of the child side in the inboard frame
  T V[6];        // H beta, on the child side
  T rate[6];     // (dH/dt) beta as seen from the child side, where H varies
};

// still: p is zero.
template <class T>
LIMBER_KERNEL void at_angle(const double (*K)[12], T angle, bool still, T* R, T* p) {
  T s, c;
  sine_cosine(angle, s, c);
  LIMBER_UNROLL
  for (int i = 0; i < 9; ++i) R[i] = K[0][i] + c * K[1][i] + s * K[2][i];
  if (still) return clear<3>(p);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) p[i] = K[0][9 + i] + c * K[1][9 + i] + s * K[2][9 + i];
}

// pose = (R, p) * (R2, p2).
template <class T>
LIMBER_KERNEL void compose(const T* R, const T* p, const T* R2, const T* p2, T* outR, T* outp) {
  multiply(R, R2, outR);
  turn(R, p2, outp);
  add<3>(p, outp);
}

// out += V x U of twists.
template <class T>
LIMBER_KERNEL void add_cross_twist(const T* V, const T* U, T* out) {
  add_cross(V, U, out);
  add_cross(V, U + 3, out + 3);
  add_cross(V + 3, U, out + 3);
}

template <class T>
LIMBER_KERNEL void quaternion_rotation(const T* q, T* R) {
  const T w = q[0], x = q[1], y = q[2], z = q[3];
  const T k = 2.0 / (w * w + x * x + y * y + z * z);
  R[0] = 1.0 - k * (y * y + z * z), R[1] = k * (x * y - w * z), R[2] = k * (x * z + w * y);
  R[3] = k * (x * y + w * z), R[4] = 1.0 - k * (x * x + z * z), R[5] = k * (y * z - w * x);
  R[6] = k * (x * z - w * y), R[7] = k * (y * z + w * x), R[8] = 1.0 - k * (x * x + y * y);
}

// exp of a rotation vector, and its left Jacobian times p in the place of p where that is not null.
template <class T>
LIMBER_KERNEL void exponential(const T* w, T* R, T* p) {
  Series<T> s;
  series(dot3(w, w), s);
  const T unit[9] = {spread<T>(1), T{}, T{}, T{}, spread<T>(1), T{}, T{}, T{}, spread<T>(1)};
  for (int j = 0; j < 3; ++j) {
    T once[3], twice[3];
    cross(w, unit + 3 * j, once);
    cross(w, once, twice);
    for (int i = 0; i < 3; ++i) R[3 * i + j] = unit[3 * j + i] + s.sinc * once[i] + s.a * twice[i];
  }
  if (p == nullptr) return;
  T once[3], twice[3];
  cross(w, p, once);
  cross(w, once, twice);
  for (int i = 0; i < 3; ++i) p[i] += s.a * once[i] + s.b * twice[i];
}

// Both axes pass through the joint's point.
template <class J, class T>
LIMBER_RARE void universal_hinge(const J& job, const BatchLink& link, Hinge<T>& out, T* H) {
  T R1[9], p1[3], R2[9], p2[3], t[3];
  at_angle(link.K, job.q[link.q], false, R1, p1);
  at_angle(link.L, job.q[link.q + 1], false, R2, p2);
  compose(R1, p1, R2, p2, out.R, out.p);
  turn_back(R2, link.axis, H);
  cross(link.axis, p2, t);
  turn_back(R2, t, H + 3);
  copy<6>(link.H[1], H + 6);
  const T v1 = job.v[link.v], v2 = job.v[link.v + 1];
  T first[6], second[6];
  for (int i = 0; i < 6; ++i) first[i] = H[i] * v1, second[i] = H[6 + i] * v2, out.V[i] = first[i] + second[i];
  clear<6>(out.rate);
  add_cross_twist(first, second, out.rate);  // -(H2 v2) x (H1 v1)
}

template <class J, class T>
LIMBER_RARE void quaternion_hinge(const J& job, const BatchLink& link, Hinge<T>& out) {
  T q[4], R[9], p[3], R2[9], p2[3];
  for (int i = 0; i < 4; ++i) q[i] = job.q[link.q + i];
  quaternion_rotation(q, R);
  for (int i = 0; i < 3; ++i) p[i] = link.form == HingeForm::free ? job.q[link.q + 4 + i] : T{};
  multiply(R, link.L[0], R2);
  turn(R, link.L[0] + 9, p2);
  add<3>(p, p2);
  multiply(link.K[0], R2, out.R);
  turn(link.K[0], p2, out.p);
  for (int i = 0; i < 3; ++i) out.p[i] += link.K[0][9 + i];
  clear<6>(out.V);
  for (int k = 0; k < link.nr; ++k) add_times<6>(link.H[k], job.v[link.v + k], out.V);
}

// A product of exponentials, from the last factor to the first.
template <class J, class T>
LIMBER_RARE void screw_hinge(const J& job, const BatchLink& link, Hinge<T>& out, T* H) {
  T R[9] = {spread<T>(1), T{}, T{}, T{}, spread<T>(1), T{}, T{}, T{}, spread<T>(1)}, p[3] = {};
  clear<6>(out.V);
  clear<6>(out.rate);
  for (int j = link.nr - 1; j >= 0; --j) {
    T Hj[6], t[3], moved[6], w[3], u[3], R1[9], R2[9], p2[3];
    turn_back(R, link.H[j], Hj);
    cross(link.H[j], p, t);
    for (int i = 0; i < 3; ++i) t[i] += link.H[j][3 + i];
    turn_back(R, t, Hj + 3);
    for (int i = 0; i < 6; ++i) moved[i] = Hj[i] * job.v[link.v + j];
    add_cross_twist(moved, out.V, out.rate);
    add<6>(moved, out.V);
    if (link.varies) copy<6>(Hj, H + 6 * j);
    const T angle = job.q[link.q + j];
    for (int i = 0; i < 3; ++i) w[i] = link.H[j][i] * angle, u[i] = link.H[j][3 + i] * angle;
    exponential(w, R1, u);
    compose(R1, u, R, p, R2, p2);
    copy<9>(R2, R);
    copy<3>(p2, p);
  }
  multiply(link.K[0], R, out.R);
  turn(link.K[0], p, out.p);
  for (int i = 0; i < 3; ++i) out.p[i] += link.K[0][9 + i];
}

// The rare kinds, out of line.
template <class J, class T>
LIMBER_RARE void other_hinge(const J& job, const BatchLink& link, Hinge<T>& out, T* H) {
  if (link.form == HingeForm::universal) return universal_hinge(job, link, out, H);
  if (link.form == HingeForm::screws) return screw_hinge(job, link, out, H);
  quaternion_hinge(job, link, out);
}

// H is written where it varies.
template <class J, class T>
LIMBER_STEP void compute_hinge(const J& job, const BatchLink& link, Hinge<T>& out, T* H) {
  if (link.form == HingeForm::revolute) {
    at_angle(link.K, job.q[link.q], link.on_node != 0, out.R, out.p);
    const T v = job.v[link.v];
    LIMBER_UNROLL
    for (int i = 0; i < 6; ++i) out.V[i] = link.H[0][i] * v;
    return;
  }
  if (link.form == HingeForm::fixed || link.form == HingeForm::prismatic) {
    copy<9>(link.K[0], out.R);
    copy<3>(link.K[0] + 9, out.p);
    clear<6>(out.V);
    if (link.form == HingeForm::fixed) return;
    add_times<3>(link.slide, job.q[link.q], out.p);
    add_times<6>(link.H[0], job.v[link.v], out.V);
    return;
  }
  if (link.form == HingeForm::cylindrical) {
    at_angle(link.K, job.q[link.q], link.on_node != 0, out.R, out.p);
    add_times<3>(link.slide, job.q[link.q + 1], out.p);
    clear<6>(out.V);
    add_times<6>(link.H[0], job.v[link.v], out.V);
    add_times<6>(link.H[1], job.v[link.v + 1], out.V);
    return;
  }
  other_hinge(job, link, out, H);
}

// The rotation vector of a quaternion, one state.
LIMBER_KERNEL double log_factor(double w, double s) { return s == 0 ? 0.0 : 2 * atan2(s, w) / s; }
LIMBER_KERNEL double log_factors(double w, double s) { return log_factor(w, s); }
template <class T>
LIMBER_KERNEL T log_factors(T w, T s) {
  double ws[kWidth<T>], ss[kWidth<T>];
  __builtin_memcpy(ws, &w, sizeof w);
  __builtin_memcpy(ss, &s, sizeof s);
  for (int i = 0; i < kWidth<T>; ++i) ws[i] = log_factor(ws[i], ss[i]);
  __builtin_memcpy(&w, ws, sizeof w);
  return w;
}
template <class T>
LIMBER_KERNEL void quaternion_log(const T* q, T* phi) {
  const T sign = q[0] < T{} ? spread<T>(-1) : spread<T>(1);
  const T factor = sign * log_factors(sign * q[0], square_root(dot3(q + 1, q + 1)));
  for (int i = 0; i < 3; ++i) phi[i] = factor * q[1 + i];
}

// Forces of springs and dampers of a joint, to be subtracted from those that act on its speeds.
template <class J, class T>
LIMBER_RARE void passive_force(const J& job, const BatchLink& link, T* force) {
  for (int k = 0; k < link.nr; ++k) force[k] = link.damping[k] * job.v[link.v + k];
  if (link.form != HingeForm::spherical && link.form != HingeForm::free) {
    for (int k = 0; k < link.nr; ++k) force[k] += link.stiffness[k] * job.q[link.q + k];
    return;
  }
  T q[7], phi[3], R[9], pull[3], back[3];
  for (int k = 0; k < (link.form == HingeForm::free ? 7 : 4); ++k) q[k] = job.q[link.q + k];
  quaternion_log(q, phi);
  for (int k = 0; k < 3; ++k) force[k] += link.stiffness[k] * phi[k];
  if (link.form == HingeForm::spherical) return;
  for (int k = 0; k < 3; ++k) pull[k] = link.stiffness[3 + k] * q[4 + k];
  quaternion_rotation(q, R);
  turn_back(R, pull, back);
  add<3>(back, force + 3);
}

}  // namespace limber::LIMBER_BATCH_MACHINE
