// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stiff modes: a falling arm of two steel links with bending and axial modes.  Table of the implicit step against
// dopri5 and cvode: evaluations of the dynamics, and the error of the tip relative to a converged run.  Counts, not
// times.
//   build/bench/stiff_table
#include <fmt/format.h>

#include <cmath>

#include "limber/simulate/simulate.hpp"

namespace {

using namespace limber;

constexpr double kDuration = 2, kEvery = 0.02;

// E/rho of steel; 2 bending and 5 axial modes per link.
BeamSpec link() {
  BeamSpec beam;
  beam.length = 1;
  beam.mass_per_length = 1;
  beam.EIy = beam.EIz = 20;
  beam.EA = 2.5e7;
  beam.modes = {2, 0, 5, 0};
  return beam;
}

Model arm() {
  ModelBuilder builder("arm");
  builder.gravity({0, -9.81, 0});
  int before = kGround;
  for (const char* name : {"upper", "lower"}) {
    Body body = make_beam_body(link(), false);
    body.name = name;
    const int index = builder.add_body(body);
    Joint joint;
    joint.name = std::string(name) + "_pivot";
    joint.kind = JointKind::revolute;
    joint.parent = {before, before == kGround ? kBodyFrame : 1};
    joint.stiffness = joint.damping = joint.armature = VectorXd::Zero(1);
    builder.add_joint(joint, index);
    before = index;
  }
  return builder.build();
}

struct Tips : RunListener {
  explicit Tips(const Model& m) : model(m) {}
  const Model& model;
  std::vector<Vector3d> tip;
  void record(const Record& r) override { tip.push_back(node_pose(model, r.kin, {2, 1}).p); }
};

struct Result {
  std::vector<Vector3d> tip;
  RunResult run;
};

Result simulate_arm(const Model& model, const SolverOptions& solver) {
  System system(model, {});
  Tips tips(model);
  const RunResult run = simulate(system, solver, {kDuration, kEvery}, make_zero_state(model), tips);
  return {tips.tip, run};
}

double largest_error(const Result& a, const Result& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.tip.size() && k < b.tip.size(); ++k) {
    worst = std::max(worst, (a.tip[k] - b.tip[k]).norm());
  }
  return worst;
}

SolverOptions options(const char* method, double number, double rho = 1) {
  SolverOptions o;
  o.method = method;
  o.step = o.rtol = number;
  o.atol = 1e-3 * number;
  o.rho_inf = rho;
  return o;
}

}  // namespace

int main() {
  const Model model = arm();
  const VectorXd squares = model.body(1).stiffness.diagonal();
  fmt::print("frequencies of a link alone: {:.3g} to {:.4g} rad/s ({:.0f} times)\n\n", std::sqrt(squares.minCoeff()),
             std::sqrt(squares.maxCoeff()), std::sqrt(squares.maxCoeff() / squares.minCoeff()));
  const Result exact = simulate_arm(model, options("dopri5", 1e-11));
  const Result looser = simulate_arm(model, options("dopri5", 1e-9));
  fmt::print(
      "| method | steps | evaluations | fewer | tip error / reach | energy balance |\n|---|---|---|---|---|---|\n");
  const auto row = [&](const std::string& name, const Result& r) {
    const long n = r.run.counts.evaluations;
    fmt::print("| {} | {} | {} | {:.0f} | {:.1e} | {:.1e} |\n", name, r.run.counts.steps, n,
               static_cast<double>(exact.run.counts.evaluations) / static_cast<double>(n), largest_error(r, exact) / 2,
               r.run.energy_error / r.run.energy_scale);
  };
  row("dopri5, rtol 1e-11 (converged)", exact);
  row("dopri5, rtol 1e-9", looser);
  row("dopri5, rtol 1e-4", simulate_arm(model, options("dopri5", 1e-4)));
  for (const char* formula : {"bdf", "adams"}) {
    try {
      SolverOptions o = options("cvode", 1e-6);
      o.formula = formula;
      row(fmt::format("cvode {}, rtol 1e-6", formula), simulate_arm(model, o));
    } catch (const InputError& missing) {
      fmt::print("| cvode | not in this build | | | | |\n");
    }
  }
  for (const double step : {4e-3, 2e-3, 1e-3, 5e-4}) {
    row(fmt::format("implicit, {:g} ms", 1e3 * step), simulate_arm(model, options("implicit", step)));
  }
  row("implicit, 1 ms, rho_inf 0.8", simulate_arm(model, options("implicit", 1e-3, 0.8)));
}
