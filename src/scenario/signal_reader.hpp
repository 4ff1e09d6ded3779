// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "limber/files/reader.hpp"
#include "limber/simulate/signal.hpp"

namespace limber {

// A signal of a scenario: a number, an expression in t, {table: ...}, {pieces: ...} or {sine: ...}.
// docs/scenario-format.md. Its value is finite at t = 0 and at its breaks.
Signal read_signal(const Reader& at);

// A list of signals, one per name; for a single name a signal without list is accepted.  `what`: "speed".
std::vector<Signal> read_signals(const Reader& at, std::span<const std::string> names, std::string_view what);

}  // namespace limber
