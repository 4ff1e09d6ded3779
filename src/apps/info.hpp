// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/elements.hpp"
#include "limber/linear/facts.hpp"

namespace limber::apps {

// The two ways to show all about a model.
std::string info_text(const Model& model, const ModelFacts& facts, bool all);
std::string info_json(const Model& model, const ModelFacts& facts);

// Whose stiffness natural frequencies have.
inline std::string stiff_parts(const Model& model) {
  return has_elements(model) ? "modes, joint springs and force elements" : "modes and joint springs";
}

}  // namespace limber::apps
