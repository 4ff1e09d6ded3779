// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "limber/files/document.hpp"

namespace limber {

// A value that overrides or extends those of a file.  docs/studies.md, "Paths".
struct Override {
  std::string path;   // "load.mass", "bodies.load.rigid.mass", "scenario.solver.step"
  std::string value;  // as it would be written in the file: "5", "[0, 0, -1.6]"
  bool operator==(const Override&) const = default;
};
using Overrides = std::vector<Override>;

// "load.mass=5".  Throws InputError: no '=', nothing before or after it.
Override parse_override(std::string_view text);
Overrides parse_overrides(const std::vector<std::string>& texts);
std::string to_string(const Override& given);

// Overrides by their target.  Every path belongs to one of these.
struct SplitOverrides {
  Overrides machine;     // of the model, without `model.`
  Overrides scenario;    // without `scenario.`
  Overrides controller;  // of the controller's own model, without `scenario.control.model.`
};
// A model alone has no scenario: throws InputError if a path refers to one.
SplitOverrides split_overrides(const Overrides& given, bool is_scenario);

// Replaces values of the document of a model or scenario; a value shared by an alias changes only at this place.  A key
// that is not in the file is added, and checked by the reader of the document.  `root` becomes a new one, which belongs
// to `owner`.  Returns the full paths.  Throws InputError: an unknown or ambiguous path, with the candidates; a value
// that is not YAML.
Overrides override_model(const DocumentNode*& root, Document& owner, const Overrides& given);
Overrides override_scenario(const DocumentNode*& root, Document& owner, const Overrides& given);

// Throws the same error with the overrides: "arm.yaml:9: ...; with load.mass=-5", unless it already names a path.
[[noreturn]] void fail_with(const std::string& what, const Overrides& given);

}  // namespace limber
