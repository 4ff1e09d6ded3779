// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/scenario/simulation.hpp"
#include "limber/simulate/expression.hpp"
#include "limber/study/study.hpp"

namespace limber {

// Collects the results of one run of a simulation, which must outlive it.
class ResultCollector {
 public:
  // Resolves all channels.  Throws InputError for a missing channel, component or joint, with a list of those that
  // exist.
  ResultCollector(const Study& study, Simulation& simulation);

  void record(const Record& record);
  // (result); NaN: there is none.  parameters: NaN for those that are not numeric.
  std::vector<double> finish(const Tracking& tracking, bool complete, const std::vector<double>& parameters) const;
  std::vector<std::string> units() const;  // (result)

 private:
  struct Column {
    std::size_t channel = 0;
    int first = 0, count = 1;  // columns; if several: the norm of the row
  };
  struct Series {
    std::size_t result = 0;
    std::vector<Column> columns;
    std::vector<Expression> expression;  // zero or one
    std::string unit;
    std::vector<double> values;
  };
  void add_series(std::size_t result);
  void add_start(std::size_t result, Simulation& simulation);
  Column find_column(const StudyResult& result, const ChannelColumn& wanted, std::string& unit);
  double tracking_error(const StudyResult& result, const Tracking& tracking) const;

  const Study& study_;
  std::vector<Channel> all_, used_;
  std::vector<std::vector<double>> rows_;  // (channel) of the record
  std::vector<Series> series_;
  std::vector<double> times_, letters_;
  std::vector<double> at_start_;  // (result) frequencies and poles
  std::vector<std::string> units_;
};

// Reduces a series.  `from`: values before it are ignored.
double reduce_series(const StudyResult& result, const std::vector<double>& times, const std::vector<double>& values);

}  // namespace limber
