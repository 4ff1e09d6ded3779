// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "limber/files/detail/model_names.hpp"
#include "limber/simulate/inputs.hpp"

namespace limber {

struct InitialState {
  State x;
  bool equilibrium = false;
  std::vector<int> keep;                 // joints that assembly does not move
  std::optional<std::vector<int>> hold;  // joints held in the equilibrium; none: the default
};

// Reads the map `initial` of a scenario, which may be missing.  docs/scenario-format.md.  Joints with prescribed motion
// get its value and rate at t = 0; values in the map must agree.
InitialState read_initial(const std::optional<Reader>& map, const ModelNames& names, const Inputs& inputs);

}  // namespace limber
