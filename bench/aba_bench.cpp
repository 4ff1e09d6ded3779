// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Forward dynamics of the arms of `limber bench`: links, modes, fidelity, and both eliminations of the modes.
//   build/bench/aba_bench --benchmark_filter=aba/.*/10x
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "apps/chains.hpp"
#include "limber/dynamics/forward.hpp"

namespace {

using namespace limber;

constexpr int kMaxDense = 1500;  // coordinates up to which dense matrices are timed

void run(benchmark::State& state, const apps::ChainSpec& spec, const std::string& algorithm) {
  const Model model = apps::make_chain(spec);
  const apps::Sample sample = apps::make_sample(model);
  const auto dynamics = make_forward_dynamics(model, algorithm);
  VectorXd vdot(model.nv);
  Status status = Status::ok;
  for (auto _ : state) {
    status = (*dynamics)(sample.x, {sample.tau}, vdot);
    benchmark::DoNotOptimize(vdot.data());
  }
  if (status != Status::ok) state.SkipWithError(to_string(status));
  state.counters["per_body"] = benchmark::Counter(static_cast<double>(spec.bodies) * state.iterations(),
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

const char* name_of(Elimination elimination) { return elimination == Elimination::all_modes ? "all_modes" : "active"; }

void add(const apps::ChainSpec& spec, const std::string& algorithm, const std::string& way) {
  const std::string fidelity = spec.modes == 0 ? "rigid" : to_string(spec.fidelity);
  const std::string name = fmt::format("{}/{}/{}x{}{}", algorithm, fidelity, spec.bodies, spec.modes, way);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { run(state, spec, algorithm); });
}

void add_all(int bodies, int modes, Fidelity fidelity) {
  apps::ChainSpec spec{apps::Topology::chain, bodies, modes, fidelity, Elimination::automatic};
  if (modes == 0) add(spec, "aba", "");
  for (const Elimination way : {Elimination::all_modes, Elimination::active}) {
    if (modes == 0) continue;
    spec.elimination = way;
    add(spec, "aba", fmt::format("/{}", name_of(way)));
  }
  if (bodies * (1 + modes) <= kMaxDense) add(spec, "crba", "");
}

}  // namespace

int main(int argc, char** argv) {
  for (const int bodies : {10, 100, 1000}) {
    add_all(bodies, 0, Fidelity::full);
    for (const int modes : {5, 10, 20, 40}) {
      for (const Fidelity fidelity : {Fidelity::ruthless, Fidelity::full}) add_all(bodies, modes, fidelity);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
