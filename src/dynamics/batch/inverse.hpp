// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweep.hpp"

// Inverse dynamics, energies and poses.  theory §4.
namespace limber::LIMBER_BATCH_MACHINE {

// Inertial forces of the modes and of the frame of one body at its motion with accelerations u.
//   f_f = M_ff etaddot + M_fr alpha + b_f      f_r = M_rf etaddot + M_rr alpha + b_r
template <class J, class T>
LIMBER_RARE void body_forces(const J& job, const BatchLink& link, T* e, T* rate, T* scratch, T* f, Inertia<T>& P) {
  const int n = link.n, ne = link.ne;
  T *mu = scratch, *more = scratch + 6 * ne;
  read_modes(job, link, n, e, rate);
  if (link.mass_varies) {
    start_stiffened(job, link, e, rate, mu, f, more, P);
    project_mass(job, link, e, more, n, more + ne * n);
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) f[a] += more[ne * n + a * n + b] * job.u[link.vm + b];
  } else {
    start_body(job, link, n, e, rate, more, f, P);
    const auto S = job.numbers(link.S), G = job.numbers(link.G);
    for (int a = 0; a < n; ++a) {
      copy<3>(more + 3 * a, mu + 6 * a), copy<3>(S + 3 * a, mu + 6 * a + 3);
      for (int b = 0; b < n; ++b) f[a] += G[a * ne + b] * job.u[link.vm + b];
    }
  }
  for (int a = 0; a < n; ++a) add_times<6>(mu + 6 * a, job.u[link.vm + a], P.z);
  if (link.first_load < link.last_load) subtract_loads(job, link, e, rate, f, P.z);
  add_elastic(job, link, n, e, rate, f);
}

// Wrenches inward, [JR] (45): tau_r = H^T f_r, tau_f = f_f + U^T f_r; the parent's node receives Z^T f_r.
template <class J>
LIMBER_RARE void inverse_body(J& job, const BatchLink& link, int i, typename J::T* hand,
                              const OutRows<typename J::T>& out) {
  using T = typename J::T;
  T *e = job.scratch, *rate = e + link.ne, *f = rate + link.ne, *more = f + link.ne;
  Inertia<T> P;
  body_forces(job, link, e, rate, more, f, P);
  T* z = P.z;
  T carried[6];
  const bool rigidly = link.followed && job.link(i + 1).node < 0;
  if (rigidly) add<6>(hand, z);
  if (!rigidly && link.inertia >= 0) {
    job.template get<6>(link.inertia, carried);
    add<6>(carried, z);
  }
  for (int k = 0; link.inboard >= 0 && k < link.n; ++k)
    for (int c = 0; c < 6; ++c) f[k] += job.get(link.U + 6 * k + c) * z[c];
  for (int h = link.first_node; h < link.last_node; ++h) {
    const BatchNode& node = job.node(h);
    T A[9], l[3], column[6];
    job.template get<9>(node.A, A);
    job.template get<3>(node.l, l);
    if (link.followed) {
      copy<6>(hand, carried);
    } else {
      job.template get<6>(node.inertia, carried);
    }
    add<6>(carried, z);
    for (int k = 0; k < link.n; ++k) {
      node_column(job, node, link.n, k, e, A, column);
      add_cross(l, column, column + 3);
      for (int c = 0; link.inboard >= 0 && c < 6; ++c) column[c] += job.get(link.U + 6 * k + c);
      f[k] += dot6(column, carried);
    }
  }
  for (int k = 0; k < link.n; ++k) out.put(link.vm + k, f[k]);
  T passive[6] = {};
  if (link.passive) passive_force(job, link, passive);
  for (int k = 0; k < link.nr; ++k) {
    T tau = link.armature[k] * job.u[link.v + k] + passive[k];
    for (int c = 0; c < 6; ++c)
      tau += (link.hinge >= 0 ? job.get(link.hinge + 6 * k + c) : spread<T>(link.H[k][c])) * z[c];
    out.put(link.v + k, tau);
  }
  if (link.parent == 0) return;
  T R[9], r[3], g[6];
  job.template get<9>(link.R, R);
  job.template get<3>(link.r, r);
  turn(R, z, g), turn(R, z + 3, g + 3);
  add_cross(r, g + 3, g);
  if (link.follows) return copy<6>(g, hand);
  const int into = link.node >= 0 ? job.node(link.node).inertia : job.link(link.parent).inertia;
  if (!link.opens) {
    job.template get<6>(into, hand);
    add<6>(hand, g);
  }
  job.template put<6>(into, g);
}

template <class J>
LIMBER_RARE void inverse_dynamics(J& job, const OutRows<typename J::T>& out) {
  using T = typename J::T;
  Frame<T> frame;
  for (int i = 1; i < job.tables.bodies; ++i) move_body<true>(job, job.link(i), job.link(i).n, AnyNode{}, frame);
  T hand[6];
  for (int i = job.tables.bodies - 1; i > 0; --i) inverse_body(job, job.link(i), i, hand, out);
}

// ---- poses in world and twists: rotation (9) and position (3) at link.world, twist (6) at link.motion --------------

// Twist of the inboard frame and its place.
template <class J, class T>
LIMBER_RARE void pose_body(J& job, const BatchLink& link) {
  T *e = job.scratch, *rate = e + link.ne, *H = rate + link.ne, *U = H + 36;
  read_modes(job, link, link.n, e, rate);
  Frame<T> frame;
  Hinge<T> hinge;
  T R[9], r[3], V[6] = {}, t[3];
  Motion<T> m;
  clear<9>(flat(frame.motion));
  if (link.node >= 0) {
    job.template get<9>(job.node(link.node).frame_pose, frame.R);
    job.template get<3>(job.node(link.node).l, frame.l);
  }
  compute_hinge(job, link, hinge, H);
  across_joint(link, frame, hinge, R, r, m);
  if (link.node >= 0) add<3>(frame.l, r);
  if (link.hinge >= 0 && !link.varies)
    for (int k = 0; k < link.nr; ++k) copy<6>(link.H[k], H + 6 * k);
  if (link.inboard >= 0) from_inboard(job, link, e, rate, R, r, m, H, U);
  T parent[12] = {}, world[12];
  parent[0] = parent[4] = parent[8] = spread<T>(1);
  if (link.parent > 0) {
    job.template get<12>(job.link(link.parent).world, parent);
    // twists of attachments are kept at the origin of their body
    job.template get<6>(link.node >= 0 ? job.node(link.node).a : job.link(link.parent).a, V);
  }
  compose(parent, parent + 9, R, r, world, world + 9);
  job.template put<12>(link.world, world);
  cross(V, r, t);
  add<3>(V + 3, t);
  T at[6];
  turn_back(R, V, at), turn_back(R, t, at + 3);
  for (int k = 0; k < link.nr; ++k) {
    const T speed = job.v[link.v + k];
    for (int c = 0; c < 6; ++c) at[c] += (link.hinge >= 0 ? H[6 * k + c] : spread<T>(link.H[k][c])) * speed;
  }
  copy<6>(at, V);  // of the joint side
  for (int k = 0; link.inboard >= 0 && k < link.n; ++k) add_times<6>(U + 6 * k, rate[k], at);
  job.template put<6>(link.a, at);
  for (int h = link.first_node; h < link.last_node; ++h) {
    const BatchNode& node = job.node(h);
    NodeFrame<T> d;
    compute_node(job, node, link.n, e, rate, d);
    job.template put<9>(node.frame_pose, d.R);
    job.template put<3>(node.l, d.l);
    T twist[6];
    copy<6>(at, twist);
    for (int k = 0; k < link.n; ++k) {
      T column[6];
      node_column(job, node, link.n, k, e, d.A, column);
      add_cross(d.l, column, column + 3);
      add_times<6>(column, rate[k], twist);
    }
    job.template put<6>(node.a, twist);
  }
}

template <class J>
LIMBER_RARE void compute_poses(J& job) {
  for (int i = 1; i < job.tables.bodies; ++i) pose_body<J, typename J::T>(job, job.link(i));
}

// Energies of springs of one joint.
template <class J, class T>
LIMBER_RARE T spring_energy(const J& job, const BatchLink& link) {
  T sum = T{};
  if (link.form != HingeForm::spherical && link.form != HingeForm::free) {
    for (int k = 0; k < link.nr; ++k) sum += 0.5 * link.stiffness[k] * job.q[link.q + k] * job.q[link.q + k];
    return sum;
  }
  T q[4], phi[3];
  for (int k = 0; k < 4; ++k) q[k] = job.q[link.q + k];
  quaternion_log(q, phi);
  sum = 0.5 * link.stiffness[0] * dot3(phi, phi);
  for (int k = 0; link.form == HingeForm::free && k < 3; ++k)
    sum += 0.5 * link.stiffness[3 + k] * job.q[link.q + 4 + k] * job.q[link.q + 4 + k];
  return sum;
}

// Rows of out: kinetic, gravity, elastic, springs.
template <class J>
LIMBER_RARE void compute_energies(J& job, const OutRows<typename J::T>& out) {
  using T = typename J::T;
  compute_poses(job);
  T kinetic = T{}, gravity = T{}, elastic = T{}, springs = T{};
  for (int i = 1; i < job.tables.bodies; ++i) {
    const BatchLink& link = job.link(i);
    const int n = link.n, ne = link.ne;
    T *e = job.scratch, *rate = e + ne, *f = rate + ne, *F = f + ne;
    T V[6], world[12], zero[3] = {}, moment[3];
    BodyTerms<T> terms;
    read_modes(job, link, n, e, rate);
    if (link.mass_varies) read_products(job, link, e, rate);
    job.template get<6>(link.a, V);
    job.template get<12>(link.world, world);
    contract(job, link, ne, e, rate, zero, zero, zero, F, f, terms);
    T Jw[3];
    apply_symmetric(terms.J, V, Jw);
    cross(terms.s, V + 3, moment);
    kinetic += 0.5 * (dot3(V, Jw) + terms.m * dot3(V + 3, V + 3)) + dot3(V, moment);
    const auto S = job.numbers(link.S), G = job.numbers(link.G);
    for (int a = 0; a < ne; ++a) {
      T product = dot3(F + 3 * a, V) + dot3(S + 3 * a, V + 3);
      for (int b = 0; b < ne; ++b) product += 0.5 * G[a * ne + b] * rate[b];
      kinetic += rate[a] * product;
    }
    for (int k = 0; k < link.nr; ++k) kinetic += 0.5 * link.armature[k] * job.v[link.v + k] * job.v[link.v + k];
    turn(world, terms.s, moment);
    for (int c = 0; c < 3; ++c) gravity -= job.tables.gravity[c] * (moment[c] + terms.m * world[9 + c]);
    for (int a = 0; a < n; ++a) f[a] = T{};
    for (int a = 0; a < n; ++a) rate[a] = T{};
    add_elastic(job, link, n, e, rate, f);
    for (int a = 0; a < n; ++a) elastic += 0.5 * e[a] * f[a];
    if (link.passive) springs += spring_energy<J, T>(job, link);
  }
  out.put(0, kinetic), out.put(1, gravity), out.put(2, elastic), out.put(3, springs);
}

// Rows of out: rotation (9, row by row) and position (3) of each node in world.
template <class J>
LIMBER_RARE void compute_node_poses(J& job, int count, const int* nodes, const int* bodies,
                                    const OutRows<typename J::T>& out) {
  using T = typename J::T;
  compute_poses(job);
  for (int i = 0; i < count; ++i) {
    T body[12], world[12];
    const BatchLink& link = job.link(bodies[i]);
    job.template get<12>(link.world, body);
    if (nodes[i] < 0) {
      copy<12>(body, world);
    } else {
      T *e = job.scratch, *rate = e + link.ne;
      read_modes(job, link, link.n, e, rate);
      NodeFrame<T> d;
      compute_node(job, job.node(nodes[i]), link.n, e, rate, d);
      compose(body, body + 9, d.R, d.l, world, world + 9);
    }
    for (int k = 0; k < 12; ++k) out.put(12 * i + k, world[k]);
  }
}

}  // namespace limber::LIMBER_BATCH_MACHINE
