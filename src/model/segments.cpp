// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/segments.hpp"

#include <algorithm>
#include <unordered_map>

#include "checks.hpp"
#include "segment_pieces.hpp"

namespace limber {

const SegmentedBeam* find_segmented(const Model& model, int body) {
  if (!model.segments) return nullptr;
  const int at = model.segments->beam_of[static_cast<std::size_t>(body)];
  return at < 0 ? nullptr : &model.segments->beams[static_cast<std::size_t>(at)];
}

const SegmentedBeam* find_segmented(const Model& model, const std::string& name) {
  if (!model.segments) return nullptr;
  for (const SegmentedBeam& beam : model.segments->beams)
    if (beam.name == name) return &beam;
  return nullptr;
}

std::vector<int> bodies_of(const Model& model, int body) {
  const SegmentedBeam* beam = find_segmented(model, body);
  return beam == nullptr ? std::vector<int>{body} : beam->bodies;
}

bool joins_segments(const Model& model, int joint) {
  const SegmentedBeam* beam = find_segmented(model, joint);
  return beam != nullptr && find_segmented(model, model.joints[joint].parent.body) == beam;
}

bool leads_segments(const Model& model, int body) {
  const SegmentedBeam* beam = find_segmented(model, body);
  return beam == nullptr || beam->bodies[0] == body;
}

int count_bodies(const Model& model) {
  int out = 0;
  for (int i = 1; i < model.body_count(); ++i) out += leads_segments(model, i) ? 1 : 0;
  return out;
}

ModeRange modes_of(const Model& model, int body) {
  const std::vector<int> bodies = bodies_of(model, body);
  const int first = *std::min_element(bodies.begin(), bodies.end());
  ModeRange out{model.first_mode_q(first), model.first_mode(first), 0};
  for (const int i : bodies) out.count += model.body(i).modes;
  return out;
}

std::vector<NodeRef> visible_nodes(const Model& model) {
  std::vector<NodeRef> out;
  for (int i = 1; i < model.body_count(); ++i) {
    const std::vector<Node>& nodes = model.body(i).nodes;
    for (int k = 0; k < static_cast<int>(nodes.size()); ++k)
      if (!is_hidden(nodes[static_cast<std::size_t>(k)]) || find_segmented(model, i) == nullptr) out.push_back({i, k});
  }
  return out;
}

UndeformedPlace undeformed_place(const Model& model, NodeRef node) {
  UndeformedPlace out{node.body};
  if (node.node != kBodyFrame) out.position = model.body(node.body).nodes[static_cast<std::size_t>(node.node)].position;
  const SegmentedBeam* beam = find_segmented(model, node.body);
  if (beam == nullptr) return out;
  const auto segment = std::find(beam->bodies.begin(), beam->bodies.end(), node.body) - beam->bodies.begin();
  out.position.x() += static_cast<double>(segment) * beam->spec().length / beam->segments();
  out.body = beam->bodies[0];
  return out;
}

namespace model_impl {

// The segment at the joint comes first, then those outboard of it, each on the tip of the previous one; then those
// inboard of it, each with its tip on the root of the previous one.
std::vector<Piece> cut_beam(const Joint& joint, const std::string& name, const std::shared_ptr<const Body>& whole,
                            int first, SegmentedBeam& beam) {
  const SegmentedSpec& spec = *segmented_of(*whole);
  std::vector<Body> segments = make_segments(spec, whole->second_order);
  const int k = spec.segments;
  beam = {name, whole, std::vector<int>(static_cast<std::size_t>(k)), {}};
  std::vector<std::pair<int, int>> at;  // (node of the whole beam) segment and node in it
  for (const Node& node : whole->nodes) {
    for (int j = 0; j < k; ++j) {
      if (const auto found = segments[static_cast<std::size_t>(j)].find_node(node.name)) at.emplace_back(j, *found);
    }
  }
  const auto on =
      joint.child_node == kBodyFrame ? std::pair{0, kBodyFrame} : at[static_cast<std::size_t>(joint.child_node)];
  std::vector<int> order;
  for (int j = on.first; j < k; ++j) order.push_back(j);
  for (int j = on.first - 1; j >= 0; --j) order.push_back(j);
  for (int m = 0; m < k; ++m) beam.bodies[static_cast<std::size_t>(order[static_cast<std::size_t>(m)])] = first + m;
  for (const auto& [segment, node] : at) beam.nodes.push_back({beam.bodies[static_cast<std::size_t>(segment)], node});

  constexpr int kTip = 1;  // nodes of a segment: root, tip, others
  std::vector<Piece> out;
  std::unordered_map<std::string, std::shared_ptr<const Body>> known;
  for (const int j : order) {
    Piece piece{joint, nullptr, name + "." + std::to_string(j + 1)};
    piece.joint.child_node = on.second;
    if (j != on.first) {
      piece.joint = Joint{};
      piece.joint.name = piece.label;
      piece.joint.stiffness = piece.joint.damping = piece.joint.armature = VectorXd(0);
      const bool outboard = j > on.first;
      piece.joint.parent = {beam.bodies[static_cast<std::size_t>(outboard ? j - 1 : j + 1)],
                            outboard ? kTip : kBodyFrame};
      piece.joint.child_node = outboard ? kBodyFrame : kTip;
    }
    Body& body = segments[static_cast<std::size_t>(j)];
    body.name.clear();
    auto& shared = known[content_key(body)];
    if (!shared) shared = std::make_shared<const Body>(std::move(body));
    piece.body = shared;
    out.push_back(std::move(piece));
  }
  return out;
}

void check_child(const Joint& joint, const std::string& name, const Body& whole) {
  if (joint.child_node < kBodyFrame || joint.child_node >= static_cast<int>(whole.nodes.size()))
    refuse("joint", joint.name, "refers to a node that body '" + name + "' does not have");
}

void set_beams(int bodies, SegmentedBeams& out) {
  out.beam_of.assign(static_cast<std::size_t>(bodies), -1);
  for (std::size_t k = 0; k < out.beams.size(); ++k)
    for (const int body : out.beams[k].bodies) out.beam_of[static_cast<std::size_t>(body)] = static_cast<int>(k);
}

NodeRef place_in_model(const SegmentedBeam& beam, int node) {
  if (node < 0 || node >= static_cast<int>(beam.nodes.size())) return {beam.bodies[0], node};
  return beam.nodes[static_cast<std::size_t>(node)];
}

}  // namespace model_impl
}  // namespace limber
