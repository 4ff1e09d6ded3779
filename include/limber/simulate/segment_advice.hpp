// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// The recommended number of segments of a beam that deflects by `share` of its length (of the length of a segment, if
// it has segments): enough that none bends by more than a tenth of its own length.
int advised_segments(const Model& model, int body, double share);

// One line for each beam that bends too far under gravity at the configuration of x, joints held:
// the recommended `segments`.
std::vector<std::string> segment_advice(const Model& model, const State& x);

}  // namespace limber
