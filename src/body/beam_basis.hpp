// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/body/body.hpp"
#include "quadrature.hpp"

namespace limber::body_impl {

inline bool is_bending(BeamFamily family) { return family == BeamFamily::bending_y || family == BeamFamily::bending_z; }
const char* to_string(BeamFamily family);

// Shape functions of s = x/L, one row per point, one column per shape.
struct ShapeTable {
  MatrixR value;
  MatrixR slope;  // d/ds
  MatrixR bent;   // d2/ds2 for bending, d/ds for axial and torsion: K = int bent bent
};

// The shapes of one family as the basis gives them, not yet diagonalised.  theory §7.
struct RawBasis {
  ShapeTable shapes;
  // Roots beta^2 or gamma if the shapes are the eigenfunctions of the unloaded beam and thus orthogonal; else empty.
  VectorR omega;
};

// Never throws: `spec` has been checked.
RawBasis make_raw_basis(const BeamSpec& spec, BeamFamily family, const VectorR& s);

// Number of Gauss points that integrates every product of two shapes (four with `second_order`) to long double
// accuracy.
int quadrature_points(const BeamSpec& spec, bool second_order);

}  // namespace limber::body_impl
