// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/linearize_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/files/detail/text.hpp"
#include "limber/model/segments.hpp"

namespace limber::apps {
namespace {

using Kind = LinearOutput::Kind;

// A measured quantity, and its component, as named on the command line.
struct Quantity {
  const char* word;
  Kind kind;
  int first, count;
};

constexpr Quantity kQuantities[] = {
    {"coordinate", Kind::coordinate, 0, 0},
    {"rate", Kind::rate, 0, 0},
    {"turn", Kind::place, 0, 3},
    {"position", Kind::place, 3, 3},
    {"spin", Kind::velocity, 0, 3},
    {"velocity", Kind::velocity, 3, 3},
    {"acceleration", Kind::acceleration, 3, 3},
    {"angular_acceleration", Kind::acceleration, 0, 3},
    {"curvature", Kind::curvature, 0, 3},
    {"strain", Kind::strain, 0, 1},
};

[[noreturn]] void refuse(const std::string& name, const std::string& what, const std::vector<std::string_view>& known) {
  throw InputError(fmt::format("limber linearize: {} is not {};{} there {} {}", show(name), what, suggest(name, known),
                               known.size() == 1 ? "is" : "are", known.empty() ? "none" : join(known)));
}

NodeRef parse_node(const Model& model, const std::string& text) {
  const std::size_t dot = text.find('.');
  const int body = model.find_body(text.substr(0, dot));
  if (body <= 0) refuse(text.substr(0, dot), "a body", {model.body_names.begin() + 1, model.body_names.end()});
  if (dot == std::string::npos) return {body, kBodyFrame};
  const SegmentedBeam* beam = find_segmented(model, body);
  const Body& of = beam != nullptr ? *beam->whole : model.body(body);
  if (const auto node = of.find_node(text.substr(dot + 1)))
    return beam != nullptr ? beam->nodes[static_cast<std::size_t>(*node)] : NodeRef{body, *node};
  std::vector<std::string_view> known;
  for (const Node& n : of.nodes) known.push_back(n.name);
  refuse(text.substr(dot + 1), fmt::format("a node of body {}", show(model.body_names[body])), known);
}

const Quantity& find_quantity(const std::string& word) {
  std::vector<std::string_view> known;
  for (const Quantity& quantity : kQuantities) {
    if (word == quantity.word) return quantity;
    known.emplace_back(quantity.word);
  }
  refuse(word, "a quantity", known);
}

// The node of an output; two nodes, separated by a comma, for quantities between them.
LinearOutput node_output(const Model& model, const Quantity& quantity, const std::string& text) {
  LinearOutput output;
  output.kind = quantity.kind;
  const bool between = quantity.kind == Kind::curvature || quantity.kind == Kind::strain;
  const std::size_t comma = text.find(',');
  if (between != (comma != std::string::npos))
    throw InputError(fmt::format("limber linearize: {} needs {}; write {}:{}", show(quantity.word),
                                 between ? "two nodes of one body" : "one node", quantity.word,
                                 between ? "boom.root,boom.tip" : "boom.tip"));
  output.node = parse_node(model, text.substr(0, comma));
  if (between) output.other = parse_node(model, text.substr(comma + 1));
  return output;
}

}  // namespace

std::vector<int> find_speeds(const Model& model, const std::string& name) {
  const auto found = std::find(model.speeds.begin(), model.speeds.end(), name);
  if (found != model.speeds.end()) return {static_cast<int>(found - model.speeds.begin())};
  const int joint = model.find_joint(name);
  if (joint <= 0) refuse(name, "a coordinate", views(model.speeds));
  std::vector<int> speeds;
  for (int k = model.joints[joint].v; k < model.first_mode(joint); ++k) speeds.push_back(k);
  if (speeds.empty())
    throw InputError(fmt::format("limber linearize: joint {} is fixed; name one that moves", show(name)));
  return speeds;
}

int find_joint(const Model& model, const std::string& name) {
  if (const int joint = model.find_joint(name); joint > 0) return joint;
  std::vector<std::string_view> known;
  for (int i = 1; i < model.body_count(); ++i) known.push_back(model.joints[i].name);
  refuse(name, "a joint", known);
}

std::vector<LinearOutput> find_outputs(const Model& model, const std::string& text) {
  const std::size_t colon = text.find(':');
  std::string word = colon == std::string::npos ? "coordinate" : text.substr(0, colon);
  const std::string what = colon == std::string::npos ? text : text.substr(colon + 1);
  int axis = -1;
  if (const std::size_t dot = word.find('.'); dot != std::string::npos) {
    const std::string letter = word.substr(dot + 1);
    axis = letter.size() == 1 ? static_cast<int>(std::string("xyz").find(letter[0])) : -1;
    if (axis < 0 || axis > 2)
      throw InputError(fmt::format("limber linearize: {} is not an axis; write .x, .y or .z", show(letter)));
    word.resize(dot);
  }
  const Quantity& quantity = find_quantity(word);
  if (axis >= 0 && quantity.count < 3)
    throw InputError(fmt::format("limber linearize: {} has no axes; leave .{} out", show(word), "xyz"[axis]));
  std::vector<LinearOutput> outputs;
  if (quantity.count == 0) {
    for (const int speed : find_speeds(model, what)) {
      LinearOutput& output = outputs.emplace_back();
      output.kind = quantity.kind;
      output.speed = speed;
      output.name = (quantity.kind == Kind::rate ? "rate:" : "") + model.speeds[speed];
    }
    return outputs;
  }
  for (int k = axis < 0 ? 0 : axis; k < (axis < 0 ? quantity.count : axis + 1); ++k) {
    LinearOutput& output = outputs.emplace_back(node_output(model, quantity, what));
    output.component = quantity.first + k;
    output.name = quantity_name(output.kind, output.component) + ":" + what;
  }
  return outputs;
}

}  // namespace limber::apps
