// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace limber {

inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

// The whole file as text.  Throws FileError "FILE: why" for a file that cannot be opened, a directory, more than
// kMaxFileBytes.
std::string read_text_file(const std::string& path);

}  // namespace limber
