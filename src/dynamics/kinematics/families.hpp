// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "sweeps.hpp"

// Loop bounds for families of shapes.  theory §2, Families of shapes.
namespace limber {

// For families with N... modes each.
template <int... N>
constexpr int family_size(int family) {
  return std::array{N...}[static_cast<std::size_t>(family)];
}
template <int... N>
constexpr int family_begin(int family) {
  return family == 0 ? 0 : family_begin<N...>(family - 1) + family_size<N...>(family - 1);
}

// Numbers of modes of the families: compile-time constants, or any numbers.
template <int... N>
struct FixedFamilies {
  template <int Family>
  Size<family_begin<N...>(Family)> begin() const {
    return {};
  }
  template <int Family>
  Size<family_size<N...>(Family)> size() const {
    return {};
  }
  static bool fits(const FourBodies& bodies) {
    int family = 0;
    return ((bodies.families[family].end - bodies.families[family].begin == N && ++family > 0) && ...);
  }
};
struct AnyFamilies {
  const FourBodies& bodies;
  template <int Family>
  int begin() const {
    return bodies.families[Family].begin;
  }
  template <int Family>
  int size() const {
    return bodies.families[Family].end - bodies.families[Family].begin;
  }
};

// Calls kernel(families) for beams; common numbers of modes (bending in y and z, axial, torsion) are constants.
template <typename Kernel>
LIMBER_INLINE void with_families(const FourBodies& bodies, Kernel kernel) {
  const auto if_fits = [&](auto families) __attribute__((always_inline)) {
    if (!families.fits(bodies)) return false;
    kernel(families);
    return true;
  };
  if (if_fits(FixedFamilies<2, 2, 0, 1>{}) || if_fits(FixedFamilies<4, 4, 0, 2>{}) ||
      if_fits(FixedFamilies<2, 2, 0, 0>{}) || if_fits(FixedFamilies<1, 1, 0, 0>{}) ||
      if_fits(FixedFamilies<2, 0, 0, 0>{})) {
    return;
  }
  kernel(AnyFamilies{bodies});
}

// each(family, first mode, number of modes).
#define LIMBER_FAMILY(family, first, size) [&](auto family, auto first, auto size) __attribute__((always_inline))
template <typename Families, typename Each>
LIMBER_INLINE void for_families(Families families, Each each) {
  each(Size<0>{}, families.template begin<0>(), families.template size<0>());
  each(Size<1>{}, families.template begin<1>(), families.template size<1>());
  each(Size<2>{}, families.template begin<2>(), families.template size<2>());
  each(Size<3>{}, families.template begin<3>(), families.template size<3>());
}

template <int Axis>
LIMBER_INLINE Vec4d& at_axis(FourVectors& v) {
  if constexpr (Axis == 0) return v.x;
  if constexpr (Axis == 1) return v.y;
  if constexpr (Axis == 2) return v.z;
}
template <int Axis>
LIMBER_INLINE Vec4d at_axis(const FourVectors& v) {
  return Axis == 0 ? v.x : Axis == 1 ? v.y : v.z;
}

LIMBER_INLINE void add_outer(FourSymmetric& sum, const FourVectors& u, const FourVectors& v) {
  sum.xx += u.x * v.x, sum.yy += u.y * v.y, sum.zz += u.z * v.z;
  sum.xy += u.x * v.y, sum.xz += u.x * v.z, sum.yz += u.y * v.z;
}

// Vectors v along one axis, zero (-1), or of any direction (kAnyAxis).
inline constexpr int kAnyAxis = 3;
// sum += v s.
template <int Axis>
LIMBER_INLINE void add_along(Size<Axis>, FourVectors& sum, const FourVectors& v, Vec4d s) {
  if constexpr (Axis == kAnyAxis) add(sum, v, s);
  if constexpr (Axis >= 0 && Axis < 3) at_axis<Axis>(sum) += at_axis<Axis>(v) * s;
}
// sum += u v^T s.
template <int Axis>
LIMBER_INLINE void add_outer_along(Size<Axis>, FourMatrices& sum, const FourVectors& u, const FourVectors& v, Vec4d s) {
  if constexpr (Axis == kAnyAxis) {
    const FourVectors us = u * s;
    add(sum.c[0], us, v.x);
    add(sum.c[1], us, v.y);
    add(sum.c[2], us, v.z);
  }
  if constexpr (Axis >= 0 && Axis < 3) add(sum.c[Axis], u, at_axis<Axis>(v) * s);
}
// sum + v . a.
template <int Axis>
LIMBER_INLINE Vec4d plus_dot_along(Size<Axis>, Vec4d sum, const FourVectors& v, const FourVectors& a) {
  if constexpr (Axis == kAnyAxis) return sum + v.x * a.x + v.y * a.y + v.z * a.z;
  if constexpr (Axis >= 0 && Axis < 3) return sum + at_axis<Axis>(v) * at_axis<Axis>(a);
  return sum;
}
// m v.
template <int Axis>
LIMBER_INLINE FourVectors times_along(Size<Axis>, const FourMatrices& m, const FourVectors& v) {
  if constexpr (Axis == kAnyAxis) return m * v;
  if constexpr (Axis >= 0 && Axis < 3) return m.c[Axis] * at_axis<Axis>(v);
  return {zero(), zero(), zero()};
}

}  // namespace limber
