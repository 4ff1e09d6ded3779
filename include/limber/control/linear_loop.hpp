// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limber/control/controller.hpp"

namespace limber {

// A sampled control loop for small deviations from rest: z = (plant, acting torques, readings under way, estimate,
// integrators, offsets of the damping) at a sample gives z at the next.  Limits of servos, noise and counts are left
// out.  The plant is sampled exactly, with held torques; the observer as its one step per sample does it.
struct LinearLoop {
  MatrixXd fresh, held;    // z' = fresh z at a sample with new readings, held z at one that holds the last
  int every = 1;           // one fresh, then every - 1 held
  double period = 0;       // s, of a sample
  int core = 0, line = 0;  // z = (core numbers; delay line, newest first, `line` numbers each)
};

// At the desired configuration of time t, modes at zero, under static torques.  options: as prepare_control gives them.
// None: the plant has closures or more than kMaxLoopSpeeds speeds, or torques act later than the next sample.  O(nv^3).
inline constexpr int kMaxLoopSpeeds = 120;
std::optional<LinearLoop> linearize_loop(const Model& plant, const SensorOptions& sensors,
                                         const ControlOptions& options, double t);

// The pole of largest modulus per sample, as one of continuous time.
struct LoopPole {
  double growth = 0;     // 1/s; below 0: it decays
  double frequency = 0;  // Hz
};
// By all eigenvalues; for long delay lines by the power method, over kPowerSamples samples.
inline constexpr int kMaxLoopSize = 300, kPowerSamples = 20000;
LoopPole find_dominant_pole(const LinearLoop& loop);

// Growth that counts as unstable, 1/s: rounding moves the double poles of a free machine by less.
inline constexpr double kUnstable = 1e-2;

// What a person should know of the loop at the beginning and at the end of the motion; empty: it is stable there, or
// cannot be judged.
std::vector<std::string> loop_warnings(const Model& plant, const SensorOptions& sensors, const ControlOptions& options);

}  // namespace limber
