// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/controller.hpp"

namespace limber {

// The desired configuration at a time; modes and other joints at zero.
State desired_configuration(const ControlOptions& options, double t);

// Gains along the desired motion: gain(configuration) at options.schedule times.
template <class Gain>
Schedule make_schedule(const ControlOptions& options, Gain gain) {
  Schedule out;
  const int count = options.end > 0 ? options.schedule : 1;
  for (int k = 0; k < count; ++k) {
    const double t = count == 1 ? 0 : options.end * k / (count - 1);
    out.add(t, gain(desired_configuration(options, t)));
  }
  return out;
}

}  // namespace limber
