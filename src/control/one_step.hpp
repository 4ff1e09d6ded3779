// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/stepper.hpp"

namespace limber {

// Steps the reference by one step per sample at constant cost, by the implicit midpoint rule, which is stable for stiff
// modes.
inline std::unique_ptr<Stepper> make_one_step(System& system, double period) {
  SolverOptions options;
  options.method = "implicit";
  options.step = period;
  return make_stepper(system, options);
}

}  // namespace limber
