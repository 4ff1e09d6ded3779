// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/body/detail/content.hpp"
#include "limber/model/segments.hpp"

namespace limber::model_impl {

// A body and its joint, to be added to a model.
struct Piece {
  Joint joint;  // its parent as in the model
  std::shared_ptr<const Body> body;
  std::string label;  // of its modal coordinates
};

// The segments of a beam in the order of the tree.  `joint`: the inboard joint of the beam; `first`: the index in the
// model of the first piece.
std::vector<Piece> cut_beam(const Joint& joint, const std::string& name, const std::shared_ptr<const Body>& whole,
                            int first, SegmentedBeam& beam);

// Checks that the joint's node on the beam exists.
void check_child(const Joint& joint, const std::string& name, const Body& whole);
// Sets beam_of, for a model of `bodies` bodies.
void set_beams(int bodies, SegmentedBeams& out);
// The node in the model of a node of a whole beam, given by its index in Body::nodes.
NodeRef place_in_model(const SegmentedBeam& beam, int node);

}  // namespace limber::model_impl
