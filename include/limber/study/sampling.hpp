// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/files/overrides.hpp"
#include "limber/study/study.hpp"

namespace limber {

inline constexpr int kMaxSobolDimensions = 64;

// Number of runs of a study.  Throws InputError "FILE: ..." beyond kMaxRuns, with their number and the size of the
// table.
long count_runs(const Study& study);

// The values of every run.  They depend only on the study and the number of the run.
class StudySamples {
 public:
  explicit StudySamples(const Study& study);  // which must outlive it
  long runs() const { return runs_; }
  std::uint64_t seed(long run) const;               // of its random numbers
  VectorXd unit_point(long run) const;              // (parameter) in 0 ... 1, before the distributions
  std::vector<std::string> values(long run) const;  // (parameter) as written in the file
  Overrides overrides(long run) const;              // the same with their paths

 private:
  VectorXd saltelli_point(long run) const;

  const Study& study_;
  long runs_ = 0;
  std::vector<std::vector<std::int32_t>> order_;  // latin: (parameter) (run) interval
  MatrixXd factor_;                               // Cholesky factor of the correlation; empty: none
};

// Value of a parameter at u in 0 ... 1 of its distribution; of an axis the index of the value.
double quantile(const StudyParameter& parameter, double u);

// Quantile of the standard normal distribution, within a few units of the last place.
double normal_quantile(double u);
// Point `index` of the Sobol sequence with the direction numbers of Joe and Kuo, SIAM J. Sci. Comput. 30 (2008) 2635,
// new-joe-kuo-6: 32 bits each.  Dimension < kMaxSobolDimensions.
std::uint32_t sobol_bits(std::uint32_t index, int dimension);
// 64 random bits as a function of these three (the finaliser of SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

}  // namespace limber
