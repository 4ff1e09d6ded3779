// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/urdf_reader.hpp"
#include "limber/files/reader.hpp"

namespace limber {

// The keys of a model file beside the URDF.
struct UrdfOverlay {
  std::optional<Reader> name, gravity, fidelity, flexible, closures;
  std::string folder;  // of the URDF, relative to that of the model
  std::optional<Reader> elements = {}, contacts = {};
};

// A robot as the root of a model document: bodies and joints, with links of `overlay.flexible` replaced.  New values
// are owned by `owner`; those of the overlay are shared.  `line`: of all new values; 0: of their links and joints.
// `notes`: lists what is omitted or renamed; null: dry friction, which cannot be represented, is refused.
const DocumentNode* make_urdf_document(const UrdfRobot& robot, const UrdfOverlay& overlay, int line, Document& owner,
                                       std::vector<std::string>* notes);

}  // namespace limber
