// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/spatial/types.hpp"

namespace limber {

// Roll, pitch, yaw of R = Rz(yaw) Ry(pitch) Rx(roll), such that rpy_rotation reproduces R, bitwise if possible.
Vector3d rpy_of(const Matrix3d& R);

}  // namespace limber
