// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// Robot descriptions, URDF: docs/urdf.md.  InputError "robot.urdf:LINE: link 'x': what is wrong; what to do".  In a
// build without urdfdom the error says that it is missing.

// Whether a text is XML; a model file never begins with '<'.
bool is_urdf(std::string_view text);

struct ImportedModel {
  std::string text;                // a model file, YAML: docs/model-format.md
  std::vector<std::string> notes;  // omissions and changed names
};
ImportedModel import_urdf(std::string_view text, const std::string& name_for_messages);

// A rigid model as a URDF.  InputError names what a URDF cannot express: flexible bodies, closures, springs, armatures,
// universal, cylindrical and spherical joints, travel limits on one side.
std::string urdf_text(const Model& model);
void write_urdf(const Model& model, const std::string& path);

}  // namespace limber
