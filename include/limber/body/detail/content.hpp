// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/body/body.hpp"

namespace limber {

// All numbers and node names of a body, but not its own name: bodies with equal keys are equal, bit by bit.
std::string content_key(const Body& body);

}  // namespace limber
