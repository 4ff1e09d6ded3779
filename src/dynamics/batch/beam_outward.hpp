// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "beam.hpp"

// Outward, one beam: accelerations of its modes and of its node.
namespace limber::LIMBER_BATCH_MACHINE {

// Accelerations of the active coordinates from that of the frame, a.  A store that is near has the factors as they are,
// another the solution, which is smaller.
template <class J, class T>
LIMBER_KERNEL void solve_beam(const J& job, const BatchLink& link, const T* a, T* x) {
  if constexpr (kStoreIsNear) {
    const auto& c = *reinterpret_cast<const BeamColumns<T>*>(job.template view<1>(link.columns, x));
    LIMBER_UNROLL
    for (int j = kBeamColumns - 1; j >= 0; --j) {
      const T* y = c.mu + 6 * j;
      x[j] = -c.inverse[j] * ((c.b[j] + dot3(y, a)) + dot3(y + 3, a + 3));
      LIMBER_UNROLL
      for (int i = kBeamColumns - 1; i > j; --i) x[j] -= c.D[kBeamColumns * j + i] * x[i];  // the latest one last
    }
  } else {
    LIMBER_UNROLL
    for (int j = 0; j < kBeamColumns; ++j) {
      T Z[6];
      job.template get<6>(link.columns + 6 * j, Z);
      x[j] = -(job.get(link.columns + 6 * kBeamColumns + j) + dot6(Z, a));
    }
  }
}

// Numbers F and b of modes that do not move the node: in the store.
template <class J>
struct StoredColumns {
  const J& job;
  const BatchLink& link;
  LIMBER_KERNEL auto F(int i) const { return job.get(link.F + i); }
  LIMBER_KERNEL auto b(int i) const { return job.get(link.b + i); }
};

// Accelerations of all modes from those of the active coordinates and of the frame, a.  As expand of sweep.hpp.
template <class J, class T, class Fam, class Columns, class Out>
LIMBER_KERNEL void expand_beam(const J& job, const BatchLink& link, Fam f, T* x, const T* a, T* scratch,
                               const Columns& columns, const Out& out) {
  const auto n = f.count();
  Array<1, T, CountOf<Fam>> rest(n, scratch);
  if constexpr (!kIsUsual<Fam>) {
    over(
        n, LIMBER_OVER(c) {
          const auto mode = beam_mode(job, link, c);
          const bool y = c < f.y, z = !y && c < f.y + f.z;
          const T u = columns.F(2 * c), v = columns.F(2 * c + 1);
          T r = columns.b(c) + u * a[y || z ? 0 : 1] + v * a[y ? 1 : 2] + mode[kBeamF] * a[y ? 2 : z ? 1 : 0];
          if (y || z) r += mode[kBeamS] * a[y ? 4 : 5];
          rest[c] = mode[kBeamWeight] * r;
          x[y ? 0 : z ? 1 : 2] += mode[kBeamQ1] * r;
          if (y || z) x[y ? 3 : 4] += mode[kBeamQ2] * r;
        });
  }
  over(
      n, LIMBER_OVER(c) {
        const auto mode = beam_mode(job, link, c);
        const bool y = c < f.y, z = !y && c < f.y + f.z;
        T value = mode[kBeamQ1] * x[y ? 0 : z ? 1 : 2];
        if (y || z) value += mode[kBeamQ2] * x[y ? 3 : 4];
        if constexpr (!kIsUsual<Fam>) value -= rest[c];
        out.put(link.vm + c, value);
      });
}

// Acceleration of the node from those of the frame, b, and of the active coordinates, x.
template <class J, class T>
LIMBER_KERNEL void move_by_modes(const J& job, const BatchLink& link, const T* b, const T* A, const T* l, const T* x,
                                 T* a) {
  const auto head = beam_head(job, link);
  const T y1 = head[kBeamLy] * x[0], z1 = head[kBeamLz] * x[1], t = head[kBeamLt] * x[2];
  copy<6>(b, a);
  add_cross(b, l, a + 3);
  LIMBER_UNROLL
  for (int i = 0; i < 3; ++i) {  // x[0] is known last
    a[i] += A[3 * i] * t;
    a[i] += A[3 * i + 1] * z1;
    a[i] += A[3 * i + 2] * y1;
  }
  a[5] += head[kBeamLz + 2] * x[4], a[4] += head[kBeamLy + 2] * x[3];
  a[5] += head[kBeamLz + 1] * x[1], a[4] += head[kBeamLy + 1] * x[0];
}

}  // namespace limber::LIMBER_BATCH_MACHINE
