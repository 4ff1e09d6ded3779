// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Closed chains: forward dynamics of rings of flexible links, compared with the same chains left open.
// build/bench/ring_table [--quick]      time per link as a function of the number of links; quick: a few seconds
//   build/bench/ring_table --count open|ring LINKS MODES TIMES      evaluates only, for callgrind
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "apps/chains.hpp"
#include "limber/dynamics/closures.hpp"

namespace {

using namespace limber;
using Clock = std::chrono::steady_clock;

void expect_ok(Status status) {
  if (status == Status::ok) return;
  fmt::print(stderr, "ring_table: {}\n", to_string(status));
  std::exit(1);
}

// A regular polygon: revolute joints about z, the tip of the last link pinned to the world where the first one starts.
Model make_ring(int links, int modes) {
  Body body = make_beam_body(apps::link_beam(modes), false);
  const int tip = body.node_index("tip");
  ModelBuilder builder("ring");
  builder.gravity({0, -9.81, 0});
  for (int i = 1; i <= links; ++i) {
    body.name = "link" + std::to_string(i);
    const int child = builder.add_body(body);
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = JointKind::revolute;
    joint.axis = Vector3d::UnitZ();
    if (i > 1) joint.parent = {i - 1, tip};
    builder.add_joint(std::move(joint), child);
  }
  builder.add_closure({"loop", JointKind::revolute, Vector3d::UnitZ(), Vector3d::UnitX(), {links, tip}, {}});
  return builder.build();
}

struct Case {
  Case(int links, int modes)
      : model(make_ring(links, modes)), sample(apps::make_sample(model)), vdot(model.nv), ws(model), cw(model) {
    for (int i = 1; i <= links; ++i) {
      sample.x.q[model.joints[i].q] = 2 * std::numbers::pi / links;
      sample.x.q.segment(model.first_mode_q(i), model.body(i).modes).setZero();
    }
    expect_ok(project_velocity(model, sample.x, {}, ws, cw));
  }
  void open() { expect_ok(aba(model, sample.x, Forces{sample.tau}, ws, vdot)); }
  void ring() {
    open();
    expect_ok(close_accelerations(model, ws, cw, vdot));
  }
  Model model;
  apps::Sample sample;
  VectorXd vdot;
  AbaWorkspace ws;
  ClosureWorkspace cw;
};

double seconds(const std::function<void()>& evaluate) {
  const auto begin = Clock::now();
  evaluate();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Minimum of many, alternately, so that temporary disturbances affect all equally; each runs twice and the second run
// is timed, so that its own data are in the cache.
std::vector<double> best_of(const std::vector<std::function<void()>>& all, double budget) {
  std::vector<double> best(all.size(), 1e30);
  const auto begin = Clock::now();
  do {
    for (std::size_t k = 0; k < all.size(); ++k) {
      all[k]();
      best[k] = std::min(best[k], seconds(all[k]));
    }
  } while (std::chrono::duration<double>(Clock::now() - begin).count() < budget);
  return best;
}

void print_times(int modes, double budget) {
  const std::vector<int> sizes = {64, 256, 1024, 4096};
  std::vector<std::unique_ptr<Case>> cases;
  std::vector<std::function<void()>> all;
  for (const int links : sizes) {
    Case* c = cases.emplace_back(std::make_unique<Case>(links, modes)).get();
    all.push_back([c] { c->open(); });
    all.push_back([c] { c->ring(); });
  }
  const std::vector<double> t = best_of(all, budget);
  fmt::print("\nLinks with {} modes; nanoseconds per link, best of many\n\n", modes);
  fmt::print("| links | open | ring | ring / open | open, against 256 links | ring, against 256 links |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  const auto per_link = [&](std::size_t k, std::size_t which) { return 1e9 * t[2 * k + which] / sizes[k]; };
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    fmt::print("| {} | {:.0f} | {:.0f} | {:.2f} | {:.2f} | {:.2f} |\n", sizes[k], per_link(k, 0), per_link(k, 1),
               per_link(k, 1) / per_link(k, 0), per_link(k, 0) / per_link(1, 0), per_link(k, 1) / per_link(1, 1));
  }
}

}  // namespace

// The part counted by callgrind.
extern "C" [[gnu::noinline, gnu::used]] void limber_ring_table_evaluate(const std::function<void()>& evaluate) {
  evaluate();
}

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string first = arguments.empty() ? "" : arguments[0];
  if (first == "--count" && arguments.size() == 5) {
    Case c(std::stoi(arguments[2]), std::stoi(arguments[3]));
    const std::function<void()> evaluate = [&] { arguments[1] == "ring" ? c.ring() : c.open(); };
    evaluate();
    for (int k = std::stoi(arguments[4]); k > 0; --k) limber_ring_table_evaluate(evaluate);
    return 0;
  }
  const double budget = first == "--quick" ? 1 : 10;
  for (const int modes : {0, 5, 10}) print_times(modes, budget);
}
