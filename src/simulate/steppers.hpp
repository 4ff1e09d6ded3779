// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/stepper.hpp"

namespace limber {

std::unique_ptr<Stepper> make_rk4(System& system, const SolverOptions& options);
std::unique_ptr<Stepper> make_dopri5(System& system, const SolverOptions& options);
std::unique_ptr<Stepper> make_implicit(System& system, const SolverOptions& options);
// Throws InputError when this build does not have it.
std::unique_ptr<Stepper> make_cvode(System& system, const SolverOptions& options);

// A fixed step h from t towards `limit`: an even share of the way, not longer than h.  The last one meets the limit.
struct StepLength {
  double h;
  bool last;
};
inline StepLength step_length(double t, double limit, double h) {
  constexpr double kNear = 1e-9;  // of a step: no extra step for rounding in the times
  const double steps = std::max(1.0, std::ceil((limit - t) / h - kNear));
  return {(limit - t) / steps, steps == 1};
}

}  // namespace limber
