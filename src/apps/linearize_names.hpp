// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/linear/linearize.hpp"

// Resolves names on the command line of `limber linearize`.  Each throws InputError for unknown names, with a list of
// the known ones.
namespace limber::apps {

// The speeds of a joint, or one speed: "shoulder", "base.wx", "boom.bending_y1".
std::vector<int> find_speeds(const Model& model, const std::string& name);
// Index of the body that the joint carries.
int find_joint(const Model& model, const std::string& name);
// "shoulder", "rate:shoulder", "position:boom.tip", "position.y:boom.tip", "curvature.z:boom.root,boom.middle", ...
std::vector<LinearOutput> find_outputs(const Model& model, const std::string& text);

}  // namespace limber::apps
