// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/linear/linearize.hpp"
#include "limber/simulate/signal.hpp"

namespace limber {

// A vibration of the machine.
struct Vibration {
  double frequency = 0;  // rad/s, undamped
  double ratio = 0;      // of damping
  VectorX shape;         // (nv) per unit modal mass
};

// The machine at rest where x has it, under the torques that keep it there; inputs are torques on all speeds.
// Joints with held[i] != 0 (i: the body they carry; empty: none) do not move.
LinearSystem linearize_at_rest(const Model& model, const State& x, std::vector<std::uint8_t> held);

// Its vibrations, slowest first.
std::vector<Vibration> compute_vibrations(const Model& model, const State& x, std::span<const std::uint8_t> held);

enum class Shaper {
  zv,   // no vibration left at exactly this frequency         [Singer, Seering 1990]
  zvd,  // and no change of it with the frequency              [Singer, Seering 1990]
  ei    // at most a tolerated rest over a wider band          [Singhose, Seering, Singer 1994]
};

inline constexpr double kTolerated = 0.05;  // of ei: what may be left at the modelled frequency

// The impulses of a shaper for one vibration; their weights add up to 1.
std::vector<Signal::Impulse> make_shaper(Shaper kind, double frequency, double ratio);
// One after the other: for several vibrations.
std::vector<Signal::Impulse> convolve(const std::vector<Signal::Impulse>& a, const std::vector<Signal::Impulse>& b);
// What is left of a vibration at the end of an impulse sequence, beside what one unit impulse would leave.
double residual_vibration(const std::vector<Signal::Impulse>& shaper, double frequency, double ratio);

}  // namespace limber
