// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/detail/kinematics.hpp"

namespace limber {

// The attachments that sliders run on, as their beams see them: place, columns, V and a relative, with what sdot adds
// to them; and the hinge maps of the sliders.  Before the motion of the bodies is known.  theory §3, Sliders.
void place_sliders(const double* q, const double* v, Kinematics& kin);

}  // namespace limber
