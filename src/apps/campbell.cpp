// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/campbell.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>

#include "apps/linearize_names.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "limber/files/detail/output.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/report/campbell.hpp"

namespace limber::apps {
namespace {

constexpr double kMaxSpeeds = 10000;

bool is_campbell(const std::string& path) {
  return OutputKind::starts_with(path, "{\n  \"model\": ") && OutputKind::starts_with(path, "\"campbell\": ", 4096);
}
constexpr OutputKind kCampbellKind = {"a Campbell diagram of limber", &is_campbell};
bool is_campbell_table(const std::string& path) { return OutputKind::starts_with(path, "speed [rad/s],"); }
constexpr OutputKind kCampbellTableKind = {"a table of limber linearize --campbell", &is_campbell_table};

[[noreturn]] void refuse_range(const std::string& range) {
  throw InputError(
      fmt::format("limber linearize: --campbell {} is not a range of speeds; write FROM:TO:STEP in rad/s, e.g. "
                  "0:20:0.5, or one speed",
                  show(range)));
}

void write_json_file(const CampbellCommand& command, const Model& model, const RotorOptions& options,
                     const Campbell& found, const std::vector<std::string>& files) {
  OutputFile out(command.output_file, kCampbellKind, files);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(out.open(), std::fclose);
  write_campbell(model, options, found, file.get(), command.output_file);
  if (std::fflush(file.get()) != 0) refuse_output(command.output_file, system_reason());
  out.publish();
}

}  // namespace

std::vector<double> parse_speeds(const std::string& range) {
  std::vector<double> parts;
  const char *at = range.data(), *end = at + range.size();
  while (true) {
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !std::isfinite(value)) refuse_range(range);
    parts.push_back(value);
    if (next == end) break;
    if (*next != ':') refuse_range(range);
    at = next + 1;
  }
  if (parts.size() == 1) return parts;
  if (parts.size() != 3 || !(parts[2] * (parts[1] - parts[0]) > 0)) refuse_range(range);
  const double steps = (parts[1] - parts[0]) / parts[2];
  if (steps > kMaxSpeeds)
    throw InputError(fmt::format("limber linearize: --campbell {} has more than {} speeds; take a larger step",
                                 show(range), kMaxSpeeds));
  std::vector<double> speeds;
  for (int k = 0; k <= std::floor(steps * (1 + 1e-12)); ++k) speeds.push_back(parts[0] + k * parts[2]);
  return speeds;
}

int find_rotor(const Model& model, const std::string& name) {
  if (!name.empty()) return find_joint(model, name);
  const std::vector<int> found = find_rotors(model);
  if (found.size() == 1) return found.front();
  std::vector<std::string_view> names;
  for (const int i : found) names.push_back(model.joints[i].name);
  throw InputError(found.empty()
                       ? "limber linearize: --campbell needs a rotor: a revolute joint without spring and "
                         "travel limits, and there is none"
                       : "limber linearize: --campbell needs --rotor JOINT for this model; candidates: " + join(names));
}

int run_campbell(const Model& model, const State& start, RotorOptions options, const CampbellCommand& command,
                 const std::vector<std::string>& files) {
  const std::vector<double> speeds = parse_speeds(command.range);
  options.rotor = find_rotor(model, command.rotor);
  options.free = command.free;
  if (!command.output_file.empty()) check_output(command.output_file, files, kCampbellKind);
  if (!command.csv.empty()) check_output(command.csv, files, kCampbellTableKind);
  if (!command.page.empty()) check_campbell_page(command.page, files);
  Campbell found;
  {
    Progress progress("turning the rotor", true);
    found = compute_campbell(model, start, options, speeds, [&](double share) { progress.update(share); });
  }
  if (!command.output_file.empty()) write_json_file(command, model, options, found, files);
  if (!command.csv.empty()) write_whole_file(command.csv, kCampbellTableKind, files, campbell_csv(found));
  if (!command.page.empty()) write_campbell_page(model, found, model.joints[options.rotor].name, command.page, files);
  if (command.json) {
    write_campbell(model, options, found, stdout);
  } else {
    write_output(campbell_text(model, options, found, stdout), stdout);
  }
  for (const RotorModes& at : found.at)
    if (!at.failure.empty()) write_output("warning: " + at.failure + "\n", stderr);
  return 0;
}

}  // namespace limber::apps
