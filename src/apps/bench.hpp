// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/chains.hpp"

namespace limber::apps {

// An algorithm to time.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual void evaluate() = 0;
};

// One line of the table.
struct BenchCase {
  std::string algorithm;  // a name in bench_algorithms; batch, batch xN, batch gpu; another engine
  ChainSpec machine;
  double ns = 0;  // one evaluation, the minimum

  std::string name() const;  // "aba/chain/10x5/full"
};

// Whether all words of the filter occur in the name.
bool matches(const std::string& name, const std::string& filter);
// Forward dynamics by name; rnea: inverse dynamics; mass_matrix.
std::vector<std::string> bench_algorithms();
// All cases; `filter`: words that the name must contain; `only`: one algorithm, empty: all.
std::vector<BenchCase> bench_cases(const std::string& filter, const std::string& only);
std::unique_ptr<Evaluator> make_evaluator(const std::string& algorithm, const ChainSpec& machine);

// Forward dynamics of batches of states, in ns per state: for each SIMD width with one thread, then with `threads`
// threads (0: all cores); on the GPU.
std::vector<BenchCase> time_batches(const std::string& filter, int items, int threads, bool cpu, bool gpu,
                                    double seconds);

// One evaluation for arms of ten links with 5 and 10 modes, by aba and by the other engines of this build.
std::vector<BenchCase> time_peers(const std::string& filter, double seconds);

// A separate function, so that a profiler can start and stop at its name.
extern "C" void limber_bench_evaluate(Evaluator* evaluator);

}  // namespace limber::apps
