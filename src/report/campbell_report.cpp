// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "limber/files/detail/output.hpp"
#include "limber/report/campbell.hpp"

namespace limber {
namespace {

constexpr double kHertz = 1 / (2 * std::numbers::pi);
constexpr double kWidth = 760, kLeft = 64, kRight = 40;  // pixels
// Palette of Okabe and Ito: distinguishable for colour-blind people, and in greyscale.
constexpr std::array kColors = {"#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#000000"};

constexpr const char* kSvgMark = "<!-- Campbell diagram by limber -->";
bool is_campbell_page(const std::string& path) { return OutputKind::starts_with(path, kSvgMark, 4096); }
constexpr OutputKind kCampbellPageKind = {"a Campbell diagram of limber", &is_campbell_page};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

// 1, 2 or 5 times a power of ten, about six to a range.
double tick_step(double range) {
  const double raw = range / 6, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double step : {1.0, 2.0, 5.0})
    if (raw <= step * power) return step * power;
  return 10 * power;
}

// One plot: its position in the figure, and its ranges.
struct Panel {
  double top, height, x0, x1, y0, y1;
  double x(double value) const { return kLeft + (value - x0) / (x1 - x0) * (kWidth - kLeft - kRight); }
  double y(double value) const { return top + height - (value - y0) / (y1 - y0) * height; }

  std::string frame(const std::string& title) const {
    std::string out;
    const double step_x = tick_step(x1 - x0), step_y = tick_step(y1 - y0);
    for (double v = std::ceil(y0 / step_y) * step_y; v <= y1 + 1e-9 * step_y; v += step_y)
      out += fmt::format(
          "<path class='g' d='M{:.1f} {:.1f}H{:.1f}'/><text x='{:.1f}' y='{:.1f}' text-anchor='end'>{:.4g}</text>\n",
          kLeft, y(v), kWidth - kRight, kLeft - 6, y(v) + 4, std::abs(v) < 1e-9 * step_y ? 0 : v);
    for (double v = std::ceil(x0 / step_x) * step_x; v <= x1 + 1e-9 * step_x; v += step_x)
      out += fmt::format(
          "<path class='g' d='M{:.1f} {:.1f}V{:.1f}'/><text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{:.4g}</text>\n",
          x(v), top, top + height, x(v), top + height + 16, std::abs(v) < 1e-9 * step_x ? 0 : v);
    return out + fmt::format("<text x='{:.1f}' y='{:.1f}' font-weight='bold'>{}</text>\n", kLeft, top - 8, title);
  }
};

// A branch as lines between neighbouring speeds where it exists, labelled at the right end.
template <class Value>
std::string branch_lines(const Panel& panel, const Campbell& found, std::size_t branch, std::vector<double>& labels,
                         Value value) {
  std::string path, dots;
  double end = 0, beside = 0;
  bool on = false;
  for (const RotorModes& at : found.at) {
    const double v = value(at.modes[branch]);
    const bool shown = std::isfinite(v) && at.modes[branch].frequency > 0 && v <= panel.y1 && v >= panel.y0;
    if (shown) {
      path += fmt::format("{}{:.1f} {:.1f}", on ? "L" : "M", panel.x(at.speed), panel.y(v));
      end = panel.x(at.speed) + 6, beside = panel.y(v) + 4;
      if (found.at.size() < 3)
        dots += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3' fill='{}'/>", panel.x(at.speed), panel.y(v),
                            kColors[branch % kColors.size()]);
    }
    on = shown;
  }
  if (path.empty()) return "";
  constexpr double kLine = 11;  // labels are moved up until they do not overlap
  const auto covers = [&](double other) { return std::abs(other - beside) < kLine; };
  while (std::any_of(labels.begin(), labels.end(), covers)) beside -= 1;
  labels.push_back(beside);
  const char* color = kColors[branch % kColors.size()];
  return fmt::format(
      "<path fill='none' stroke='{}' stroke-width='1.5' d='{}'/>{}<text x='{:.1f}' y='{:.1f}' fill='{}'>{}"
      "</text>\n",
      color, path, dots, end, beside, color, branch + 1);
}

// Multiples of the speed, in Hz, within the plot.
std::string speed_lines(const Panel& panel) {
  constexpr int kMax = 6;
  std::string out;
  const double fastest = std::max(std::abs(panel.x0), std::abs(panel.x1)), end = panel.x1 >= -panel.x0 ? 1 : -1;
  for (int p = 1; p <= kMax && fastest > 0; ++p) {
    const double reach = std::min(fastest, panel.y1 / (p * kHertz));
    if (reach < 0.15 * fastest) break;
    out += fmt::format(
        "<path class='p' d='M{:.1f} {:.1f}L{:.1f} {:.1f}'/><text class='p' x='{:.1f}' y='{:.1f}'>{}P</text>\n",
        panel.x(0), panel.y(0), panel.x(end * reach), panel.y(p * kHertz * reach), panel.x(end * reach) + 2,
        panel.y(p * kHertz * reach) - 3, p);
  }
  return out;
}

}  // namespace

std::string campbell_svg(const Campbell& found) {
  const std::size_t branches = std::min(kDrawnBranches, found.branches());
  double x0 = 0, x1 = 0, high = 0, damped = 0, driven = 0;
  for (const RotorModes& at : found.at) {
    x0 = std::min(x0, at.speed), x1 = std::max(x1, at.speed);
    for (std::size_t b = 0; b < branches; ++b) {
      const RotorMode& mode = at.modes[b];
      if (!(mode.frequency > 0)) continue;
      high = std::max(high, mode.frequency * kHertz);
      damped = std::max(damped, 100 * mode.damping), driven = std::min(driven, 100 * mode.damping);
    }
  }
  const auto above = [](double value) { return value > 0 ? 1.08 * value : 1; };
  const Panel frequency{40, 420, x0, x1 > x0 ? x1 : 1, 0, above(high)};
  const Panel damping{530, 170, x0, frequency.x1, 1.08 * driven, above(damped)};
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {} 750' width='{}' height='750' font-family='sans-serif' "
      "font-size='12'>\n{}\n<style>.g{{stroke:#ddd}}path.p{{stroke:#888;stroke-dasharray:5 "
      "4}}text.p{{fill:#888}}</style>\n"
      "<rect width='{}' height='750' fill='white'/>\n",
      kWidth, kWidth, kSvgMark, kWidth);
  out += frequency.frame("frequency, Hz") + speed_lines(frequency) + damping.frame("damping, %");
  std::vector<double> right, below;  // labels
  for (std::size_t b = 0; b < branches; ++b) {
    out += branch_lines(frequency, found, b, right, [](const RotorMode& mode) { return mode.frequency * kHertz; });
    out += branch_lines(damping, found, b, below, [](const RotorMode& mode) { return 100 * mode.damping; });
  }
  return out + fmt::format("<text x='{}' y='738' text-anchor='middle'>speed of the rotor, rad/s</text>\n</svg>\n",
                           (kLeft + kWidth - kRight) / 2);
}

void check_campbell_page(const std::string& path, const std::vector<std::string>& never_overwrites) {
  check_output(path, never_overwrites, kCampbellPageKind);
}

void write_campbell_page(const Model& model, const Campbell& found, const std::string& rotor, const std::string& path,
                         const std::vector<std::string>& never_overwrites) {
  const std::string svg = campbell_svg(found);
  if (path.ends_with(".svg")) {
    write_whole_file(path, kCampbellPageKind, never_overwrites, svg);
    return;
  }
  const std::string title = escaped(fmt::format("{}: frequencies over the speed of {}", model.name, rotor));
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>{}</title>\n{}\n<style>body{{font-family:"
      "sans-serif;max-width:1100px;margin:2em auto}}table{{border-collapse:collapse;font-variant-numeric:tabular-nums}}"
      "td,th{{padding:2px 10px;text-align:right;border-bottom:1px solid #ddd}}</style></head>\n<body><h1>{}</h1>\n{}"
      "<p>Dashed: multiples of the speed (1P, 2P, …). Below: Hz (damping).</p>\n<table><tr><th>rad/s</th>",
      title, kSvgMark, title, svg);
  for (std::size_t b = 1; b <= found.branches(); ++b) page += fmt::format("<th>mode {}</th>", b);
  for (const RotorModes& at : found.at) {
    page += fmt::format("</tr>\n<tr><td>{:.6g}</td>", at.speed);
    for (const RotorMode& mode : at.modes)
      page += mode.frequency > 0
                  ? fmt::format("<td>{:.4g} ({:.3g} %)</td>", mode.frequency * kHertz, 100 * mode.damping)
                  : "<td>–</td>";
  }
  page += fmt::format("</tr></table>\n<p>limber {}</p></body></html>\n", LIMBER_VERSION);
  write_whole_file(path, kCampbellPageKind, never_overwrites, page);
}

}  // namespace limber
