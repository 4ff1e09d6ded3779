// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/linear/facts.hpp"

namespace limber {

// Of a beam of segments, whole, its root held: modes of the assembled beam, none beyond kMaxForFrequencies coordinates.
BodyFacts compute_segmented_facts(const Body& whole);

}  // namespace limber
