// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/files/document.hpp"

namespace limber {

// A value of a document as text, in one line; reading it gives the same value.
std::string write_flow(const DocumentNode& node);

}  // namespace limber
