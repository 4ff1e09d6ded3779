// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/stepper.hpp"

namespace limber {

std::unique_ptr<Stepper> make_rk4(System& system, const SolverOptions& options);
std::unique_ptr<Stepper> make_dopri5(System& system, const SolverOptions& options);
std::unique_ptr<Stepper> make_implicit(System& system, const SolverOptions& options);
// Throws InputError in a build without SUNDIALS.
std::unique_ptr<Stepper> make_cvode(System& system, const SolverOptions& options);

// Fixed steps from t to `limit`: of equal size, not longer than h.  The last one ends exactly at the limit.
struct StepLength {
  double h;
  bool last;
};
inline StepLength step_length(double t, double limit, double h) {
  constexpr double kNear = 1e-9;  // of a step: no extra step due to rounding of the times
  const double steps = std::max(1.0, std::ceil((limit - t) / h - kNear));
  return {(limit - t) / steps, steps == 1};
}

}  // namespace limber
