// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The complete stability matrix of sampled control: rates, modes per link, laws and joint damping on arms of one, two
// and ten links, with the controller's own model as plant.
//   build/bench/control_table [LINKS [MODES [SECONDS [JOINT_DAMPING [RATE [LAW]]]]]] > bench/results/control-matrix.csv
// A row per cell: refused before the run, or the spectral radius of the resulting loop, its transient growth, the
// changes by settle_loop, and the largest joint error in the last quarter of SECONDS (0: not run) on the nonlinear
// plant from 1e-4 rad.  scripts/reference_control --matrix FILE confirms radii and refusals by SciPy.
#include <fmt/format.h>

#include <cstdlib>

#include "limber/control/linear_loop.hpp"
#include "limber/control/prepare.hpp"
#include "limber/simulate/simulate.hpp"
#include "support/chain_arm.hpp"

namespace {

using namespace limber;
using namespace limber::test;

constexpr double kRates[] = {50, 100, 250, 1000, 5000}, kJointDamping[] = {0, 1, 10, 1000};
constexpr const char* kLaws[] = {"correction", "computed_torque", "lqr", "pid"};
constexpr double kAway = 1e-4;  // rad

ControlOptions make_options(const std::shared_ptr<const Model>& model, double rate, int law) {
  ControlOptions out;
  out.model = model;
  out.driven = find_driven_joints(*model, {});
  out.rate = rate;
  out.desired.assign(out.driven.v.size(), Signal(kBent));
  if (law == 0) out.correction = TrackingOptions{};
  if (law == 1) out.computed_torque = TrackingOptions{};
  if (law == 2) out.lqr = LqrOptions{};
  if (law == 3) out.pid = make_pid(*model, out.driven, bent_chain(*model), {0.2, 1});
  return out;
}

double radius_of(const LinearLoop& loop) { return std::exp(find_dominant_pole(loop).growth * loop.period); }

// The largest joint error in the last quarter; negative: failed.
class LateError : public RunListener {
 public:
  LateError(const DrivenJoints& driven, double from) : driven_(driven), from_(from) {}
  void record(const Record& record) override {
    const State& x = record.motion.x;
    if (x.t < from_) return;
    for (const int q : driven_.q) most = std::max(most, std::abs(x.q[q] - kBent));
  }
  double most = 0;

 private:
  const DrivenJoints& driven_;
  double from_;
};

// Ideal sensors and servos; the first estimate has an error of kAway.
class Loop : public Sampler {
 public:
  Loop(const Model& model, const ControlOptions& options) : controller_(options) {
    status_ = controller_.start(bent_chain(model));
    torques_.setZero(options.driven.size());
  }
  double period() const override { return controller_.period(); }
  Status sample(const State& x, const Kinematics& /*kin*/, ConstVec /*vdot*/, Vec torques) override {
    const DrivenJoints& driven = controller_.options().driven;
    if (status_ != Status::ok) return status_;
    y_.t = x.t;
    y_.q = driven.positions(x);
    y_.v = driven.speeds(x);
    status_ = controller_.update(y_, torques_);
    torques.setZero();
    for (int k = 0; k < driven.size(); ++k) torques[driven.v[k]] = torques_[k];
    return status_;
  }

 private:
  Controller controller_;
  Measurement y_;
  VectorXd torques_;
  Status status_;
};

double run_nonlinear(const Model& model, const ControlOptions& options, double seconds) {
  System system(model, {});
  Loop loop(model, options);
  SolverOptions solver;
  solver.method = "implicit";
  solver.step = std::min(0.1 / options.rate, 2e-4);
  State x = bent_chain(model);
  for (int k = 0; k < options.driven.size(); ++k) x.q[options.driven.q[k]] += k % 2 == 0 ? kAway : -kAway;
  RunOptions run;
  run.duration = seconds;
  run.record_every = 0.02;
  LateError late(options.driven, 0.75 * seconds);
  const RunResult result = simulate(system, solver, run, x, late, &loop);
  return result.status == Status::ok ? late.most : -1;
}

void print_cell(const std::shared_ptr<const Model>& model, int links, int modes, double damping, double rate, int law,
                double seconds) {
  const ControlOptions given = make_options(model, rate, law), prepared = prepare_control(given);
  const std::string cell = fmt::format("{},{},{:g},{:g},{}", links, modes, rate, damping, kLaws[law]);
  try {
    const ControlOptions settled = settle_loop(prepared);
    const auto loop = linearize_loop(*model, {}, settled, 0);
    const double steps = settled.kalman.torque_steps[0] / prepared.kalman.torque_steps[0];
    const double share = settled.tracking() != nullptr ? settled.tracking()->modal_share : 0;
    const double collocated = settled.collocated() ? settled.tracking()->stiffest : 0;
    const double late = seconds > 0 ? run_nonlinear(*model, given, seconds) : 0;
    fmt::print("{},stable,{:.9f},{:.3g},{:g},{:g},{:g},{:g},{}\n", cell, radius_of(*loop),
               compute_transient(*loop).growth, steps, settled.kalman.distrust, share, collocated,
               seconds > 0 ? fmt::format("{:.2g}", late) : "");
  } catch (const InputError&) {
    const auto loop = linearize_loop(*model, {}, prepared, 0);
    fmt::print("{},refused,{:.9f},,1,1,0,0,\n", cell, radius_of(*loop));
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int only_links = argc > 1 ? std::atoi(argv[1]) : 0, only_modes = argc > 2 ? std::atoi(argv[2]) : -1;
  const double seconds = argc > 3 ? std::atof(argv[3]) : 0, only_damping = argc > 4 ? std::atof(argv[4]) : -1;
  const double only_rate = argc > 5 ? std::atof(argv[5]) : 0;
  const std::string only_law = argc > 6 ? argv[6] : "";
  fmt::print(
      "links,modes,rate,joint_damping,law,verdict,radius,transient,torque_steps,distrust,modal_share,collocated,late_"
      "error\n");
  for (const int links : {1, 2, 10}) {
    for (const int modes : {0, 1, 2, 3, 5, 10}) {
      if ((only_links > 0 && links != only_links) || (only_modes >= 0 && modes != only_modes)) continue;
      for (const double damping : kJointDamping) {
        if (only_damping >= 0 && damping != only_damping) continue;
        const auto model = std::make_shared<const Model>(make_chain_arm(links, modes, damping));
        for (const double rate : kRates) {
          for (int law = 0; law < 4; ++law) {
            if ((only_rate > 0 && rate != only_rate) || (!only_law.empty() && only_law != kLaws[law])) continue;
            print_cell(model, links, modes, damping, rate, law, seconds);
          }
        }
      }
    }
  }
}
