// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/scenario/simulation.hpp"
#include "limber/simulate/expression.hpp"
#include "limber/study/study.hpp"

namespace limber {

// Gathers the results of one run of a simulation, which must outlive it.
class ResultCollector {
 public:
  // Finds all channels.  Throws InputError: a channel, component, joint that is not there, with those that are.
  ResultCollector(const Study& study, Simulation& simulation);

  void record(const Record& record);
  // (result); not a number: there is none.  parameters: not a number for those that are none.
  std::vector<double> finish(const Tracking& tracking, bool complete, const std::vector<double>& parameters) const;
  std::vector<std::string> units() const;  // (result)

 private:
  struct Column {
    std::size_t channel = 0;
    int first = 0, count = 1;  // columns; several: the length of the row
  };
  struct Series {
    std::size_t result = 0;
    std::vector<Column> columns;
    std::vector<Expression> expression;  // one or none
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

// Of a series.  `from`: what comes before is left out.
double reduce_series(const StudyResult& result, const std::vector<double>& times, const std::vector<double>& values);

}  // namespace limber
