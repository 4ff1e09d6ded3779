// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/body_files.hpp"
#include "limber/body/body.hpp"
#include "limber/files/reader.hpp"

namespace limber {

// Keywords of beams, in the order of BeamFamily and BeamBasis.
inline constexpr std::array<std::string_view, 4> kFamilies = {"bending_y", "bending_z", "axial", "torsion"};
inline constexpr std::array<std::string_view, 6> kBases = {"clamped-free",  "free-free",  "pinned-free",
                                                           "craig-bampton", "polynomial", "custom"};

// In the order of PlateEdge.
inline constexpr std::array<std::string_view, 3> kPlateEdges = {"free", "simply-supported", "clamped"};
inline constexpr Eigen::Index kMaxNodes = 10'000;  // of a body

// Cache of the last beam: the links of a chain are often equal, and making a beam takes longer than reading it.
struct LastBeam {
  std::string key;
  Body body;
};

// The body with the key `plate`.
Body read_plate(const Reader& body, bool second_order);

// One entry of `bodies` in a model file, with its item set.  docs/model-format.md.  `second_order`: for `stiffened`.
Body read_body(const Reader& body, const std::string& name, bool second_order, LastBeam& last, BodyFiles& files);

}  // namespace limber
