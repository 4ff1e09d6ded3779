// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/stepper.hpp"

namespace limber {

// A controller moves its reference by one step per sample, always at the same cost: by the implicit midpoint rule, for
// which stiff modes do no harm.
inline std::unique_ptr<Stepper> make_one_step(System& system, double period) {
  SolverOptions options;
  options.method = "implicit";
  options.step = period;
  return make_stepper(system, options);
}

}  // namespace limber
