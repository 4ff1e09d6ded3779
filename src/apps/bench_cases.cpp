// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "apps/bench.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/forward.hpp"

namespace limber::apps {
namespace {

constexpr int kMaxDense = 1500;  // coordinates up to which a mass matrix is computed

// A model at a fixed address, with a state.
struct Machine {
  explicit Machine(const ChainSpec& spec) : model(make_chain(spec)), sample(make_sample(model)), out(model.nv) {}
  Model model;
  Sample sample;
  VectorXd out;
};

class Forward final : public Evaluator {
 public:
  Forward(const ChainSpec& spec, const std::string& name) : machine_(spec) {
    dynamics_ = make_forward_dynamics(machine_.model, name);
    const Status status = (*dynamics_)(machine_.sample.x, {machine_.sample.tau}, machine_.out);
    if (status != Status::ok) throw InputError(fmt::format("limber bench: {}: {}", name, to_string(status)));
  }
  void evaluate() override { last_ = (*dynamics_)(machine_.sample.x, {machine_.sample.tau}, machine_.out); }

 private:
  Machine machine_;
  std::unique_ptr<ForwardDynamics> dynamics_;
  Status last_ = Status::ok;
};

class Inverse final : public Evaluator {
 public:
  explicit Inverse(const ChainSpec& spec) : machine_(spec), ws_(machine_.model) {}
  void evaluate() override { rnea(machine_.model, machine_.sample.x, machine_.sample.vdot, {}, ws_, machine_.out); }

 private:
  Machine machine_;
  RneaWorkspace ws_;
};

class MassMatrix final : public Evaluator {
 public:
  explicit MassMatrix(const ChainSpec& spec)
      : machine_(spec), ws_(machine_.model), M_(machine_.model.nv, machine_.model.nv) {}
  void evaluate() override { crba(machine_.model, machine_.sample.x, ws_, M_); }

 private:
  Machine machine_;
  CrbaWorkspace ws_;
  MatrixXd M_;
};

// Dense matrices are timed up to a size; algorithms in `operators`, which are for study, on small models only.  `book`
// takes chains in `full`.
bool is_worth_timing(const std::string& algorithm, const ChainSpec& machine) {
  if (algorithm == "operators") return machine.bodies <= 10;
  if (algorithm == "book" && (machine.topology != Topology::chain || machine.fidelity != Fidelity::full)) return false;
  const bool dense = algorithm == "crba" || algorithm == "book" || algorithm == "mass_matrix";
  return !dense || machine.bodies * (1 + machine.modes) <= kMaxDense;
}

// Rigid first, then by number of modes and fidelity: the rows of one topology and size.
std::vector<ChainSpec> machines(Topology topology, int bodies) {
  std::vector<ChainSpec> out = {{topology, bodies, 0, Fidelity::full}};
  const bool chain = topology == Topology::chain, small = bodies == 10;
  for (const int modes : {5, 10, 20, 40}) {
    if (modes > 10 && !(chain && small)) continue;
    if (chain) out.push_back({topology, bodies, modes, Fidelity::ruthless});
    out.push_back({topology, bodies, modes, Fidelity::full});
    if (chain && small && modes <= 10) out.push_back({topology, bodies, modes, Fidelity::stiffened});
  }
  return out;
}

}  // namespace

bool matches(const std::string& name, const std::string& filter) {
  std::istringstream words(filter);
  for (std::string word; words >> word;) {
    if (name.find(word) == std::string::npos) return false;
  }
  return true;
}

std::string BenchCase::name() const {
  return fmt::format("{}/{}/{}x{}/{}", algorithm, to_string(machine.topology), machine.bodies, machine.modes,
                     to_string(machine.fidelity));
}

std::vector<std::string> bench_algorithms() {
  std::vector<std::string> out = forward_dynamics_names();
  out.insert(out.end(), {"rnea", "mass_matrix"});
  return out;
}

std::vector<BenchCase> bench_cases(const std::string& filter, const std::string& only) {
  std::vector<BenchCase> out;
  for (const std::string& algorithm : bench_algorithms()) {
    if (!only.empty() && algorithm != only) continue;
    for (const Topology topology : {Topology::chain, Topology::tree}) {
      for (const int bodies : {10, 100, 1000}) {
        for (const ChainSpec& machine : machines(topology, bodies)) {
          const BenchCase entry{algorithm, machine, 0};
          if (!is_worth_timing(algorithm, machine)) continue;
          if (matches(entry.name(), filter)) out.push_back(entry);
        }
      }
    }
  }
  return out;
}

std::unique_ptr<Evaluator> make_evaluator(const std::string& algorithm, const ChainSpec& machine) {
  if (algorithm == "rnea") return std::make_unique<Inverse>(machine);
  if (algorithm == "mass_matrix") return std::make_unique<MassMatrix>(machine);
  return std::make_unique<Forward>(machine, algorithm);
}

extern "C" [[gnu::noinline, gnu::used]] void limber_bench_evaluate(Evaluator* evaluator) { evaluator->evaluate(); }

}  // namespace limber::apps
