// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "files/hdf5.hpp"

namespace limber {
namespace {

constexpr std::int64_t kLongestText = std::int64_t{1} << 30;
constexpr std::int64_t kMaxTexts = 100'000'000;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // needs terabytes of address space, and reports on the standard error
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

void set_limit(decltype(RLIMIT_AS) what, rlim_t value) {
  rlimit now{};
  if (getrlimit(what, &now) != 0) return;
  now.rlim_cur = std::min(now.rlim_max, value);
  setrlimit(what, &now);
}

// Size of the address space in use, in bytes.
rlim_t addresses() {
  unsigned long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return RLIM_INFINITY;
  const bool good = std::fscanf(file, "%lu", &pages) == 1;
  std::fclose(file);
  return good ? static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) : RLIM_INFINITY;
}

// Setup of the new process.
void settle() {
  // Its lifetime is controlled by the parent, by closing the socket.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(number, SIG_IGN);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGPROF}) std::signal(number, SIG_DFL);
  set_limit(RLIMIT_CORE, 0);
  if (kSanitized) return;
  if (const rlim_t used = addresses(); used != RLIM_INFINITY) set_limit(RLIMIT_AS, used + kWorkerBytes);
  // Messages of the C library on heap corruption are of no use to the user.
  if (const int null = open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) dup2(null, STDERR_FILENO);
}

}  // namespace

// ---- messages ----------------------------------------------------------------------------------------

void Wire::send_bytes(const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = ::send(descriptor_, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw Closed("the other process is gone");
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
}

void Wire::receive_bytes(void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = recv(descriptor_, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Closed("the other process is gone");
    at += got;
    size -= static_cast<std::size_t>(got);
  }
}

void Wire::send(const std::string& text) {
  send(static_cast<std::int64_t>(text.size()));
  send_bytes(text.data(), text.size());
}

void Wire::send(const std::vector<std::string>& texts) {
  send(static_cast<std::int64_t>(texts.size()));
  for (const std::string& text : texts) send(text);
}

std::int64_t Wire::receive_number() {
  std::int64_t number = 0;
  receive_bytes(&number, sizeof number);
  return number;
}

std::string Wire::receive_text() {
  const std::int64_t size = receive_number();
  if (size < 0 || size > kLongestText) throw Closed("a text that is too long");
  std::string text(static_cast<std::size_t>(size), '\0');
  receive_bytes(text.data(), text.size());
  return text;
}

std::vector<std::string> Wire::receive_texts() {
  const std::int64_t count = receive_number();
  if (count < 0 || count > kMaxTexts) throw Closed("too many texts");
  std::vector<std::string> texts;
  for (std::int64_t k = 0; k < count; ++k) texts.push_back(receive_text());
  return texts;
}

void Wire::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

// ---- the process -------------------------------------------------------------------------------------

Worker::Worker(const std::function<void(Wire&)>& work) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw FileError(fmt::format("limber: no process for reading can be started: {}", std::strerror(errno)));
  // No other thread may be inside HDF5: the child would wait for its lock forever.
  h5::mutex().lock();
  child_ = fork();
  if (child_ == 0)
    new (&h5::mutex()) std::recursive_mutex;  // the old one belongs to a thread that does not exist in the child
  else
    h5::mutex().unlock();
  if (child_ < 0) {
    const int failure = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw FileError(fmt::format("limber: no process for reading can be started: {}", std::strerror(failure)));
  }
  if (child_ == 0) {
    ::close(ends[0]);
    settle();
    int code = 0;
    try {
      Wire wire(ends[1]);
      renew_time();
      work(wire);
    } catch (...) {  // reported by closing the socket
      code = 1;
    }
    _exit(code);  // no destructors or exit handlers of the parent
  }
  ::close(ends[1]);
  wire_ = std::make_unique<Wire>(ends[0]);
}

Worker::~Worker() {
  wire_->close();
  if (child_ > 0) kill(child_, SIGKILL);
  wait();
}

void Worker::wait() {
  while (child_ > 0 && waitpid(child_, &state_, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
}

std::string Worker::failure() {
  wire_->close();
  wait();
  if (!WIFSIGNALED(state_)) return "HDF5 aborted, possibly out of memory";
  if (WTERMSIG(state_) == SIGPROF) return fmt::format("HDF5 did not finish within {} s", worker_seconds);
  return fmt::format("HDF5 crashed on it ({})", strsignal(WTERMSIG(state_)));
}

void Worker::renew_time() {
  const itimerval allowance{{0, 0}, {worker_seconds, 0}};
  setitimer(ITIMER_PROF, &allowance, nullptr);
}

void Worker::forbid_files() {
  if (!kSanitized) set_limit(RLIMIT_NOFILE, 0);
  set_limit(RLIMIT_FSIZE, 0);
}

}  // namespace limber
