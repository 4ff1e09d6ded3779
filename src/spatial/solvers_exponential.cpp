// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <unsupported/Eigen/MatrixFunctions>

#include "limber/spatial/detail/solvers.hpp"

namespace limber {

MatrixXd matrix_exponential(const MatrixXd& A) { return A.exp(); }

}  // namespace limber
