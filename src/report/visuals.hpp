// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/outline.hpp"

namespace limber {

// The visual shapes of a rigid body as triangles; missing meshes are omitted.
Outline visual_outline(const Body& body);

}  // namespace limber
