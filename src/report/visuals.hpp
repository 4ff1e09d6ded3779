// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/outline.hpp"

namespace limber {

// The shapes that a rigid body is drawn with, as triangles; meshes that were not found are left out.
Outline visual_outline(const Body& body);

}  // namespace limber
