// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/validity.hpp"

namespace limber {

// Checks a model at rest against its own assumptions, before any run: gravity loads near the critical load of beams,
// travel along beams (at x and at the joint limits), flexible links of closed chains.  One line each.
std::vector<std::string> static_warnings(const Model& model, const State& x);

}  // namespace limber
