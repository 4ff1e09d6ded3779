// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/model/model.hpp"

namespace limber {

// A trolley on a flexible beam.  Its joint frame is the cross-section of the beam at q, in m from the root along the
// axis, whose position and inclination it follows.  The parent is the beam itself.  theory §3, Sliders.
inline constexpr JointKind kSlider = static_cast<JointKind>(7);

bool has_sliders(const Model& model);
// Throws InputError("CALLER: ... joint 'trolley' ...") for a model with one.
void refuse_sliders(const Model& model, const std::string& caller);

// The default stops of a slider, if no limits are given: the ends of the beam, each a spring on which the carried body
// alone would oscillate at 10 Hz, with a tenth of critical damping.
JointStop default_slider_stop(double length, double mass);

}  // namespace limber
