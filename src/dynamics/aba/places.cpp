// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "ahead.hpp"

// The order of the sweeps, and scratch slots shared by bodies: data needed for only one block of bodies stays in the
// cache, however long the chain.
namespace limber {
namespace {

// The order of groups, and the block with which each is computed.
void set_blocks(AbaData& ws) {
  const Layout& layout = *ws.kin.layout;
  const int count = static_cast<int>(layout.links.size());
  // The first body in the inward sweep that accesses P of a body: the body itself or the last one on its frame.
  std::vector<int> last(count);
  for (int i = 0; i < count; ++i) last[i] = i;
  for (int i = 1; i < count; ++i) {
    if (layout.links[i].attachment < 0) last[layout.links[i].parent] = i;
  }
  using Entry = std::pair<int, int>;  // body, group
  std::vector<Entry> places, starts, expands;
  const auto most = [&](const auto& group, auto of) {
    return of(*std::max_element(group.bodies.begin(), group.bodies.end(), [&](int a, int b) { return of(a) < of(b); }));
  };
  for (int g = 0; g < static_cast<int>(layout.groups.size()); ++g) {
    const BodyGroup& group = layout.groups[g];
    starts.emplace_back(-most(group, [&](int i) { return last[i]; }), g);
    if (ws.group_modes[g].active) expands.emplace_back(most(group, [](int i) { return i; }), g);
  }
  for (int g = 0; g < static_cast<int>(layout.node_groups.size()); ++g) {
    const NodeGroup& group = layout.node_groups[g];
    starts.emplace_back(-most(group, [](int i) { return i; }), -1 - g);
    if (!layout.ruthless) places.emplace_back(-most(group, [](int i) { return -i; }), g);
  }
  const auto sort = [](std::vector<Entry>& entries, std::vector<int>& out) {
    std::sort(entries.begin(), entries.end());
    out.clear();
    for (const auto& [body, g] : entries) out.push_back(g);
  };
  sort(places, ws.places);
  sort(starts, ws.starts);
  sort(expands, ws.expands);
  const auto before = [](const std::vector<Entry>& entries, int end) {
    return static_cast<int>(
        std::lower_bound(entries.begin(), entries.end(), Entry{end, std::numeric_limits<int>::min()}) -
        entries.begin());
  };
  ws.blocks.clear();
  for (int begin = 1; begin < count; begin += kBlock) {
    const int end = std::min(begin + kBlock, count);
    ws.blocks.push_back({begin, end, before(places, end), before(starts, 1 - begin), before(expands, end)});
  }
}

// Pool of slots: `size` contiguous ones are taken and later given back.
class TurnPlaces {
 public:
  // `home`: slots that are taken again under this number if they are free; so equal blocks of a chain have equal slots.
  int take(int size, int home = -1) {
    if (home >= 0) {
      std::vector<int>& homes = homes_[size];
      while (static_cast<int>(homes.size()) <= home) homes.push_back(make(size, true));
      if (free_[homes[home]] != 0) return use(homes[home]);
    }
    std::vector<int>& open = open_[size];
    if (open.empty()) open.push_back(make(size, false));
    const int begin = open.back();
    open.pop_back();
    return use(begin);
  }
  void give(int begin, int size) {
    free_[begin] = 1;
    if (home_[begin] == 0) open_[size].push_back(begin);
  }
  int count() const { return static_cast<int>(free_.size()); }

 private:
  int make(int size, bool home) {
    const int begin = count();
    free_.resize(free_.size() + size, 1);
    home_.resize(free_.size(), home ? 1 : 0);
    return begin;
  }
  int use(int begin) {
    free_[begin] = 0;
    return begin;
  }
  std::map<int, std::vector<int>> homes_, open_;  // by size: all slots with a number; free slots without
  std::vector<std::uint8_t> free_, home_;
};

// Number of a body in its block.
int home_of(int i) { return (i - 1) % kBlock; }

int attachment_count(const Link& link) { return link.attachment_end - link.attachment_begin; }

// Assigns slots to all attachments of a body, unless they have some.
void take_attachments(const Link& link, TurnPlaces& places, std::vector<int>& out, int home = -1) {
  if (attachment_count(link) == 0 || out[link.attachment_begin] >= 0) return;
  const int begin = places.take(attachment_count(link), home);
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) out[h] = begin + h - link.attachment_begin;
}
void give_attachments(const Link& link, TurnPlaces& places, const std::vector<int>& out) {
  if (attachment_count(link) > 0) places.give(out[link.attachment_begin], attachment_count(link));
}

// Inward: slots from the start of a body's group to the elimination of the body.
void place_bodies(const Layout& layout, AbaData& ws) {
  std::vector<int>& out = ws.body_places;
  out.assign(layout.links.size(), -1);
  TurnPlaces places;
  int started = 0;
  for (std::size_t block = ws.blocks.size(); block-- > 0;) {
    for (; started < ws.blocks[block].started; ++started) {
      if (ws.starts[started] < 0) continue;  // columns of attachments
      for (const int i : layout.groups[ws.starts[started]].bodies) {
        if (out[i] < 0) out[i] = places.take(1, home_of(i));
      }
    }
    for (int i = ws.blocks[block].end; i-- > ws.blocks[block].begin;) places.give(out[i], 1);
  }
  ws.P.resize(places.count());
}

// Inward: slots for columns of attachments from their start to the elimination of their bodies.  The sweeps reach only
// the first two attachments of a body by pointers.
void place_columns(const Layout& layout, AbaData& ws) {
  std::vector<int>& out = ws.column_places;
  out.assign(layout.attachments.size(), -1);
  TurnPlaces places;
  int started = 0;
  for (std::size_t block = ws.blocks.size(); block-- > 0;) {
    for (; started < ws.blocks[block].started; ++started) {
      if (ws.starts[started] >= 0) continue;
      const NodeGroup& group = layout.node_groups[-1 - ws.starts[started]];
      for (int lane = 0; lane < kLanes; ++lane) {
        const int h = group.attachments[lane];
        const int i = group.bodies[lane], at = h - layout.links[i].attachment_begin;
        if (out[h] < 0 && at < 2) out[h] = places.take(1, at * kBlock + home_of(i));
      }
    }
    for (int i = ws.blocks[block].end; i-- > ws.blocks[block].begin;) {
      const Link& link = layout.links[i];
      for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
        if (out[h] >= 0) places.give(out[h], 1);
      }
    }
  }
  ws.placed_W.assign(static_cast<std::size_t>(places.count()) * layout.max_modes, zero_spatial());
}

// Inward: slots from the elimination of the first body on an attachment to that of the attachment's own body.
void place_carried(const Layout& layout, AbaData& ws) {
  std::vector<int>& out = ws.carried_places;
  out.assign(layout.attachments.size(), -1);
  TurnPlaces places;
  for (std::size_t i = layout.links.size() - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    if (link.attachment >= 0) take_attachments(layout.links[link.parent], places, out);
    give_attachments(link, places, out);
  }
  ws.carried.resize(places.count());
}

// Outward: slots from the placement of an attachment to the last body on it.  Spinning rotors read it after the sweep.
void place_attachments(const Layout& layout, AbaData& ws) {
  const int count = static_cast<int>(layout.links.size());
  std::vector<int> last(count, 0);
  for (int i = 1; i < count; ++i) {
    const Link& link = layout.links[i];
    if (link.attachment >= 0) last[link.parent] = std::max(last[link.parent], link.rotor.spins ? count : i);
  }
  std::vector<int>& out = ws.attachment_places;
  out.assign(layout.attachments.size(), -1);
  TurnPlaces places;
  int placed = 0;
  for (const SweepBlock& block : ws.blocks) {
    for (; placed < block.placed; ++placed) {
      for (const int i : layout.node_groups[ws.places[placed]].bodies)
        take_attachments(layout.links[i], places, out, home_of(i));
    }
    for (int i = block.begin; i < block.end; ++i) {
      take_attachments(layout.links[i], places, out, home_of(i));
      const int parent = layout.links[i].parent;
      if (last[parent] == i) give_attachments(layout.links[parent], places, out);
    }
  }
  ws.placed.resize(places.count());
  ws.attachment_frames.resize(places.count());
  ws.attachment_a.resize(places.count());
}

}  // namespace

AttachmentFrame* placed_attachment(int h, AbaData& ws) {
  return ws.keeps_attachments ? &ws.kin.attachments[h] : &ws.placed[ws.attachment_places[h]];
}

void set_places(bool first, AbaData& ws) {
  const Layout& layout = *ws.kin.layout;
  const auto active = [&](std::size_t g) { return ws.group_modes[g].active; };
  std::size_t count = 0;
  for (std::size_t g = 0; g < layout.groups.size(); ++g) count += active(g) ? 1 : 0;
  const bool same = count == ws.expands.size() && std::all_of(ws.expands.begin(), ws.expands.end(), active);
  if (first || !same) set_blocks(ws);
  if (first) {
    place_bodies(layout, ws);
    place_carried(layout, ws);
    place_attachments(layout, ws);
    if (ws.streams) place_columns(layout, ws);
  }
  ws.mu.resize(ws.P.size() * ws.body_columns);
}

}  // namespace limber
