// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "beam_basis.hpp"

namespace limber::body_impl {

// The modes of one family, dimensionless: int phi phi + rotary int phi' phi' = 1 on s = 0 ... 1.
struct FamilyModes {
  VectorR omega;  // rising; times sqrt(EI / rho A L^4) or sqrt(EA / rho A L^2), sqrt(GJ / rho J L^2)
  MatrixR value;  // (points x n): Gauss points first, then the requested stations
  MatrixR slope;  // d/ds

  int count() const { return static_cast<int>(omega.size()); }
};

// Weights of the Gauss points: G = int mass phi phi + int rotary phi' phi', K = int bent phi'' phi'' (bending)
struct Weights {
  VectorR mass;
  VectorR rotary;  // empty: none
  VectorR bent;
};

// Coordinates T of the modes in the raw shapes, T^T G T = 1, and their frequencies, rising.
struct Reduction {
  MatrixR T;
  VectorR omega;
};

// Diagonalises the raw shapes of one family, tabulated at the Gauss points first, against (K, G).  The first `rigid`
// modes, of 0 Hz, are dropped.  Throws InputError for other modes of 0 Hz and for linearly dependent shapes.
Reduction reduce_shapes(const ShapeTable& raw, const Weights& weights, BeamFamily family, int rigid);

// Signs of modes: the value at the tip (the last row) is positive; if it is zero, the slope there; else the largest
// value.
void fix_signs(FamilyModes& modes);

// Diagonalises the basis of one family against (K, G), keeping its span.  theory §7.
//   s         Gauss points of `rule`, then stations, the last of which is the tip, s = 1
//   rotary    rho I / rho A L^2 of the section in bending, 0 for axial and torsion
// Throws InputError when the shapes are linearly dependent or contain a rigid-body motion.
FamilyModes make_family_modes(const BeamSpec& spec, BeamFamily family, const GaussRule& rule, const VectorR& s,
                              Real rotary);

}  // namespace limber::body_impl
