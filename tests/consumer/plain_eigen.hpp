// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>

// A third-party library, built with plain Eigen: no limber, no definitions, no -march.
namespace plain_eigen {

struct Holder {
  char tag;
  Eigen::Vector4d four;
  char end;
  Eigen::Matrix4d sixteen;
};

using Layout = std::array<std::size_t, 4>;
static inline Layout layout_here() {
  return {alignof(Eigen::Vector4d), offsetof(Holder, four), offsetof(Holder, sixteen), sizeof(Holder)};
}

Eigen::VectorXd make_vector(int size);
void take_vector(Eigen::VectorXd v);
void take_matrix(Eigen::MatrixXd m);
Layout layout();

}  // namespace plain_eigen
