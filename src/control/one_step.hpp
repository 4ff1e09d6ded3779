// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/shaping.hpp"
#include "limber/simulate/stepper.hpp"

namespace limber {

// A controller moves its model by one step per sample, always at the same cost.  Where the period is short against the
// fastest vibration, by a method of fourth order: an observer whose vibrations are out of tune takes the phase from the
// machine's, and feeding that back drives them.  Otherwise by the implicit midpoint rule: stiff modes do no harm.
inline bool steps_explicitly(const Model& model, double period) {
  constexpr double kShort = 2;  // radians per period; rk4 is stable up to 2.8
  const std::vector<std::uint8_t> none(model.bodies.size(), 0);
  const auto vibrations = compute_vibrations(model, make_zero_state(model), none);
  return vibrations.empty() || vibrations.back().frequency * period < kShort;
}

inline std::unique_ptr<Stepper> make_one_step(System& system, double period, bool exact_phase) {
  SolverOptions options;
  options.method = "implicit";
  options.step = period;
  if (exact_phase && steps_explicitly(system.model(), period)) options.method = "rk4";
  return make_stepper(system, options);
}

}  // namespace limber
