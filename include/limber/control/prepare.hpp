// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/controller.hpp"

namespace limber {

// The options as a Controller uses them: checked, with defaults filled in and the desired motion shaped.  Throws
// InputError.
ControlOptions prepare_control(ControlOptions options);

// The largest residual vibrations of the desired motion, with the driven joints locked at its end: by participation,
// the largest amplitude of a node first; at most options.shaping->vibrations.  Vibrations that the motion does not
// excite are not included.
std::vector<ShapedVibration> choose_vibrations(const ControlOptions& options);

// "zvd for 0.156 Hz, which would leave 0.022 m at hand.tip; 6.43 s longer".  Empty: nothing is shaped.
std::string shaping_text(const std::optional<ShapingOptions>& prepared);

}  // namespace limber
