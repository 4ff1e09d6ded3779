// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/spatial/types.hpp"

namespace limber {

// The stabilising X >= 0 of  X = A^T X A - A^T X B (R + B^T X B)^-1 B^T X A + Q,  R > 0, Q >= 0, by doubling.
// [Chu, Fan, Lin, Wang 2004].  None: it does not exist (something unstable is out of reach or out of sight).
std::optional<MatrixX> solve_riccati(const MatrixX& A, const MatrixX& B, const MatrixX& Q, const MatrixX& R);

// x' = A x + B u over a period with u held: exact.
struct Sampled {
  MatrixX A, B;
};
Sampled sample(const MatrixX& A, const MatrixX& B, double period);  // zero-order hold

}  // namespace limber
