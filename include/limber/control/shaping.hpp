// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/linear/linearize.hpp"
#include "limber/simulate/signal.hpp"

namespace limber {

// A natural vibration of the machine.
struct Vibration {
  double frequency = 0;  // rad/s, undamped
  double ratio = 0;      // of damping
  VectorXd shape;        // (nv) per unit modal mass
};

// Linearization at rest at the configuration of x, under static equilibrium torques; inputs are torques on all speeds.
// Joints with locked[i] != 0 (i: the body they carry; empty: none) are locked.
LinearSystem linearize_at_rest(const Model& model, const State& x, std::vector<std::uint8_t> locked);

// Natural vibrations of that linearization, slowest first.
std::vector<Vibration> compute_vibrations(const Model& model, const State& x, std::span<const std::uint8_t> locked);

enum class Shaper {
  zv,   // zero residual vibration at this frequency           [Singer, Seering 1990]
  zvd,  // and zero derivative with respect to the frequency   [Singer, Seering 1990]
  ei    // extra insensitive: tolerated residual, wider band   [Singhose, Seering, Singer 1994]
};

inline constexpr double kTolerated = 0.05;  // ei: residual vibration at the modelled frequency

// The impulses of a shaper for one vibration (rad/s, ratio of damping); their weights add up to 1.
// Throws InputError unless frequency > 0 and |ratio| < 1.
std::vector<Signal::Impulse> make_shaper(Shaper kind, double frequency, double ratio);
// Shapers in series: for several vibrations.
std::vector<Signal::Impulse> convolve(const std::vector<Signal::Impulse>& a, const std::vector<Signal::Impulse>& b);
// Residual vibration after an impulse sequence, relative to that after one unit impulse.
// Throws InputError as make_shaper, and for a sequence without impulses.
double residual_vibration(const std::vector<Signal::Impulse>& shaper, double frequency, double ratio);

}  // namespace limber
