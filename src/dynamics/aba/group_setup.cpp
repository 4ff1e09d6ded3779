// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "coordinates.hpp"
#include "elimination.hpp"

// Constants and pointers of groups of four bodies, after their unknowns are known.
namespace limber {
namespace {

// The modes that each coordinate combines, and the loops to use.
void set_spans(const FourBodies& bodies, GroupModes& modes) {
  const int n = bodies.n;
  modes.spans.assign(modes.k, {n, 0});
  for (int j = 0; j < modes.k; ++j) {
    for (int a = 0; a < n; ++a) {
      const Vec4d T = modes.own_T[static_cast<std::size_t>(j) * n + a];
      if (dot(T, T) == 0) continue;
      GroupModes::Span& span = modes.spans[j];
      span = {std::min(span.begin, a), a + 1};
    }
  }
  modes.form = bodies.beam_modes.empty()       ? GroupModes::Form::any
               : TenModes::fits(bodies, modes) ? GroupModes::Form::ten
                                               : GroupModes::Form::beams;
}

// Finds the coordinate axis of the vectors.  Returns false if they are not along one axis.
bool set_axis(const FourVectors& v, int& axis, Vec4d& along) {
  axis = dot(v.y, v.y) > 0 ? 1 : dot(v.z, v.z) > 0 ? 2 : 0;
  along = axis == 0 ? v.x : axis == 1 ? v.y : v.z;
  return dot(v.x, v.x) + dot(v.y, v.y) + dot(v.z, v.z) == dot(along, along);
}

}  // namespace

void set_group_modes(const Layout& layout, std::size_t g, AbaData& ws) {
  const BodyGroup& group = layout.groups[g];
  const int n = group.n;
  GroupModes& modes = ws.group_modes[g];
  modes.active = false;
  modes.k = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    Unknowns& u = ws.unknowns[group.bodies[lane]];
    u.shapes = group.shapes;
    u.group = static_cast<int>(g);
    if (lane == 0 || group.bodies[lane] != group.bodies[0]) u.lane = lane;
    modes.active = modes.active || u.active;
    modes.k = std::max(modes.k, u.modes);
    modes.minus[lane] = u.active ? -1 : 0;
  }
  if (!modes.active) return;
  const int width = kLanes * lanes_for(n), k = modes.k;
  modes.own_T.assign(static_cast<std::size_t>(k) * n, zero());
  modes.own_weight.assign(n, zero());
  modes.mu.assign(k, FourSpatial{});
  for (int lane = 0; lane < kLanes; ++lane) {
    const int i = group.bodies[lane];
    const ActiveModes& active = ws.active[i];
    const bool all = !ws.unknowns[i].active;
    for (int a = 0; a < n; ++a) {
      if (!all) modes.own_weight[a][lane] = active.weight[a];
      for (int j = 0; j < ws.unknowns[i].modes; ++j) {
        const double T = all ? (j == a ? 1 : 0) : active.T[static_cast<std::size_t>(j) * width + a];
        modes.own_T[static_cast<std::size_t>(j) * n + a][lane] = T;
      }
    }
  }
  set_spans(*group.constants, modes);
  FourSymmetric lost{};
  const std::vector<FourVectors>& S = group.constants->S;
  for (int a = 0; a < n; ++a) add_outer(lost, S[a] * modes.own_weight[a], S[a]);
  for (int j = 0; j < k; ++j) {
    const Vec4d* T = &modes.own_T[static_cast<std::size_t>(j) * n];
    FourVectors& lin = modes.mu[j].lin;
    for (int a = 0; a < n; ++a) add(lin, S[a], T[a]);
    add_outer(lost, lin * modes.minus, lin);
  }
  const Vec4d m = group.constants->m;
  modes.C = {m - lost.xx, m - lost.yy, m - lost.zz, -lost.xy, -lost.xz, -lost.yz};
  for (int lane = 0; lane < kLanes; ++lane) {
    ws.active[group.bodies[lane]].lost_lin = lost.xx[lane] + lost.yy[lane] + lost.zz[lane];
  }
}

namespace {

// Columns of the attachments of a node group: its own, or those of the preceding group if they are equal, so that equal
// links read one copy.
const AxisColumns* share_axes(const NodeGroup& group, int k, const AbaData& ws, const NodeStep* last) {
  const AxisColumns* own = &ws.axis_columns[group.modes];
  const std::size_t bytes = k * sizeof(AxisColumns);
  const bool equal =
      last != nullptr && last->axes != nullptr && last->k == k && std::memcmp(last->axes, own, bytes) == 0;
  return equal ? last->axes : own;
}

// T and weight of groups with active coordinates: equal groups read one copy.
void share_transformations(std::vector<GroupModes>& groups) {
  const auto equal = [](const std::vector<Vec4d>& a, const std::vector<Vec4d>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec4d)) == 0);
  };
  const GroupModes* last = nullptr;
  for (GroupModes& modes : groups) {
    if (!modes.active) continue;
    if (last == nullptr || !equal(last->own_T, modes.own_T) || !equal(last->own_weight, modes.own_weight)) {
      last = &modes;
    }
    modes.T = last->own_T.data();
    modes.weight = last->own_weight.data();
  }
}

}  // namespace

void set_group_steps(AbaData& ws) {
  const Layout& layout = *ws.kin.layout;
  share_transformations(ws.group_modes);
  const auto set = [&](const auto& group, int lane, auto& step) {
    step.frame[lane] = &ws.frames[group.bodies[lane]];
    step.q[lane] = ws.q.data() + group.qm[lane];
    step.v[lane] = ws.v.data() + group.vm[lane];
  };
  ws.group_steps.resize(layout.groups.size());
  ws.node_steps.resize(layout.node_groups.size());
  for (int lane = 0; lane < kLanes; ++lane) {
    for (std::size_t g = 0; g < layout.groups.size(); ++g) {
      const BodyGroup& group = layout.groups[g];
      GroupStep& step = ws.group_steps[g];
      const int i = group.bodies[lane];
      set(group, lane, step);
      step.u[lane] = ws.u.data() + group.vm[lane];
      step.P[lane] = &ws.P[ws.body_places[i]];
      step.columns[lane] = own_columns(i, ws);
      step.a[lane] = &ws.bodies[i].a;
      step.x[lane] = ws.x.data() + ws.unknowns[i].begin;
    }
    for (std::size_t g = 0; g < layout.node_groups.size(); ++g) {
      const NodeGroup& group = layout.node_groups[g];
      NodeStep& step = ws.node_steps[g];
      set(group, lane, step);
      step.at[lane] = placed_attachment(group.attachments[lane], ws);
      step.columns[lane] = placed_columns(layout, group.attachments[lane], ws);
    }
  }
  for (std::size_t g = 0; g < layout.node_groups.size(); ++g) {
    const NodeGroup& group = layout.node_groups[g];
    NodeStep& step = ws.node_steps[g];
    step.on_node = layout.links[group.bodies[0]].inboard >= 0;
    step.clears = ws.streams;
    step.k = ws.node_unknowns[g];
    step.turning = ws.node_turning[g];
    const bool along = ws.node_axes[g] != 0;
    step.axes = along ? share_axes(group, step.k, ws, g > 0 ? &ws.node_steps[g - 1] : nullptr) : nullptr;
  }
}

void set_node_columns(const Layout& layout, std::size_t g, AbaData& ws) {
  const NodeGroup& group = layout.node_groups[g];
  const int n = group.n, width = kLanes * lanes_for(n);
  int &k = ws.node_unknowns[g] = 0, &turning = ws.node_turning[g] = 0;
  FourSpatial* columns = &ws.node_columns[group.modes];
  std::fill_n(columns, n, FourSpatial{});
  for (int lane = 0; lane < kLanes; ++lane) {
    const Unknowns& u = ws.unknowns[group.bodies[lane]];
    k = std::max(k, u.modes);
    for (int j = 0; j < u.modes; ++j) {
      // Sums that are only rounding error are set to zero.  Coordinates that only translate come after those that
      // rotate.
      const auto sum = [&](Vec4d FourVectors::*c, const std::vector<FourVectors>& shapes) {
        double total = 0, size = 0;
        for (int a = 0; a < n; ++a) {
          const double T = u.active ? ws.active[group.bodies[lane]].T[static_cast<std::size_t>(j) * width + a] : j == a;
          total += (shapes[a].*c)[lane] * T;
          size += std::abs((shapes[a].*c)[lane] * T);
        }
        return std::abs(total) > kSameRow * size ? total : 0;
      };
      for (Vec4d FourVectors::*c : {&FourVectors::x, &FourVectors::y, &FourVectors::z}) {
        const double ang = sum(c, group.constants->lambda);
        (columns[j].ang.*c)[lane] = ang;
        (columns[j].lin.*c)[lane] = sum(c, group.constants->gamma);
        if (ang != 0) turning = std::max(turning, j + 1);
      }
    }
  }
  if (layout.links[group.bodies[0]].inboard >= 0) turning = k;
  ws.node_axes[g] = group.constants->second.empty() ? 1 : 0;
  for (int j = 0; j < k; ++j) {
    AxisColumns& column = ws.axis_columns[group.modes + j];
    const bool along =
        set_axis(columns[j].ang, column.turn, column.ang) && set_axis(columns[j].lin, column.move, column.lin);
    if (!along) ws.node_axes[g] = 0;
  }
}

}  // namespace limber
