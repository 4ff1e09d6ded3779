// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// The items of `elements:` and `contacts:` in the format of their readers.  Throws InputError for a force law that is
// neither a table nor an expression.
std::vector<nlohmann::ordered_json> elements_json(const Model& model);
std::vector<nlohmann::ordered_json> contacts_json(const Model& model);
// Adds the keys of a joint that are stored as elements: `rest`, and `restitution` of its limits.
void add_joint_elements(const Model& model, int joint, nlohmann::ordered_json& out);

}  // namespace limber
