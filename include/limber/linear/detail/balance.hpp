// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/linear/analysis.hpp"

namespace limber {

// S^-1 A S with a diagonal S of powers of 2 that makes rows and columns about equally large (Parlett and Reinsch, Num.
// Math. 13, 1969).  Eigenvectors of the first are S^-1 times those of the second.
struct Balanced {
  MatrixXd A;
  VectorXd scale;  // S
};
Balanced balance(const MatrixXd& A);

// By modulus, then imaginary part; moduli that differ by rounding count as equal.
void sort_roots(VectorXcd& roots);

}  // namespace limber
