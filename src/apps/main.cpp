// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <new>
#include <regex>

#include "apps/commands.hpp"
#include "apps/terminal.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/files/model_file.hpp"
#include "limber/files/text_file.hpp"

namespace limber::apps {

std::string read_argument(const std::string& path) { return read_text_file(path == "-" ? "/dev/stdin" : path); }
std::string name_of_argument(const std::string& path) { return path == "-" ? "stdin" : path; }
Model read_model_argument(const std::string& path, const std::vector<std::string>& set) {
  return parse_model(read_argument(path), name_of_argument(path), parse_overrides(set));
}
void add_set(CLI::App& command, std::vector<std::string>& set) {
  command.add_option("--set", set, "override a value of the file, e.g. load.mass=5; may be repeated")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
}

namespace {

constexpr const char* kFooter = R"(Example:
  limber info examples/canadarm/model.yaml

`limber COMMAND --help` describes a command, with an example. The exit code is 0 on success. On failure it is 1, and
one line on standard error names the error and its cure.)";

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// The first word must be a command.
void check_command(const CLI::App& program, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::vector<std::string> names = command_names(program);
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return;
  throw InputError(fmt::format("limber: unknown command {};{} the commands are {}", show(argv[1]),
                               suggest(argv[1], views(names)), fmt::join(names, ", ")));
}

// The words of CLI11 on a value that it refuses, in ours.
std::string reword(std::string what) {
  static const std::pair<std::regex, const char*> words[] = {
      {std::regex("Could not convert: (\\S+) = (.*)"), "$1 must be a number, but is '$2'"},
      {std::regex("(\\S+): Value (.*) not in range (\\d+)\\.?0* to (\\d+)\\.?0*"),
       "$1 must be a number from $3 to $4, but is '$2'"},
      {std::regex("(\\S+): (.*) not in \\{(.*)\\}"), "$1 must be one of $3; '$2' is not"},
      {std::regex("(\\S+): 1 required (\\S+) missing"), "$1 needs a value: $2"},
      {std::regex(",(?=\\S)"), ", "}};  // in lists
  for (const auto& [theirs, ours] : words) what = std::regex_replace(what, theirs, ours);
  return what;
}

// One line on what is wrong with the command line.
std::string explain(CLI::App& program, const CLI::ParseError& error) {
  CLI::App* command = &program;
  std::string name = "limber";
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands()[0];
    name += " " + command->get_name();
  }
  std::string what = error.what();
  std::replace(what.begin(), what.end(), '\n', ' ');
  what = reword(what) + ";";
  const std::vector<std::string> rest = program.remaining(true), formats = command_names(*command);
  if (command != &program && !formats.empty()) {  // limber modes
    what = rest.empty() ? "a format is missing;"
                        : fmt::format("unknown format {};{}", show(rest[0]), suggest(rest[0], views(formats)));
    what += fmt::format(" the formats are {};", fmt::join(formats, ", "));
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !rest.empty()) {
    std::vector<std::string> known;
    for (const CLI::Option* option : command->get_options())
      for (const std::string& word : option->get_lnames()) known.push_back("--" + word);
    what = rest[0].starts_with("-") ? fmt::format("unknown option {};{}", show(rest[0]), suggest(rest[0], views(known)))
                                    : fmt::format("unexpected argument {};", show(rest[0]));
  }
  return fmt::format("{}: {} see `{} --help`", name, what, name);
}

// Wording of the help pages.
void set_words(CLI::App& program) {
  const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(program.get_formatter());
  formatter->column_width(24);
  const std::pair<const char*, const char*> words[] = {{"SUBCOMMAND", "COMMAND"},
                                                       {"Subcommands", "Commands"},
                                                       {"Positionals", "Arguments"},
                                                       {"REQUIRED", ""},
                                                       {"Needs", "with"},
                                                       {"Excludes", "not with"},
                                                       {"TEXT", ""}};
  for (const auto& [word, ours] : words) formatter->label(word, ours);
  program.set_help_flag("-h,--help", "show this help");
  program.set_version_flag("--version", "limber " LIMBER_VERSION, "show the version");
}

int run(int argc, char** argv) {
  CLI::App program("limber: dynamics of machines with flexible links", "limber");
  program.require_subcommand(0, 1);
  set_words(program);
  program.footer(kFooter);
  Action action;
  add_run(program, action);
  add_view(program, action);
  add_control(program, action);
  add_plant(program, action);
  add_eval(program, action);
  add_info(program, action);
  add_check(program, action);
  add_linearize(program, action);
  add_modes(program, action);
  add_import(program, action);
  add_export(program, action);
  add_learn(program, action);
  add_sweep(program, action);
  add_tune(program, action);
  add_bench(program, action);
  for (CLI::App* command : program.get_subcommands({})) command->group("Commands");
  check_command(program, argc, argv);
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return program.exit(asked);
  } catch (const CLI::ParseError& error) {
    throw InputError(explain(program, error));
  }
  if (action) return action();
  write_output(program.help(), stderr);
  return 1;
}

}  // namespace
}  // namespace limber::apps

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit of the shell is reported like a full disk
  // Opens closed standard streams on /dev/null: otherwise the next file opened would get their descriptor and the
  // printed output.  Writes to standard output then fail, which is reported.
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int mode = number == STDERR_FILENO ? O_WRONLY : O_RDONLY;
    if (fcntl(number, F_GETFD) < 0 && open("/dev/null", mode) != number) return 1;
  }
  const auto fail = [](std::string_view why) {
    limber::apps::write_output(fmt::format("{}\n", why), stderr);
    return 1;
  };
  try {
    return limber::apps::run(argc, argv);
  } catch (const limber::Error& e) {
    return fail(e.what());
  } catch (const std::filesystem::filesystem_error& e) {
    return fail(fmt::format("{}: {}", e.path1().string(), e.code().message()));
  } catch (const std::bad_alloc&) {
    return fail("limber: out of memory; use a smaller machine, or --no-mass-matrix with eval");
  } catch (const std::exception& e) {
    return fail(fmt::format("limber: {}; this is a bug, please report it", e.what()));
  }
}
