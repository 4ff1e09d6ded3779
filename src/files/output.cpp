// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/detail/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "limber/files/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace fs = std::filesystem;
namespace {

fs::path folder_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

// Refuses symbolic links of other users.
void check_link(const std::string& path) {
  struct stat link {};
  if (lstat(path.c_str(), &link) != 0 || !S_ISLNK(link.st_mode)) return;
  if (link.st_uid == geteuid() || link.st_uid == 0) return;
  throw FileError(fmt::format("{}: is a symbolic link of another user; name another output", path));
}

}  // namespace

std::string system_reason() { return std::strerror(errno); }

void refuse_output(const std::string& path, const std::string& why) {
  throw FileError(fmt::format("{}: cannot be written: {}", path, why));
}

bool OutputKind::starts_with(const std::string& path, std::string_view text, std::size_t within) {
  std::string start(std::max(within, text.size()), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  return within == 0 ? std::string_view(start).starts_with(text) : start.find(text) != std::string::npos;
}

std::string check_output(const std::string& path, const std::vector<std::string>& never, const OutputKind& kind) {
  if (path.empty()) throw FileError("an empty file name for the output; name a file");
  std::error_code error;
  if (fs::is_directory(path, error)) throw FileError(fmt::format("{}: is a directory; name a file in it", path));
  const fs::path folder = folder_of(path);
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found)
    throw FileError(fmt::format("{}: the folder {} does not exist; create it first", path, show(folder.string())));
  if (error) refuse_output(path, error.message());
  if (!fs::is_directory(status))
    throw FileError(fmt::format("{}: {} is not a folder; name one", path, show(folder.string())));
  for (const std::string& other : never) {
    if (fs::equivalent(path, other, error))
      throw FileError(fmt::format("{}: would overwrite {}, which is read here; name another output", path, other));
  }
  check_link(path);
  if (!fs::exists(path, error)) {
    if (error) refuse_output(path, error.message());
    return path;
  }
  if (!fs::is_regular_file(path, error)) throw FileError(fmt::format("{}: is not a plain file; name one", path));
  if (access(path.c_str(), W_OK) != 0) refuse_output(path, system_reason());
  const fs::path behind = fs::canonical(path, error);
  const std::string target = behind.empty() ? path : behind.string();
  const auto size = fs::file_size(target, error);
  if ((error || size > 0) && !kind.is_one(target))
    throw FileError(fmt::format("{}: exists and is not {}; remove it or name another output", path, kind.name));
  return target;
}

double free_room(const std::string& path) {
  std::error_code error;
  const fs::space_info space = fs::space(folder_of(path), error);
  return error || space.capacity == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(space.available);
}

std::string check_room(const std::string& path, double bytes) {
  constexpr double kLarge = 0.5;  // share of the free space
  constexpr double kGB = 1e9;
  const double free = free_room(path);
  const std::string needs =
      fmt::format("{}: needs {:.3g} GB, but only {:.3g} GB are free there", path, bytes / kGB, free / kGB);
  if (bytes > free) throw FileError(needs + "; record less (record.every, nodes), or add --force");
  return bytes > kLarge * free ? needs : "";
}

// ---- unfinished files --------------------------------------------------------------------------------

std::optional<OutputFile::Identity> OutputFile::identity(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::nullopt;
  return Identity{found.st_dev, found.st_ino};
}

OutputFile::OutputFile(std::string path, const OutputKind& kind, std::vector<std::string> never)
    : path_(std::move(path)), kind_(kind), never_(std::move(never)) {
  target_ = check_output(path_, never_, kind_);
  before_ = identity(target_);
  lock_.emplace(path_, target_);
  // A unique name that cannot be guessed.
  std::random_device random;
  const std::string name = fs::path(target_).filename().string();
  constexpr std::size_t kLongest = 200;  // of the 255 bytes of a file name
  const std::string file = fmt::format(".{}.{:08x}{:08x}.part", name.substr(0, kLongest), random(), random());
  part_ = fs::path(target_).replace_filename(file).string();
}

OutputFile::~OutputFile() {
  if (!published_) std::remove(part_.c_str());
}

std::FILE* OutputFile::open() {
  constexpr mode_t kMode = 0666;
  const int descriptor = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
  if (descriptor < 0) refuse_output(path_, system_reason());
  std::FILE* file = fdopen(descriptor, "wb");
  if (file != nullptr) return file;
  const std::string why = system_reason();
  ::close(descriptor);
  refuse_output(path_, why);
}

void OutputFile::publish() {
  if (identity(target_) != before_) check_output(path_, never_, kind_);
  own_ = identity(part_);
  if (std::rename(part_.c_str(), target_.c_str()) != 0) refuse_output(path_, system_reason());
  published_ = true;
}

void OutputFile::check_still_there() const {
  if (!published_ || identity(target_) == own_) return;
  throw FileError(
      fmt::format("{}: was removed or replaced by another program while it was written; run it again", path_));
}

void write_whole_file(const std::string& path, const OutputKind& kind, const std::vector<std::string>& never,
                      std::string_view text) {
  OutputFile out(path, kind, never);
  std::FILE* file = out.open();
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  std::string why = system_reason();
  const bool closed = std::fclose(file) == 0;
  if (written && !closed) why = system_reason();
  if (!written || !closed) refuse_output(path, why);
  out.publish();
}

}  // namespace limber
