// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "beam.hpp"

// Outward, the motion of a beam on one revolute joint, on processors: move_body (motion.hpp) with every number written
// where it is read.
namespace limber::LIMBER_BATCH_MACHINE {

// Numbers in memory are read once more after this.  Compilers that keep them in registers, which are too few, write
// them to the stack a second time.
LIMBER_KERNEL void read_again() { asm volatile("" ::: "memory"); }

// A turn and its rate, the rate of the node's shift along y and z, the coefficients of the turn.
template <class T>
struct TipTurn {
  T angle[3], rate[3], shift_rate[2], x;
  Series<T> s;
};
template <class J, class T, class Fam>
LIMBER_KERNEL void turn_tip(const J& job, const BatchLink& link, const BatchNode& node, Fam f, TipTurn<T>& turn, T* l) {
  const Rows<T> e = {job.q.at(link.qm), {}}, rate = {job.v.at(link.vm), {}};
  // turn about `axis`, and shift along the place `along` of l
  const auto sum = [&](int first, auto count, int axis, int along) LIMBER_LAMBDA {
    T angle = T{}, angle_rate = T{}, place = spread<T>(node.position[along]), place_rate = T{};
    over(
        count, LIMBER_OVER(i) {
          const auto mode = beam_mode(job, link, first + i);
          const T x = e[first + i], v = rate[first + i];
          angle += mode[kBeamTurn] * x, angle_rate += mode[kBeamTurn] * v;
          if (along > 0) place += mode[kBeamShift] * x, place_rate += mode[kBeamShift] * v;
        });
    turn.angle[axis] = angle, turn.rate[axis] = angle_rate, l[along] = place;
    if (along > 0) turn.shift_rate[along - 1] = place_rate;
  };
  sum(0, f.y, 2, 1);
  sum(f.y, f.z, 1, 2);
  sum(f.y + f.z, f.t, 0, 0);
}

// The node of the body and its motion, as turn_node and node_motion.
template <class J, class T, class Fam>
LIMBER_KERNEL void move_tip(const J& job, const BatchLink& link, const BatchNode& node, Fam f, const Motion<T>& m,
                            Frame<T>& out) {
  TipTurn<T>& t = *reinterpret_cast<TipTurn<T>*>(job.scratch);
  T *A = job.place(node.A, job.scratch), *l = job.place(node.l, job.scratch);
  turn_tip(job, link, node, f, t, l);
  t.x = dot3(t.angle, t.angle);
  series(t.x, t.s);
  read_again();
  turn_matrix(t.angle, 1.0 - t.x * t.s.a, t.s.sinc, t.s.a, out.R);
  if (node.turned) {
    T R[9];
    multiply(out.R, node.rotation, R);
    copy<9>(R, out.R);
  }
  read_again();
  turn_matrix(t.angle, t.s.sinc, t.s.a, t.s.b, A);
  read_again();
  T once[3], twice[3], third[3], rate[3],
      x[3] = {T{}, t.shift_rate[0] + t.shift_rate[0], t.shift_rate[1] + t.shift_rate[1]};
  cross(t.angle, t.rate, once);
  cross(t.angle, once, twice);
  cross(t.rate, once, third);
  const T two = 2.0 * dot3(t.angle, t.rate), da = two * t.s.da, db = two * t.s.db;
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) out.motion.wd[i] = m.wd[i] + (da * once[i] + db * twice[i] + t.s.b * third[i]);
  turn(A, t.rate, rate);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) out.motion.w[i] = m.w[i] + rate[i];
  add_cross(m.w, rate, out.motion.wd);
  read_again();
  add_cross(m.w, l, x);
  copy<3>(m.vd, out.motion.vd);
  add_cross(m.w, x, out.motion.vd);
  add_cross(m.wd, l, out.motion.vd);
}

template <class J, class Fam, class T>
LIMBER_STEP void move_beam(const J& job, const BatchLink& link, Fam f, Frame<T>& LIMBER_ALONE frame) {
  Motion<T>& m = *reinterpret_cast<Motion<T>*>(job.place(link.motion, job.scratch));
  T *R = job.place(link.R, job.scratch), r[3];
  {
    Hinge<T> hinge;
    if (!link.follows) read_frame(job, link, frame);
    at_angle(link.K, job.q[link.q], link.on_node != 0, hinge.R, hinge.p);
    const T v = job.v[link.v];
    LIMBER_UNROLL
    for (int i = 0; i < 3; ++i) hinge.V[i] = link.H[0][i] * v;
    cross_joint(link, frame, hinge, R, r, m);
  }
  if (!link.on_node) {
    if (link.node >= 0 && !link.at_node) add<3>(frame.l, r);
    job.template put<3>(link.r, r);
  }
  if (job.tables.worlds) write_world(job, link, R);
  read_again();
  if (link.first_node == link.last_node) {
    if (link.followed) copy<kMotion>(flat(m), flat(frame.motion));
    return;
  }
  const BatchNode& node = job.node(link.first_node);
  move_tip(job, link, node, f, m, frame);
  if (!link.keeps) return;
  job.template put<9>(node.frame, frame.R);
  job.template put<kMotion>(node.frame + 9, flat(frame.motion));
}

}  // namespace limber::LIMBER_BATCH_MACHINE
