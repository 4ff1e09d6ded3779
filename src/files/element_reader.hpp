// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/files/detail/model_names.hpp"
#include "limber/files/reader.hpp"
#include "limber/model/contacts.hpp"
#include "limber/model/elements.hpp"

namespace limber {

// A node, a body, `world`, a point [x, y, z] of the world, or {node: boom.tip, xyz: [...], rpy: [...]}.
ElementEnd read_element_end(const Reader& at, const ModelNames& names);

// The lists `elements:` and `contacts:` of a model file, for the model built from its other keys; nullptr: none.
std::shared_ptr<const ForceElements> read_elements(const Reader& root, const Model& model);
std::shared_ptr<const Contacts> read_contacts(const Reader& root, const Model& model);

}  // namespace limber
