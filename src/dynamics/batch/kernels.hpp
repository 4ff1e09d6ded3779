// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calls.hpp"
#include "chain_steps.hpp"
#include "steps.hpp"

// The kernels for one type of number.
namespace limber::LIMBER_BATCH_MACHINE {

template <class T>
inline Job<T> make_job(const BatchCall& call) {
  Job<T> job;
  job.tables = call.tables;
  job.q = {call.q, {}};
  job.v = {call.v, {}};
  job.u = {call.u, {}};
  job.given = {call.given, {}};
  job.needed = {call.needed, {}};
  job.loads = {call.loads, {}};
  job.parameters = {call.parameters, {}};
  job.store = call.store;
  job.scratch = reinterpret_cast<T*>(call.scratch);
  job.shelf.p = job.scratch;  // chains need no other scratch
  return job;
}

// Chains go the way that devices go, where speed is not the point: it is tested so.
struct Solve {
  template <class J>
  void operator()(J& job, const OutRows<typename J::T>& out) const {
    if constexpr (!kConstantSizes) {
      if (job.tables.chain == ChainForm::beams) return chain_dynamics<BeamChain>(job, out);
      if (job.tables.chain == ChainForm::long_beams) return chain_dynamics<LongBeamChain>(job, out);
      if (job.tables.chain == ChainForm::rigid) return chain_dynamics<RigidChain>(job, out);
    }
    forward_dynamics(job, out);
  }
};

template <class T>
void forward(const BatchCall& call) {
  Job<T> job = make_job<T>(call);
  Solve{}(job, OutRows<T>{call.out, {}});
  save(call.failure, job.failure);
  save(call.broken, job.broken);
}

template <class T>
void inverse(const BatchCall& call) {
  Job<T> job = make_job<T>(call);
  inverse_dynamics(job, OutRows<T>{call.out, {}});
}
template <class T>
void energies(const BatchCall& call) {
  Job<T> job = make_job<T>(call);
  compute_energies(job, OutRows<T>{call.out, {}});
}
template <class T>
void poses(const BatchCall& call) {
  Job<T> job = make_job<T>(call);
  compute_node_poses(job, call.pose_count, call.pose_nodes, call.pose_bodies, OutRows<T>{call.out, {}});
}

// Rows of work, one after the other.
template <class T>
OutRows<T> work_rows(const BatchCall& call, int nq, int nv) {
  return {call.stepping.work + static_cast<long>(nq * call.tables.nq + nv * call.tables.nv) * kBatchBlock, {}};
}

// Steps of chains as devices do them, where speed is not the point; false: not one of them.
template <class T>
bool chain_steps(const BatchCall& call, Job<T>& job, bool implicit) {
  if constexpr (kConstantSizes) {
    return false;
  } else {
    const BatchStepping& s = call.stepping;
    const StepRows<T> rows = {{s.q, {}},
                              {s.v, {}},
                              {s.a, {}},
                              {s.A, {}},
                              work_rows<T>(call, 0, 0),
                              work_rows<T>(call, 1, 0),
                              work_rows<T>(call, 1, 1),
                              work_rows<T>(call, 1, 2),
                              work_rows<T>(call, 1, 3),
                              job.u};
    if (job.tables.chain == ChainForm::beams) chain_steps<BeamChain>(job, implicit, s, rows);
    if (job.tables.chain == ChainForm::long_beams) chain_steps<LongBeamChain>(job, implicit, s, rows);
    if (job.tables.chain == ChainForm::rigid) chain_steps<RigidChain>(job, implicit, s, rows);
    return job.tables.chain != ChainForm::none;
  }
}

template <class T>
void implicit(const BatchCall& call) {
  Job<T> job = make_job<T>(call);
  const BatchStepping& s = call.stepping;
  const Rows<T> u = job.u;
  const int steps = chain_steps(call, job, true) ? 0 : s.steps;
  for (int i = 0; i < steps; ++i) {
    implicit_step(job, Solve{}, s, OutRows<T>{s.q, {}}, OutRows<T>{s.v, {}}, OutRows<T>{s.a, {}}, OutRows<T>{s.A, {}},
                  work_rows<T>(call, 0, 0), work_rows<T>(call, 1, 0), work_rows<T>(call, 1, 1), u);
  }
  save(call.failure, job.failure);
  save(call.broken, job.broken);
}

template <class T>
void rk4(const BatchCall& call) {
  Job<T> job = make_job<T>(call);
  const BatchStepping& s = call.stepping;
  const Rows<T> u = job.u;
  OutRows<T> rows[kBatchStepRows];
  for (int k = 0; k < kBatchStepRows; ++k) rows[k] = work_rows<T>(call, 1, k);
  const int steps = chain_steps(call, job, false) ? 0 : s.steps;
  for (int i = 0; i < steps; ++i)
    rk4_step(job, Solve{}, s.h, OutRows<T>{s.q, {}}, OutRows<T>{s.v, {}}, work_rows<T>(call, 0, 0), rows, u);
  save(call.failure, job.failure);
  save(call.broken, job.broken);
}

template <class T>
constexpr BatchKernels kKernels = {kWidth<T>, forward<T>, inverse<T>, energies<T>, poses<T>, rk4<T>, implicit<T>};

}  // namespace limber::LIMBER_BATCH_MACHINE
