// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "limber/files/reader.hpp"
#include "limber/model/model.hpp"

namespace limber {

// A state for `limber eval`.  docs/model-format.md.
struct StateFile {
  VectorXd q, v;                // (nq), (nv); quaternions of length 1
  std::optional<VectorXd> tau;  // (nv) hinge torques and modal forces
  std::optional<VectorXd> a;    // (nv) accelerations
};

// {"q": [...], "v": [...], "tau": [...], "a": [...]}; tau and a are optional.  Throws InputError "FILE:LINE:
// ...".
StateFile read_state(const std::string& path, const Model& model);
StateFile parse_state(std::string_view text, const std::string& name_for_messages, const Model& model);
// A state inside a larger document.
StateFile read_state(const Reader& root, const Model& model);

}  // namespace limber
