// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/outline.hpp"

namespace limber {

// Boxes, cylinders and spheres as triangles; meshes, which are files elsewhere, are left out.
Outline visual_outline(const std::vector<Visual>& visuals);

}  // namespace limber
