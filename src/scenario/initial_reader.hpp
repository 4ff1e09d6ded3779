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
  std::vector<int> keep;                 // joints that assembly leaves as they are
  std::optional<std::vector<int>> hold;  // joints that are held in it; none: as usual
};

// The map `initial` of a scenario, which may be missing.  docs/scenario-format.md.  Joints whose motion is prescribed
// get its value and rate at t = 0, and what the map has for them must agree.
InitialState read_initial(const std::optional<Reader>& map, const ModelNames& names, const Inputs& inputs);

}  // namespace limber
