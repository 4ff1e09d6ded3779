// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "limber/spatial/types.hpp"

namespace limber {

// The stabilising X >= 0 of  X = A^T X A - A^T X B (R + B^T X B)^-1 B^T X A + Q,  R > 0, Q >= 0, by doubling.
// [Chu, Fan, Lin, Wang 2004].  nullopt: it does not exist (not stabilisable or not detectable).
std::optional<MatrixXd> solve_riccati(const MatrixXd& A, const MatrixXd& B, const MatrixXd& Q, const MatrixXd& R);

// x' = A x + B u over a period with u held: exact.
struct Sampled {
  MatrixXd A, B;
};
Sampled sample(const MatrixXd& A, const MatrixXd& B, double period);  // zero-order hold

}  // namespace limber
