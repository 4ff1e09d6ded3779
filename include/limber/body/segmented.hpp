// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "limber/body/body.hpp"

namespace limber {

inline constexpr int kMaxSegments = 1000;

// A beam that a model divides into bodies of equal length, for large deflections with small strains.  Body::beam
// points to one.
struct SegmentedSpec : BeamSpec {
  int segments = 1;
};

// The whole beam, for ModelBuilder::add_body; joints and closures refer to its nodes as to those of one body.
// `spec.modes` are those of each segment.  The basis is `polynomial` (also by default): constant and
// linear curvatures, which are exact for loads on the ends of a segment.  `spec.damping`: one ratio, of the first mode
// of each family of the whole beam, clamped at its root; the ratio of higher modes grows with their frequency.
Body make_segmented_beam(const BeamSpec& spec, int segments, bool second_order);

// nullptr: the body is not a segmented beam.
const SegmentedSpec* segmented_of(const Body& body);

// The segments, root first.  A node at a cut belongs to the outboard segment; the cut ends have hidden nodes.
std::vector<Body> make_segments(const SegmentedSpec& spec, bool second_order);

// The segment that contains the position s = 0 ... 1 of the whole beam, and the position 0 ... 1 in the segment.
struct SegmentPlace {
  int segment = 0;
  double at = 0;
};
SegmentPlace place_in_segments(int segments, double s);

// A node at a cut, which files cannot name: "#root", "#tip".
inline bool is_hidden(const Node& node) { return !node.name.empty() && node.name[0] == '#'; }

}  // namespace limber
