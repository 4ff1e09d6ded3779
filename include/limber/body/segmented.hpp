// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/body/body.hpp"

namespace limber {

inline constexpr int kMaxSegments = 1000;

// A beam that a model cuts into bodies of equal length, so that it bends far while each piece bends little.  Body::beam
// points to one.
struct SegmentedSpec : BeamSpec {
  int segments = 1;
};

// The whole beam as ModelBuilder::add_body takes it; joints and closures name its nodes as those of one body.
// `spec.modes` are those of each segment.  Its basis is `polynomial` (or the default, which becomes it): constant and
// linear curvatures, which are exact for loads on the ends of a segment.  `spec.damping`: one ratio, of the first mode
// of each family of the whole beam, held at its root; that of higher modes grows with their frequency.
Body make_segmented_beam(const BeamSpec& spec, int segments, bool second_order);

// nullptr: the body is not such a beam.
const SegmentedSpec* segmented_of(const Body& body);

// The segments, root first.  A node at a cut belongs to the segment behind it; the ends at the cuts have hidden nodes.
std::vector<Body> make_segments(const SegmentedSpec& spec, bool second_order);

// The segment that holds a place s = 0 ... 1 of the whole, and the place 0 ... 1 in it.
struct SegmentPlace {
  int segment = 0;
  double at = 0;
};
SegmentPlace place_in_segments(int segments, double s);

// A node at a cut, which has no name in files: "#root", "#tip".
inline bool is_hidden(const Node& node) { return !node.name.empty() && node.name[0] == '#'; }

}  // namespace limber
