// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "apps/commands.hpp"
#include "apps/json_writer.hpp"
#include "limber/dynamics/closures.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/elements.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/dynamics/forward.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/files/state_file.hpp"
#include "limber/linear/facts.hpp"
#include "limber/model/segments.hpp"

namespace limber::apps {
namespace {

struct EvalOptions {
  std::string model, state, algorithm = "aba";
  bool no_mass_matrix = false;
  std::vector<std::string> set;
};

// The values described in docs/model-format.md, State files.
struct Evaluation {
  VectorXd acceleration;
  std::optional<VectorXd> force;
  std::optional<MatrixXd> mass_matrix;
  VectorXd closure_forces;  // (6 per closure)
  Energy energy;
  Momentum momentum;
  Vector3d center_of_mass = Vector3d::Zero();
};

constexpr const char* kEvalExample = R"(Example:
  limber eval examples/canadarm/model.yaml examples/canadarm/state.json
  echo '{"q": [0.3], "v": [0], "tau": [2]}' | limber eval pendulum.yaml -

STATE is {"q": [...], "v": [...], "tau": [...], "a": [...]}; tau (default 0) and a may be omitted. The output is one
JSON object: coordinates, speeds, acceleration (of tau), force (of a, if given), mass_matrix, energies, momentum
about the world origin, and the pose of every node in the world. With closures it has the accelerations of the closed
chain at this state, which must satisfy them to 1e-8, and closure_forces: [torque, force] on node b, in the world.
`force` and `mass_matrix` are then still those of the open tree.)";

// One line on a coordinate without inertia: cause and remedy.
std::string cure(const Model& model, int speed) {
  for (int i = model.body_count() - 1; i > 0; --i) {
    if (model.joints[i].v > speed) continue;
    if (speed >= model.first_mode(i))
      return fmt::format("remove this mode of body {}, or give it mass to move", show(model.body_names[i]));
    return fmt::format(
        "give joint {0} an armature, or {1} and what it carries inertia about it (a beam: rotary_inertia_per_length)",
        show(model.joints[i].name), show(model.body_names[i]));
  }
  return "give every body mass and inertia";
}

[[noreturn]] void refuse(const EvalOptions& options, const Model& model, Status status, int failure) {
  const std::string file = name_of_argument(options.model);
  if (status != Status::singular_mass)
    throw InputError(fmt::format("{}: at the state of {}: {}; use smaller numbers", file,
                                 name_of_argument(options.state), to_string(status)));
  const std::string where = failure < 0 ? "a coordinate" : show(model.speeds[failure]);
  throw InputError(fmt::format("{}: {} has no inertia at this state, so its acceleration is undefined; {}", file, where,
                               cure(model, failure)));
}

// Replaces the accelerations of the open tree by those of the closed chain; the state must satisfy the closures.
VectorXd close_chains(const EvalOptions& options, const Model& model, const State& x, VectorXd& vdot) {
  constexpr double kMet = 1e-8;
  const std::string file = name_of_argument(options.model);
  AbaWorkspace ws(model);
  ClosureWorkspace cw(model);
  const Status status = close_other(model, x, ws, cw, vdot);
  if (status == Status::singular_mass) refuse(options, model, status, ws.failure());
  for (std::size_t k = 0; k < model.closures.size(); ++k) {
    if (const double error = cw.closure_error(static_cast<int>(k)); error > kMet)
      throw InputError(
          fmt::format("{}: closure {} is violated by {:.4g} at the state of {}; at most 1e-8 is allowed, "
                      "assemble the state first",
                      file, show(model.closures[k].name), error, name_of_argument(options.state)));
  }
  if (status != Status::ok) refuse(options, model, status, -1);
  return cw.forces();
}

VectorXd forward(const EvalOptions& options, const Model& model, const State& x, const Forces& forces) {
  VectorXd vdot(model.nv);
  const auto algorithm = make_tree_dynamics(model, options.algorithm);
  const Status status = (*algorithm)(x, forces, vdot);
  if (status == Status::ok) return vdot;
  // Only the recursion can identify the coordinate.
  const auto aba = make_tree_dynamics(model, "aba");
  const Status again = (*aba)(x, forces, vdot);
  refuse(options, model, status, again == Status::singular_mass ? aba->failure() : -1);
}

void check_options(const EvalOptions& options, const Model& model) {
  constexpr int kMaxDense = 20000;
  const std::string file = name_of_argument(options.model);
  if (!options.no_mass_matrix && model.nv > kMaxDense)
    throw InputError(fmt::format("{}: a mass matrix of {} x {} numbers is too large; add --no-mass-matrix", file,
                                 model.nv, model.nv));
}

Evaluation evaluate(const EvalOptions& options, const Model& model, const StateFile& given, Kinematics& kin) {
  const State x{0, given.q, given.v};
  Evaluation out;
  std::optional<ElementLoads> elements;
  std::span<const NodeWrench> wrenches;
  VectorXd tau = given.tau.value_or(VectorXd::Zero(model.nv));
  compute_kinematics(model, x, kin);
  compute_world_poses(model, kin);
  if (has_elements(model)) {
    elements.emplace(model);
    elements->update(x, kin);
    elements->compute(x, kin, {});
    wrenches = elements->wrenches();
    tau += elements->torques();
  }
  out.acceleration = forward(options, model, x, {tau, wrenches});
  if (!model.closures.empty()) out.closure_forces = close_chains(options, model, x, out.acceleration);
  RneaWorkspace ws(model);
  if (given.a) {
    out.force.emplace(model.nv);
    rnea(model, x, *given.a, wrenches, ws, *out.force);
    if (elements) *out.force -= elements->torques();
  }
  if (!options.no_mass_matrix) {
    CrbaWorkspace crba_ws(model);
    MatrixXd M(model.nv, model.nv);
    crba(model, x, crba_ws, M);
    out.mass_matrix = std::move(M);
  }
  out.energy = compute_energy(model, x, ws);
  if (elements) out.energy.springs += elements->energy(x, kin);
  out.momentum = compute_momentum(model, x, ws);
  out.center_of_mass = compute_center_of_mass(model, kin);
  const bool finite = (!out.force || out.force->allFinite()) && (!out.mass_matrix || out.mass_matrix->allFinite()) &&
                      std::isfinite(out.energy.kinetic + out.energy.potential()) && out.momentum.linear.allFinite() &&
                      out.momentum.angular.allFinite();
  if (!finite) refuse(options, model, Status::not_finite, -1);
  return out;
}

void write_nodes(JsonWriter& json, const Model& model, const Kinematics& kin) {
  json.key("nodes");
  json.begin_object();
  for (const NodeRef node : visible_nodes(model)) {
    const Pose pose = node_pose(model, kin, node);
    json.key(node_name(model, node));
    json.begin_object();
    json.key("position");
    json.numbers(pose.p);
    json.key("rotation");
    json.rows(pose.R);
    json.end_object();
  }
  json.end_object();
}

void write(const Model& model, const Evaluation& e, const Kinematics& kin) {
  JsonWriter json(stdout);
  const auto number = [&](const char* key, double value) {
    json.key(key);
    json.number(value);
  };
  const auto numbers = [&](const char* key, ConstVec values) {
    json.key(key);
    json.numbers(values);
  };
  json.begin_object();
  json.key("coordinates");
  json.texts(model.coordinates);
  json.key("speeds");
  json.texts(model.speeds);
  numbers("acceleration", e.acceleration);
  if (e.force) numbers("force", *e.force);
  if (e.mass_matrix) {
    json.key("mass_matrix");
    json.rows(*e.mass_matrix);
  }
  if (!model.closures.empty()) {
    json.key("closure_forces");
    json.begin_object();
    for (std::size_t k = 0; k < model.closures.size(); ++k) {
      const VectorXd force = e.closure_forces.segment<6>(static_cast<Eigen::Index>(6 * k));
      numbers(model.closures[k].name.c_str(), force);
    }
    json.end_object();
  }
  number("kinetic_energy", e.energy.kinetic);
  number("potential_energy", e.energy.potential());
  json.key("momentum");
  json.begin_object();
  numbers("linear", e.momentum.linear);
  numbers("angular", e.momentum.angular);
  json.end_object();
  number("total_mass", total_mass(model));
  numbers("center_of_mass", e.center_of_mass);
  write_nodes(json, model, kin);
  json.end_object();
  json.finish();
}

int run_eval(const EvalOptions& options) {
  if (options.model == "-" && options.state == "-")
    throw InputError("limber eval: only one of MODEL and STATE can be '-', the standard input");
  const Model model = read_model_argument(options.model, options.set);
  check_options(options, model);
  const StateFile state = parse_state(read_argument(options.state), name_of_argument(options.state), model);
  KinematicsWorkspace kin(model);
  write(model, evaluate(options, model, state, kin), kin);
  return 0;
}

}  // namespace

void add_eval(CLI::App& program, Action& action) {
  const auto options = std::make_shared<EvalOptions>();
  CLI::App* command = program.add_subcommand("eval", "evaluate a model at one state; prints JSON");
  command->add_option("MODEL", options->model, "model file (YAML or JSON); '-': standard input")->required();
  command->add_option("STATE", options->state, "state file (JSON); '-': standard input")->required();
  command
      ->add_option(
          "--algorithm", options->algorithm,
          fmt::format("algorithm for the acceleration: {} (default aba)", fmt::join(forward_dynamics_names(), ", ")))
      ->type_name("NAME")
      ->check(CLI::IsMember(forward_dynamics_names()).description(""));
  command->add_flag("--no-mass-matrix", options->no_mass_matrix, "leave the mass matrix out (large machines)");
  add_set(*command, options->set);
  command->footer(kEvalExample);
  command->callback([options, &action] { action = [options] { return run_eval(*options); }; });
}

}  // namespace limber::apps
