// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/prepare.hpp"

#include "control/configuration.hpp"

namespace limber {

State desired_configuration(const ControlOptions& options, double t) {
  State x = make_zero_state(*options.model);
  x.t = t;
  for (int k = 0; k < options.driven.size(); ++k) x.q[options.driven.q[k]] = options.desired[k].at(t).value;
  return x;
}

ControlOptions prepare_control(ControlOptions options) {
  check_control(options);
  const std::size_t n = options.driven.v.size();
  if (options.servos.empty()) options.servos.resize(n);
  if (options.sensors.encoders.empty()) options.sensors.encoders.resize(n);
  if (!options.shaping) return options;
  const State end = desired_configuration(options, options.end);
  const auto vibrations = compute_vibrations(*options.model, end, options.driven.mask);
  std::vector<Signal::Impulse> shaper = {{0, 1}};
  for (std::size_t k = 0; k < vibrations.size() && static_cast<int>(k) < options.shaping->vibrations; ++k) {
    shaper = convolve(shaper, make_shaper(options.shaping->kind, vibrations[k].frequency, vibrations[k].ratio));
  }
  for (Signal& signal : options.desired) signal = Signal::shaped(signal, shaper);
  options.end += shaper.back().delay;
  return options;
}

}  // namespace limber
