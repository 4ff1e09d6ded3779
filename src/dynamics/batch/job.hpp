// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spatial.hpp"
#include "tables.hpp"

namespace limber::LIMBER_BATCH_MACHINE {

// Distances between the rows of states: a constant on processors, whose states are copied block by block; on a device
// the number of all items.  Between the numbers of a store: those of a block of a device's threads stand beside each
// other.
#ifdef __CUDACC__
using Stride = int;
inline constexpr bool kStoreIsNear = false;
LIMBER_KERNEL long row_offset(int j, Stride stride) { return static_cast<long>(j) * stride; }
#else
struct Stride {};
inline constexpr bool kStoreIsNear = true;  // numbers of the store are used where they are
LIMBER_KERNEL constexpr long row_offset(long j, Stride) { return j * kBatchBlock; }
#endif
#ifndef LIMBER_DEVICE_BLOCK
#define LIMBER_DEVICE_BLOCK 1
#endif
inline constexpr long kStoreStride = LIMBER_DEVICE_BLOCK;

// Rows of numbers, one per coordinate; the states in a register stand beside each other.
template <class T>
struct Rows {
  const double* p = nullptr;
  Stride stride = {};
  LIMBER_KERNEL const double* at(long j) const { return p + row_offset(j, stride); }
  LIMBER_KERNEL T operator[](long j) const { return load<T>(at(j)); }
};
template <class T>
struct OutRows {
  double* p = nullptr;
  Stride stride = {};
  LIMBER_KERNEL void put(long j, T x) const { save(p + row_offset(j, stride), x); }
  LIMBER_KERNEL T operator[](long j) const { return load<T>(p + row_offset(j, stride)); }
};

// Constants of the tables: nothing writes them while a kernel runs, which a device's compiler must be told.
#ifdef __CUDA_ARCH__
template <class Number>
struct Constants {
  const Number* p;
  LIMBER_KERNEL Number operator[](int i) const { return __ldg(p + i); }
  LIMBER_KERNEL Constants operator+(long i) const { return {p + i}; }
  LIMBER_KERNEL Constants& operator+=(long i) {
    p += i;
    return *this;
  }
};
template <class Number>
LIMBER_KERNEL Constants<Number> constants(const Number* p) {
  return {p};
}
#else
template <class Number>
LIMBER_KERNEL const Number* constants(const Number* p) {
  return p;
}
#endif

// Numbers of the chain's kernels (chain.hpp) that are put aside while a body is worked on: of a device in its shared
// memory, where those of a block of threads stand beside each other.
inline constexpr int kShelfStride = LIMBER_DEVICE_BLOCK;
template <class T>
struct Shelf {
  T* p = nullptr;
  template <int N>
  LIMBER_KERNEL void get(int at, T* out) const {
    LIMBER_UNROLL
    for (int i = 0; i < N; ++i) out[i] = p[(at + i) * kShelfStride];
  }
  // The same, read once more rather than kept in registers since the last time.
  template <int N>
  LIMBER_KERNEL void again(int at, T* out) const {
    LIMBER_UNROLL
    for (int i = 0; i < N; ++i) out[i] = static_cast<const volatile T*>(p)[(at + i) * kShelfStride];
  }
  template <int N>
  LIMBER_KERNEL void put(int at, const T* x) const {
    LIMBER_UNROLL
    for (int i = 0; i < N; ++i) p[(at + i) * kShelfStride] = x[i];
  }
  // A number on its way here, past the registers; arrive() waits for all of them.
  LIMBER_KERNEL void fetch(int at, const double* from) const {
#ifdef __CUDA_ARCH__
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(p + at * kShelfStride));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
#else
    p[at * kShelfStride] = load<T>(from);
#endif
  }
  LIMBER_KERNEL void arrive() const {
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }
};

// Where a kernel finds the tables of the machine.  A device has a second place for those of small ones: its constant
// memory (chain_kernels.cuh).
struct FarTables {
  LIMBER_KERNEL static const BatchLink& link(const BatchTables& tables, int i) { return tables.links[i]; }
  LIMBER_KERNEL static const BatchNode& node(const BatchTables& tables, int i) { return tables.nodes[i]; }
  LIMBER_KERNEL static auto numbers(const BatchTables& tables, int at) { return constants(tables.numbers + at); }
};

// What one or several states of one group are computed with.  The store holds what one sweep leaves for the next.
template <class Number, class Where = FarTables>
struct Job {
  using T = Number;
  BatchTables tables;
  Rows<T> q, v, u;     // u: forces, or accelerations for inverse dynamics
  Rows<T> given;       // accelerations of prescribed hinges, among all speeds
  OutRows<T> needed;   // torques that they need
  Rows<T> loads;       // (6 per external wrench)
  Rows<T> parameters;  // (kBatchRows per body that has its own)
  double* store = nullptr;
  T* scratch = nullptr;
  Shelf<T> shelf;
  int stages = kChainStageCount;  // a number that a device's compiler does not know
  T failure = spread<T>(-1.0);    // speed without inertia
  T broken = T{};                 // 1: its pivot is not a number

  LIMBER_KERNEL const BatchLink& link(int i) const { return Where::link(tables, i); }
  LIMBER_KERNEL const BatchNode& node(int i) const { return Where::node(tables, i); }
  LIMBER_KERNEL auto numbers(int at) const { return Where::numbers(tables, at); }
  LIMBER_KERNEL auto indices(int at) const { return constants(tables.indices + at); }
  LIMBER_KERNEL double* at(long at) const { return store + at * kStoreStride * kWidth<T>; }
  LIMBER_KERNEL T get(long i) const { return load<T>(at(i)); }
  LIMBER_KERNEL void put(long i, T x) const { save(at(i), x); }
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

  // Numbers of the store: where they are, or read into a buffer.
  template <int N>
  LIMBER_KERNEL const T* view(long at, [[maybe_unused]] T* buffer) const {
    if constexpr (kStoreIsNear) {
      return reinterpret_cast<const T*>(store + at * kWidth<T>);
    } else {
      get<N>(at, buffer);
      return buffer;
    }
  }
  // Where numbers are written that keep() then leaves in the store.
  LIMBER_KERNEL T* place([[maybe_unused]] long at, [[maybe_unused]] T* buffer) const {
    if constexpr (kStoreIsNear) {
      return reinterpret_cast<T*>(store + at * kWidth<T>);
    } else {
      return buffer;
    }
  }
  template <int N>
  LIMBER_KERNEL void keep([[maybe_unused]] long at, [[maybe_unused]] const T* buffer) const {
    if constexpr (!kStoreIsNear) put<N>(at, buffer);
  }
};

// Numbers of a body while it is worked on, `Each` per mode or column: in registers where their count is a constant,
// else in the scratch.  Not set: every number is written before it is read.
template <int Each, class T, class N>
struct Array {
  LIMBER_KERNEL Array(N, T*&) {}
  LIMBER_KERNEL T& operator[](int i) { return x[i]; }
  T x[Each * N::value > 0 ? Each* N::value : 1];
};
template <int Each, class T>
struct Array<Each, T, int> {
  LIMBER_KERNEL Array(int n, T*& scratch) : x(scratch) { scratch += Each * n; }
  LIMBER_KERNEL T& operator[](int i) { return x[i]; }
  T* x;
};
template <class T, class N>
struct Square {
  LIMBER_KERNEL Square(N, T*&) {}
  LIMBER_KERNEL T& operator[](int i) { return x[i]; }
  T x[N::value * N::value > 0 ? N::value* N::value : 1];
};
template <class T>
struct Square<T, int> {
  LIMBER_KERNEL Square(int n, T*& scratch) : x(scratch) { scratch += n * n; }
  LIMBER_KERNEL T& operator[](int i) { return x[i]; }
  T* x;
};

}  // namespace limber::LIMBER_BATCH_MACHINE
