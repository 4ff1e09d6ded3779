// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace limber {

// Throws InputError "PATH: ..." where a file cannot or must not be written: a directory, a folder that is not there, no
// permission, one of `never`.  Returns the path behind links.
std::string check_output(const std::string& path, const std::vector<std::string>& never);
// Throws InputError "PATH: cannot be written: why".
[[noreturn]] void refuse_output(const std::string& path, const std::string& why);

}  // namespace limber
