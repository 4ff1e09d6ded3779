// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/model/model.hpp"

namespace limber {

// A model as a model file (docs/model-format.md), in JSON, which is YAML too; one line per body, joint and closure.
// What is read back evaluates to the same bits: numbers have all their digits.  Rotations are written as rpy, found
// such that they give the same matrix; for one that no rpy gives bit by bit, the nearest is written (entries to 1e-15).
// InputError: a body whose numbers do not come from a specification (rigid, beam, modal), because it was made by hand,
// was changed after it was made, or carries a payload.  The choice of elimination is not part of a file.
std::string model_text(const Model& model);
void write_model(const Model& model, const std::string& path);

}  // namespace limber
