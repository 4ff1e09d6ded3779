// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "limber/linear/floquet.hpp"
#include "limber/linear/steady.hpp"

namespace limber {

// A vibration about a steady motion, x(t) = exp(lambda t) sum_h c_h exp(i h speed t).  Each harmonic appears at
// another frequency, Im(lambda) + h speed.  The largest, by c_h* M c_h, names the mode; if none has half of
// the sum, the one nearest to the mean frequency.
struct RotorMode {
  struct Harmonic {
    int order = 0;     // h
    double share = 1;  // of the sum of all c_h* M c_h
    VectorXcd shape;   // (coordinates) c_h of dq, largest entry 1
  };
  std::complex<double> exponent;    // lambda + i h speed of the first harmonic, 1/s; imaginary part not negative
  double frequency = 0;             // |exponent|, rad/s; 0: no vibration
  double damping = 0;               // ratio
  bool rotating = false;            // mostly in coordinates that rotate with the rotor
  std::vector<Harmonic> harmonics;  // the largest first; orders relative to `exponent`: the first is 0
};

// Method: A of a machine at rest; A constant along the motion; A constant in multi-blade
// coordinates; Floquet multipliers.
enum class RotorMethod { rest, constant, multi_blade, floquet };
const char* to_string(RotorMethod method);

struct RotorModes {
  double speed = 0;   // rad/s
  double torque = 0;  // of a free rotor
  RotorMethod method = RotorMethod::rest;
  VectorXcd multipliers;           // exp(lambda period), of all solutions; empty at rest
  std::vector<RotorMode> modes;    // by increasing imaginary part of the exponent
  std::vector<std::string> names;  // of coordinates; of blades: of their multi-blade coordinates
  MatrixXd mass;                   // of coordinates, mean over a revolution
  SteadyMotion motion;             // empty at rest
  std::string failure;             // the reason if there are no modes
};

// Vibrations about the steady motion at a rotor speed.  At speed 0: about the equilibrium, with the rotor locked at
// its angle (free: held there by its torque).  Throws as find_steady_motion and compute_transition.
RotorModes compute_rotor_modes(const Model& model, const State& start, const RotorOptions& options, double speed,
                               const SteadyMotion* guess = nullptr);

// Frequencies over speed.  Modes of neighbouring speeds are matched by their shapes (modal assurance criterion), so
// that a branch is a curve: at[speed].modes[branch], frequency NaN where a branch has no mode.  A speed without steady
// motion has none, and `failure` gives the reason; throws NumericalError if all fail.
struct Campbell {
  std::vector<RotorModes> at;
  std::size_t branches() const { return at.empty() ? 0 : at.front().modes.size(); }
};
Campbell compute_campbell(const Model& model, const State& start, const RotorOptions& options,
                          const std::vector<double>& speeds, const std::function<void(double)>& progress = {});

// Joints that may be the rotor: revolute, without spring and travel limits.
std::vector<int> find_rotors(const Model& model);

}  // namespace limber
