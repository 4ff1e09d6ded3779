// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "limber/files/recording.hpp"
#include "limber/scenario/scenario.hpp"
#include "limber/simulate/equilibrium.hpp"

namespace limber::apps {

// How well the joints followed, over the records.
struct Tracking {
  std::vector<std::string> names;  // (hinge coordinate)
  VectorX squares, largest;        // sum of squares of the error; its largest size
  long records = 0;
  VectorX rms() const { return (squares / static_cast<double>(std::max(records, 1L))).cwiseSqrt(); }
};

// What there is to say about a run.
struct RunReport {
  const Scenario& scenario;
  RunResult result;
  std::optional<Equilibrium> equilibrium;
  double wall = 0;             // s
  std::string recording, csv;  // files; empty: none
  long records = 0;
  LargestDeflection deflection;
  Tracking tracking = {};                 // without names: no controller
  std::string page = {}, page_text = {};  // the HTML file, empty: none; and what is in it
};

// "finished", "interrupted", "diverged: ...".
std::string ended_text(const RunResult& result);
// "dopri5, rtol 1e-09, atol 1e-12, aba".
std::string solver_text(const SolverOptions& solver);

// The largest modal amplitude of each body, falling, `most` of them at most.
struct Amplitude {
  std::string coordinate;
  double value = 0;
};
std::vector<Amplitude> largest_amplitudes(const Model& model, const VectorX& largest, std::size_t most);

// The two ways to show it.
std::string summary_text(const RunReport& report);
void write_summary_json(const RunReport& report);

}  // namespace limber::apps
