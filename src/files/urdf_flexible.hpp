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
  bool mounted = false;         // the body frame is not at the origin of the link: a massless link connects them
  double length = 0, mass = 0;  // beam: to the farthest joint, of the link
  std::vector<Node> nodes;      // of other forms
  std::vector<DocumentBuilder::Value> beam_nodes;  // one per joint between root and tip

  // Inboard attachment of the joint below: the body, or its root node if that moves relative to the body frame.
  std::string inboard(const std::string& name) const;
  // The node for a joint with a given pose in the frame of the link, and the pose relative to the node.
  std::pair<std::string, Pose> attach(const std::string& name, const std::string& joint, const Pose& place,
                                      DocumentBuilder& make);
  DocumentBuilder::Value make_body(const std::string& name, DocumentBuilder& make) const;
};

// (links) Links named in the overlay.
std::vector<std::optional<FlexibleLink>> find_flexible_links(const UrdfRobot& robot,
                                                             const std::vector<std::string>& names,
                                                             const UrdfOverlay& overlay, DocumentBuilder& make);

}  // namespace limber
