// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "limber/control/controller.hpp"

namespace limber {

// A sampled control loop for small deviations from rest: z = (plant, acting torques, estimate, predicted readings
// in transit, integrators, offsets of the damping) at a sample gives z at the next.  Limits of servos, noise and counts
// are omitted.  The plant is sampled exactly, with held torques; the observer by its predictor.
struct LinearLoop {
  MatrixXd fresh, held;    // z' = fresh z at a sample with new readings, held z at one that keeps the last
  MatrixXd arriving;       // at one that keeps the last, while readings taken `arrival` samples before arrive
  int every = 1;           // one fresh, then every - 1 held
  int arrival = 0;         // 0: with the new ones, or a multiple of `every` later
  double period = 0;       // s, of a sample
  int core = 0, line = 0;  // z = (core numbers; delay line, newest first, `line` numbers each)
  int states = 0;          // of the plant: the first of z
  MatrixXd energy;         // (states x states): |energy x|^2 is that of the plant's modes; free ones count with 0.5 Hz
  MatrixXd shapes;         // (states x states): its inverse

  const MatrixXd& map(long sample) const {  // of this sample; the first is fresh
    const long k = sample % every;
    return k == 0 ? fresh : k == arrival ? arriving : held;
  }
};

// At the desired configuration of time t, under static torques; with modes zero, or with the plant bent by the
// desired accelerations and gravity, while the gains are those of the straight plant.  options: from prepare_control.
// nullopt: the plant has closures or more than kMaxLoopSpeeds speeds.  O(nv^3).
inline constexpr int kMaxLoopSpeeds = 120;
// steps: of an implicit solver that integrates the plant instead of exact sampling; none by default.
enum class PlantShape { straight, bent };
struct ImplicitSteps {
  double step = 0;     // s; 0: none
  double rho_inf = 1;  // SolverOptions::rho_inf
};
std::optional<LinearLoop> linearize_loop(const Model& plant, const SensorOptions& sensors,
                                         const ControlOptions& options, double t,
                                         PlantShape shape = PlantShape::straight, const ImplicitSteps& steps = {});

// The pole of largest modulus, converted to continuous time.
struct LoopPole {
  double growth = 0;     // 1/s; below 0: it decays
  double frequency = 0;  // Hz
};
// By all eigenvalues; for long delay lines by the power method, over kPowerSamples samples, which separates growth from
// decay only if few poles are near the dominant one.
inline constexpr int kMaxLoopSize = 600, kPowerSamples = 20000;
LoopPole find_dominant_pole(const LinearLoop& loop);

// Growth that counts as unstable, 1/s; rounding moves the double poles of a free machine by less.
inline constexpr double kUnstable = 1e-2;

// The largest growth of a deviation of the plant over 1, 2, 4, ... samples, unknown to the controller,
// measured by the square root of its energy.
struct Transient {
  double growth = 0;
  double time = 0;  // s: time of the largest growth
  int speed = -1;   // of the plant, the one that moves most
};
Transient compute_transient(const LinearLoop& loop);
// Growth above which a warning is given, and above which settle_loop acts.
inline constexpr double kMaxTransient = 200, kMaxSettledTransient = 200;

// The stability of a loop at the points of its schedule (the first and the last if the plant has more than
// kMaxJudged speeds).
inline constexpr int kMaxJudged = 40;
struct LoopVerdict {
  bool judged = false;  // false: closures, too large
  bool stable = true;   // no growth beyond kUnstable, as far as it could be checked
  LoopPole pole;        // the worst
  double t = 0;         // where
  Transient transient;  // the largest, with an observer or on request
  double transient_t = 0;
  double bent = 0;   // growth of the worst pole with the plant bent, 1/s; for loops with an observer
  std::string text;  // if not stable: the motion and a cure
};
LoopVerdict judge_loop(const Model& plant, const SensorOptions& sensors, const ControlOptions& options);

// Prepared options for which the loop is stable with the controller's own model as plant.  If it is not, or a
// vibration grows slowly, the share of the modes in tracking is increased (TrackingOptions::modal_share), and then
// the assumed ringing (KalmanOptions::torque_steps), until it is stable.  If deviations grow beyond
// kMaxSettledTransient before they decay, or the loop is not stable when the desired motion bends the plant, the
// assumed sensor noise is increased (KalmanOptions::distrust).  Throws InputError if that does not make it stable, or
// there is no observer.  A machine that falls under gravity, and is not held, is not refused.
ControlOptions settle_loop(ControlOptions options);

// Warnings about the loop; empty: it is stable and its transients are small, or it cannot be checked.
// steps: of the implicit solver; none for other solvers.
std::vector<std::string> loop_warnings(const Model& plant, const SensorOptions& sensors, const ControlOptions& options,
                                       const ImplicitSteps& steps = {});

}  // namespace limber
