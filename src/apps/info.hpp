// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/linear/facts.hpp"

namespace limber::apps {

// The two ways to show all about a model.
std::string info_text(const Model& model, const ModelFacts& facts, bool all);
std::string info_json(const Model& model, const ModelFacts& facts);

}  // namespace limber::apps
