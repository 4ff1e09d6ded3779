// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spatial.hpp"
#include "tables.hpp"

namespace limber::LIMBER_BATCH_MACHINE {

// Rows of numbers, one per coordinate; the states in a register stand beside each other.
template <class T>
struct Rows {
  const double* p = nullptr;
  long stride = 0;
  LIMBER_KERNEL T operator[](long j) const { return load<T>(p + j * stride); }
};
template <class T>
struct OutRows {
  double* p = nullptr;
  long stride = 0;
  LIMBER_KERNEL void put(long j, T x) const { save(p + j * stride, x); }
  LIMBER_KERNEL T operator[](long j) const { return load<T>(p + j * stride); }
};

// What one or several states of one group are computed with.  The store holds what one sweep leaves for the next.
template <class Number>
struct Job {
  using T = Number;
  BatchTables tables;
  Rows<T> q, v, u;      // u: forces, or accelerations for inverse dynamics
  Rows<T> given;        // accelerations of prescribed hinges, among all speeds
  OutRows<T> needed;    // torques that they need
  Rows<T> loads;        // (6 per external wrench)
  Rows<T> parameters;   // (kBatchRows per body that has its own)
  double* store = nullptr;
  long stride = 1;      // between the numbers of one store, in T
  T* scratch = nullptr;
  T failure = spread<T>(-1.0);  // speed without inertia
  T broken = T{};               // 1: its pivot is not a number

  LIMBER_KERNEL const BatchLink& link(int i) const { return tables.links[i]; }
  LIMBER_KERNEL const BatchNode& node(int i) const { return tables.nodes[i]; }
  LIMBER_KERNEL const double* numbers(int at) const { return tables.numbers + at; }
  LIMBER_KERNEL T get(long at) const { return load<T>(store + at * stride * kWidth<T>); }
  LIMBER_KERNEL void put(long at, T x) const { save(store + at * stride * kWidth<T>, x); }
  template <int N>
  LIMBER_KERNEL void get(long at, T* out) const {
    LIMBER_UNROLL
    for (int i = 0; i < N; ++i) out[i] = get(at + i);
  }
  template <int N>
  LIMBER_KERNEL void put(long at, const T* x) const {
    LIMBER_UNROLL
    for (int i = 0; i < N; ++i) put(at + i, x[i]);
  }
};

// Numbers of a body while it is worked on: in registers where their count is a constant, else in the scratch.
template <class T, int N>
struct Local {
  T x[N > 0 ? N : 1];
  LIMBER_KERNEL operator T*() { return x; }
};
template <class T>
struct Borrowed {
  T* x;
  LIMBER_KERNEL operator T*() { return x; }
};
template <int Each, class T, int N>
LIMBER_KERNEL Local<T, Each * N> array(Size<N>, T*&) {
  return {};
}
template <int Each, class T>
LIMBER_KERNEL Borrowed<T> array(int n, T*& scratch) {
  T* x = scratch;
  scratch += Each * n;
  return {x};
}
template <class T, int N>
LIMBER_KERNEL Local<T, N * N> square(Size<N>, T*&) {
  return {};
}
template <class T>
LIMBER_KERNEL Borrowed<T> square(int n, T*& scratch) {
  T* x = scratch;
  scratch += n * n;
  return {x};
}

}  // namespace limber::LIMBER_BATCH_MACHINE
