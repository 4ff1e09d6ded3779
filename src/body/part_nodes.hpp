// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "limber/body/part.hpp"

namespace limber::body_impl {

// Rows of the matrices by node.
struct PartNodes {
  explicit PartNodes(const FePart& part)
      : first(static_cast<std::size_t>(part.positions.cols()), {-1, -1, -1, -1, -1, -1}) {
    for (std::size_t k = 0; k < part.dofs.size(); ++k)
      first[static_cast<std::size_t>(part.dofs[k].node)][static_cast<std::size_t>(part.dofs[k].direction)] =
          static_cast<int>(k);
  }
  bool moves(int node) const { return first[static_cast<std::size_t>(node)][0] >= 0; }  // has rows
  bool turns(int node) const { return first[static_cast<std::size_t>(node)][3] >= 0; }  // also has rotations

  std::vector<std::array<int, 6>> first;  // (N) rows, -1: none
};

// The number of a node in the file.
inline std::string label(const FePart& part, int node) {
  return std::to_string(part.labels.empty() ? node + 1L : part.labels[static_cast<std::size_t>(node)]);
}

// Throws InputError if a part cannot be reduced: sizes, symmetry, values, missing rows, unconnected pieces.
void check_part(const FePart& part);

}  // namespace limber::body_impl
