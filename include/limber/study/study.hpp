// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limber/spatial/types.hpp"

namespace limber {

inline constexpr double kMaxRuns = 1e7;  // of a study

// A value of model or scenario that a study varies.
struct StudyParameter {
  enum class Kind { values, uniform, normal, lognormal };
  std::string path;
  Kind kind = Kind::uniform;
  double a = 0, b = 1;              // bounds; mean and sigma; median and sigma of the logarithm
  std::vector<std::string> values;  // of an axis, as written in the file
  std::vector<double> weights;      // of these, with sum 1; empty: equal
  bool numbers = true;              // the values are numbers
  std::optional<double> start;      // of a search
  std::string unit;                 // of its numbers in the file, in SI; empty: none
  std::string text;                 // as in the study file
};

// A value as the text of an override, with its unit, which is checked where it is used.
std::string write_value(const StudyParameter& parameter, double value);

enum class SamplingMethod { grid, latin, sobol, random, saltelli };
std::string_view to_string(SamplingMethod method);

// The sampling of a study: docs/studies.md, "Sampling".
struct SamplingOptions {
  SamplingMethod method = SamplingMethod::grid;
  long count = 0;  // 0: not given
  std::uint64_t seed = 1;
  MatrixXd correlation;  // (parameter x parameter) of the normal variables behind them; empty: none
};

// A column of a channel: `of: nodes/boom.tip/position`, `component: x`.
struct ChannelColumn {
  std::string channel, component;  // component empty: the only one; "norm": length of the row
};

// A result of a run: docs/studies.md, "Results".
struct StudyResult {
  enum class Kind { channel, frequency, pole, tracking, formula };
  enum class Reduce { max, min, max_abs, rms, mean, last, at, settling };
  std::string name, text;
  Kind kind = Kind::channel;
  std::string expression;                             // of columns or of other results; empty: the first column itself
  std::vector<std::string> letters;                   // of the expression
  std::vector<ChannelColumn> columns;                 // channel: (letter), or the only one
  std::vector<std::pair<bool, std::size_t>> sources;  // formula: (letter) (is a parameter, its index or the result's)
  Reduce reduce = Reduce::last;
  double argument = 0;          // time, or band
  std::optional<double> about;  // settling: instead of the last value
  double from = 0;              // s: earlier records are omitted
  int number = 1;               // of frequency or pole, from 1
  bool locked = true;           // joints
  std::string word;             // part of a pole; which tracking error
  std::string component;        // tracking: a joint; empty: the worst
};

struct KeepChoice {
  enum class Kind { none, all, failed, chosen };
  Kind kind = Kind::none;
  std::vector<long> runs;  // rising
};

// `tune: {minimise: tip, method: nelder-mead, evaluations: 200, tolerance: 1e-4}`.
struct TuneOptions {
  std::string method = "nelder-mead";
  std::size_t goal = 0;  // index of the result
  bool maximise = false;
  int evaluations = 200;
  double tolerance = 1e-4;  // of the parameters, as a fraction of their ranges
};

struct Study {
  std::string name, text, file;
  std::string scenario_file;
  std::vector<StudyParameter> parameters;
  SamplingOptions sampling;
  std::vector<StudyResult> results;
  KeepChoice keep;
  std::optional<TuneOptions> tune;
};

// A study file.  Every key is checked; the first error is an InputError "FILE:LINE: parameters[1].range ...".  Paths
// and channels are checked by prepare_study, with the scenario.
Study read_study(const std::string& path);
// `folder`: the folder of the relative path of the scenario.
Study parse_study(std::string_view text, const std::string& name_for_messages, const std::string& folder);

}  // namespace limber
