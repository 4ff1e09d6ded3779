// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/system.hpp"

namespace limber {

// Whether a stop, a backlash flank, stuck friction, a rope or a contact is active in the current phases.
bool holds(const System& system);

}  // namespace limber
