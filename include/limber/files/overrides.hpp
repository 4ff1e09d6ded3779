// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "limber/files/document.hpp"

namespace limber {

// A value given from outside in place of the one in the file, or beside those in it.  docs/studies.md, "Paths".
struct Override {
  std::string path;   // "load.mass", "bodies.load.rigid.mass", "scenario.solver.step"
  std::string value;  // as it would be written in the file: "5", "[0, 0, -1.6]"
  bool operator==(const Override&) const = default;
};
using Overrides = std::vector<Override>;

// "load.mass=5".  Throws InputError: no '=', nothing before or behind it.
Override parse_override(std::string_view text);
Overrides parse_overrides(const std::vector<std::string>& texts);
std::string to_string(const Override& given);

// What a set of overrides changes.  Every path belongs to one of these.
struct SplitOverrides {
  Overrides machine;     // of the model, without `model.`
  Overrides scenario;    // without `scenario.`
  Overrides controller;  // of the controller's own model, without `scenario.control.model.`
};
// A model alone has no scenario: throws InputError where one is named.
SplitOverrides split_overrides(const Overrides& given, bool is_scenario);

// Replaces values of a model's or a scenario's document; what an alias shares is changed at this place only.  A key
// that is not written there is added: whoever reads the document judges it.  `root` becomes a new one, which belongs to
// `owner`.  Returns the full paths.  Throws InputError: a path that leads nowhere or to several places, with those
// meant; a value that is no YAML.
Overrides override_model(const DocumentNode*& root, Document& owner, const Overrides& given);
Overrides override_scenario(const DocumentNode*& root, Document& owner, const Overrides& given);

// The same error with what was set: "arm.yaml:9: ...; with load.mass=-5"; one about a path names that already.
[[noreturn]] void fail_with(const std::string& what, const Overrides& given);

}  // namespace limber
