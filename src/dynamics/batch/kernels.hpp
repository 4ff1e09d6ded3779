// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calls.hpp"
#include "sweep.hpp"

// The kernels for one type of number.
namespace limber::LIMBER_BATCH_MACHINE {

template <class T>
inline Job<T> make_job(const BatchCall& call) {
  Job<T> job;
  job.tables = call.tables;
  job.q = {call.q, call.stride};
  job.v = {call.v, call.stride};
  job.u = {call.u, call.stride};
  job.given = {call.given, call.stride};
  job.needed = {call.needed, call.stride};
  job.loads = {call.loads, call.stride};
  job.parameters = {call.parameters, call.stride};
  job.store = call.store;
  job.scratch = reinterpret_cast<T*>(call.scratch);
  return job;
}

template <class T>
void forward(const BatchCall& call) {
  Job<T> job = make_job<T>(call);
  forward_dynamics(job, OutRows<T>{call.out, call.stride});
  save(call.failure, job.failure);
  save(call.broken, job.broken);
}

template <class T>
constexpr BatchKernels kKernels = {kWidth<T>, forward<T>};

}  // namespace limber::LIMBER_BATCH_MACHINE
