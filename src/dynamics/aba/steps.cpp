// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "ahead.hpp"

// Pointers to the data of each body that the sweeps read and write.
namespace limber {
namespace {

// D_0 of a body, or that of the preceding body if it is constant and equal: equal links share one copy.
const Vec4d* share_mass(std::span<const Vec4d> own, bool constant, std::span<const Vec4d>& last) {
  if (!constant || own.empty()) return own.data();
  if (own.size() != last.size() || std::memcmp(own.data(), last.data(), own.size_bytes()) != 0) last = own;
  return last.data();
}

// Number of columns of a body that rotate its attachment.
void set_turning(const Layout& layout, AbaData& ws) {
  ws.turning.assign(layout.attachments.size(), layout.max_modes);
  for (std::size_t g = 0; g < layout.node_groups.size(); ++g) {
    for (const int h : layout.node_groups[g].attachments) ws.turning[h] = ws.node_turning[g];
  }
}

// Loads, accelerations and columns of the outboard attachments.
void set_attachments(const Layout& layout, const Link& link, AbaData& ws, BodyStep& step) {
  step.outboard = layout.attachments.data() + link.attachment_begin;
  step.carrying = link.attachment_end - link.attachment_begin;
  if (step.carrying > 0) {
    step.outboard_a = &ws.attachment_a[ws.attachment_places[link.attachment_begin]];
    step.carried = &ws.carried[ws.carried_places[link.attachment_begin]];
  }
  for (int h = 0; h < std::min(step.carrying, 2); ++h) {
    step.W[h] = placed_columns(layout, link.attachment_begin + h, ws);
    step.kept_W[h] = &ws.W[step.outboard[h].columns];
  }
}

using StepWords = std::array<std::uint64_t, sizeof(BodyStep) / sizeof(std::uint64_t)>;

// Finds blocks whose steps are those of the preceding block plus a constant: they need not be read.
void find_strides(AbaData& ws) {
  const auto words = [&](int i) { return std::bit_cast<StepWords>(ws.steps[i]); };
  ws.block_steps.resize(kBlock);
  for (std::size_t b = 1; b < ws.blocks.size(); ++b) {
    SweepBlock& block = ws.blocks[b];
    block.repeats = block.end - block.begin == kBlock;
    if (!block.repeats) continue;
    const auto difference = [&](int i) {
      StepWords here = words(i);
      const StepWords before = words(i - kBlock);
      for (std::size_t k = 0; k < here.size(); ++k) here[k] -= before[k];
      return here;
    };
    block.stride = difference(block.begin + kBlock / 2);
    block.single = 0;
    for (int k = 0; k < kBlock; ++k) {
      if (difference(block.begin + k) != block.stride) block.single |= std::uint64_t{1} << k;
    }
    block.repeats = std::popcount(block.single) <= kBlock / 8;
  }
}

}  // namespace

void set_steps(bool first, AbaData& ws) {
  const Layout& layout = *ws.kin.layout;
  ws.steps.resize(layout.links.size());
  ws.hinge_speeds.clear();
  ws.passive.clear();
  set_turning(layout, ws);
  set_places(first, ws);
  const std::vector<int>&carried = ws.carried_places, &moved = ws.attachment_places, &turning = ws.turning;
  std::span<const Vec4d> mass;
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    const Unknowns& u = ws.unknowns[i];
    BodyStep& step = ws.steps[i];
    step.link = &link;
    step.frame = &ws.frames[i];
    step.body = &ws.bodies[i];
    step.P = &ws.P[ws.body_places[i]];
    step.inboard_a = link.attachment >= 0 ? &ws.attachment_a[moved[link.attachment]] : &ws.bodies[link.parent].a;
    step.inboard = link.attachment >= 0 ? &ws.carried[carried[link.attachment]] : nullptr;
    step.parent = link.parent == kGround    ? nullptr
                  : step.inboard != nullptr ? &step.inboard->Gamma
                                            : &ws.P[ws.body_places[link.parent]];
    set_attachments(layout, link, ws, step);
    step.mu = own_columns(static_cast<int>(i), ws);
    step.Z = ws.Z.data() + u.begin;
    step.H = ws.H.data() + u.hinge;
    step.U = link.inboard >= 0 ? ws.U.data() + link.inboard_columns : nullptr;
    const bool constant = link.n == 0 || !link.constants->G_rows.empty();
    step.D_0 =
        share_mass({ws.D_0.data() + u.D, (u.modes + static_cast<std::size_t>(link.nr)) * u.chunks}, constant, mass);
    step.L = ws.L.data() + u.D;
    step.d_inverse = ws.d_inverse.data() + u.begin;
    step.b = ws.hinge_b.data() + u.hinge;
    step.x = u.active ? ws.x.data() + u.begin : ws.x.data() + ws.b.size();
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
    for (int k = 0; k < link.nr; ++k) ws.hinge_speeds.push_back(link.v + k);
    if (link.passive) ws.passive.push_back(step.i);
    choose_step_kernels(step.carrying > 0 ? step.k - turning[link.attachment_begin] : 0, step);
  }
  for (std::size_t k = 0; k < layout.rotors.size(); ++k) ws.steps[layout.rotors[k]].rotor = &ws.rotors[k];
  find_strides(ws);
  if (first) set_motion_steps(ws);
  set_group_steps(ws);
}

}  // namespace limber
