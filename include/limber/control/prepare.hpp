// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/controller.hpp"

namespace limber {

// What a Controller makes of its options: checked, with what was left out, and with the desired motion shaped.  Throws
// InputError.
ControlOptions prepare_control(ControlOptions options);

}  // namespace limber
