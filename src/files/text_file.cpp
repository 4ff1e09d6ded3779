// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

std::string reason(int error) { return error == ENOENT ? "no such file" : std::strerror(error); }

}  // namespace

std::string read_text_file(const std::string& path) {
  if (path.empty()) throw FileError("an empty file name; name a file");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw FileError(fmt::format("{}: is a directory; name a file in it", path));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw FileError(fmt::format("{}: cannot be opened: {}", path, reason(errno)));

  // In blocks: the length of a pipe is unknown.
  std::string text;
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  for (std::size_t got = kPiece; got == kPiece;) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    got = std::fread(text.data() + before, 1, kPiece, file.get());
    text.resize(before + got);
    if (text.size() > kMaxFileBytes)
      throw FileError(fmt::format("{}: larger than {} MiB; split it", path, kMaxFileBytes >> 20));
  }
  if (std::ferror(file.get()) != 0) throw FileError(fmt::format("{}: cannot be read: {}", path, reason(errno)));
  return text;
}

}  // namespace limber
