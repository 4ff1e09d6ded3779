// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "limber/simulate/signal.hpp"

namespace limber {

// Iterative learning over repeated moves: a controller follows the desired motion plus an offset, and
// each repetition adds the filtered error of the previous one to the offset, [Arimoto, Kawamura, Miyazaki 1984]:
//   offset' = offset + Q (desired - true)        Q: a zero-phase low-pass (Gauss), 3 dB at `cutoff`
// With the transfer function T(s) from the reference to the joints, the error falls by |1 - Q T| per repetition where
// this is below one; the cutoff should lie within the bandwidth of the law.  docs/control.md, Learning.
struct LearningOptions {
  int runs = 5;         // repetitions
  double cutoff = 0.5;  // Hz
};

// The offsets after one more repetition.  error, offsets: (time x driven coordinate), at times `step` apart, from 0.
// Offsets start from zero.
MatrixXd learn_offsets(const MatrixXd& offsets, const MatrixXd& error, double step, double cutoff);

// Offsets as signals, for ControlOptions::learned.
std::vector<Signal> make_offsets(const VectorXd& t, const MatrixXd& offsets);

}  // namespace limber
