// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// A kind of output file.  A file of the same kind, or an empty one, may be replaced; any other file is kept.
struct OutputKind {
  const char* name;                         // "a recording"
  bool (*is_one)(const std::string& path);  // of an existing plain file
  static bool starts_with(const std::string& path, std::string_view text, std::size_t within = 0);
};

// Throws FileError "PATH: ..." if a file cannot or must not be written: a directory, a missing folder, no
// permission, one of `never`, another user's symbolic link, a file of another kind.  Returns the path with links
// resolved.
std::string check_output(const std::string& path, const std::vector<std::string>& never, const OutputKind& kind);
// Throws FileError "PATH: cannot be written: why".
[[noreturn]] void refuse_output(const std::string& path, const std::string& why);
// "No space left on device", of errno.
std::string system_reason();

// Throws FileError if less than `bytes` are free at `path`.  Returns a warning if more than half of
// the free space is needed, or nothing.
std::string check_room(const std::string& path, double bytes);
// Free bytes at `path`; infinity: not known to the system.
double free_room(const std::string& path);

// One writer per path.  The lock is a file `.NAME.lock` beside it, held by flock(2), so that it ends with the process;
// it names its owner, who removes it (a killed process leaves it, without effect).
class OutputLock {
 public:
  // Throws FileError that names the other process if it is locked.  A file system without locks is ignored.
  OutputLock(const std::string& shown, const std::string& path);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::string file_;
  int descriptor_ = -1;
};

// A file being written: it has a temporary name, `.NAME.RANDOM.part`, made with O_EXCL and without following
// links, and gets its final name by rename(2), atomically.  No other file is ever opened for writing.
class OutputFile {
 public:
  OutputFile(std::string path, const OutputKind& kind, std::vector<std::string> never);
  ~OutputFile();  // removes a file without its final name
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }  // as given
  const std::string& part() const { return part_; }  // does not exist until created, with O_EXCL
  bool published() const { return published_; }
  // Makes the file.  Throws FileError.
  std::FILE* open();
  // Gives it its final name; checks the target again if it has changed.  Throws FileError.
  void publish();
  // Throws FileError if another file has its name, or none.
  void check_still_there() const;

 private:
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    bool operator==(const Identity&) const = default;
  };
  static std::optional<Identity> identity(const std::string& path);

  std::string path_, target_, part_;
  OutputKind kind_;
  std::vector<std::string> never_;
  std::optional<Identity> before_, own_;
  std::optional<OutputLock> lock_;
  bool published_ = false;
};

// Writes a whole file, atomically.
void write_whole_file(const std::string& path, const OutputKind& kind, const std::vector<std::string>& never,
                      std::string_view text);

}  // namespace limber
