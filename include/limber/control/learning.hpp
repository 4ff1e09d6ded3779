// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/simulate/signal.hpp"

namespace limber {

// Iterative learning over repeated moves: what a controller is told to follow is the desired motion and an offset, and
// each repetition adds to the offset what the one before was off by, [Arimoto, Kawamura, Miyazaki 1984]:
//   offset' = offset + Q (desired - true)        Q: a low-pass without phase (Gauss), 3 dB at `cutoff`
// With a loop that moves its joints by T(s) times what it is told, the error falls by |1 - Q T| per repetition where
// that is below one: hence a cutoff within the bandwidth of the law.  docs/control.md, Learning.
struct LearningOptions {
  int runs = 5;         // repetitions
  double cutoff = 0.5;  // Hz
};

// The offsets after one more repetition.  error, offsets: (time x driven coordinate), at times `step` apart from 0 on.
// They begin with zero.
MatrixXd learn_offsets(const MatrixXd& offsets, const MatrixXd& error, double step, double cutoff);

// Offsets as signals, for ControlOptions::learned.
std::vector<Signal> make_offsets(const VectorXd& t, const MatrixXd& offsets);

}  // namespace limber
