// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace limber {

// What force elements and contacts keep between evaluations.
struct ElementForces {};

}  // namespace limber
