// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/kinematics.hpp"

namespace limber {

// Sums over the shapes of one body at a state.
struct Contraction {
  Spatial* columns;  // F_a into .ang (a multiple of kLanes); S_a stays in .lin
  double* p_f;       // b_f + F^T wdot + S^T vdot
  Mat3 J;            // by `contract`: what the deformation adds to the inertia
  Vec4d gyroscopic;  // by `contract`: 2 (tr(Cdot) w - Cdot w)
};

// theory §2: F_a = ax(C_a), J, b_m, at modal coordinates e and rates e_rate, angular velocity w, acceleration alpha.
void contract(const BodyConstants& constants, const double* e, const double* e_rate, Vec4d w, Spatial alpha,
              Contraction& out);
// The same at e = e_rate = 0.
void contract_undeformed(const BodyConstants& constants, Vec4d w, Spatial alpha, Contraction& out);

// Geometric stiffening, theory §2: the products of modes and their rates after the modes themselves ...
void extend_coordinates(const Link& link, double* e, double* e_rate);
// ... and the way back, M = E^T M_e E, b = E^T (b_e + M_e c): fills the columns, p_f and G (n x n) of the body from
// the extended ones; returns what c adds to the rigid part.
Spatial project_products(const Link& link, Kinematics& kin, ProductScratch& scratch, double* G);

}  // namespace limber
