// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/elements.hpp"
#include "limber/linear/facts.hpp"

namespace limber::apps {

// All facts about a model, as text or JSON.
std::string info_text(const Model& model, const ModelFacts& facts, bool all);
std::string info_json(const Model& model, const ModelFacts& facts);

// The parts whose stiffness is included in the natural frequencies.
inline std::string stiff_parts(const Model& model) {
  return has_elements(model) ? "modes, joint springs and force elements" : "modes and joint springs";
}

}  // namespace limber::apps
