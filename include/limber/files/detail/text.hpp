// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "limber/spatial/detail/text.hpp"

namespace limber {

// Position of the first byte that is not part of a UTF-8 character, or npos.
std::size_t find_bad_utf8(std::string_view text);
// JSON writes a character beyond 16 bits as two escapes, \ud83d\ude00, which yaml-cpp 0.7 refuses.  Here it becomes
// one, \U0001f600; YAML that is not JSON is left as it is.
std::string join_surrogates(std::string_view text);

}  // namespace limber
