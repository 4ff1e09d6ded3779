// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/model/model.hpp"

namespace limber {

// Coordinates live on a manifold: angles, slides and modes add; the quaternion of a spherical joint rotates; a free
// joint moves as a rigid body.  None of these functions normalises a quaternion; each preserves its norm to rounding.

// out = q + dv, where dv (nv) is a displacement in the directions of the speeds: the motion at constant speeds dv for
// unit time, exact for spherical and free joints (the exponential maps of SO(3) and SE(3)).  out may be q.
void move(const Model& model, ConstVec q, ConstVec dv, Vec out);

// A chart around q0: y (nv) are the increments of angles, slides, modes and positions, and the rotation vectors from
// the quaternions of q0.  Valid while rotations stay well below a full turn.
void chart_point(const Model& model, ConstVec q0, ConstVec y, Vec q);
// y of a point q.
void chart_coordinates(const Model& model, ConstVec q0, ConstVec q, Vec y);
// dy/dt of speeds v, at the point q with the coordinates y: the inverse of the right Jacobian of SO(3) for rotations.
void chart_rate(const Model& model, ConstVec q, ConstVec y, ConstVec v, Vec rate);

}  // namespace limber
