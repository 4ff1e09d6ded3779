// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bind.hpp"
#include "limber/scenario/scenario.hpp"
#include "signals.hpp"

namespace limber::python {

// A Scenario, a path, a dict, or a Model alone with no end.
Scenario scenario_of(py::handle given);

// Studies: many runs of one scenario.
void define_study(py::module_& m);

}  // namespace limber::python
