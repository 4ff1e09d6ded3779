// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/body/visual_mesh.hpp"

namespace limber {

// Whether a file of that name can be drawn: STL and OBJ, by extension.
bool is_mesh_name(const std::string& name);

// Triangles of an STL, binary or text, or an OBJ.  Throws InputError "NAME: what is wrong; what to do" for a truncated
// text, values that are not finite numbers, missing corners.
VisualMesh parse_mesh(const std::string& bytes, const std::string& name);

// Resolves a mesh reference of a URDF in `folder`: "file://...", "package://NAME/..." (NAME is searched there and in
// the parent folders), or a path.  Empty: the package was not found.
std::string find_mesh(const std::string& reference, const std::string& folder);

}  // namespace limber
