// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "limber/files/overrides.hpp"
#include "limber/files/reader.hpp"
#include "limber/model/model.hpp"

namespace limber {

inline constexpr int kMaxBodies = 100'000;

// A model file, YAML or JSON (docs/model-format.md), or a URDF (docs/urdf.md).  Every key is checked; the first error
// is an InputError "FILE:LINE: body 'link2': what is wrong; what to write instead".
// `set`: overrides of values of the file, checked like these.
Model read_model(const std::string& path, const Overrides& set = {});
Model parse_model(std::string_view text, const std::string& name_for_messages, const Overrides& set = {});
// The text of a model with these overrides, in one line.
std::string overridden_model_text(std::string_view text, const std::string& name_for_messages, const Overrides& set);
// The same as a document with bodies and joints; a URDF is expanded.
Document parse_model_document(std::string_view text, const std::string& name_for_messages);
// Replaces the key `urdf` of a model, alone or in a larger document, by bodies and joints, which belong to
// `owner`.  `folder`: the folder of the relative path of the URDF.
const DocumentNode* expand_urdf(const Reader& root, const std::string& folder, Document& owner);
// A model inside a larger document, such as a scenario; it may omit the format version.
Model read_model(const Reader& root);
// Refuses a document of another version than 1.
void check_version(const Reader& root);

}  // namespace limber
