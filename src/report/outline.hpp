// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "limber/body/body.hpp"
#include "limber/model/model.hpp"

namespace limber {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The entries of M, row by row.
inline Eigen::RowVectorXf rows_in_line(const MatrixXd& M) {
  const RowMatrix rows = M.cast<float>();
  return Eigen::Map<const Eigen::RowVectorXf>(rows.data(), rows.size());
}

// The drawn shape of a body in its frame: stations that move with the modes, lines through them, boxes.
struct Outline {
  RowMatrix places;     // (N x 3) undeformed
  RowMatrix shapes;     // (3N x n) rows x, y, z of each station
  RowMatrix turns;      // (3N x n) rotation of sections, rows x, y, z of each station; empty: not known
  RowMatrix second;     // (3N x n^2) Xi, row by row; empty: none.  Displacement S eta + eta^T Xi eta / 2
  RowMatrix strain;     // (rows N x n): energy per length |rows eta|^2 / 2; empty: not known
  int strain_rows = 0;  // per station
  std::vector<std::vector<int>> lines;        // through stations
  std::vector<std::array<double, 6>> boxes;   // centre, edges
  std::vector<std::array<int, 3>> triangles;  // of stations: a surface
};

// `stations`: number along a beam.
Outline make_outline(const Body& body, Fidelity fidelity, int stations);

}  // namespace limber
