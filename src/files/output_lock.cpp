// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <filesystem>

#include "limber/files/detail/output.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr std::string_view kLockMark = "limber: ";  // at the start of every lock
constexpr std::size_t kLongestLock = 200;           // bytes of a lock

// "process 4711 on arm-lab".
std::string own_name() {
  char host[HOST_NAME_MAX + 1] = {};
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  return fmt::format("process {} on {}", getpid(), host);
}

std::string content(int descriptor) {
  std::string text(kLongestLock, '\0');
  const ssize_t got = pread(descriptor, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

// The owner's name in a lock, which is written just after the lock is acquired.
std::string await_owner(int descriptor) {
  constexpr int kTries = 500;
  constexpr useconds_t kPause = 2000;  // us
  std::string owner = content(descriptor);
  for (int k = 0; k < kTries && owner.empty(); ++k) {
    usleep(kPause);
    owner = content(descriptor);
  }
  return owner;
}

// -1 and errno on failure.  A file of another user is opened for reading, which suffices for a lock.
int open_lock(const std::string& file) {
  constexpr int kFlags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  constexpr mode_t kMode = 0666;
  const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | kFlags, kMode);
  return descriptor < 0 && errno == EACCES ? open(file.c_str(), O_RDONLY | kFlags) : descriptor;
}

// Whether the name still refers to the opened file: its owner may have removed it in the meantime.
bool is_current(int descriptor, const std::string& file) {
  struct stat held {
  }, named{};
  return fstat(descriptor, &held) == 0 && lstat(file.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
         held.st_ino == named.st_ino;
}

[[noreturn]] void refuse_second(const std::string& shown, std::string owner) {
  owner = owner.starts_with(kLockMark) ? owner.substr(kLockMark.size()) : "another process";
  while (!owner.empty() && owner.back() == '\n') owner.pop_back();
  const std::string quoted = show(owner);  // untrusted content
  throw FileError(fmt::format("{}: is being written by {}; wait for it, or name another output", shown,
                              quoted.substr(1, quoted.size() - 2)));
}

}  // namespace

OutputLock::OutputLock(const std::string& shown, const std::string& path) {
  const std::filesystem::path target(path);
  std::string name = target.filename().string();
  constexpr std::size_t kLongestName = 240;  // of the 255 bytes of a file name
  if (name.size() > kLongestName)
    name = fmt::format("{}{:016x}", name.substr(0, kLongestName - 16), std::hash<std::string>()(name));
  file_ = std::filesystem::path(target).replace_filename("." + name + ".lock").string();
  while (true) {
    const int descriptor = open_lock(file_);
    if (descriptor < 0) refuse_output(shown, fmt::format("{}: {}", file_, system_reason()));
    struct stat found {};
    const std::string owner = content(descriptor);
    const bool ours = fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) &&
                      (found.st_size == 0 || owner.starts_with(kLockMark));
    if (!ours) {
      close(descriptor);
      throw FileError(fmt::format("{}: {} exists and is not a lock of limber; remove it", shown, file_));
    }
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const bool taken = errno == EWOULDBLOCK;
      const std::string now = taken ? await_owner(descriptor) : std::string();
      close(descriptor);
      if (taken) refuse_second(shown, now);
      return;  // the file system has no locks
    }
    if (!is_current(descriptor, file_)) {
      close(descriptor);
      continue;
    }
    descriptor_ = descriptor;
    const std::string text = fmt::format("{}{}\n", kLockMark, own_name());
    // An empty lock file is valid, too.
    if (ftruncate(descriptor, 0) == 0 && pwrite(descriptor, text.data(), text.size(), 0) < 0) return;
    return;
  }
}

OutputLock::~OutputLock() {
  if (descriptor_ < 0) return;
  unlink(file_.c_str());
  close(descriptor_);
}

}  // namespace limber
