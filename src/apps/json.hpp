// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace limber::apps {

// A JSON value that keeps the order of its members.
using Json = nlohmann::ordered_json;

}  // namespace limber::apps
