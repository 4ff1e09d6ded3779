// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// Text of a file for a message, in quotes, on one line, cut where it is long: 'boom'.
std::string show(std::string_view text);
// "a, b, c"; beyond `most` words only their number.
std::string join(std::span<const std::string_view> words, std::size_t most = 20);
// " did you mean 'length'?", or nothing when no known word is near.
std::string suggest(std::string_view word, std::span<const std::string_view> known);
std::vector<std::string_view> views(std::span<const std::string> words);

// Place of the first byte that is not part of a UTF-8 character, or npos.
std::size_t find_bad_utf8(std::string_view text);
// JSON writes a character beyond 16 bits as two escapes, \ud83d\ude00, which yaml-cpp 0.7 refuses.  Here it becomes
// one, \U0001f600; YAML that is not JSON is left as it is.
std::string join_surrogates(std::string_view text);

}  // namespace limber
