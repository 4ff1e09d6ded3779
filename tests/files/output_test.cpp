// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/detail/output.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

#include "apps/program.hpp"
#include "limber/spatial/status.hpp"

namespace limber::test {
namespace {

using Names = std::vector<std::string>;

bool is_note(const std::string& path) { return OutputKind::starts_with(path, "note"); }
constexpr OutputKind kNote = {"a note", &is_note};

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const FileError& e) {
    return e.what();
  }
  return "";
}

void put(OutputFile& out, const std::string& text) {
  std::FILE* file = out.open();
  std::fputs(text.c_str(), file);
  std::fclose(file);
}

TEST(Output, ReplacesItsOwnKindAndEmptyFilesAlone) {
  const Folder folder;
  folder.write("old", "note 1");
  folder.write("empty", "");
  folder.write("letter", "dear");
  for (const char* name : {"new", "old", "empty"}) {
    write_whole_file(folder.file(name), kNote, {}, "note 2");
    EXPECT_EQ(read_all(folder.file(name)), "note 2");
  }
  EXPECT_TRUE(contains(refusal([&] { write_whole_file(folder.file("letter"), kNote, {}, "note 2"); }),
                       "letter: exists and is not a note; remove it or name another output"));
  EXPECT_EQ(read_all(folder.file("letter")), "dear");
  EXPECT_EQ(folder.names(), (Names{"empty", "letter", "new", "old"}));
}

// Files with former temporary names are left alone, and links with these names are not followed.
TEST(Output, TouchesNothingBesideItsTarget) {
  const Folder folder;
  const std::string model = folder.write("model.yaml", "limber: 1");
  std::filesystem::create_symlink(model, folder.file("out.part"));
  folder.write("out2.part", "mine");
  write_whole_file(folder.file("out"), kNote, {}, "note");
  write_whole_file(folder.file("out2"), kNote, {}, "note");
  EXPECT_EQ(read_all(model), "limber: 1");
  EXPECT_EQ(read_all(folder.file("out2.part")), "mine");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("out.part")));
  EXPECT_EQ(folder.names(), (Names{"model.yaml", "out", "out.part", "out2", "out2.part"}));
}

TEST(Output, FollowsOwnLinksOnly) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may make links of others";
  const Folder folder;
  folder.write("target", "note 1");
  std::filesystem::create_symlink("target", folder.file("link"));
  write_whole_file(folder.file("link"), kNote, {}, "note 2");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(read_all(folder.file("target")), "note 2");
  ASSERT_EQ(lchown(folder.file("link").c_str(), 12345, 12345), 0);
  EXPECT_TRUE(contains(refusal([&] { write_whole_file(folder.file("link"), kNote, {}, "note 3"); }),
                       "is a symbolic link of another user"));
  EXPECT_EQ(read_all(folder.file("target")), "note 2");
}

TEST(Output, WhatIsNotFinishedLeavesNothing) {
  const Folder folder;
  folder.write("old", "note 1");
  {
    OutputFile out(folder.file("old"), kNote, {});
    put(out, "note 2");
    EXPECT_EQ(folder.names().size(), 3u);  // including part and lock
  }
  EXPECT_EQ(read_all(folder.file("old")), "note 1");
  EXPECT_EQ(folder.names(), Names{"old"});
}

TEST(Output, ChecksATargetThatChangedMeanwhile) {
  const Folder folder;
  OutputFile out(folder.file("a"), kNote, {});
  put(out, "note");
  folder.write("a", "somebody else's");
  EXPECT_TRUE(contains(refusal([&] { out.publish(); }), "a: exists and is not a note"));
  EXPECT_EQ(read_all(folder.file("a")), "somebody else's");
}

TEST(Output, SeesThatItsNameWentToAnotherFile) {
  const Folder folder;
  OutputFile out(folder.file("a"), kNote, {});
  put(out, "note");
  out.publish();
  out.check_still_there();
  folder.write("b", "note of another program");
  std::filesystem::rename(folder.file("b"), folder.file("a"));
  EXPECT_TRUE(contains(refusal([&] { out.check_still_there(); }), "a: was removed or replaced"));
  std::filesystem::remove(folder.file("a"));
  EXPECT_TRUE(contains(refusal([&] { out.check_still_there(); }), "a: was removed or replaced"));
}

// A process that holds the lock until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& path) {
    int ready[2];
    if (pipe(ready) != 0) throw std::runtime_error("no pipe");
    pid = fork();
    if (pid == 0) {
      const OutputFile out(path, kNote, {});
      if (write(ready[1], "x", 1) == 1) pause();
      _exit(1);
    }
    char byte = 0;
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1) throw std::runtime_error("the other process does not start");
    close(ready[0]);
  }
  ~Holder() { end(); }
  void end() {
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    pid = -1;
  }
  pid_t pid = -1;
};

TEST(Output, OneProcessWritesAPathAtATime) {
  const Folder folder;
  std::filesystem::create_symlink("a", folder.file("link"));
  folder.write("a", "note 1");
  Holder holder(folder.file("a"));
  for (const char* name : {"a", "link"}) {
    const std::string why = refusal([&] { write_whole_file(folder.file(name), kNote, {}, "note 2"); });
    EXPECT_TRUE(contains(why, ": is being written by process " + std::to_string(holder.pid) + " on ")) << why;
    EXPECT_TRUE(contains(why, "wait for it, or name another output")) << why;
  }
  EXPECT_EQ(read_all(folder.file("a")), "note 1");
  write_whole_file(folder.file("b"), kNote, {}, "note 2");
  holder.end();
  write_whole_file(folder.file("a"), kNote, {}, "note 2");  // leftovers of a killed process have no effect
  EXPECT_EQ(read_all(folder.file("a")), "note 2");
  EXPECT_FALSE(std::filesystem::exists(folder.file(".a.lock")));
}

// A process acquires the lock shortly before it writes its name to it.
TEST(Output, TheOtherProcessIsNamedEvenIfItJustBegan) {
  const Folder folder;
  const int lock = open(folder.file(".a.lock").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  std::jthread owner([&] {
    usleep(20000);
    const std::string name = "limber: process 42 on moon\n";
    EXPECT_GT(write(lock, name.data(), name.size()), 0);
  });
  const std::string why = refusal([&] { write_whole_file(folder.file("a"), kNote, {}, "note"); });
  EXPECT_TRUE(contains(why, "process 42 on moon")) << why;
  owner.join();
  close(lock);
}

TEST(Output, ALockThatIsNoneIsKept) {
  const Folder folder;
  folder.write(".a.lock", "my notes on locks");
  EXPECT_TRUE(
      contains(refusal([&] { write_whole_file(folder.file("a"), kNote, {}, "note"); }), "not a lock of limber"));
  EXPECT_EQ(read_all(folder.file(".a.lock")), "my notes on locks");
  const std::string model = folder.write("model", "");
  std::filesystem::create_symlink(model, folder.file(".b.lock"));
  EXPECT_NE(refusal([&] { write_whole_file(folder.file("b"), kNote, {}, "note"); }), "");
  EXPECT_EQ(read_all(model), "");
}

TEST(Output, NamesUpToTheLongest) {
  const Folder folder;
  const std::string name(255, 'n');
  write_whole_file(folder.file(name), kNote, {}, "note");
  EXPECT_EQ(folder.names(), Names{name});
}

TEST(Output, RoomOnTheDisk) {
  const Folder folder;
  EXPECT_EQ(check_room(folder.file("a"), 1000), "");
  const double available = static_cast<double>(std::filesystem::space(folder.file("")).available);
  EXPECT_TRUE(contains(check_room(folder.file("a"), 0.8 * available), " GB are free there"));
  EXPECT_TRUE(contains(refusal([&] { check_room(folder.file("a"), 397e9 + available); }), "or add --force"));
}

}  // namespace
}  // namespace limber::test
