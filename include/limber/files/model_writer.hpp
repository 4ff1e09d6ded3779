// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/model/model.hpp"

namespace limber {

// A model as a model file (docs/model-format.md), in JSON, a subset of YAML; one line per body, joint and closure.
// Reading it back gives the same bits: numbers have all their digits.  Rotations are written as rpy, chosen
// to give the same matrix; if no rpy gives it bit for bit, the nearest is written (entries to 1e-15).
// InputError: a body whose numbers do not come from a specification (rigid, beam, modal), because it was made by hand,
// was changed after it was made, or carries a payload.  The choice of elimination is not part of a file.
std::string model_text(const Model& model);
void write_model(const Model& model, const std::string& path);

}  // namespace limber
