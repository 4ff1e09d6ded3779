// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/body/visual_mesh.hpp"

namespace limber {

// Can a file of that name be drawn?  STL and OBJ, by their endings.
bool is_mesh_name(const std::string& name);

// Triangles of an STL, binary or text, or an OBJ.  Throws InputError "NAME: what is wrong; what to do": a text that
// ends too early, numbers that are none or not finite, corners that are not there.
VisualMesh parse_mesh(const std::string& bytes, const std::string& name);

// Where a URDF means a mesh to be, from `folder`, that of the URDF: "file://...", "package://NAME/..." (NAME is looked
// for there and in the folders above), or a path.  Empty: a package that is not found.
std::string find_mesh(const std::string& reference, const std::string& folder);

}  // namespace limber
