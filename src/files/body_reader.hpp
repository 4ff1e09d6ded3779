// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/body_files.hpp"
#include "limber/body/body.hpp"
#include "limber/files/reader.hpp"

namespace limber {

// Words of beams, in the order of BeamFamily and BeamBasis.
inline constexpr std::array<std::string_view, 4> kFamilies = {"bending_y", "bending_z", "axial", "torsion"};
inline constexpr std::array<std::string_view, 6> kBases = {"clamped-free",  "free-free",  "pinned-free",
                                                           "craig-bampton", "polynomial", "custom"};

// In the order of PlateEdge.
inline constexpr std::array<std::string_view, 3> kPlateEdges = {"free", "simply-supported", "clamped"};
inline constexpr Eigen::Index kMaxNodes = 10'000;  // of a body

// The last beam that was made: the links of a chain are often equal, and making one takes longer than reading it.
struct LastBeam {
  std::string key;
  Body body;
};

// Of a body with that key.
Body read_plate(const Reader& body, bool second_order);

// One entry of `bodies` in a model file, whose item is set.  docs/model-format.md.  `second_order`: for `stiffened`.
Body read_body(const Reader& body, const std::string& name, bool second_order, LastBeam& last, BodyFiles& files);

}  // namespace limber
