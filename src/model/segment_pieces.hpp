// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/body/detail/content.hpp"
#include "limber/model/segments.hpp"

namespace limber::model_impl {

// A body and its joint on their way into a model.
struct Piece {
  Joint joint;  // its parent as in the model
  std::shared_ptr<const Body> body;
  std::string label;  // of its modal coordinates
};

// The segments of a beam in the order of the tree.  `joint`: the one that carries the beam; `first`: the index in the
// model of the first piece.
std::vector<Piece> cut_beam(const Joint& joint, const std::string& name, const std::shared_ptr<const Body>& whole,
                            int first, SegmentedBeam& beam);

// The joint's node on the beam exists.
void check_child(const Joint& joint, const std::string& name, const Body& whole);
// beam_of, for a model of so many bodies.
void set_beams(int bodies, SegmentedBeams& out);
// A node of a whole beam, by its number in Body::nodes, in the model.
NodeRef place_in_model(const SegmentedBeam& beam, int node);

}  // namespace limber::model_impl
