// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "limber/report/run.hpp"

namespace limber::apps {

// The largest modal amplitude of each body, in descending order, at most `most` of them.
struct Amplitude {
  std::string coordinate;
  double value = 0;
};
std::vector<Amplitude> largest_amplitudes(const Model& model, const VectorXd& largest, std::size_t most);

// The summary as text or JSON.
std::string summary_text(const Scenario& scenario, const RunReport& report);
void write_summary_json(const Scenario& scenario, const RunReport& report);

}  // namespace limber::apps
