// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <map>
#include <span>

#include "elimination.hpp"

// Where each body has what the sweeps read and write.
namespace limber {
namespace {

// D_0 of a body, or the same numbers of a body before it: equal links read them from one place.
const Vec4d* share_mass(std::span<const Vec4d> own, bool constant, std::span<const Vec4d>& last) {
  if (!constant || own.empty()) return own.data();
  if (own.size() != last.size() || std::memcmp(own.data(), last.data(), own.size_bytes()) != 0) last = own;
  return last.data();
}

// (outboard attachment) its place in ws.carried: from the elimination of the first body that it carries to that of its
// own, those of one body side by side.
void place_carried(const Layout& layout, AbaData& ws) {
  std::vector<int>& out = ws.carried_places;
  out.assign(layout.attachments.size(), -1);
  std::map<int, std::vector<int>> open;  // by how many there are side by side
  int count = 0;
  const auto take = [&](const Link& body) {
    const int size = body.attachment_end - body.attachment_begin;
    std::vector<int>& places = open[size];
    if (places.empty()) {
      places.push_back(count);
      count += size;
    }
    for (int h = 0; h < size; ++h) out[body.attachment_begin + h] = places.back() + h;
    places.pop_back();
  };
  for (std::size_t i = layout.links.size() - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    if (link.attachment >= 0 && out[link.attachment] < 0) take(layout.links[link.parent]);
    const int size = link.attachment_end - link.attachment_begin;
    if (size > 0) open[size].push_back(out[link.attachment_begin]);
  }
  ws.carried.resize(count);
}

// How many columns of a body turn its attachment.
void set_turning(const Layout& layout, AbaData& ws) {
  ws.turning.assign(layout.attachments.size(), layout.max_modes);
  for (std::size_t g = 0; g < layout.node_groups.size(); ++g) {
    for (const int h : layout.node_groups[g].attachments) ws.turning[h] = ws.node_turning[g];
  }
}

}  // namespace

void set_steps(bool first, AbaData& ws) {
  const Layout& layout = *ws.kin.layout;
  ws.steps.resize(layout.links.size());
  ws.hinge_forces.clear();
  ws.passive.clear();
  set_turning(layout, ws);
  if (first) place_carried(layout, ws);
  const std::vector<int>&place = ws.carried_places, &turning = ws.turning;
  std::span<const Vec4d> mass;
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    const Unknowns& u = ws.unknowns[i];
    BodyStep& step = ws.steps[i];
    step.link = &link;
    step.frame = &ws.frames[i];
    step.body = &ws.bodies[i];
    step.inboard_a = link.attachment >= 0 ? &ws.attachments[link.attachment].a : &ws.bodies[link.parent].a;
    step.inboard = link.attachment >= 0 ? &ws.carried[place[link.attachment]] : nullptr;
    step.parent = link.parent == kGround    ? nullptr
                  : step.inboard != nullptr ? &step.inboard->Gamma
                                            : &ws.bodies[link.parent].P;
    step.attachments = ws.attachments.data() + link.attachment_begin;
    step.outboard = layout.attachments.data() + link.attachment_begin;
    step.carrying = link.attachment_end - link.attachment_begin;
    step.carried = step.carrying > 0 ? &ws.carried[place[link.attachment_begin]] : nullptr;
    for (int h = 0; h < std::min(step.carrying, 2); ++h) step.W[h] = &ws.W[step.outboard[h].columns];
    step.mu = ws.mu.data() + u.begin;
    step.Z = ws.Z.data() + u.begin;
    step.H = ws.H.data() + u.hinge;
    step.U = link.inboard >= 0 ? ws.U.data() + link.inboard_columns : nullptr;
    const bool constant = link.n == 0 || !link.constants->G_rows.empty();
    step.D_0 =
        share_mass({ws.D_0.data() + u.D, (u.modes + static_cast<std::size_t>(link.nr)) * u.chunks}, constant, mass);
    step.L = ws.L.data() + u.D;
    step.d_inverse = ws.d_inverse.data() + u.begin;
    step.b = ws.b.data() + u.begin;
    step.x = ws.x.data() + u.begin;
    step.i = static_cast<int>(i);
    step.k = u.modes;
    step.r = link.nr;
    step.chunks = u.chunks;
    step.v = link.v;
    step.vm = link.vm;
    step.bounded = link.inboard < 0 && has_diagonal_mass(*link.constants, ws.implicit) ? 1 : 0;
    step.no_mode = kNoInertia * (1 - step.bounded);
    step.active = u.active;
    step.opens = link.opens_attachment;
    for (int k = 0; k < link.nr; ++k) ws.hinge_forces.push_back({step.b + step.k + k, ws.u.data() + link.v + k});
    if (link.passive) ws.passive.push_back(step.i);
    choose_step_kernels(step.carrying > 0 ? step.k - turning[link.attachment_begin] : 0, step);
  }
  for (std::size_t k = 0; k < layout.rotors.size(); ++k) ws.steps[layout.rotors[k]].rotor = &ws.rotors[k];
  if (first) set_motion_steps(ws);
  set_group_steps(first, ws);
}

}  // namespace limber
