// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "beam_basis.hpp"

namespace limber::body_impl {

// The modes of one family, without units: int phi phi + rotary int phi' phi' = 1 on s = 0 ... 1.
struct FamilyModes {
  VectorR omega;  // rising; times sqrt(EI / rho A L^4) or sqrt(EA / rho A L^2), sqrt(GJ / rho J L^2)
  MatrixR value;  // (places x n): Gauss points first, then the stations asked for
  MatrixR slope;  // d/ds

  int count() const { return static_cast<int>(omega.size()); }
};

// Diagonalises the basis of one family against (K, G), keeping its span.  theory §7.
//   s         Gauss points of `rule`, then stations, the last of which is the tip, s = 1
//   rotary    rho I / rho A L^2 of the section in bending, 0 for axial and torsion
// Throws InputError when the shapes depend on each other or hold a rigid-body motion.
FamilyModes make_family_modes(const BeamSpec& spec, BeamFamily family, const GaussRule& rule, const VectorR& s,
                              Real rotary);

}  // namespace limber::body_impl
