// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "apps/commands.hpp"
#include "apps/terminal.hpp"
#include "limber/files/detail/output.hpp"
#include "limber/files/modal_body_file.hpp"
#include "limber/files/urdf.hpp"

namespace limber::apps {
namespace {

struct ConvertOptions {
  std::string input, output;
  bool quiet = false;
};

constexpr const char* kImportExample = R"(Example:
  limber import robot.urdf -o robot.yaml

Writes a model file: one body per link, one joint per joint, gravity 9.81 m/s^2 along -z. Notes list what is renamed or
omitted. Meshes are referenced; boxes, cylinders and spheres are drawn. A URDF can also be used directly:
`limber info robot.urdf`, `model: robot.urdf` in a scenario, `urdf: robot.urdf` with `flexible:` in a model; see
docs/urdf.md.)";

constexpr const char* kExportExample = R"(Example:
  limber export robot.yaml -o robot.urdf
  limber export link.h5 -o link.fem

Writes a modal body as modal data of MBDyn, and a rigid model as a URDF. What a URDF cannot express is refused: flexible
bodies, closures, joint springs, armatures, joints of type universal, cylindrical and spherical. Gravity is not part of a
URDF.)";

bool is_model_file(const std::string& path) { return OutputKind::starts_with(path, "limber", 4096); }
constexpr OutputKind kImportedKind = {"a model of limber", &is_model_file};

int run_import(const ConvertOptions& options) {
  const ImportedModel model = import_urdf(read_argument(options.input), name_of_argument(options.input));
  if (options.output.empty()) {
    write_output(model.text, stdout);
  } else {
    write_whole_file(options.output, kImportedKind, {options.input}, model.text);
  }
  if (options.quiet) return 0;
  for (const std::string& note : model.notes)
    write_output(fmt::format("{}: note: {}\n", name_of_argument(options.input), note), stderr);
  return 0;
}

int run_export(const ConvertOptions& options) {
  if (is_modal_body(options.input)) {
    const Body body = read_modal_body(options.input).body;
    if (options.output.empty())
      write_output(mbdyn_text(body), stdout);
    else
      write_mbdyn(body, options.output, options.input);
    return 0;
  }
  const Model model = read_model_argument(options.input);
  try {
    if (options.output.empty()) {
      write_output(urdf_text(model), stdout);
    } else {
      write_urdf(model, options.output);
    }
  } catch (const InputError& e) {  // of the model
    throw InputError(fmt::format("{}: {}", name_of_argument(options.input), e.what()));
  }
  if (!options.quiet && model.gravity != Vector3d(0, 0, -9.81))
    write_output(fmt::format("{}: note: gravity [{}, {}, {}] is not part of a URDF\n", name_of_argument(options.input),
                             model.gravity[0], model.gravity[1], model.gravity[2]),
                 stderr);
  return 0;
}

void add_conversion(CLI::App& program, Action& action, const char* name, const char* what, const char* input,
                    const char* footer, int (*run)(const ConvertOptions&)) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = program.add_subcommand(name, what);
  command->add_option("FILE", options->input, input)->required();
  command->add_option("-o,--output", options->output, "the file to write; default: the standard output")
      ->type_name("FILE");
  command->add_flag("-q,--quiet", options->quiet, "no notes");
  command->footer(footer);
  command->callback([options, run, &action] { action = [options, run] { return run(*options); }; });
}

}  // namespace

void add_import(CLI::App& program, Action& action) {
  add_conversion(program, action, "import", "convert a robot description (URDF) to a model file",
                 "robot description (URDF); '-': standard input", kImportExample, &run_import);
}

void add_export(CLI::App& program, Action& action) {
  add_conversion(program, action, "export",
                 "convert a rigid model to a robot description (URDF), or a modal body to modal data of MBDyn",
                 "model file or modal body; '-': standard input", kExportExample, &run_export);
}

}  // namespace limber::apps
