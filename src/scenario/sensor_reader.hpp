// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/controller.hpp"
#include "limber/files/detail/model_names.hpp"

namespace limber {

// Reads `control.servos`: one map for all coordinates or a list of one per coordinate.
std::vector<ServoOptions> read_servos(const std::optional<Reader>& at, int count);
// Reads `control.sensors`, for one of the two models.
SensorOptions read_sensors(const std::optional<Reader>& at, const ModelNames& names, const ControlOptions& options);

}  // namespace limber
