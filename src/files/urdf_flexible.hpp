// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "files/document_builder.hpp"
#include "files/urdf_model.hpp"

namespace limber {

// A link of a URDF that is replaced by a flexible body.
struct FlexibleLink {
  Reader given;                 // the entry of `flexible`
  Pose pose;                    // of the body in the frame of the link
  bool mounted = false;         // the body frame is not at the origin of the link: a link of no mass is between
  double length = 0, mass = 0;  // beam: to the farthest joint, of the link
  std::vector<Node> nodes;      // of other forms
  std::vector<DocumentBuilder::Value> beam_nodes;  // one per joint that sits between root and tip

  // Where the joint below sits: the body, or its root where that moves against the body frame.
  std::string inboard(const std::string& name) const;
  // The node that carries a joint whose place is given in the frame of the link, and its place there.
  std::pair<std::string, Pose> attach(const std::string& name, const std::string& joint, const Pose& place,
                                      DocumentBuilder& make);
  DocumentBuilder::Value make_body(const std::string& name, DocumentBuilder& make) const;
};

// (links) Those that the overlay names.
std::vector<std::optional<FlexibleLink>> find_flexible_links(const UrdfRobot& robot,
                                                             const std::vector<std::string>& names,
                                                             const UrdfOverlay& overlay, DocumentBuilder& make);

}  // namespace limber
