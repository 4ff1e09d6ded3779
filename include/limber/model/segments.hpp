// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/body/segmented.hpp"
#include "limber/model/model.hpp"

namespace limber {

// A beam that the model represents as several bodies on fixed joints, all with the name of the beam.
struct SegmentedBeam {
  std::string name;
  std::shared_ptr<const Body> whole;  // as given to the builder
  std::vector<int> bodies;            // (segment) root first: index in the model
  std::vector<NodeRef> nodes;         // of the nodes of `whole`

  const SegmentedSpec& spec() const { return *segmented_of(*whole); }
  int segments() const { return static_cast<int>(bodies.size()); }
};

struct SegmentedBeams {
  std::vector<SegmentedBeam> beams;
  std::vector<int> beam_of;  // (body) index into beams, -1: not a segment
};

// The beam of which body i is a segment; nullptr: none.
const SegmentedBeam* find_segmented(const Model& model, int body);
const SegmentedBeam* find_segmented(const Model& model, const std::string& name);
// Bodies with the name of body i: the segments of a beam, root first, or the body alone.
std::vector<int> bodies_of(const Model& model, int body);
// Joint i connects two segments: it is not in the file, and has no coordinates.
bool joins_segments(const Model& model, int joint);
// Body i represents the whole beam in lists: it is not a segment, or the first one.
bool leads_segments(const Model& model, int body);
// Number of bodies; a segmented beam counts as one.
int count_bodies(const Model& model);
// The modal coordinates of a body or, for a segment, those of the whole beam, which are consecutive.
struct ModeRange {
  int q = 0, v = 0;  // the first ones
  int count = 0;
};
ModeRange modes_of(const Model& model, int body);
// Nodes that files can name, body by body.
std::vector<NodeRef> visible_nodes(const Model& model);

// The undeformed position of a node, and the body in whose frame it is given: for a segment, the first of the beam.
struct UndeformedPlace {
  int body = kGround;
  Vector3d position = Vector3d::Zero();
};
UndeformedPlace undeformed_place(const Model& model, NodeRef node);

}  // namespace limber
