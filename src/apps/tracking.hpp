// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "apps/json_writer.hpp"
#include "limber/control/tracking.hpp"

namespace limber::apps {

// Lines of a summary about how a controller followed: key, text.
std::vector<std::pair<const char*, std::string>> tracking_rows(const Tracking& tracking, const std::string& shaping);
// The same as keys of the object that is being written.
void write_tracking(JsonWriter& json, const Tracking& tracking, const std::string& shaping);

}  // namespace limber::apps
