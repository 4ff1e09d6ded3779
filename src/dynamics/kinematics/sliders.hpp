// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/kinematics.hpp"

namespace limber {

// The attachments of sliders, relative to their beams: position, columns, V and a, including the terms of sdot; and the
// hinge maps of the sliders.  Needs no motion of the bodies.  theory §3, Sliders.
void place_sliders(const double* q, const double* v, Kinematics& kin);

}  // namespace limber
