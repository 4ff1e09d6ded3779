// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <optional>

#include "apps/program.hpp"

namespace limber::test {

// A running program; its output goes to files.
class Process {
 public:
  struct Options {
    std::string folder = ".";               // working directory
    std::optional<rlim_t> file_limit = {};  // bytes
    bool ordinary = false;                  // may neither lock memory nor use real-time priority
  };

  Process(const std::vector<std::string>& arguments, const Options& options) {
    std::vector<std::string> words = {LIMBER_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string out = files_.file("out"), err = files_.file("err");
    pid_ = fork();
    if (pid_ != 0) return;
    const bool good = chdir(options.folder.c_str()) == 0 && redirect(out, STDOUT_FILENO) &&
                      redirect(err, STDERR_FILENO) && redirect("/dev/null", STDIN_FILENO);
    if (options.file_limit) {
      const rlimit limit{*options.file_limit, *options.file_limit};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (options.ordinary) give_up_privileges();
    if (good) execv(argv[0], argv.data());
    _exit(127);
  }
  explicit Process(const std::vector<std::string>& arguments) : Process(arguments, Options{}) {}
  ~Process() {
    if (pid_ <= 0) return;
    signal(SIGKILL);
    wait();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }  // while it runs
  void signal(int number) const {
    if (pid_ > 0) kill(pid_, number);  // 0 is the process group of the tests themselves
  }
  bool running() {
    if (pid_ > 0 && wait4(pid_, &status_, WNOHANG, &usage_) == pid_) pid_ = 0;
    return pid_ > 0;
  }
  // Waits until it ends.
  Result wait() {
    if (pid_ > 0) wait4(pid_, &status_, 0, &usage_);
    pid_ = 0;
    Result result;
    if (WIFEXITED(status_)) result.code = WEXITSTATUS(status_);
    result.out = read_all(files_.file("out"));
    result.err = read_all(files_.file("err"));
    return result;
  }
  long most_memory_kib() const { return usage_.ru_maxrss; }

 private:
  // Leaves only the rights of an ordinary user, whoever runs the tests.
  static void give_up_privileges() {
    const rlimit none{0, 0};
    for (const auto which : {RLIMIT_MEMLOCK, RLIMIT_RTPRIO}) setrlimit(which, &none);
    for (const int right : {CAP_IPC_LOCK, CAP_SYS_NICE}) prctl(PR_CAPBSET_DROP, right);
  }
  static bool redirect(const std::string& path, int descriptor) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    return file >= 0 && dup2(file, descriptor) >= 0;
  }
  Folder files_;
  pid_t pid_ = 0;
  int status_ = 0;
  rusage usage_{};
};

// False if the condition is not met before the timeout.
inline bool eventually(const std::function<bool()>& condition, double seconds = 300) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    if (condition()) return true;
    usleep(2000);
  }
  return false;
}

// Two flexible links that swing down; `rest` is appended to the scenario.
inline std::string swing(const std::string& rest) {
  return R"(limber: 1
scenario: swing
model:
  limber: 1
  name: arm
  gravity: [0, 0, -9.81]
  bodies:
    - {name: upper, beam: {length: 2, mass: 6, EIy: 4000, EIz: 4000, modes: {bending_z: 2}, damping: 0.01}}
    - {name: fore, beam: {length: 1.5, mass: 3, EIy: 1500, EIz: 1500, modes: {bending_z: 1}, damping: 0.01}}
  joints:
    - {name: shoulder, type: revolute, axis: [0, -1, 0], parent: world, child: upper}
    - {name: elbow, type: revolute, axis: [0, -1, 0], parent: upper.tip, child: fore}
)" + rest;
}

}  // namespace limber::test
