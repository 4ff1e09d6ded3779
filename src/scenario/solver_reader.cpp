// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "scenario/solver_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/files/detail/text.hpp"

namespace limber {
namespace {

// Keys valid for some methods only.
struct MethodKeys {
  std::string_view method;
  std::vector<std::string_view> keys;
  std::string_view cure;
};
const MethodKeys kMethods[] = {
    {"rk4", {"step"}, "write step"},
    {"dopri5", {"rtol", "atol", "max_step"}, "write rtol and atol, or max_step"},
    {"implicit", {"step", "rho_inf", "passes"}, "write step, rho_inf or passes"},
    {"cvode", {"rtol", "atol", "max_step", "formula"}, "write rtol and atol, max_step or formula"},
};
constexpr std::string_view kSomeKeys[] = {"step", "rtol", "atol", "max_step", "rho_inf", "passes", "formula"};
constexpr std::array<std::string_view, 2> kFormulas = {"bdf", "adams"};
constexpr double kSmallestRtol = 1e-14;  // slightly above rounding
constexpr int kMaxPasses = 100;

void check_belongs(const Reader& map, const std::string& method) {
  const auto known =
      std::find_if(std::begin(kMethods), std::end(kMethods), [&](auto& m) { return m.method == method; });
  if (known == std::end(kMethods)) return;
  for (const std::string_view key : kSomeKeys) {
    if (std::find(known->keys.begin(), known->keys.end(), key) != known->keys.end()) continue;
    if (const auto given = map.find(key)) given->fail(fmt::format("has no meaning for {}; {}", method, known->cure));
  }
}

void read_numbers(const Reader& map, SolverOptions& out) {
  const auto read = [&](std::string_view key, double& value) {
    if (const auto given = map.find(key)) value = given->positive();
  };
  read("step", out.step);
  read("atol", out.atol);
  read("max_step", out.max_step);
  if (const auto rtol = map.find("rtol")) {
    out.rtol = rtol->positive();
    if (out.rtol < kSmallestRtol)
      rtol->fail(fmt::format("must be at least {}, but is {}", kSmallestRtol, rtol->text()));
  }
  if (const auto rho = map.find("rho_inf")) {
    out.rho_inf = rho->number();
    if (out.rho_inf < 0 || out.rho_inf > 1) rho->fail(fmt::format("must be from 0 to 1, but is {}", rho->text()));
  }
  if (const auto passes = map.find("passes")) out.passes = passes->whole_number(1, kMaxPasses);
  if (const auto formula = map.find("formula")) out.formula = kFormulas[formula->choice(kFormulas)];
}

// Features available only in the articulated-body algorithm.
void check_algorithm(const Reader& algorithm, const SolverOptions& solver, const Inputs& inputs) {
  if (solver.algorithm == "aba") return;
  const auto refuse = [&](const std::string& what) {
    algorithm.fail(fmt::format("must be aba with {}, but is {}", what, solver.algorithm));
  };
  if (solver.method == "implicit") refuse("method implicit");
  if (!inputs.motions.empty()) refuse("a prescribed motion (" + inputs.motions[0].label + ")");
  if (!inputs.gravities.empty()) refuse("gravity among the inputs (" + inputs.gravities[0].label + ")");
}

}  // namespace

SolverOptions read_solver(const std::optional<Reader>& map, const Inputs& inputs) {
  SolverOptions out;
  if (!map) return out;
  map->check_keys({"method", "algorithm", "step", "rtol", "atol", "max_step", "rho_inf", "passes", "formula"});
  const auto choose = [&](std::string_view key, const std::vector<std::string>& names, std::string& value) {
    const auto given = map->find(key);
    if (given) value = names[static_cast<std::size_t>(given->choice(views(names)))];
    return given;
  };
  choose("method", stepper_names(), out.method);
  const auto algorithm = choose("algorithm", forward_dynamics_names(), out.algorithm);
  check_belongs(*map, out.method);
  read_numbers(*map, out);
  if (algorithm) check_algorithm(*algorithm, out, inputs);
  return out;
}

}  // namespace limber
