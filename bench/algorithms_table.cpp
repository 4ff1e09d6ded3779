// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// All forward dynamics algorithms on chains of flexible links: the comparison in docs/algorithms.md.
// build/bench/algorithms_table [--seconds 0.5] [--filter WORDS]         CPU times as CSV: minimum of many, alternately
//   build/bench/algorithms_table --list                                   the cases: ALGORITHM BODIES MODES FIDELITY
//   build/bench/algorithms_table --count ALGORITHM BODIES MODES FIDELITY TIMES      evaluates only, for callgrind
//   build/bench/algorithms_table --count matvec 64 0 full 1               a known number of operations, as a check
// bench/flops counts; bench/results/algorithms-*.csv hold the results.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "apps/chains.hpp"
#include "limber/dynamics/dca.hpp"
#include "limber/dynamics/forward.hpp"

namespace {

using namespace limber;
using Clock = std::chrono::steady_clock;

// CPU time of this thread, so that other processes do not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// One chain, shared by all algorithms.
struct Machine {
  int bodies = 1, modes = 0;
  Fidelity fidelity = Fidelity::full;
  int coordinates() const { return bodies * (1 + modes); }
};

// Size up to which an algorithm is run; beyond, its matrices take too much time or memory.
bool is_feasible(const std::string& algorithm, const Machine& m) {
  if (algorithm == "book") return m.fidelity == Fidelity::full && m.coordinates() <= 750;  // chains in `full` only
  if (algorithm == "crba") return m.coordinates() <= 2100;
  if (algorithm == "operators") return m.bodies * (6 + m.modes) <= 800;
  return true;
}

// [JR] fig. 2: ten bodies, modes varied, in both fidelities; then more modes, and bodies with 0, 5, 10 and 40 modes;
// [MS] table 1: eight links with two bending modes in each plane.
std::vector<Machine> machines() {
  std::vector<Machine> out = {{8, 4, Fidelity::full}, {8, 4, Fidelity::ruthless}};
  for (const Fidelity fidelity : {Fidelity::full, Fidelity::ruthless}) {
    for (const int modes : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 40}) out.push_back({10, modes, fidelity});
  }
  for (const int modes : {0, 5, 10, 40}) {
    for (int bodies = 1; bodies <= 4096; bodies *= 2) out.push_back({bodies, modes, Fidelity::full});
  }
  return out;
}

Fidelity to_fidelity(const std::string& name) {
  for (const Fidelity f : {Fidelity::ruthless, Fidelity::full, Fidelity::stiffened}) {
    if (name == to_string(f)) return f;
  }
  throw InputError("no fidelity '" + name + "'");
}

// A chain with its state, at a fixed address.
struct Chain {
  explicit Chain(const Machine& m)
      : model(apps::make_chain({apps::Topology::chain, m.bodies, m.modes, m.fidelity})),
        sample(apps::make_sample(model)),
        vdot(model.nv) {}
  Model model;
  apps::Sample sample;
  VectorXd vdot;
};

// dca with one thread: total work is compared.
class SerialDca final : public ForwardDynamics {
 public:
  explicit SerialDca(const Model& model) : model_(model), ws_(model, {.threads = 1}) {}
  Status operator()(const State& x, const Forces& forces, Vec vdot) override {
    return dca(model_, x, forces, ws_, vdot);
  }

 private:
  const Model& model_;
  DcaWorkspace ws_;
};

std::unique_ptr<ForwardDynamics> make(const Model& model, const std::string& algorithm) {
  if (algorithm == "dca") return std::make_unique<SerialDca>(model);
  return make_forward_dynamics(model, algorithm);
}

void evaluate(ForwardDynamics& algorithm, Chain& chain) {
  const Status status = algorithm(chain.sample.x, {chain.sample.tau}, chain.vdot);
  if (status == Status::ok) return;
  fmt::print(stderr, "algorithms_table: {}\n", to_string(status));
  std::exit(1);
}

// Timing of one algorithm.
struct Runner {
  std::string name;
  std::unique_ptr<ForwardDynamics> algorithm;
  double best = 1e30;
  long samples = 0;

  // As many evaluations as take about 50 microseconds, at least one.  One evaluation before them reloads its data into
  // the caches, which the other algorithms have used.
  void run(Chain& chain) {
    evaluate(*algorithm, chain);
    const long repeats = best > 1e29 ? 1 : std::max(1L, static_cast<long>(50e-6 / best));
    const double begin = processor_seconds();
    for (long k = 0; k < repeats; ++k) evaluate(*algorithm, chain);
    best = std::min(best, (processor_seconds() - begin) / static_cast<double>(repeats));
    ++samples;
  }
};

// All algorithms alternately, so that temporary disturbances affect all equally; each at least `least` times.
void time_machine(const Machine& m, double seconds) {
  constexpr int kLeast = 3;
  Chain chain(m);
  std::vector<Runner> runners;
  for (const std::string& name : forward_dynamics_names()) {
    if (is_feasible(name, m)) runners.push_back({name, make(chain.model, name)});
  }
  const auto begin = Clock::now();
  for (int round = 0;; ++round) {
    if (round >= kLeast && std::chrono::duration<double>(Clock::now() - begin).count() > seconds) break;
    for (Runner& runner : runners) runner.run(chain);
  }
  for (const Runner& runner : runners)
    fmt::print("{},{},{},{},{:.1f},{}\n", runner.name, m.bodies, m.modes, to_string(m.fidelity), 1e9 * runner.best,
               runner.samples);
  std::fflush(stdout);
}

std::string name_of(const std::string& algorithm, const Machine& m) {
  return fmt::format("{} {} {} {}", algorithm, m.bodies, m.modes, to_string(m.fidelity));
}

}  // namespace

// The part counted by callgrind.
extern "C" [[gnu::noinline, gnu::used]] void limber_algorithms_table_evaluate(ForwardDynamics* algorithm,
                                                                              Chain* chain) {
  evaluate(*algorithm, *chain);
}
extern "C" [[gnu::noinline, gnu::used]] void limber_algorithms_table_matvec(const MatrixXd* A, const VectorXd* x,
                                                                            VectorXd* y) {
  y->noalias() += *A * *x;
}

namespace {

// TIMES + 1 evaluations: the first one includes one-time work.
int count(const std::vector<std::string>& words) {
  const Machine m{std::stoi(words[2]), std::stoi(words[3]), to_fidelity(words[4])};
  const int times = std::stoi(words[5]);
  if (words[1] == "matvec") {
    const MatrixXd A = MatrixXd::Ones(m.bodies, m.bodies);
    const VectorXd x = VectorXd::Ones(m.bodies);
    VectorXd y = x;
    for (int k = 0; k < times; ++k) limber_algorithms_table_matvec(&A, &x, &y);
    return 0;
  }
  Chain chain(m);
  const auto algorithm = make(chain.model, words[1]);
  evaluate(*algorithm, chain);
  for (int k = 0; k < times; ++k) limber_algorithms_table_evaluate(algorithm.get(), &chain);
  return 0;
}

int list() {
  for (const Machine& m : machines()) {
    for (const std::string& name : forward_dynamics_names()) {
      if (is_feasible(name, m)) fmt::print("{}\n", name_of(name, m));
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto option = [&](const std::string& name, const std::string& otherwise) {
    const auto at = std::find(words.begin(), words.end(), name);
    return at == words.end() || at + 1 == words.end() ? otherwise : *(at + 1);
  };
  if (words.size() == 6 && words[0] == "--count") return count(words);
  if (!words.empty() && words[0] == "--list") return list();
  const double seconds = std::stod(option("--seconds", "0.5"));
  const std::string filter = option("--filter", "");
  fmt::print("algorithm,bodies,modes,fidelity,ns,samples\n");
  for (const Machine& m : machines()) {
    if (name_of("", m).find(filter) != std::string::npos) time_machine(m, seconds);
  }
  return 0;
}
