// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/linear/facts.hpp"
#include "report/channels.hpp"
#include "report/page.hpp"

namespace limber {

// "600 001".
std::string grouped(long count);

// Key figures: {"label", "value"}, in order.
nlohmann::ordered_json make_summary(const Recorded& recording, const Model& model,
                                    const std::vector<PlotChannel>& channels);
// moving: the frequencies are those of the moving model.
void add_frequency_facts(const FrequencyFacts& found, bool moving, nlohmann::ordered_json& summary);
// Figures written by the run itself (RecordingReader::figures), over all its steps, replace those of the records.
// Returns its warnings.
std::vector<std::string> take_figures(const std::string& figures, nlohmann::ordered_json& summary);
// One line per assumption of the model that is violated in the records.
std::vector<std::string> find_warnings(const Recorded& recording, const Model& model);

}  // namespace limber
