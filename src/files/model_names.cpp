// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/detail/model_names.hpp"

#include <fmt/format.h>

#include "limber/files/detail/text.hpp"
#include "limber/model/segments.hpp"

namespace limber {

ModelNames::ModelNames(const Model& model) : model_(model) {
  for (int i = 1; i < model.body_count(); ++i) {
    if (leads_segments(model, i)) bodies_.emplace(model.body_names[i], i);
    if (!joins_segments(model, i)) joints_.emplace(model.joints[i].name, i);
  }
}

std::vector<std::string_view> ModelNames::body_names() const {
  std::vector<std::string_view> names;
  for (int i = 1; i < model_.body_count(); ++i)
    if (leads_segments(model_, i)) names.push_back(model_.body_names[i]);
  return names;
}

std::vector<std::string_view> ModelNames::joint_names() const {
  std::vector<std::string_view> names;
  for (int i = 1; i < model_.body_count(); ++i)
    if (!joins_segments(model_, i)) names.push_back(model_.joints[i].name);
  return names;
}

int ModelNames::body(const Reader& reference) const {
  const std::string name = reference.text();
  if (const int found = find_body(name); found >= 0) return found;
  if (const int joint = find_joint(name); joint >= 0)
    reference.fail(fmt::format("'{}' is a joint, not a body; it carries body '{}'", name, model_.body_names[joint]));
  const auto known = body_names();
  reference.fail(fmt::format("{} is not a body;{} bodies: {}", show(name), suggest(name, known), join(known)));
}

int ModelNames::joint(const Reader& reference) const {
  const std::string name = reference.text();
  if (const int found = find_joint(name); found >= 0) return found;
  if (const int body = find_body(name); body >= 0)
    reference.fail(fmt::format("'{}' is a body, not a joint; joint '{}' carries it", name, model_.joints[body].name));
  const auto known = joint_names();
  reference.fail(fmt::format("{} is not a joint;{} joints: {}", show(name), suggest(name, known), join(known)));
}

NodeRef ModelNames::node(const Reader& reference) const {
  const std::string text = reference.text();
  const std::size_t dot = text.find('.');
  const std::string name = text.substr(0, dot);
  if (name == "world") reference.fail("must be a body or a node; the world does not move");
  const int body = find_body(name);
  if (body < 0) {
    const auto known = body_names();
    reference.fail(fmt::format("{} is not a body;{} bodies: {}", show(name), suggest(name, known), join(known)));
  }
  if (dot == std::string::npos) return {body, kBodyFrame};
  const SegmentedBeam* beam = find_segmented(model_, body);
  const Body& of = beam != nullptr ? *beam->whole : model_.body(body);
  if (const auto node = of.find_node(text.substr(dot + 1)))
    return beam != nullptr ? beam->nodes[static_cast<std::size_t>(*node)] : NodeRef{body, *node};
  std::vector<std::string_view> known;
  for (const Node& n : of.nodes) known.push_back(n.name);
  reference.fail(fmt::format("{} is not a node;{} body '{}' has {}", show(text), suggest(text.substr(dot + 1), known),
                             name, known.empty() ? "none" : "nodes " + join(known)));
}

}  // namespace limber
