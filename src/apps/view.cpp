// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "apps/commands.hpp"
#include "apps/json_writer.hpp"
#include "apps/page.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"

namespace limber::apps {
namespace {

struct ViewCommand {
  std::string recording, output;
  bool open = false, json = false, quiet = false;
};

constexpr const char* kViewExample = R"(Example:
  limber run examples/canadarm/controlled.yaml -o arm.h5
  limber view arm.h5 --open

Writes one HTML file that needs no network: the machine moving in 3D, plots beside it, a summary on top. It can be
mailed and archived. Long recordings are thinned for it, with their extremes kept, and the page says so.)";

void write_json(const std::string& page, const ReportFacts& facts) {
  JsonWriter json(stdout);
  const auto number = [&](const char* key, double value) {
    json.key(key);
    json.number(value);
  };
  json.begin_object();
  json.key("page");
  json.text(page);
  number("bytes", static_cast<double>(facts.bytes));
  number("records", static_cast<double>(facts.records));
  number("records_shown", static_cast<double>(facts.records_shown));
  number("pictures", static_cast<double>(facts.pictures));
  number("signals", static_cast<double>(facts.channels));
  number("signals_shown", static_cast<double>(facts.channels_shown));
  json.key("warnings");
  json.texts(facts.warnings);
  json.end_object();
  json.finish();
}

int run_view(const ViewCommand& command) {
  const std::string page = command.output.empty() ? page_beside(command.recording) : command.output;
  const ReportFacts facts = make_report(command.recording, page, {}, command.quiet);
  if (command.json)
    write_json(page, facts);
  else if (!command.quiet)
    write_output(page_text(page, facts) + "\n", stdout);
  if (command.open) open_page(page);
  return 0;
}

}  // namespace

std::string page_beside(const std::string& recording) {
  return std::filesystem::path(recording).replace_extension(".html").string();
}

ReportFacts make_report(const std::string& recording, const std::string& page, std::vector<std::string> never,
                        bool quiet) {
  Progress progress("making the page", !quiet);
  return write_report(recording, page, {std::move(never), [&](double share) { progress.update(share); }});
}

std::string page_text(const std::string& page, const ReportFacts& facts) {
  std::string out = fmt::format("{}, {:.1f} MB", page, static_cast<double>(facts.bytes) / 1e6);
  if (facts.records_shown < facts.records)
    out += fmt::format("; {} records plotted by {}, extremes kept", facts.records, facts.records_shown);
  if (facts.channels_shown < facts.channels)
    out += fmt::format("; {} of {} signals", facts.channels_shown, facts.channels);
  return out;
}

void open_page(const std::string& page) {
  const char* opener = "xdg-open";
  const std::string path = std::filesystem::absolute(page).string();
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "w", stderr) == nullptr)
      _exit(1);
    execlp(opener, opener, path.c_str(), static_cast<char*>(nullptr));
    _exit(1);
  }
  // A browser that stays with its opener is at work; one that cannot start says so soon.
  constexpr int kNaps = 100;
  int state = 0;
  bool ended = child < 0;
  for (int nap = 0; !ended && nap < kNaps; ++nap) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ended = waitpid(child, &state, WNOHANG) != 0;
  }
  if (child < 0 || (ended && (!WIFEXITED(state) || WEXITSTATUS(state) != 0)))
    throw InputError(fmt::format("{}: is written, but {} could not open it; open it in a browser", page, opener));
}

void add_view(CLI::App& program, Action& action) {
  const auto command = std::make_shared<ViewCommand>();
  CLI::App* sub = program.add_subcommand("view", "make an HTML page of a recording: 3D, plots, summary");
  sub->add_option("RECORDING", command->recording,
                  "what `limber run` or `limber plant` wrote; also a table in text (CSV)")
      ->required();
  sub->add_option("-o,--output", command->output, "the page (default: beside the recording, with .html)")
      ->type_name("FILE");
  sub->add_flag("--open", command->open, "and open it in the browser");
  sub->add_flag("--json", command->json, "print what came into the page as JSON");
  sub->add_flag("-q,--quiet", command->quiet, "print nothing but errors");
  sub->footer(kViewExample);
  sub->callback([command, &action] { action = [command] { return run_view(*command); }; });
}

}  // namespace limber::apps
