// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/validity.hpp"

namespace limber {

// What a model at rest says against its own assumptions, before any run: weights that load beams near their critical
// load, travels along beams (at x and at the ends of joint stops), bending links of closed chains.  One line each.
std::vector<std::string> static_warnings(const Model& model, const State& x);

}  // namespace limber
