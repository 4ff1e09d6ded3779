// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "body.hpp"

// Outward: poses and motion with given accelerations of hinges and modes, or none.  Accelerations are classical, so
// that linear velocities are not needed.  theory §2, §3.
namespace limber::LIMBER_BATCH_MACHINE {

// Of a frame: angular velocity, its rate, acceleration of the origin less gravity, in the basis of its body.
template <class T>
struct Motion {
  T w[3], wd[3], vd[3];
};
inline constexpr int kMotion = 9;

// An inboard frame: its place in the parent, and its motion in the parent's basis.
template <class T>
struct Frame {
  T R[9], l[3];  // of a moving node
  Motion<T> motion;
};

// What a body inherits: handed on from the body before, or read.
template <class J, class T>
LIMBER_STEP void read_frame(const J& job, const BatchLink& link, Frame<T>& frame) {
  if (link.follows) return;
  if (link.parent == 0) {
    clear<3>(frame.motion.w), clear<3>(frame.motion.wd);
    LIMBER_UNROLL
    for (int i = 0; i < 3; ++i) frame.motion.vd[i] = spread<T>(-job.tables.gravity[i]);
    return;
  }
  if (link.node < 0) {
    job.template get<kMotion>(job.link(link.parent).motion, flat(frame.motion));
    return;
  }
  const BatchNode& node = job.node(link.node);
  job.template get<9>(node.frame, frame.R);
  job.template get<kMotion>(node.frame + 9, flat(frame.motion));
  job.template get<3>(node.l, frame.l);
}

// The joint sits on a moving node d of the body: from the joint frame on that node to the body frame.
//   V_F = X(-l)(V_d - Pi etadot),  U = -X(-l) Pi        theory §2, Body frame, [JR] (10)
template <class J, class T>
LIMBER_RARE void from_inboard(const J& job, const BatchLink& link, const T* e, const T* rate, T* R, T* r, Motion<T>& m,
                              T* H, T* U) {
  const BatchNode& node = job.node(link.inboard);
  NodeFrame<T> d;
  compute_node(job, node, link.n, e, rate, d);
  T RF[9], t[3], wdot[3], w[3];
  multiply_transposed(R, d.R, RF);
  copy<9>(RF, R);
  turn(R, d.l, t);
  for (int i = 0; i < 3; ++i) r[i] -= t[i];
  turn(d.R, m.w, w);
  for (int i = 0; i < 3; ++i) m.w[i] = w[i] - d.turn_rate[i];
  turn(d.R, m.wd, wdot);
  cross(m.w, d.turn_rate, t);
  for (int i = 0; i < 3; ++i) m.wd[i] = wdot[i] - d.turn_bias[i] - t[i];
  T vd[3], x[3], y[3];
  turn(d.R, m.vd, vd);
  for (int i = 0; i < 3; ++i) x[i] = 2.0 * d.l_rate[i];
  add_cross(m.w, d.l, x);
  cross(m.w, x, y);
  cross(m.wd, d.l, x);
  for (int i = 0; i < 3; ++i) m.vd[i] = vd[i] - x[i] - y[i] - d.l_bias[i];
  for (int k = 0; k < link.nr; ++k) {
    T h[6];
    turn(d.R, H + 6 * k, h), turn(d.R, H + 6 * k + 3, h + 3);
    cross(h, d.l, t);
    for (int i = 0; i < 3; ++i) H[6 * k + i] = h[i], H[6 * k + 3 + i] = h[3 + i] - t[i];
  }
  for (int k = 0; k < link.n; ++k) {
    T* u = U + 6 * k;
    node_column(job, node, link.n, k, e, d.A, u);
    cross(u, d.l, t);
    for (int i = 0; i < 3; ++i) u[i] = -u[i], u[3 + i] = t[i] - u[3 + i];
  }
}

// Pose of the child side in the parent's basis, and its motion.  r: from the inboard frame.
template <class T>
LIMBER_KERNEL void cross_joint(const BatchLink& link, const Frame<T>& from, const Hinge<T>& hinge, T* R, T* r,
                               Motion<T>& m) {
  T vd[3], x[3], w[3];
  copy<3>(from.motion.vd, vd);
  if (link.node >= 0) {
    multiply(from.R, hinge.R, R);
  } else {
    copy<9>(hinge.R, R);
  }
  if (link.on_node) {
    clear<3>(r);
  } else {
    if (link.node >= 0) {
      turn(from.R, hinge.p, r);
    } else {
      copy<3>(hinge.p, r);
    }
    add_cross(from.motion.wd, r, vd);
    cross(from.motion.w, r, x);
    add_cross(from.motion.w, x, vd);
  }
  turn_back(R, from.motion.w, w);
  turn_back(R, from.motion.wd, m.wd);
  turn_back(R, vd, m.vd);
  add_cross(w, hinge.V, m.wd);
  if (!link.centred) {
    LIMBER_UNROLL
    for (int i = 0; i < 3; ++i) x[i] = w[i] + w[i] + hinge.V[i];
    add_cross(x, hinge.V + 3, m.vd);
  }
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) m.w[i] = w[i] + hinge.V[i];
  if (link.varies) {
    add<3>(hinge.rate, m.wd);
    add<3>(hinge.rate + 3, m.vd);
  }
}
template <class T>
LIMBER_STEP void across_joint(const BatchLink& link, const Frame<T>& from, const Hinge<T>& hinge, T* R, T* r,
                              Motion<T>& m) {
  cross_joint(link, from, hinge, R, r, m);
}

// A moving node of the body; its motion at given accelerations of the modes is added by the caller.
template <class T>
LIMBER_STEP void node_motion(const Motion<T>& m, const NodeFrame<T>& d, Frame<T>& out) {
  T x[3];
  copy<9>(d.R, out.R);
  copy<3>(d.l, out.l);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) {
    out.motion.w[i] = m.w[i] + d.turn_rate[i];
    out.motion.wd[i] = m.wd[i] + d.turn_bias[i];
    out.motion.vd[i] = m.vd[i] + d.l_bias[i];
    x[i] = d.l_rate[i] + d.l_rate[i];
  }
  add_cross(m.w, d.turn_rate, out.motion.wd);
  add_cross(m.w, d.l, x);
  add_cross(m.w, x, out.motion.vd);
  add_cross(m.wd, d.l, out.motion.vd);
}

// Rotation in world.
template <class J, class T>
LIMBER_RARE void write_world(const J& job, const BatchLink& link, const T* R) {
  T parent[9], world[9];
  if (link.parent == 0) {
    job.template put<9>(link.world, R);
    return;
  }
  job.template get<9>(job.link(link.parent).world, parent);
  multiply(parent, R, world);
  job.template put<9>(link.world, world);
}

// vdot of a body in its own motion: accelerations of the hinge and of the modes through U.
template <class J, class T>
LIMBER_STEP void add_accelerations(const J& job, const BatchLink& link, const T* H, const T* U, Motion<T>& m) {
  for (int k = 0; k < link.nr; ++k) {
    const T a = job.u[link.v + k];
    if (link.hinge >= 0) {
      add_times<6>(H + 6 * k, a, flat(m) + 3);
    } else {
      add_times<6>(link.H[k], a, flat(m) + 3);
    }
  }
  if (link.inboard < 0) return;
  for (int k = 0; k < link.n; ++k) add_times<6>(U + 6 * k, job.u[link.vm + k], flat(m) + 3);
}

// How the nodes of a body move: any body's; those of a beam: beam.hpp.
struct AnyNode {
  template <class J, class T, class N>
  LIMBER_KERNEL void operator()(const J& job, const BatchLink&, const BatchNode& node, N n, const T* e, const T* rate,
                                NodeFrame<T>& out) const {
    compute_node(job, node, n, e, rate, out);
  }
};

// One body.  Given: with accelerations in u, for inverse dynamics.
template <bool Given, class J, class N, class NodeOf>
LIMBER_STEP void move_body(J& job, const BatchLink& link, N n, NodeOf node_of, Frame<typename J::T>& frame) {
  using T = typename J::T;
  T* scratch = job.scratch;
  Array<1, T, std::remove_const_t<decltype(n)>> e(n, scratch);
  Array<1, T, std::remove_const_t<decltype(n)>> rate(n, scratch);
  read_modes(job, link, n, e.x, rate.x);
  Motion<T> motion;
  Motion<T>& m = *reinterpret_cast<Motion<T>*>(job.place(link.motion, flat(motion)));
  T turned[9], r[3];
  T* R = job.place(link.R, turned);
  {
    Hinge<T> hinge;
    T* H = scratch;
    read_frame(job, link, frame);
    compute_hinge(job, link, hinge, H);
    across_joint(link, frame, hinge, R, r, m);
    if (link.node >= 0 && (Given || !link.at_node)) add<3>(frame.l, r);
    if (link.hinge >= 0) {  // a map that moves: with q, or with the inboard node
      if (!link.varies)
        for (int k = 0; k < link.nr; ++k) copy<6>(link.H[k], H + 6 * k);
      T* U = H + 36;
      if (link.inboard >= 0) from_inboard(job, link, e.x, rate.x, R, r, m, H, U);
      for (int k = 0; k < 6 * link.nr; ++k) job.put(link.hinge + k, H[k]);
      for (int k = 0; link.inboard >= 0 && k < 6 * link.n; ++k) job.put(link.U + k, U[k]);
    }
    if constexpr (Given) add_accelerations(job, link, H, H + 36, m);
  }
  job.template keep<9>(link.R, R);
  if (Given || !link.on_node) job.template put<3>(link.r, r);
  job.template keep<kMotion>(link.motion, flat(m));
  if (job.tables.worlds) write_world(job, link, R);
  if (link.followed) {
    copy<3>(m.w, frame.motion.w), copy<3>(m.wd, frame.motion.wd), copy<3>(m.vd, frame.motion.vd);
  }
  for (int h = link.first_node; h < link.last_node; ++h) {
    const BatchNode& node = job.node(h);
    NodeFrame<T> d;
    node_of(job, link, node, n, e.x, rate.x, d);
    job.template put<9>(node.A, d.A);
    job.template put<3>(node.l, d.l);
    node_motion(m, d, frame);
    if constexpr (Given) {
      over(
          n, LIMBER_OVER(k) {
            T column[6];
            node_column(job, node, n, k, e.x, d.A, column);
            add_times<6>(column, job.u[link.vm + k], flat(frame.motion) + 3);
          });
    }
    if (link.keeps) {
      job.template put<9>(node.frame, frame.R);
      job.template put<kMotion>(node.frame + 9, flat(frame.motion));
    }
  }
}

}  // namespace limber::LIMBER_BATCH_MACHINE
