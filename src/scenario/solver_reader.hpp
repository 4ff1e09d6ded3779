// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/files/reader.hpp"
#include "limber/simulate/stepper.hpp"

namespace limber {

// Reads the map `solver` of a scenario, which may be missing.  docs/scenario-format.md.
SolverOptions read_solver(const std::optional<Reader>& map, const Inputs& inputs);

}  // namespace limber
