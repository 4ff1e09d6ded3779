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
// On a device, number i of a thread stands in place_of(i): `kTogether` numbers beside each other, which one instruction
// moves, then those of the other threads of a row.
#ifndef LIMBER_DEVICE_ROW
#define LIMBER_DEVICE_ROW 1
#endif
#ifndef LIMBER_DEVICE_TOGETHER
#define LIMBER_DEVICE_TOGETHER 1
#endif
inline constexpr int kRow = LIMBER_DEVICE_ROW, kTogether = LIMBER_DEVICE_TOGETHER;
LIMBER_KERNEL constexpr long place_of(long i) { return i / kTogether * (kTogether * kRow) + i % kTogether; }
LIMBER_KERNEL constexpr int even(int i) { return (i + kTogether - 1) / kTogether * kTogether; }
struct alignas(16) Pair {
  double first, second;
};
// N numbers of a thread from place `at` of p on, two at a time where they stand together.
template <int N, class T, class Two, class One>
LIMBER_KERNEL void by_pairs(T* p, int at, Two two, One one) {
  LIMBER_UNROLL
  for (int i = 0; i < N; ++i) {
    const bool paired = kTogether == 2 && (at + i) % 2 == 0 && i + 1 < N;
    if (kTogether == 2 && (at + i) % 2 == 1 && i > 0) continue;  // went with the one before
    paired ? two(p + place_of(at + i), i) : one(p + place_of(at + i), i);
  }
}

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

// Two numbers that stand together.
template <class A, class B>
LIMBER_KERNEL void take_pair([[maybe_unused]] const A* from, [[maybe_unused]] B* out) {
  if constexpr (kTogether == 2) {
    const Pair x = *reinterpret_cast<const Pair*>(from);
    out[0] = x.first, out[1] = x.second;
  }
}
template <class T>
LIMBER_KERNEL void take_pair_again([[maybe_unused]] const T* from, [[maybe_unused]] T* out) {
#ifdef __CUDA_ARCH__
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(from));
  asm volatile("ld.volatile.shared.v2.f64 {%0, %1}, [%2];" : "=d"(out[0]), "=d"(out[1]) : "r"(at));
#endif
}
template <class A, class B>
LIMBER_KERNEL void keep_pair([[maybe_unused]] const A* x, [[maybe_unused]] B* to) {
  if constexpr (kTogether == 2) *reinterpret_cast<Pair*>(to) = Pair{x[0], x[1]};
}

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
// memory.
template <class T>
struct Shelf {
  T* p = nullptr;
  template <int N>
  LIMBER_KERNEL void get(int at, T* out) const {
    by_pairs<N>(
        p, at, [&](const T* from, int i) LIMBER_LAMBDA { take_pair(from, out + i); },
        [&](const T* from, int i) LIMBER_LAMBDA { out[i] = *from; });
  }
  // The same, read once more rather than kept in registers since the last time.
  template <int N>
  LIMBER_KERNEL void again(int at, T* out) const {
    by_pairs<N>(
        p, at, [&](const T* from, int i) LIMBER_LAMBDA { take_pair_again(from, out + i); },
        [&](const T* from, int i) LIMBER_LAMBDA { out[i] = *static_cast<const volatile T*>(from); });
  }
  template <int N>
  LIMBER_KERNEL void put(int at, const T* x) const {
    by_pairs<N>(
        p, at, [&](T* to, int i) LIMBER_LAMBDA { keep_pair(x + i, to); },
        [&](T* to, int i) LIMBER_LAMBDA { *to = x[i]; });
  }
  // A number on its way here, past the registers, or two that stand together.  close() ends a load of them, arrive()
  // waits for all loads, arrive_early() for all but the latest.
  LIMBER_KERNEL void fetch(int at, const double* from) const {
#ifdef __CUDA_ARCH__
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(p + place_of(at)));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
#else
    p[place_of(at)] = load<T>(from);
#endif
  }
  LIMBER_KERNEL void fetch_pair([[maybe_unused]] int at, [[maybe_unused]] const double* from) const {
#ifdef __CUDA_ARCH__
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(p + place_of(at)));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#endif
  }
  LIMBER_KERNEL void close() const {
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
  }
  LIMBER_KERNEL void arrive() const {
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }
  LIMBER_KERNEL void arrive_early() const {
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.wait_group 1;" ::: "memory");
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
  LIMBER_KERNEL double* at(long i) const { return store + place_of(i) * kWidth<T>; }
  LIMBER_KERNEL T get(long i) const { return load<T>(at(i)); }
  LIMBER_KERNEL void put(long i, T x) const { save(at(i), x); }
  // Number k from an even place on.
  LIMBER_KERNEL double* at(long even, int k) const { return store + (even * kRow + place_of(k)) * kWidth<T>; }
  template <int N>
  LIMBER_KERNEL void get(long even, T* out) const {
    by_pairs<N>(
        store, 0, [&](const double*, int i) LIMBER_LAMBDA { take_pair(at(even, i), out + i); },
        [&](const double*, int i) LIMBER_LAMBDA { out[i] = load<T>(at(even, i)); });
  }
  template <int N>
  LIMBER_KERNEL void put(long even, const T* x) const {
    by_pairs<N>(
        store, 0, [&](double*, int i) LIMBER_LAMBDA { keep_pair(x + i, at(even, i)); },
        [&](double*, int i) LIMBER_LAMBDA { save(at(even, i), x[i]); });
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
