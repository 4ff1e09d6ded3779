// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "halves_join.hpp"
#include "halves_plan.hpp"

// The steps of halves_plan.hpp on one part.
namespace limber::LIMBER_BATCH_MACHINE {

struct Halves {
  Job<double> job;
  OutRows<double> out;
  HalvesRows parts, bodies, joints;
};

LIMBER_KERNEL Halves make_halves(const HalvesCall& call, Stride stride) {
  Halves h;
  h.job.tables = call.tables;
  h.job.q = {call.q, stride}, h.job.v = {call.v, stride}, h.job.u = {call.u, stride};
  h.job.store = call.store;
  h.out = {call.out, stride};
  h.parts = {call.parts, call.part_count};
  h.bodies = {call.bodies, call.count[0]};
  h.joints = {call.joints, call.count[0]};
  return h;
}

// The halves of part j of a level, as rows; second is -1 where there is one alone.
struct HalvesPair {
  long part, first, second;
  int second_body;  // the first body of the second half, in `links`
};
LIMBER_KERNEL HalvesPair pair_of(const HalvesCall& call, int level, int j) {
  const bool two = 2 * j + 1 < call.count[level - 1];
  const long first = call.offset[level - 1] + 2 * j;
  return {call.offset[level] + j, first, two ? first + 1 : -1, ((2 * j + 1) << (level - 1)) + 1};
}

// ---- motions -------------------------------------------------------------------------------------------------------

template <class F>
LIMBER_KERNEL void relative_step(Halves& h, int j) {
  const BatchLink& link = h.job.link(j + 1);
  Relative<double> own;
  with_chain<F>(link, [&](auto f, auto) LIMBER_LAMBDA { relative_motion(h.job, link, f, own); });
  h.parts.put<kRelative>(kPartRelative, j, flat(own));
}
LIMBER_KERNEL void relative_pair(Halves& h, const HalvesPair& at) {
  Relative<double> first, second, both;
  h.parts.get<kRelative>(kPartRelative, at.first, flat(first));
  if (at.second < 0) return h.parts.put<kRelative>(kPartRelative, at.part, flat(first));
  h.parts.get<kRelative>(kPartRelative, at.second, flat(second));
  compose(first, second, both);
  h.parts.put<kRelative>(kPartRelative, at.part, flat(both));
}
LIMBER_KERNEL void ground_step(Halves& h, long part) {
  Relative<double> world;
  clear<kRelative>(flat(world));
  world.R[0] = world.R[4] = world.R[8] = 1;
  for (int i = 0; i < 3; ++i) world.a[i] = -h.job.tables.gravity[i];
  h.parts.put<18>(kPartAbsolute, part, flat(world));
}
LIMBER_KERNEL void absolute_pair(Halves& h, const HalvesPair& at) {
  Relative<double> inboard, half, next;
  clear<kRelative>(flat(inboard));
  h.parts.get<18>(kPartAbsolute, at.part, flat(inboard));
  h.parts.get<kRelative>(kPartRelative, at.first, flat(half));  // all numbers are read before the first is written
  h.parts.put<18>(kPartAbsolute, at.first, flat(inboard));
  if (at.second < 0) return;
  compose(inboard, half, next);
  h.parts.put<18>(kPartAbsolute, at.second, flat(next));
}

// ---- inward --------------------------------------------------------------------------------------------------------

template <class F>
LIMBER_KERNEL void ends_step(Halves& h, int j) {
  const BatchLink& link = h.job.link(j + 1);
  Ends<double> ends;
  {
    Relative<double> inboard;
    double rotation[9], offset[3];
    h.parts.get<18>(kPartAbsolute, j, flat(inboard));
    enter_body(h.job, link, inboard, rotation, offset);
    h.bodies.put<9>(HalvesBody::kRotation, j, rotation);
    h.bodies.put<3>(HalvesBody::kOffset, j, offset);
  }
  with_chain<F>(link, [&](auto f, auto) LIMBER_LAMBDA { body_ends(h.job, link, j, f, h.bodies, ends); });
  const double loss = 0;
  h.parts.put<kEnds>(kPartEnds, j, flat(ends));
  h.parts.put<1>(kPartLoss, j, &loss);
}
// Closes the part whose first body is `body`.
template <bool Keep>
LIMBER_KERNEL void close_step(Halves& h, long part, int body, Ends<double>& ends, double& loss) {
  h.parts.get<kEnds>(kPartEnds, part, flat(ends));
  h.parts.get<1>(kPartLoss, part, &loss);
  close_part<Keep>(h.job, h.job.link(body), body - 1, h.bodies, h.joints, ends, loss);
}
template <JoinPart Part>
LIMBER_KERNEL void join_pair(Halves& h, const HalvesPair& at) {
  constexpr bool kP = Part == JoinPart::all || Part == JoinPart::inboard;
  constexpr bool kBt = Part == JoinPart::all || Part == JoinPart::across;
  constexpr bool kOmega = Part == JoinPart::all || Part == JoinPart::outboard;
  Ends<double> A, B, both;
  double loss, other = 0;
  h.parts.get<kEnds>(kPartEnds, at.first, flat(A));
  h.parts.get<1>(kPartLoss, at.first, &loss);
  if (at.second < 0) {
    both = A;
  } else {
    Inertia<double> between;
    close_step<kP>(h, at.second, at.second_body, B, other);
    loss = larger(larger(loss, other), trace_product(B.P, A.Omega));
    join_ends<Part>(A, B, both, between);
    if constexpr (kP) {
      h.parts.put<21>(kPartBetween, at.part, flat(between));
      h.parts.put<6>(kPartClosed, at.second, B.P.z);
    }
    if constexpr (kBt) h.parts.put<36>(kPartClosed + 6, at.second, B.Bt);
  }
  if constexpr (kP) h.parts.put<kInertia>(kPartEnds, at.part, flat(both.P));
  if constexpr (kOmega) h.parts.put<kInertia>(kPartEnds + kInertia, at.part, flat(both.Omega));
  if constexpr (kBt) h.parts.put<36>(kPartEnds + 2 * kInertia, at.part, both.Bt);
  if constexpr (kP) h.parts.put<1>(kPartLoss, at.part, &loss);
}
LIMBER_KERNEL void turn_back_step(Halves& h, long part) {
  Ends<double> ends;
  double loss, a[6], f[6];
  clear<6>(a), clear<6>(f);
  close_step<true>(h, part, 1, ends, loss);
  h.parts.put<1>(kPartLoss, part, &loss);
  enter_part(h.job, h.job.link(1), 0, h.bodies, h.joints, f, a, h.out);
  h.parts.put<6>(kPartA, part, a);
  h.parts.put<6>(kPartF, part, f);
}

// ---- outward -------------------------------------------------------------------------------------------------------

//   t = B_A a + y_A    w = z_B + B_B^T f    f_m = w + T (t - Omega_A w)    a_m = t - Omega_A f_m        theory §6
LIMBER_KERNEL void part_pair(Halves& h, const HalvesPair& at) {
  double a[6], f[6];
  h.parts.get<6>(kPartA, at.part, a);
  h.parts.get<6>(kPartF, at.part, f);
  if (at.second < 0) {
    h.parts.put<6>(kPartA, at.first, a);
    return h.parts.put<6>(kPartF, at.first, f);
  }
  Ends<double> A;
  Inertia<double> between;
  double Bt[36], w[6], t[6], x[6], middle[6];
  h.parts.get<kEnds>(kPartEnds, at.first, flat(A));
  h.parts.get<6>(kPartClosed, at.second, w);
  h.parts.get<36>(kPartClosed + 6, at.second, Bt);
  h.parts.get<21>(kPartBetween, at.part, flat(between));
  times_general(Bt, f, x);
  add<6>(x, w);
  times_transposed(A.Bt, a, t);
  add<6>(A.Omega.z, t);
  copy<6>(t, x);
  subtract_product(A.Omega, w, x);
  apply(between, x, middle);
  add<6>(w, middle);
  subtract_product(A.Omega, middle, t);
  enter_part(h.job, h.job.link(at.second_body), at.second_body - 1, h.bodies, h.joints, f, t, h.out);
  h.parts.put<6>(kPartA, at.first, a);
  h.parts.put<6>(kPartF, at.first, middle);
  h.parts.put<6>(kPartA, at.second, t);
  h.parts.put<6>(kPartF, at.second, f);
}
template <class F>
LIMBER_KERNEL void expand_step(Halves& h, int j) {
  const BatchLink& link = h.job.link(j + 1);
  double a[6], f[6];
  h.parts.get<6>(kPartA, j, a);
  h.parts.get<6>(kPartF, j, f);
  with_chain<F>(
      link, [&](auto families, auto) LIMBER_LAMBDA { expand_part(h.job, link, j, families, h.bodies, a, f, h.out); });
}

// Part j of a level, for steps that do not depend on what the bodies are.
template <JoinPart Part = JoinPart::all>
LIMBER_KERNEL void pair_step(Halves& h, const HalvesCall& call, HalvesStep step, int level, int j) {
  if (step == HalvesStep::ground) return ground_step(h, call.offset[level]);
  if (step == HalvesStep::turn_back) return turn_back_step(h, call.offset[level]);
  const HalvesPair at = pair_of(call, level, j);
  if (step == HalvesStep::relative_pairs) return relative_pair(h, at);
  if (step == HalvesStep::absolute_pairs) return absolute_pair(h, at);
  if (step == HalvesStep::join_pairs) return join_pair<Part>(h, at);
  part_pair(h, at);
}
LIMBER_KERNEL bool is_body_step(HalvesStep step) {
  return step == HalvesStep::relative || step == HalvesStep::ends || step == HalvesStep::expand;
}
template <class F>
LIMBER_KERNEL void body_step(Halves& h, HalvesStep step, int j) {
  if (step == HalvesStep::relative) return relative_step<F>(h, j);
  if (step == HalvesStep::ends) return ends_step<F>(h, j);
  expand_step<F>(h, j);
}

}  // namespace limber::LIMBER_BATCH_MACHINE
