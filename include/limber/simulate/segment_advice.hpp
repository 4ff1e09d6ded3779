// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// How many segments a beam should have that deflects by `share` of its length (of the length of a segment, where it has
// some): so many that none bends by more than a tenth of its own length.
int advised_segments(const Model& model, int body, double share);

// One line for each beam that bends too far under the weight of the machine at the configuration of x, joints held:
// what `segments` to write.
std::vector<std::string> segment_advice(const Model& model, const State& x);

}  // namespace limber
