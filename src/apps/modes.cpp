// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>

#include "apps/body_info.hpp"
#include "apps/commands.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "limber/files/detail/output.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/files/fe_files.hpp"
#include "limber/files/modal_body_file.hpp"

namespace limber::apps {
namespace {

constexpr std::array<std::string_view, 2> kUnits = {"m-kg-s", "mm-t-s"};
constexpr std::array<std::string_view, 3> kMethods = {"craig-bampton", "clamped", "free"};
constexpr std::array<std::string_view, 2> kCouplings = {"rigid", "average"};

struct ModesOptions {
  std::vector<std::string> files;
  std::string mesh, units, frame, method = "craig-bampton", output;
  std::vector<std::string> interfaces;
  std::optional<int> modes;
  std::optional<double> max_hz;
  double damping = 0;
  bool json = false, quiet = false;
  FeModel (*read)(const ModesOptions&) = nullptr;
};

constexpr const char* kModesExample = R"(Example:
  limber modes calculix link_matrix --mesh link.inp --units mm-t-s --interface base=NBASE --interface tip=NTIP:average
               --modes 20 --damping 0.005 -o link.h5
  limber info link.h5

Reads the stiffness and mass matrices of a free part and its mesh, reduces it to a modal body and writes one file, which a
model uses as `{name: link, file: link.h5}`. `limber modes FORMAT --help` lists the files and options of a format;
docs/modal-body.md describes the method.)";

constexpr const char* kFormatNotes = R"(
The part is free: its matrices have no boundary conditions. Interfaces are node sets of the mesh, or lists of nodes such as
tip=12,15,20-31; they become the nodes of the body. rigid (default): the set moves as a rigid body. average: the interface
moves with the average of the set, which may deform. docs/modal-body.md describes the method.)";

// A format: its files, the file with the mesh if it has one, and an example.
struct Format {
  struct File {
    const char *name, *what;
  };
  const char *name, *what;
  std::vector<File> files;
  const char* mesh;  // what --mesh is; nullptr: no such option
  bool mesh_needed;
  const char* example;
  FeModel (*read)(const ModesOptions&);
};

std::vector<Format> formats() {
  return {
      {"calculix",
       "JOB.sti, JOB.mas, JOB.dof of CalculiX, also .xz or .gz",
       {{"JOB", "name of the job, with its folder: JOB.sti, JOB.mas and JOB.dof"}},
       "input deck with nodes, elements and node sets; required",
       true,
       "limber modes calculix link_matrix --mesh link.inp --units mm-t-s --interface base=NBASE\n"
       "               --interface tip=NTIP:average --modes 20 --damping 0.005 -o link.h5",
       [](const ModesOptions& o) { return read_calculix(o.files[0], o.mesh); }},
      {"nastran",
       "DMIG matrices K... and M... of a punch file",
       {{"PUNCH", "punch file with two DMIG matrices, whose names begin with K and M"}},
       "bulk data file with the GRID entries (default: those of the punch file)",
       false,
       "limber modes nastran link.pch --mesh link.bdf --units mm-t-s --interface base=1-8\n"
       "               --interface tip=12,15,20-31:average -o link.h5",
       [](const ModesOptions& o) { return read_nastran(o.files[0], o.mesh); }},
      {"abaqus",
       "matrices of *MATRIX OUTPUT",
       {{"STIFFNESS", "stiffness matrix: lines of node, degree of freedom, node, degree of freedom, value"},
        {"MASS", "mass matrix in the same form"}},
       "input deck with nodes, elements and node sets; required",
       true,
       "limber modes abaqus link_STIF1.mtx link_MASS1.mtx --mesh link.inp --units mm-t-s --interface base=NBASE\n"
       "               --interface tip=NTIP -o link.h5",
       [](const ModesOptions& o) { return read_abaqus(o.files[0], o.files[1], o.mesh); }},
      {"matrices",
       "MatrixMarket K and M, and a table node, x, y, z [, set]",
       {{"STIFFNESS", "stiffness matrix (MatrixMarket)"},
        {"MASS", "mass matrix (MatrixMarket)"},
        {"NODES", "table with the columns node, x, y, z and optionally set, in the order of the rows of the matrices"}},
       nullptr,
       false,
       "limber modes matrices K.mtx M.mtx nodes.csv --units m-kg-s --interface base=left --interface tip=right\n"
       "               -o link.h5",
       [](const ModesOptions& o) { return read_matrices(o.files[0], o.files[1], o.files[2]); }},
  };
}

// One of the words; throws InputError with a list of all of them.
template <std::size_t n>
std::size_t choose(const std::string& word, const std::array<std::string_view, n>& words, const std::string& option) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end())
    throw InputError(fmt::format("limber modes: {} {} is unknown;{} write {}", option, show(word), suggest(word, words),
                                 fmt::join(words, " or ")));
  return static_cast<std::size_t>(found - words.begin());
}

// NAME=NODESET[:rigid|average]
FeInterface parse_interface(const std::string& text, const FeModel& model) {
  const std::size_t equals = text.find('='), colon = text.rfind(':');
  if (equals == std::string::npos || equals == 0)
    throw InputError(
        fmt::format("limber modes: --interface {} must be NAME=NODESET or NAME=NODESET:average", show(text)));
  FeInterface out;
  out.name = text.substr(0, equals);
  const bool said = colon != std::string::npos && colon > equals;
  if (said && choose(text.substr(colon + 1), kCouplings, "the coupling of an interface") == 1)
    out.coupling = FeCoupling::average;
  const std::string set = text.substr(equals + 1, said ? colon - equals - 1 : std::string::npos);
  try {
    out.nodes = find_nodes(model, set);
  } catch (const InputError& e) {
    throw InputError(fmt::format("limber modes: --interface {}: {}", out.name, e.what()));
  }
  return out;
}

FeOptions parse_options(const ModesOptions& given, const std::vector<FeInterface>& interfaces) {
  FeOptions out;
  out.method = static_cast<FeMethod>(choose(given.method, kMethods, "--method"));
  if (given.modes && given.max_hz) throw InputError("limber modes: --modes and --max-hz exclude each other; give one");
  if (given.modes) out.modes = *given.modes;
  if (given.max_hz && !(*given.max_hz > 0)) throw InputError("limber modes: --max-hz must be positive");
  if (given.max_hz) out.max_hz = *given.max_hz;
  out.damping = given.damping;
  for (std::size_t k = 0; k < interfaces.size(); ++k) {
    if (interfaces[k].name == given.frame) out.frame = static_cast<int>(k);
    for (std::size_t other = 0; other < k; ++other)
      if (interfaces[k].name == interfaces[other].name)
        throw InputError(
            fmt::format("limber modes: duplicate interface {}; give each its own name", show(interfaces[k].name)));
  }
  if (!given.frame.empty() && interfaces[static_cast<std::size_t>(out.frame)].name != given.frame) {
    std::vector<std::string> names;
    for (const FeInterface& one : interfaces) names.push_back(one.name);
    throw InputError(fmt::format("limber modes: --frame {} is not an interface;{} interfaces: {}", show(given.frame),
                                 suggest(given.frame, views(names)), join(views(names))));
  }
  return out;
}

std::string memory_text() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return fmt::format("{:.0f} MB", static_cast<double>(usage.ru_maxrss) / 1024);
}

using Facts = std::vector<std::pair<std::string, std::string>>;

Facts facts_of(const ModesOptions& given, const FeModel& model, const std::vector<FeInterface>& interfaces,
               const FeReduction& made) {
  Facts out = {{"origin", model.files},
               {"units of the origin", given.units},
               {"mesh", fmt::format("{} nodes, {} degrees of freedom", made.facts.nodes, made.facts.dofs)}};
  std::string method = given.method;
  if (given.method == "craig-bampton")
    method += fmt::format(": {} fixed-interface modes and {} static shapes", made.facts.fixed_hertz.size(),
                          6 * (interfaces.size() - 1));
  out.emplace_back("reduction", method + (given.max_hz ? fmt::format(", up to {} Hz", *given.max_hz) : ""));
  for (const FeInterface& one : interfaces)
    out.emplace_back("interface " + one.name, fmt::format("{} nodes, {}", one.nodes.size(),
                                                          kCouplings[one.coupling == FeCoupling::average ? 1 : 0]));
  out.emplace_back("frame", interfaces.empty()    ? "of the mesh"
                            : given.frame.empty() ? interfaces[0].name
                                                  : given.frame);
  out.emplace_back("place of the frame in the mesh",
                   fmt::format("{:.9g}, {:.9g}, {:.9g} m", made.origin.x(), made.origin.y(), made.origin.z()));
  out.emplace_back("rigid motions", fmt::format("6; K R is {:.1e} of K, at most {:.2g} Hz", made.facts.rigid_residual,
                                                made.facts.rigid_hertz));
  if (given.method != "free")
    out.emplace_back("effective mass kept",
                     fmt::format("{:.1f} %, {:.1f} %, {:.1f} % along x, y, z", 100 * made.facts.effective_share.x(),
                                 100 * made.facts.effective_share.y(), 100 * made.facts.effective_share.z()));
  out.emplace_back("geometric stiffening", "absent: the input has no stress stiffness");
  return out;
}

// Hints on values that are valid, but probably not intended.
std::vector<std::string> modes_hints(const ModesOptions& given) {
  std::vector<std::string> out;
  constexpr double kLarge = 0.2;  // of critical damping: far more than structures have
  if (given.damping > kLarge)
    out.push_back(fmt::format("--damping is {0:g}, that is {1:g} % of critical damping; {0:g} % are {2:g}",
                              given.damping, 100 * given.damping, given.damping / 100));
  return out;
}

bool is_body(const std::string& path) { return is_modal_body(path); }

int run_modes(const ModesOptions& given) {
  const auto begin = std::chrono::steady_clock::now();
  if (given.interfaces.empty())
    throw InputError("limber modes: no interface; write --interface NAME=NODESET for each attachment of the part");
  const std::size_t units = choose(given.units, kUnits, "--units");
  choose(given.method, kMethods, "--method");
  std::vector<std::string> never = given.files;
  if (!given.mesh.empty()) never.push_back(given.mesh);
  check_output(given.output, never, {"a modal body", &is_body});
  Progress progress("reduction", !given.quiet && !given.json);
  FeModel model = given.read(given);
  progress.update(0.1);
  convert_units(static_cast<FeUnits>(units), model.part);
  std::vector<FeInterface> interfaces;
  for (const std::string& text : given.interfaces) interfaces.push_back(parse_interface(text, model));
  FeOptions options = parse_options(given, interfaces);
  options.progress = [&](double share) { progress.update(0.1 + 0.85 * share); };
  FeReduction made;
  try {
    made = reduce_part(model.part, interfaces, options);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", given.files[0], e.what()));
  }
  const Facts facts = facts_of(given, model, interfaces, made);
  write_modal_body(given.output, model.part, made, facts, never);
  progress.erase();
  for (const std::string& hint : modes_hints(given))
    write_output(fmt::format("{}: note: {}\n", given.output, hint), stderr);
  if (given.quiet || given.json)  // included in the text
    for (const std::string& warning : made.facts.warnings)
      write_output(fmt::format("{}: note: {}\n", given.output, warning), stderr);
  if (given.quiet) return 0;
  const ModalBodyFile file = read_modal_body(given.output);
  if (given.json) {
    write_output(body_info_json(file), stdout);
    return 0;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  write_output(body_info_text(file, false) +
                   fmt::format("\nFile  {}, {:.0f} kB; {}, {} of memory, {:.0f} MB of it the factorised stiffness\n",
                               given.output, file.bytes / 1e3, duration_text(seconds), memory_text(),
                               made.facts.factor_bytes / 1e6),
               stdout);
  return 0;
}

void add_format(CLI::App& modes, Action& action, const Format& format) {
  const auto options = std::make_shared<ModesOptions>();
  options->files.resize(format.files.size());
  options->read = format.read;
  CLI::App* command = modes.add_subcommand(format.name, format.what);
  command->footer(fmt::format("Example:\n  {}\n{}", format.example, kFormatNotes));
  for (std::size_t k = 0; k < format.files.size(); ++k)
    command->add_option(format.files[k].name, options->files[k], format.files[k].what)->required();
  if (format.mesh != nullptr)
    command->add_option("--mesh", options->mesh, format.mesh)->type_name("FILE")->required(format.mesh_needed);
  command
      ->add_option("--units", options->units, "units of the files, which do not name them: m-kg-s or mm-t-s; required")
      ->required();
  command
      ->add_option("--interface", options->interfaces,
                   "an interface, NAME=NODES[:rigid|average]; required, may be repeated")
      ->type_name("");
  command->add_option("--frame", options->frame, "interface that is the body frame (default: the first)")
      ->type_name("NAME");
  command->add_option("--method", options->method, "craig-bampton (default), clamped at the frame, or free")
      ->type_name("");
  command
      ->add_option("--modes", options->modes, "number of modes (default 12); of craig-bampton: fixed-interface modes")
      ->type_name("N");
  command->add_option("--max-hz", options->max_hz, "all modes up to this frequency instead")->type_name("F");
  command->add_option("--damping", options->damping, "damping ratio of every mode (default 0)")->type_name("Z");
  command->add_option("-o", options->output, "modal-body file to write; required")->required()->type_name("FILE");
  command->add_flag("--json", options->json, "print JSON");
  command->add_flag("-q,--quiet", options->quiet, "print only notes and errors");
  command->callback([options, &action] { action = [options] { return run_modes(*options); }; });
}

}  // namespace

void add_modes(CLI::App& program, Action& action) {
  CLI::App* modes = program.add_subcommand("modes", "reduce a finite-element part to a modal-body file");
  modes->require_subcommand(1);
  modes->footer(kModesExample);
  for (const Format& format : formats()) add_format(*modes, action, format);
  for (CLI::App* format : modes->get_subcommands({})) format->group("Formats");
}

}  // namespace limber::apps
