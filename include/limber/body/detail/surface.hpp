// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "limber/spatial/types.hpp"

namespace limber {

using SurfaceTriangles = std::vector<std::array<int, 3>>;

// A surface for drawing: at most 5000 points of `points` (3 x N), merged within cells of a grid, without triangles that
// collapse.
SurfaceTriangles thin_surface(const Matrix3Xd& points, const SurfaceTriangles& triangles);
// The points used by triangles, increasing, each once.
std::vector<int> points_of(const SurfaceTriangles& triangles);

}  // namespace limber
