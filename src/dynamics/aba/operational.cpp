// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/operational.hpp"

#include <algorithm>
#include <cmath>

#include "mobility.hpp"
#include "operational_steps.hpp"

// J M^-1 J^T = J (1 - H Psi K)^T D^-1 (1 - H Psi K) J^T: a sum over all bodies that carry both nodes.  [JR] lemma 6.3.
// Unit wrenches on nodes are propagated inward to the body where their paths meet.  The contribution of all bodies
// further inward is the mobility W of that body, from one outward sweep.  theory §6.
namespace limber {
namespace {

// Numbers stored per wrench: one per unknown of a body, then one per mode.
std::ptrdiff_t unknowns_of(const Layout& layout) { return std::ptrdiff_t{kLanes} * lanes_for(layout.max_modes + 6); }
std::ptrdiff_t width_of(const Layout& layout) {
  return unknowns_of(layout) + std::ptrdiff_t{kLanes} * lanes_for(layout.max_modes);
}

// ---- one body ---------------------------------------------------------------------------------------

// Propagates six wrenches z across the unknowns of body i, from its attachment h, from its frame (h = -1), or from one
// of its nodes with bias forces of the modes (`node`).  On return z is inboard of the joint; e, x: b' and D^-1 b' of
// the unknowns, then of the modes that are not active.  theory §5.
void pass_unknowns(const Layout& layout, int i, bool node, int h, AbaData& ws, Spatial* z, double* e, double* x) {
  const Link& link = layout.links[i];
  const Unknowns& u = ws.unknowns[i];
  const std::ptrdiff_t first_mode = unknowns_of(layout), width = width_of(layout);
  double* modal = modal_bias(link, i, ws);
  for (int c = link.attachment_begin; c < link.attachment_end; ++c) ws.attachments[c].z = zero_spatial();
  for (int r = 0; r < 6; ++r, e += width, x += width) {
    if (!node) std::fill_n(e + first_mode, link.n, 0.0);
    std::copy_n(e + first_mode, link.n, modal);
    for (int k = 0; k < link.nr; ++k) ws.hinge_b[u.hinge + k] = 0;
    ws.bodies[i].z = h < 0 ? z[r] : zero_spatial();
    if (h >= 0) ws.attachments[h].z = z[r];
    reduce(layout, i, ws);
    z[r] = ws.bodies[i].z;
    std::copy_n(&ws.b[u.begin], u.modes + link.nr, e);
    std::copy_n(&ws.x[u.begin], u.modes + link.nr, x);
    if (u.active) other_modes(link, i, ws, x + first_mode);
  }
}

// Entry of a block of the result: sum over the unknowns of the body and its other modes, plus `inward`, the share of
// all bodies further inward.
double entry(const Layout& layout, const AbaData& ws, int i, const double* e, const double* x, double inward) {
  const Unknowns& u = ws.unknowns[i];
  const int r = ws.prescribed[i] != 0 ? 0 : layout.links[i].nr;
  double sum = inward;
  for (int k = 0; k < u.modes + r; ++k) sum += e[k] * x[k];
  const std::ptrdiff_t first_mode = unknowns_of(layout);
  for (int k = 0; u.active && k < layout.links[i].n; ++k) sum += e[first_mode + k] * x[first_mode + k];
  return sum;
}

// ---- outward: W of every body between ground and nodes ------------------------------------------------

void outward_mobilities(const Layout& layout, int moving, const AbaData& ws, OperationalData& s) {
  for (int i = 1; i < static_cast<int>(layout.links.size()); ++i) {
    if (s.carried[i] == 0) continue;
    const Link& link = layout.links[i];
    s.W[i] = Mat6{};
    if (link.parent == kGround) continue;
    const Passage passage = compute_passage(layout, link.parent, link.attachment, ws, s);
    s.W[i] = cross_joint_outward(i, ws, pass_outward(passage, s.W[link.parent]));
    if (s.carried[i] < moving) s.through[i] = transpose(passage.through_transposed);  // other paths join further inward
  }
}

// ---- inward: from the nodes to where their paths meet -------------------------------------------------

// The six unit wrenches on a node.
void start_wrenches(const Model& model, NodeRef node, AbaData& ws, UnitWrenches& t, double* e) {
  const std::ptrdiff_t width = width_of(*model.layout), first_mode = unknowns_of(*model.layout);
  t.body = node.body;
  t.from = 0;
  if (node.body == kGround) return;
  std::fill_n(e, 6 * width, 0.0);
  for (int r = 0; r < 6; ++r) {
    t.z[r] = zero_spatial();
    load_node(model, node, unit_spatial(r), ws, t.z[r], e + r * width + first_mode);
  }
}

// Writes the block of nodes a and b, whose paths meet at this body.
void write_block(const Layout& layout, const AbaData& ws, const OperationalData& s, int a, int b,
                 Eigen::Ref<MatrixXd>& out) {
  const UnitWrenches &left = s.wrenches[a], &right = s.wrenches[b];
  const std::ptrdiff_t width = width_of(layout);
  const double* e = s.e.data() + 6 * width * a;
  const double* x = s.x.data() + 6 * width * b;
  for (int j = 0; j < 6; ++j) {
    const Spatial Wz = s.W[left.body] * right.z[j];
    for (int r = 0; r <= (a == b ? j : 5); ++r) {
      const double value = entry(layout, ws, left.body, e + r * width, x + j * width, dot(left.z[r], Wz));
      out(6 * a + r, 6 * b + j) = out(6 * b + j, 6 * a + r) = value;
    }
  }
}

// Whether all wrenches at body i came from the same outboard body, so that no blocks are due here.
bool came_together(const OperationalData& s, int i, int count) {
  int from = -1;
  for (int b = 0; b < count; ++b) {
    if (s.wrenches[b].body != i) continue;
    if (s.wrenches[b].from == 0 || (from >= 0 && from != s.wrenches[b].from)) return false;
    from = s.wrenches[b].from;
  }
  return true;
}

// Propagates all wrenches at body i across its unknowns and writes the blocks of pairs whose paths meet here.  Returns
// the number of wrenches.
int pass_body(const Layout& layout, int i, AbaData& ws, OperationalData& s, Eigen::Ref<MatrixXd>& out) {
  const std::ptrdiff_t width = width_of(layout);
  const int count = static_cast<int>(out.rows()) / 6;
  const bool together = came_together(s, i, count);
  int here = 0;
  for (int b = 0; b < count; ++b) {
    UnitWrenches& t = s.wrenches[b];
    if (t.body != i) continue;
    ++here;
    if (together) {
      for (Spatial& z : t.z) z = s.through[t.from] * z;
      continue;
    }
    const std::ptrdiff_t at = 6 * width * b;
    const int attachment = t.from == 0 ? -1 : layout.links[t.from].attachment;
    pass_unknowns(layout, i, t.from == 0, attachment, ws, t.z, s.e.data() + at, s.x.data() + at);
    for (int a = 0; a <= b; ++a) {
      const bool met_before = s.wrenches[a].from == t.from && t.from != 0;
      if (s.wrenches[a].body == i && !met_before) write_block(layout, ws, s, a, b, out);
    }
  }
  return here;
}

void leave_body(const Layout& layout, int i, int count, const AbaData& ws, OperationalData& s) {
  for (int b = 0; b < count; ++b) {
    UnitWrenches& t = s.wrenches[b];
    if (t.body != i) continue;
    for (Spatial& z : t.z) {
      z = wrench_to_parent(i, ws, z);
      flush_subnormals(z);
    }
    t.body = layout.links[i].parent;
    t.from = i;
  }
}

void grow(const Layout& layout, std::size_t nodes, OperationalData& s) {
  const auto width = static_cast<std::size_t>(width_of(layout));
  s.carried.assign(layout.links.size(), 0);
  if (s.wrenches.size() >= nodes) return;
  s.wrenches.resize(nodes);
  s.e.resize(6 * width * nodes);
  s.x.resize(6 * width * nodes);
}

void check_wrenches(Eigen::Index rows, Eigen::Index cols, std::size_t nodes) {
  const auto size = static_cast<Eigen::Index>(6 * nodes);
  if (rows != size || cols != size) throw InputError("nodes take six numbers each: " + std::to_string(size));
}

// Counts the nodes carried by each body.  Returns the number of nodes that are not on the ground.
int count_carried(const Layout& layout, std::span<const NodeRef> nodes, OperationalData& s) {
  for (const NodeRef node : nodes) ++s.carried[node.body];
  const int moving = static_cast<int>(nodes.size()) - s.carried[kGround];
  for (std::size_t i = layout.links.size() - 1; i > 0; --i) {
    if (s.carried[i] > 0) s.carried[layout.links[i].parent] += s.carried[i];
  }
  return moving;
}

}  // namespace

OperationalData::OperationalData(const Model& model) {
  const Layout& layout = *model.layout;
  carried.assign(layout.links.size(), 0);
  W.resize(layout.links.size());
  through.resize(layout.links.size());
  columns.resize(static_cast<std::size_t>(unknowns_of(layout)));
}

void compute_operational_inertia_posed(const Model& model, std::span<const NodeRef> nodes, AbaData& ws,
                                       OperationalData& s, Eigen::Ref<MatrixXd> Lambda_inverse) {
  const Layout& layout = *model.layout;
  const std::ptrdiff_t width = width_of(layout);
  const int count = static_cast<int>(nodes.size());
  ws.set_stage(AbaStage::factors);  // z and a of the bodies serve as scratch
  grow(layout, std::max<std::size_t>(nodes.size(), 1), s);
  Lambda_inverse.setZero();
  for (const NodeRef node : nodes) node_in_body(model, ws.kin, node, nullptr);  // throws if there is no such node
  const int moving = count_carried(layout, nodes, s);
  outward_mobilities(layout, moving, ws, s);
  for (int b = 0; b < count; ++b) {
    start_wrenches(model, nodes[b], ws, s.wrenches[b], s.e.data() + 6 * width * b);
  }
  for (int i = model.body_count() - 1; i > 0; --i) {
    if (s.carried[i] == 0) continue;
    if (pass_body(layout, i, ws, s, Lambda_inverse) == moving) return;  // all paths have met
    leave_body(layout, i, count, ws, s);
  }
}

void respond_posed(const Model& model, std::span<const NodeRef> nodes, ConstVec lambda, AbaData& ws, Vec dv) {
  start_solve(model, ws.zero, ws);
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    if (nodes[a].body == kGround) continue;
    const Link& link = model.layout->links[nodes[a].body];
    const Vector6 wrench = lambda.segment<6>(static_cast<Eigen::Index>(6 * a));
    load_node(model, nodes[a], to_spatial(wrench), ws, ws.bodies[nodes[a].body].z, modal_bias(link, nodes[a].body, ws));
  }
  finish_solve(model, ws, dv);
}

void compute_operational_inertia(const Model& model, std::span<const NodeRef> nodes, AbaData& ws,
                                 OperationalData& scratch, Eigen::Ref<MatrixXd> Lambda_inverse) {
  ws.check_stage(model, AbaStage::factors, "compute_operational_inertia");
  check_wrenches(Lambda_inverse.rows(), Lambda_inverse.cols(), nodes.size());
  complete_kinematics(ws);
  compute_operational_inertia_posed(model, nodes, ws, scratch, Lambda_inverse);
}

void respond(const Model& model, std::span<const NodeRef> nodes, ConstVec lambda, AbaData& ws, OperationalData&,
             Vec dv) {
  ws.check_stage(model, AbaStage::factors, "respond");
  check_wrenches(lambda.size(), lambda.size(), nodes.size());
  check_speeds(model, dv);
  complete_kinematics(ws);
  respond_posed(model, nodes, lambda, ws, dv);
}

double compute_quadratic_inverse(const Model& model, ConstVec f, AbaData& ws) {
  solve_factored(model, f, ws, ws.tau);
  return f.dot(ws.tau);
}

double compute_log_det_mass(const Model& model, const AbaData& ws) {
  ws.check_stage(model, AbaStage::factors, "compute_log_det_mass");
  const Layout& layout = *model.layout;
  double total = 0;
  for (int i = 1; i < model.body_count(); ++i) {
    const Unknowns& u = ws.unknowns[i];
    const int count = u.modes + (ws.prescribed[i] != 0 ? 0 : layout.links[i].nr);
    for (int k = 0; k < count; ++k) total -= std::log(ws.d_inverse[u.begin + k]);
    for (int k = 0; u.active && k < layout.links[i].n; ++k) total -= std::log(ws.active[i].weight[k]);
  }
  return total;
}

}  // namespace limber
