// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/controller.hpp"

namespace limber {

// The options as a Controller uses them: checked, with defaults filled in and the desired motion shaped.  Throws
// InputError.
ControlOptions prepare_control(ControlOptions options);

}  // namespace limber
