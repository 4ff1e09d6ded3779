// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace limber {

// "the study has 1e+12 runs, a table of 2.3e+05 GB; at most ..."; `columns`: parameters and results.
std::string too_many_runs(double runs, std::size_t columns);

}  // namespace limber
