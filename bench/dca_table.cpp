// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Divide and conquer against the serial recursion, on chains of flexible links.
//   build/bench/dca_table [--quick]      times, levels and crossover; quick: a few seconds
// build/bench/dca_table --grain        time as a function of the grain size
// build/bench/dca_table --cores        time as a function of the number of threads, CSV
//   build/bench/dca_table --count aba|dca BODIES MODES TIMES      evaluates only, for callgrind
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "apps/chains.hpp"
#include "limber/dynamics/detail/dca.hpp"

namespace {

using namespace limber;
using Clock = std::chrono::steady_clock;

// A chain with its workspaces, and the timed functions.
struct Case {
  Case(int bodies, int modes, Fidelity fidelity = Fidelity::full)
      : model(apps::make_chain({apps::Topology::chain, bodies, modes, fidelity})),
        sample(apps::make_sample(model)),
        vdot(model.nv) {}
  Model model;
  apps::Sample sample;
  VectorXd vdot;
};

void expect_ok(Status status) {
  if (status == Status::ok) return;
  fmt::print(stderr, "dca_table: {}\n", to_string(status));
  std::exit(1);
}

double seconds(const std::function<void()>& evaluate) {
  const auto begin = Clock::now();
  evaluate();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Minimum of many, alternately, so that temporary disturbances affect all equally.
std::vector<double> best_of(const std::vector<std::function<void()>>& all, double budget) {
  std::vector<double> best(all.size(), 1e30);
  for (const auto& evaluate : all) evaluate();
  const auto begin = Clock::now();
  do {
    for (std::size_t k = 0; k < all.size(); ++k) best[k] = std::min(best[k], seconds(all[k]));
  } while (std::chrono::duration<double>(Clock::now() - begin).count() < budget);
  return best;
}

// Number of cores from which the parallel evaluation is faster, by work and depth: aba <= work / cores + levels x
// level.
int crossover(double aba, double dca, double depth) {
  for (int cores = 1; cores <= 1 << 20; ++cores) {
    if (dca / cores + depth <= aba) return cores;
  }
  return -1;
}

void print_times(int modes, double budget) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  fmt::print("\nChains of links with {} modes, full; microseconds, best of many\n\n", modes);
  fmt::print("| links | levels | aba | dca, 1 thread | dca, {} threads | speedup | dca / aba | crossover, cores |\n",
             cores);
  fmt::print("|---|---|---|---|---|---|---|---|\n");
  for (const int bodies : {16, 64, 256, 1024, 4096}) {
    Case c(bodies, modes);
    AbaWorkspace serial(c.model);
    DcaWorkspace one(c.model, {.threads = 1}), many(c.model);
    const Forces forces{c.sample.tau};
    const std::vector<double> t = best_of({[&] { expect_ok(aba(c.model, c.sample.x, forces, serial, c.vdot)); },
                                           [&] { expect_ok(dca(c.model, c.sample.x, forces, one, c.vdot)); },
                                           [&] { expect_ok(dca(c.model, c.sample.x, forces, many, c.vdot)); }},
                                          budget);
    // The time of a level of the three sweeps is that of one body and one pair.
    const double depth = one->tree.levels * t[1] / bodies;
    fmt::print("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {} |\n", bodies, one->tree.levels, 1e6 * t[0],
               1e6 * t[1], 1e6 * t[2], t[1] / t[2], t[1] / t[0], crossover(t[0], t[1], depth));
  }
}

void print_grains(double budget) {
  Case c(4096, 5);
  const Forces forces{c.sample.tau};
  fmt::print("\n4096 links with 5 modes, all cores, against the grain; microseconds\n\n| grain | dca |\n|---|---|\n");
  const std::vector<int> grains = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};
  std::vector<DcaWorkspace> workspaces;
  for (const int grain : grains) workspaces.emplace_back(c.model, DcaOptions{.grain = grain});
  std::vector<std::function<void()>> all;
  for (DcaWorkspace& ws : workspaces) all.push_back([&] { expect_ok(dca(c.model, c.sample.x, forces, ws, c.vdot)); });
  const std::vector<double> t = best_of(all, budget);
  for (std::size_t k = 0; k < grains.size(); ++k) fmt::print("| {} | {:.1f} |\n", grains[k], 1e6 * t[k]);
}

// Nanoseconds of aba and of dca with 1, 2, 4, ... threads, up to the number of cores; alternately.
void print_cores(double budget) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  fmt::print("bodies,modes,threads,aba_ns,dca_ns\n");
  for (const int modes : {0, 5, 10}) {
    for (const int bodies : {64, 256, 1024, 4096}) {
      Case c(bodies, modes);
      const Forces forces{c.sample.tau};
      AbaWorkspace serial(c.model);
      std::vector<int> threads;
      std::vector<DcaWorkspace> workspaces;
      for (int k = 1; k <= cores; k *= 2) threads.push_back(k);
      for (const int k : threads) workspaces.emplace_back(c.model, DcaOptions{.threads = k});
      std::vector<std::function<void()>> all = {[&] { expect_ok(aba(c.model, c.sample.x, forces, serial, c.vdot)); }};
      for (DcaWorkspace& ws : workspaces)
        all.push_back([&] { expect_ok(dca(c.model, c.sample.x, forces, ws, c.vdot)); });
      const std::vector<double> t = best_of(all, budget);
      for (std::size_t k = 0; k < threads.size(); ++k)
        fmt::print("{},{},{},{:.0f},{:.0f}\n", bodies, modes, threads[k], 1e9 * t[0], 1e9 * t[k + 1]);
    }
  }
}

}  // namespace

// The part counted by callgrind.
extern "C" [[gnu::noinline, gnu::used]] void limber_dca_table_evaluate(const std::function<void()>& evaluate) {
  evaluate();
}

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string first = arguments.empty() ? "" : arguments[0];
  if (first == "--count" && arguments.size() == 5) {
    Case c(std::stoi(arguments[2]), std::stoi(arguments[3]));
    const Forces forces{c.sample.tau};
    AbaWorkspace serial(c.model);
    DcaWorkspace one(c.model, {.threads = 1});
    const std::function<void()> evaluate = [&] {
      expect_ok(arguments[1] == "dca" ? dca(c.model, c.sample.x, forces, one, c.vdot)
                                      : aba(c.model, c.sample.x, forces, serial, c.vdot));
    };
    evaluate();
    for (int k = std::stoi(arguments[4]); k > 0; --k) limber_dca_table_evaluate(evaluate);
    return 0;
  }
  if (first == "--cores") {
    print_cores(3);
    return 0;
  }
  if (first == "--grain") {
    print_grains(8);
    return 0;
  }
  const double budget = first == "--quick" ? 0.3 : 3;
  for (const int modes : {0, 5, 10}) print_times(modes, budget);
}
