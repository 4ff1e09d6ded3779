// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/linear/facts.hpp"

namespace limber {

// Puts the natural frequencies of a machine whose joints go on at the speeds of x in the place of those at rest; with
// what rotation and weight add to the stiffness.  Where A stays the same along the motion, or changes slowly beside the
// vibration, they are those of A; where one rotor turns, those of its steady motion (Floquet); else they are not known,
// and there are none.  False: a closed chain, whose frequencies stay those at rest.
bool set_moving_frequencies(const Model& model, const State& x, FrequencyFacts& found);

}  // namespace limber
