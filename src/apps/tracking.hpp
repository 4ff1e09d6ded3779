// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "apps/json_writer.hpp"
#include "limber/control/tracking.hpp"

namespace limber::apps {

// Lines of a summary on the tracking of a controller: key, text.
std::vector<std::pair<const char*, std::string>> tracking_rows(const Tracking& tracking, const std::string& shaping);
// The same as members of the current JSON object.
void write_tracking(JsonWriter& json, const Tracking& tracking, const std::string& shaping);

}  // namespace limber::apps
