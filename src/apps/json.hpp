// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace limber::apps {

// A JSON value whose members keep the order in which they are added.
using Json = nlohmann::ordered_json;

}  // namespace limber::apps
