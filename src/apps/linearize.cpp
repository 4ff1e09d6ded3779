// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/linearize.hpp"

#include <fmt/format.h>

#include <memory>

#include "apps/campbell.hpp"
#include "apps/commands.hpp"
#include "apps/linearize_names.hpp"
#include "apps/terminal.hpp"
#include "limber/files/detail/output.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/files/state_file.hpp"
#include "limber/model/drive.hpp"
#include "limber/simulate/equilibrium.hpp"

namespace limber::apps {
namespace {

struct LinearizeCommand {
  std::string model, at, output_file;
  bool equilibrium = false, json = false;
  std::vector<std::string> inputs, outputs, held, set;
  CampbellCommand campbell;  // used if its range is not empty
};

constexpr double kStill = 1e-6;  // largest accelerations, in SI units, of an equilibrium
constexpr int kMaxCoordinates = 2000;
constexpr std::size_t kMaxPairs = 64;

constexpr const char* kLinearizeExample = R"(Example:
  limber linearize examples/two-link-arm/model.yaml --output position.y:load
  limber linearize arm.yaml --at bent.json --equilibrium --hold elbow -o arm.json

Linearises the machine at a state: natural frequencies, poles, zeros, and A, B, C, D of x' = A x + B u, y = C x + D u (in
JSON). x is the deviation of all coordinates, then of their rates. Inputs are forces on coordinates; the default is all
joints except fixed, spherical and free ones. Zeros are those of transfer functions. Outputs are coordinates (default:
those of the inputs) or

  rate:NAME                                  speed of a coordinate
  position:NODE   turn:NODE                  of a node (body.node, or a body) in the world, turn as a rotation vector
  velocity:NODE   spin:NODE   acceleration:NODE   angular_acceleration:NODE
  curvature:NODE,NODE   strain:NODE,NODE     of a beam between two of its nodes

with .x, .y or .z after the word for one component. A held joint keeps its speed, whatever forces act on it.

For a machine in motion A changes with time: its eigenvalues at one instant are not the natural frequencies.
--campbell turns a rotor at one speed or a range of speeds, finds the periodic motion, and prints frequencies and
damping of small vibrations about it (Floquet theory; multi-blade coordinates for three or more equal blades):

  limber linearize examples/turbine/model.yaml --campbell 0:12:0.5 --report turbine.html)";

// Warning if A is valid for an instant only; empty: it is constant.
std::string motion_warning(const Model& model, const State& x, const PointMotion& motion) {
  if (!motion.moves || (motion.has_constant_matrix() && motion.acceleration <= kStill)) return "";
  const std::string what = motion.has_constant_matrix() ? "is not steady"
                                                        : fmt::format("changes A, by {} % within a radian or a metre",
                                                                      short_number(100 * motion.change));
  std::string cure = "linearize at a state at rest";
  for (const int i : find_rotors(model)) {
    const double speed = x.v[model.joints[i].v];
    if (speed != 0)
      cure = fmt::format("--campbell {} --rotor {} gives those of the steady motion", speed, model.joints[i].name);
  }
  return fmt::format("the motion through this point {}: its frequencies and poles hold for this instant only; {}", what,
                     cure);
}

State linearization_point(const LinearizeCommand& command, const Model& model, VectorXd& tau) {
  tau = VectorXd::Zero(model.nv);
  if (command.at.empty()) return make_zero_state(model);
  const StateFile file = parse_state(read_argument(command.at), name_of_argument(command.at), model);
  if (file.tau) tau = *file.tau;
  return {0, file.q, file.v};
}

// Constant torques, and joints held at their positions.
Inputs static_inputs(const Model& model, const State& x, const VectorXd& tau, const std::vector<std::uint8_t>& held) {
  Inputs inputs;
  for (int k = 0; k < model.nv; ++k) {
    if (tau[k] != 0) inputs.speeds.push_back({k, Signal(tau[k]), "tau of " + model.speeds[k]});
  }
  for (int i = 1; i < model.body_count(); ++i) {
    if (held[i] == 0) continue;
    MotionInput motion{i, {}, "--hold " + model.joints[i].name};
    for (int k = 0; k < position_count(model.joints[i].kind); ++k)
      motion.motion.emplace_back(x.q[model.joints[i].q + k]);
    inputs.motions.push_back(std::move(motion));
  }
  return inputs;
}

void move_to_equilibrium(const Model& model, const VectorXd& tau, const std::vector<std::uint8_t>& held, State& x,
                         Linearization& found) {
  if (!x.v.isZero(0)) throw InputError("limber linearize: --equilibrium needs a state at rest; leave its speeds zero");
  const Equilibrium equilibrium = find_equilibrium(model, static_inputs(model, x, tau, held), x);
  x = equilibrium.x;
  found.stable = equilibrium.stable;
  found.where = "the equilibrium near " + found.where;
}

LinearizeOptions options_of(const LinearizeCommand& command, const Model& model,
                            const std::vector<std::uint8_t>& held) {
  LinearizeOptions options = make_joint_options(model, held);
  if (!command.inputs.empty()) {
    options.inputs.clear();
    for (const std::string& name : command.inputs) {
      for (const int speed : find_speeds(model, name)) options.inputs.push_back(speed);
    }
  }
  if (!command.outputs.empty()) {
    options.outputs.clear();
    for (const std::string& name : command.outputs) {
      for (LinearOutput& output : find_outputs(model, name)) options.outputs.push_back(std::move(output));
    }
  }
  return options;
}

void find_zeros(Linearization& found) {
  const std::size_t inputs = found.system.inputs.size(), outputs = found.system.outputs.size();
  found.zeros_left_out = inputs * outputs > kMaxPairs;
  for (std::size_t k = 0; k < inputs * outputs && !found.zeros_left_out; ++k) {
    const int input = static_cast<int>(k / outputs), output = static_cast<int>(k % outputs);
    found.zeros.push_back({input, output, compute_zeros(found.system, input, output)});
  }
  const LinearSystem& s = found.system;
  if (inputs * outputs > 1) found.all_zeros = compute_zeros(s.A, s.B, s.C, s.D);
}

// Whether the file is JSON output of this command.
bool is_linearization(const std::string& path) {
  return OutputKind::starts_with(path, "{\n  \"model\": ") && OutputKind::starts_with(path, "\"equilibrium\": ", 4096);
}
constexpr OutputKind kLinearizationKind = {"a linearisation of limber", &is_linearization};

std::vector<std::string> files_of(const LinearizeCommand& command) { return {command.model, command.at}; }

void write_file(const LinearizeCommand& command, const Model& model, const Linearization& found) {
  OutputFile out(command.output_file, kLinearizationKind, files_of(command));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(out.open(), std::fclose);
  write_linearization(model, found, file.get(), command.output_file);
  if (std::fflush(file.get()) != 0) refuse_output(command.output_file, system_reason());
  out.publish();
}

int run_rotor(const LinearizeCommand& command, const Model& model, const std::vector<std::uint8_t>& held) {
  RotorOptions options;
  options.held = held;
  const State start = linearization_point(command, model, options.tau);
  if (!start.v.isZero(0)) throw InputError("limber linearize: --campbell gives the speeds; leave those of --at zero");
  CampbellCommand campbell = command.campbell;
  campbell.json = command.json;
  campbell.output_file = command.output_file;
  return run_campbell(model, start, std::move(options), campbell, files_of(command));
}

int run_linearize(const LinearizeCommand& command) {
  if (command.model == "-" && command.at == "-")
    throw InputError("limber linearize: only one of MODEL and STATE can be '-', the standard input");
  const Model model = read_model_argument(command.model, command.set);
  if (model.nv > kMaxCoordinates)
    throw InputError(fmt::format("{}: {} coordinates are too many for dense matrices; at most {} are supported",
                                 name_of_argument(command.model), model.nv, kMaxCoordinates));
  std::vector<std::uint8_t> held(static_cast<std::size_t>(model.body_count()), 0);
  for (const std::string& name : command.held) held[static_cast<std::size_t>(find_joint(model, name))] = 1;
  if (!command.campbell.range.empty()) return run_rotor(command, model, held);
  if (!command.output_file.empty()) check_output(command.output_file, files_of(command), kLinearizationKind);
  LinearizeOptions options = options_of(command, model, held);
  State x = linearization_point(command, model, options.tau);
  Linearization found;
  found.where = command.at.empty() ? "the zero state" : "the state of " + name_of_argument(command.at);
  if (command.equilibrium) move_to_equilibrium(model, options.tau, held, x, found);
  if (const std::string flanks = backlash_text(model, x); !flanks.empty()) found.where += ", " + flanks;
  found.system = linearize(model, x, options);
  const PointMotion motion = check_motion(model, found.system, options);
  found.warning = motion_warning(model, x, motion);
  found.equilibrium = motion.acceleration <= kStill && motion.has_constant_matrix();
  found.modes = compute_modes(found.system);
  found.poles = compute_poles(found.system);
  find_zeros(found);
  if (!command.output_file.empty()) write_file(command, model, found);
  if (command.json) {
    write_linearization(model, found, stdout);
  } else {
    write_output(linearization_text(model, found, stdout), stdout);
  }
  if (!found.warning.empty()) write_output("warning: " + found.warning + "\n", stderr);
  return 0;
}

}  // namespace

void add_linearize(CLI::App& program, Action& action) {
  const auto command = std::make_shared<LinearizeCommand>();
  CLI::App* sub = program.add_subcommand("linearize", "linearise at a state: frequencies, poles, zeros and A, B, C, D");
  sub->add_option("MODEL", command->model, "model file (YAML or JSON); '-': standard input")->required();
  sub->add_option("--at", command->at, "state file (JSON), including tau (default: the zero state)")
      ->type_name("STATE");
  sub->add_flag("--equilibrium", command->equilibrium, "first find the equilibrium near that state");
  const auto names = [&](const char* option, std::vector<std::string>& to, const char* what, const char* type) {
    sub->add_option(option, to, what)->type_name(type)->allow_extra_args(false);
  };
  names("--input", command->inputs, "an input: a joint or coordinate on which a force acts; may be repeated", "NAME");
  names("--output", command->outputs, "an output, see below; may be repeated", "WHAT");
  names("--hold", command->held, "a joint driven at constant speed; may be repeated", "JOINT");
  CampbellCommand& campbell = command->campbell;
  CLI::Option* range =
      sub->add_option("--campbell", campbell.range, "speeds of a rotor, rad/s: FROM:TO:STEP, or one speed");
  range->type_name("SPEEDS");
  const auto with_range = [&](CLI::Option* option) { return option->needs(range); };
  with_range(sub->add_option("--rotor", campbell.rotor, "the joint of the rotor (default: the only possible one)"))
      ->type_name("JOINT");
  with_range(
      sub->add_flag("--free-rotor", campbell.free, "drive the rotor by a constant torque instead of a constant speed"));
  with_range(sub->add_option("--csv", campbell.csv, "also write frequencies and damping as a table"))
      ->type_name("FILE");
  with_range(sub->add_option("--report", campbell.page, "also plot them: a page, or a picture (.svg)"))
      ->type_name("FILE");
  for (const char* other : {"--equilibrium", "--input", "--output"}) range->excludes(sub->get_option(other));
  sub->add_flag("--json", command->json, "print JSON, with the matrices");
  sub->add_option("-o", command->output_file, "also write the JSON to a file")->type_name("FILE");
  add_set(*sub, command->set);
  sub->footer(kLinearizeExample);
  sub->callback([command, &action] { action = [command] { return run_linearize(*command); }; });
}

}  // namespace limber::apps
