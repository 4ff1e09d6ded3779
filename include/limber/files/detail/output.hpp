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

// What a command writes.  A file of the same kind, or an empty one, may be replaced; any other file is kept.
struct OutputKind {
  const char* name;                         // "a recording"
  bool (*is_one)(const std::string& path);  // of a plain file that is there
  static bool starts_with(const std::string& path, std::string_view text, std::size_t within = 0);
};

// Throws FileError "PATH: ..." where a file cannot or must not be written: a directory, a folder that is not there, no
// permission, one of `never`, another user's symbolic link, a file of another kind.  Returns the path behind links.
std::string check_output(const std::string& path, const std::vector<std::string>& never, const OutputKind& kind);
// Throws FileError "PATH: cannot be written: why".
[[noreturn]] void refuse_output(const std::string& path, const std::string& why);
// "No space left on device", of errno.
std::string system_reason();

// Throws FileError when less than `bytes` are free where `path` is to be.  Returns a warning when more than half of
// what is free goes, or nothing.
std::string check_room(const std::string& path, double bytes);

// One writer per path.  The lock is a file `.NAME.lock` beside it, held by flock(2), so that it ends with the process;
// it holds who has it, and goes with its owner (a killed one leaves it, without effect).
class OutputLock {
 public:
  // Throws FileError with the other process when somebody has it.  A file system without locks is left alone.
  OutputLock(const std::string& shown, const std::string& path);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::string file_;
  int descriptor_ = -1;
};

// A file on its way: it is written under a name of its own, `.NAME.RANDOM.part`, made with O_EXCL and without following
// links, and takes its final name by rename(2), at once.  Nobody else's file is opened for writing, ever.
class OutputFile {
 public:
  OutputFile(std::string path, const OutputKind& kind, std::vector<std::string> never);
  ~OutputFile();  // removes what has not got its name
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }  // as given
  const std::string& part() const { return part_; }  // not there before somebody makes it, with O_EXCL
  bool published() const { return published_; }
  // Makes the file.  Throws FileError.
  std::FILE* open();
  // Gives it its name; the target is checked once more if it is not what it was.  Throws FileError.
  void publish();
  // Throws FileError when another file has its name, or none.
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

// The whole of a file, or nothing of it.
void write_whole_file(const std::string& path, const OutputKind& kind, const std::vector<std::string>& never,
                      std::string_view text);

}  // namespace limber
