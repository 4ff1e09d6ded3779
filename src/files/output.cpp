// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/detail/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "limber/files/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {

void refuse_output(const std::string& path, const std::string& why) {
  throw InputError(fmt::format("{}: cannot be written: {}", path, why));
}

std::string check_output(const std::string& path, const std::vector<std::string>& never) {
  namespace fs = std::filesystem;
  if (path.empty()) throw InputError("an empty file name for the output; name a file");
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw InputError(fmt::format("{}: is a directory; name a file in it", path));
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored))
    throw InputError(fmt::format("{}: the folder {} does not exist; create it first", path, show(folder.string())));
  for (const std::string& other : never) {
    if (fs::equivalent(path, other, ignored))
      throw InputError(fmt::format("{}: would overwrite {}, which is read here; name another output", path, other));
  }
  if (!fs::exists(path, ignored)) return path;
  if (!fs::is_regular_file(path, ignored)) throw InputError(fmt::format("{}: is not a plain file; name one", path));
  if (access(path.c_str(), W_OK) != 0) refuse_output(path, std::strerror(errno));
  const fs::path behind = fs::canonical(path, ignored);
  return behind.empty() ? path : behind.string();
}

}  // namespace limber
