// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/files/detail/model_names.hpp"
#include "limber/simulate/inputs.hpp"

namespace limber {

// Reads the list `inputs` of a scenario.  docs/scenario-format.md.
Inputs read_inputs(const Reader& list, const ModelNames& names);

}  // namespace limber
