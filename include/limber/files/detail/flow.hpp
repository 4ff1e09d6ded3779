// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/files/document.hpp"

namespace limber {

// A value of a document as text of its own, in one line; read again, it is the same.
std::string write_flow(const DocumentNode& node);

}  // namespace limber
