// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/linear/facts.hpp"

namespace limber {

// Facts of a whole segmented beam with clamped root: modes of the assembled beam, none above kMaxForFrequencies
// coordinates.
BodyFacts compute_segmented_facts(const Body& whole);

}  // namespace limber
