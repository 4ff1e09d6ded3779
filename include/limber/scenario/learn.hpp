// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "limber/control/learning.hpp"
#include "limber/files/reader.hpp"
#include "limber/scenario/scenario.hpp"

namespace limber {

// The result of a repeated move.
struct LearnedMove {
  VectorXd t;
  MatrixXd offsets;                  // (time x driven coordinate): of the last repetition
  std::vector<double> rms, largest;  // (repetition) error of the worst joint, over all samples; rad or m
  std::vector<double> residual;      // (repetition) m: Tracking::residual
};

// Repeats the move of a scenario with a controller and learns offsets.  done(repetition, fraction): false
// stops, and the offsets learned so far are returned.  Throws InputError: no controller, options out of range, a
// failed repetition.
LearnedMove learn(const Scenario& scenario, const LearningOptions& options = {},
                  const std::function<bool(int run, double share)>& done = {});

// The content of such a file.
struct LearnedFile {
  VectorXd t;                      // s, increasing
  std::vector<std::string> names;  // driven coordinates
  std::vector<Signal> offsets;     // (name)
  double largest = 0;              // |offset|
};
// Throws FileError with location and cure.
LearnedFile read_learned(const Reader& root);

// As a file for `control: {learned: FILE}`: JSON.
std::string learned_text(const Scenario& scenario, const LearnedMove& move);

}  // namespace limber
