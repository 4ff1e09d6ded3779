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

// A model file, YAML or JSON (docs/model-format.md), or a URDF (docs/urdf.md).  Every key is checked; the first fault
// is an InputError "FILE:LINE: body 'link2': what is wrong; what to write instead".
// `set`: values in place of those of the file, checked as these are.
Model read_model(const std::string& path, const Overrides& set = {});
Model parse_model(std::string_view text, const std::string& name_for_messages, const Overrides& set = {});
// The text of a model with these values in it, in one line.
std::string overridden_model_text(std::string_view text, const std::string& name_for_messages, const Overrides& set);
// The same as a document with bodies and joints; what was a URDF, or named one, is written out.
Document parse_model_document(std::string_view text, const std::string& name_for_messages);
// Of a model with the key `urdf`, alone or in a larger document: bodies and joints in its place, which belong to
// `owner`.  `folder`: from which the name of the URDF is taken.
const DocumentNode* expand_urdf(const Reader& root, const std::string& folder, Document& owner);
// A model that is part of a larger document, such as a scenario; it may leave the version of the format to that.
Model read_model(const Reader& root);
// Refuses a document of another version than 1.
void check_version(const Reader& root);

}  // namespace limber
