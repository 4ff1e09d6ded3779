// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/system.hpp"

namespace limber {

// Whether a stop, the flank of a backlash, stuck friction, a rope or a contact holds the machine, in the phases as they
// are now.
bool holds(const System& system);

}  // namespace limber
