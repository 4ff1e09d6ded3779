// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/controller.hpp"

namespace limber {

// The desired configuration at a time; modes and other joints at zero.
State desired_configuration(const ControlOptions& options, double t);

// Times of the schedule along the desired motion.
std::vector<double> schedule_times(const ControlOptions& options);

// ControlOptions::resolved.
int choose_resolved(const ControlOptions& options);

// Gains scheduled along the desired motion: gain(predictor) at these times.
template <class Gain>
Schedule make_schedule(const ControlOptions& options, Gain gain) {
  Schedule out;
  for (const double t : schedule_times(options))
    out.add(t, gain(make_predictor(*options.model, options.driven, desired_configuration(options, t), 1 / options.rate,
                                   options.resolved)));
  return out;
}

}  // namespace limber
