// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/chains.hpp"

namespace limber::apps {

// Something to time.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual void evaluate() = 0;
};

// One line of the table.
struct BenchCase {
  std::string algorithm;  // one of bench_algorithms; batch, batch xN, batch gpu; another engine
  ChainSpec machine;
  double ns = 0;  // one evaluation, the best seen

  std::string name() const;  // "aba/chain/10x5/full"
};

// All words of the filter are in the name.
bool matches(const std::string& name, const std::string& filter);
// Those of forward dynamics by their names; rnea: inverse dynamics; mass_matrix.
std::vector<std::string> bench_algorithms();
// All that there are; `filter`: words that the name must contain, all of them; `only`: one algorithm, empty: all.
std::vector<BenchCase> bench_cases(const std::string& filter, const std::string& only);
std::unique_ptr<Evaluator> make_evaluator(const std::string& algorithm, const ChainSpec& machine);

// Forward dynamics of so many states at a time, in ns per state: for each kind of registers with one thread, then with
// `threads` (0: all cores); on the GPU.
std::vector<BenchCase> time_batches(const std::string& filter, int items, int threads, bool cpu, bool gpu,
                                    double seconds);

// One evaluation of arms of ten links with 5 and 10 modes, by aba and by the other engines of this build.
std::vector<BenchCase> time_peers(const std::string& filter, double seconds);

// Machine code apart from its caller, so that a profiler can start and stop on its name.
extern "C" void limber_bench_evaluate(Evaluator* evaluator);

}  // namespace limber::apps
