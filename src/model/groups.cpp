// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "limber/model/detail/rail.hpp"

namespace limber {
namespace {

constexpr int padded(int n) { return kLanes * lanes_for(n); }

// Collects items by form and passes them on in groups of four; the last group of a form is padded.
template <typename Close>
class Fours {
 public:
  explicit Fours(Close close) : close_(close) {}
  void add(const std::string& form, int item) {
    auto& [items, count] = open_[form];
    items[count++] = item;
    if (count < kLanes) return;
    close_(items);
    count = 0;
  }
  void finish() {
    for (auto& [form, entry] : open_) {
      auto& [items, count] = entry;
      if (count == 0) continue;
      for (int lane = count; lane < kLanes; ++lane) items[lane] = items[0];
      close_(items);
    }
  }

 private:
  std::map<std::string, std::pair<std::array<int, kLanes>, int>> open_;
  Close close_;
};

void set_body_groups(Layout& layout) {
  std::map<std::array<const BodyConstants*, kLanes>, const FourBodies*> made;
  Fours fours([&](const std::array<int, kLanes>& bodies) {
    BodyGroup group;
    std::array<const BodyConstants*, kLanes> constants{};
    for (int lane = 0; lane < kLanes; ++lane) {
      const Link& link = layout.links[bodies[lane]];
      group.bodies[lane] = bodies[lane];
      group.scalars[lane] = link.scalars;
      group.columns[lane] = link.columns;
      group.qm[lane] = link.qm;
      group.vm[lane] = link.vm;
      constants[lane] = link.constants;
    }
    const FourBodies*& four = made[constants];
    if (four == nullptr) {
      layout.four_bodies.push_back(std::make_shared<const FourBodies>(make_four_bodies(constants)));
      four = layout.four_bodies.back().get();
    }
    group.constants = four;
    group.n = four->n;
    group.ne = four->ne;
    group.shapes = layout.group_shapes;
    layout.group_shapes += padded(group.ne);
    layout.groups.push_back(group);
  });
  std::map<const BodyConstants*, std::string> forms;
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    std::string& form = forms[link.constants];
    if (form.empty()) form = form_of(*link.constants);
    fours.add(form + (link.elimination == Elimination::active ? "a" : ""), static_cast<int>(i));
  }
  fours.finish();
}

void set_node_groups(Layout& layout) {
  std::map<std::array<const NodeConstants*, kLanes>, const FourNodes*> made;
  const auto node_of = [&](int h) {
    return &layout.links[layout.attachments[h].body].constants->nodes[layout.attachments[h].node];
  };
  Fours fours([&](const std::array<int, kLanes>& attachments) {
    NodeGroup group;
    std::array<const NodeConstants*, kLanes> constants{};
    for (int lane = 0; lane < kLanes; ++lane) {
      const OutboardAttachment& attachment = layout.attachments[attachments[lane]];
      group.attachments[lane] = attachments[lane];
      group.bodies[lane] = attachment.body;
      group.scalars[lane] = layout.links[attachment.body].scalars;
      group.qm[lane] = layout.links[attachment.body].qm;
      group.vm[lane] = layout.links[attachment.body].vm;
      group.columns[lane] = attachment.columns;
      constants[lane] = node_of(attachments[lane]);
    }
    group.n = layout.links[group.bodies[0]].n;
    const FourNodes*& four = made[constants];
    if (four == nullptr) {
      layout.four_nodes.push_back(std::make_shared<const FourNodes>(make_four_nodes(constants, group.n)));
      four = layout.four_nodes.back().get();
    }
    group.constants = four;
    group.modes = layout.group_modes;
    layout.group_modes += padded(group.n);
    layout.node_groups.push_back(group);
  });
  for (std::size_t h = 0; h < layout.attachments.size(); ++h) {
    if (is_rail(layout, layout.attachments[h])) continue;  // they move with their sliders
    const Link& link = layout.links[layout.attachments[h].body];
    const bool second = !node_of(static_cast<int>(h))->second.empty();
    fours.add(std::to_string(link.n) + (second ? "s" : "") + (link.inboard >= 0 ? "i" : ""), static_cast<int>(h));
  }
  fours.finish();
}

}  // namespace

void set_groups(Layout& layout) {
  set_body_groups(layout);
  set_node_groups(layout);
}

}  // namespace limber
