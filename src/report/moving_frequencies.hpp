// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/linear/facts.hpp"

namespace limber {

// Replaces the natural frequencies at rest by those of the model moving with constant joint speeds, as in x, with the
// stiffness due to rotation and weight.  If A is constant along the motion, or varies slowly compared with the
// vibration, they are those of A; if one rotor rotates, those of its steady motion (Floquet); otherwise they are not
// known, and there are none.  False: a closed chain, whose frequencies at rest are kept.
bool set_moving_frequencies(const Model& model, const State& x, FrequencyFacts& found);

}  // namespace limber
