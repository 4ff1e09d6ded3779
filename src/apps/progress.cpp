// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "apps/terminal.hpp"

namespace limber::apps {
namespace {

int terminal_width() {
  winsize size{};
  constexpr int kUsual = 80;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

bool can_erase() {
  const char* terminal = std::getenv("TERM");
  return is_terminal(stderr) && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

}  // namespace

std::string duration_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (!std::isfinite(seconds)) return "?";
  if (seconds < kMinute) return fmt::format("{:.2g} s", seconds < 10 ? seconds : std::floor(seconds));
  const auto whole = static_cast<long long>(std::min(seconds, 1e15));
  if (seconds < kHour) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string progress_line(double share, const std::string& what, double wall, int width) {
  constexpr int kBar = 24, kShortest = 6;
  const double left = share > 0 ? wall * (1 - share) / share : INFINITY;
  const std::string text = fmt::format(" {:3.0f} %  {}  {} left", std::floor(100 * share), what, duration_text(left));
  const int bar = std::min(kBar, width - display_width(text) - 1);
  std::string out;
  for (int i = 0; bar >= kShortest && i < bar; ++i) out += i < std::lround(share * bar) ? "█" : "░";
  return fit(out + text, std::max(1, width - 1));
}

Progress::Progress(double duration, bool wanted) : duration_(duration), shown_(wanted && can_erase()) {}
Progress::Progress(std::string what, bool wanted) : what_(std::move(what)), shown_(wanted && can_erase()) {}

Progress::~Progress() { erase(); }

void Progress::update(double t) {
  if (!due()) return;
  const double wall = seconds();
  const std::string what =
      what_.empty() ? fmt::format("{:.4g} of {:.4g} s  {:.2g} × real time", t, duration_, wall > 0 ? t / wall : 0)
                    : what_;
  draw(std::clamp(t / duration_, 0.0, 1.0), what);
}

void Progress::update(double share, const std::string& what) {
  if (due()) draw(share, what);
}

double Progress::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

bool Progress::due() {
  if (!shown_ || Clock::now() < next_) return false;
  next_ = Clock::now() + std::chrono::milliseconds(100);
  return true;
}

void Progress::draw(double share, const std::string& what) {
  write_output("\r" + progress_line(share, what, seconds(), terminal_width()) + "\x1b[K", stderr);
  drawn_ = true;
}

void Progress::erase() {
  if (drawn_) write_output("\r\x1b[K", stderr);
  drawn_ = false;
}

}  // namespace limber::apps
