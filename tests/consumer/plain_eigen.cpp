// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "plain_eigen.hpp"

namespace plain_eigen {

Eigen::VectorXd make_vector(int size) { return Eigen::VectorXd::LinSpaced(size, 0.01, 0.02); }
void take_vector(Eigen::VectorXd v) { v.resize(v.size() + 5); }
void take_matrix(Eigen::MatrixXd m) { m.resize(m.rows() + 1, m.cols() + 3); }
Layout layout() { return layout_here(); }

}  // namespace plain_eigen
