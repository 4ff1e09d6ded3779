// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/body/detail/constants.hpp"

// Families of shapes: those of a beam (bending in y and z, axial, torsion) couple in few of the nine numbers of C_ab.
// The blocks of four modes stand in the order of these kinds, which is found out from the numbers themselves.
namespace limber {

enum class BlockKind {
  any,       // the block of b = 0, then all that are no other kind
  diagonal,  // shapes along the same axis: inertia xx, yy, zz
  x,         // shapes along y and z: inertia yz, axial x
  y,         // along x and z: inertia xz, axial y
  z,         // along x and y: inertia xy, axial z
};
inline constexpr int kBlockKinds = 5;

// Where the blocks of a kind end, of the four modes `chunk`: after the begins of all chunks in block_begin.
inline std::size_t block_end_at(int ne, int chunk, BlockKind kind) {
  return static_cast<std::size_t>(lanes_for(ne)) + 1 + static_cast<std::size_t>(chunk) * kBlockKinds +
         static_cast<std::size_t>(kind);
}

}  // namespace limber
