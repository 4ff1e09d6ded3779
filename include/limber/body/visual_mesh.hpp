// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "limber/body/body.hpp"

namespace limber {

// Triangles of a mesh file for drawing a rigid body, in the units of the file; fine meshes are thinned.
struct VisualMesh {
  std::string file;   // name in the model
  std::string bytes;  // the same triangles as a binary STL, stored in recordings
  Matrix3Xd points;
  std::vector<std::array<int, 3>> triangles;
};

// A rigid body with the meshes of its visuals: Body::rigid points to one.
struct DrawnSpec : RigidSpec {
  std::vector<std::shared_ptr<const VisualMesh>> meshes;  // one per visual; null: not a mesh, or not readable
};
std::shared_ptr<const RigidSpec> share_drawn(DrawnSpec drawn);
// nullptr: the body has no meshes.
const DrawnSpec* drawn_of(const Body& body);

}  // namespace limber
