// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limber/control/controller.hpp"

namespace limber {

// A sampled control loop for small deviations from rest: z = (plant, acting torques, estimate, predicted readings
// under way, integrators, offsets of the damping) at a sample gives z at the next.  Limits of servos, noise and counts
// are left out.  The plant is sampled exactly, with held torques; the observer by its predictor.
struct LinearLoop {
  MatrixXd fresh, held;    // z' = fresh z at a sample with new readings, held z at one that holds the last
  MatrixXd arriving;       // at one that holds the last, while readings of `arrival` samples before arrive
  int every = 1;           // one fresh, then every - 1 held
  int arrival = 0;         // 0: with the new ones, or a multiple of `every` later
  double period = 0;       // s, of a sample
  int core = 0, line = 0;  // z = (core numbers; delay line, newest first, `line` numbers each)
  int states = 0;          // of the plant: the first of z
  VectorXd scale;          // deviations of about equal energy

  const MatrixXd& map(long sample) const {  // of this sample; the first is fresh
    const long k = sample % every;
    return k == 0 ? fresh : k == arrival ? arriving : held;
  }
};

// At the desired configuration of time t, modes at zero, under static torques.  options: as prepare_control gives them.
// None: the plant has closures or more than kMaxLoopSpeeds speeds.  O(nv^3).
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

// The largest growth of a deviation of the plant over 1, 2, 4, ... samples, with deviations of equal energy.
double compute_transient(const LinearLoop& loop);

// The judgement of a loop at the points of its schedule (the first and the last where the plant has more than
// kMaxJudged speeds).
inline constexpr int kMaxJudged = 40;
struct LoopVerdict {
  bool judged = false;  // false: closures, too large
  bool stable = true;   // no growth beyond kUnstable, as far as it could be judged
  LoopPole pole;        // the worst
  double t = 0;         // where
  std::string text;     // not stable: what moves, and what would cure it
};
LoopVerdict judge_loop(const Model& plant, const SensorOptions& sensors, const ControlOptions& options);

// Prepared options for which the loop is stable with the controller's own model as plant: where it is not, tracking
// regards the modes, and the observer is told of more unseen ringing (KalmanOptions::torque_steps) until it is.  Throws
// InputError where that does not help, or there is no observer.  A machine that falls by itself, and is not held, is
// not refused.
ControlOptions settle_loop(ControlOptions options);

// What a person should know of the loop; empty: it is stable and its transients are small, or it cannot be judged.
std::vector<std::string> loop_warnings(const Model& plant, const SensorOptions& sensors, const ControlOptions& options);

}  // namespace limber
