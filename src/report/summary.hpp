// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/linear/facts.hpp"
#include "report/channels.hpp"
#include "report/page.hpp"

namespace limber {

// "600 001".
std::string grouped(long count);

// The numbers that an engineer copies: {"label", "value"}, in order.
nlohmann::ordered_json make_summary(const Recorded& recording, const Model& model,
                                    const std::vector<PlotChannel>& channels);
// moving: the frequencies are those of the machine in motion.
void add_frequency_facts(const FrequencyFacts& found, bool moving, nlohmann::ordered_json& summary);
// Figures that the run itself wrote (RecordingReader::figures), of all its steps, in place of those of the records.
// Its warnings.
std::vector<std::string> take_figures(const std::string& figures, nlohmann::ordered_json& summary);
// One line for each assumption of the model that did not hold at the records.
std::vector<std::string> find_warnings(const Recorded& recording, const Model& model);

}  // namespace limber
