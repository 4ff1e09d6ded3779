// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/kinematics/families.hpp"
#include "limber/dynamics/detail/aba.hpp"

// Loops over the modes of four bodies and over their active coordinates that exploit known structure: the axis of the
// linear part of a column, and the modes that a coordinate combines.
namespace limber {

// each(axis, first mode, number of modes); each(axis, coordinate, first mode, number of modes).
#define LIMBER_MODES(axis, first, size) [&](auto axis, auto first, auto size) __attribute__((always_inline))
#define LIMBER_ACTIVE(axis, j, first, size) [&](auto axis, auto j, auto first, auto size) __attribute__((always_inline))

// Any bodies.
template <typename N>
struct DenseCoordinates {
  const GroupModes& modes;
  N n;
  template <typename Each>
  LIMBER_INLINE void for_modes(Each each) const {
    each(Size<kAnyAxis>{}, Size<0>{}, n);
  }
  template <typename Each>
  LIMBER_INLINE void for_active(Each each) const {
    for (int j = 0; j < modes.k; ++j) each(Size<kAnyAxis>{}, j, Size<0>{}, n);
  }
};

// Beams: S of a family is along one axis; each active coordinate combines modes of one family.
template <typename Families>
LIMBER_INLINE void for_beam_modes(Families families, auto each) {
  for_families(
      families, LIMBER_FAMILY(family, first, size) { each(Size<kFamilyAxes[family].S>{}, first, size); });
}
struct BeamCoordinates {
  const GroupModes& modes;
  AnyFamilies families;
  template <typename Each>
  LIMBER_INLINE void for_modes(Each each) const {
    for_beam_modes(families, each);
  }
  template <typename Each>
  LIMBER_INLINE void for_active(Each each) const {
    for (int j = 0; j < modes.k; ++j) {
      const GroupModes::Span span = modes.spans[j];
      each(Size<kAnyAxis>{}, j, span.begin, span.end - span.begin);
    }
  }
};

// Beams with one attachment on the beam axis: coordinates in the order of the attachment's rows, rotations about x, y,
// z, then displacements along x, y, z.
inline constexpr int kRowFamilies[6] = {3, 1, 0, 2, 0, 1};
template <int... N>
struct TipCoordinates {
  using Families = FixedFamilies<N...>;
  // Number of coordinates of the first `rows` rows.
  static constexpr int count(int rows) {
    int out = 0;
    for (int row = 0; row < rows; ++row) {
      const int others = row > 3 ? 1 : 0;  // bending: the rotation is another row of the family
      out += family_size<N...>(kRowFamilies[row]) > others ? 1 : 0;
    }
    return out;
  }
  template <typename Each>
  LIMBER_INLINE void for_modes(Each each) const {
    for_beam_modes(Families{}, each);
  }
  template <typename Each>
  LIMBER_INLINE void for_active(Each each) const {
    for_each(
        Size<6>{}, LIMBER_EACH(row) {
          constexpr int kFamily = kRowFamilies[row];
          if constexpr (count(row + 1) > count(row)) {
            each(Size<kFamilyAxes[kFamily].S>{}, Size<count(row)>{}, Size<family_begin<N...>(kFamily)>{},
                 Size<family_size<N...>(kFamily)>{});
          }
        });
  }
  // Whether `modes` have this structure.
  static bool fits(const FourBodies& bodies, const GroupModes& modes) {
    bool fits = Families::fits(bodies) && modes.k == count(6);
    for (int row = 0; fits && row < 6; ++row) {
      if (count(row + 1) == count(row)) continue;
      const GroupModes::Span span = modes.spans[count(row)];
      const FourBodies::Range range = bodies.families[kRowFamilies[row]];
      fits = span.begin >= range.begin && span.end <= range.end;
    }
    return fits;
  }
};
using TenModes = TipCoordinates<4, 4, 0, 2>;

template <typename Kernel>
LIMBER_INLINE void with_coordinates(const FourBodies& bodies, const GroupModes& modes, Kernel kernel) {
  switch (modes.form) {
    case GroupModes::Form::ten:
      return kernel(TenModes{});
    case GroupModes::Form::beams:
      return kernel(BeamCoordinates{modes, {bodies}});
    default:
      with_size(bodies.n, [&](auto n) { kernel(DenseCoordinates<decltype(n)>{modes, n}); });
  }
}

}  // namespace limber
