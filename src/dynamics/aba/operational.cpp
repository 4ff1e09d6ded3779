// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/operational.hpp"

#include <algorithm>
#include <cmath>

#include "mobility.hpp"
#include "operational_steps.hpp"

// J M^-1 J^T = J (1 - H Psi K)^T D^-1 (1 - H Psi K) J^T: a sum over all bodies that carry both nodes.  [JR] lemma 6.3.
// Wrenches on nodes travel inward until they meet; what all bodies further inward give to the sum is the mobility W of
// the body where they meet, found by one sweep outward.  theory §6.
namespace limber {
namespace {

// Numbers kept per wrench: at most one per mode of a body.
std::ptrdiff_t width_of(const Layout& layout) { return std::ptrdiff_t{kLanes} * lanes_for(layout.max_modes); }

// ---- one body ---------------------------------------------------------------------------------------

// Six wrenches z on the frame of body i with modal forces e (rows of `width`) pass its modes: z becomes that of the
// joint side, e_f' = e - U^T z, z_R = z + g e_f', x = D_f^-1 e_f'.  theory §5.
void pass_modes(const Layout& layout, int i, std::ptrdiff_t width, AbaData& ws, Spatial* z, double* e, double* x) {
  const Link& link = layout.links[i];
  if (link.n == 0) return;
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) ws.attachments[h].z = zero_spatial();
  for (int r = 0; r < 6; ++r) {
    double* e_r = e + r * width;
    double* x_r = x + r * width;
    ws.bodies[i].z = z[r];
    ws.bodies[i].a = zero_spatial();
    std::copy_n(e_r, link.n, &ws.e_f[link.scalars]);
    if (link.inboard >= 0) {
      for (int k = 0; k < link.n; ++k) e_r[k] -= dot(ws.kin.columns[link.inboard_columns + k], z[r]);
    }
    ws.is_condensed[i] ? reduce_condensed(layout, i, ws) : reduce_cholesky(layout, i, ws);
    z[r] = ws.bodies[i].z;
    ws.is_condensed[i] ? expand_condensed(layout, i, ws, x_r) : expand_cholesky(layout, i, ws, x_r);
  }
}

// A wrench that arrives at body `link` from one that it carries on an attachment (or, -1, on its frame).
void arrive(const Layout& layout, const Kinematics& kin, const Link& link, int attachment, Spatial& z, double* e) {
  if (attachment < 0) {
    std::fill_n(e, link.n, 0.0);
    return;
  }
  const Spatial* Y = &kin.columns[layout.attachments[attachment].columns];
  for (int k = 0; k < link.n; ++k) e[k] = -dot(Y[k], z);
  z = wrench_from(kin.attachments[attachment].l, z);
}

void pass_hinge_inward(const Link& link, const AbaData& ws, const Spatial* H, Spatial& z) {
  for (int k = 0; k < link.nr; ++k) z -= ws.PH[link.v + k] * (ws.D_inverse[link.v + k] * dot(H[k], z));
}

// Entry (r, s) of a block of the result: the modes of the body, and all that is further inward.
double entry(int n, const double* e, const double* x, Spatial z, Spatial Wz) {
  double sum = dot(z, Wz);
  for (int k = 0; k < n; ++k) sum += e[k] * x[k];
  return sum;
}

// ---- outward: W of every body on the way --------------------------------------------------------------

void outward_mobilities(const Layout& layout, int moving, AbaData& ws, OperationalData& s) {
  for (int i = 1; i < static_cast<int>(layout.links.size()); ++i) {
    if (s.carried[i] == 0) continue;
    const Link& link = layout.links[i];
    Mat6& W = s.W[i];
    if (link.parent == kGround) {
      W = Mat6{};
    } else if (layout.links[link.parent].n == 0) {
      W = cross_joint_outward(ws.kin.links[i], s.W[link.parent]);
    } else {
      const Passage passage = compute_passage(layout, link.parent, link.attachment, ws, s);
      W = cross_joint_outward(ws.kin.links[i], pass_modes_outward(passage, s.W[link.parent]));
      if (s.carried[i] < moving) s.through[i] = transpose(passage.through_transposed);  // there is more to meet
    }
    if (ws.prescribed[i] == 0) pass_hinge_outward(link, ws, W);
  }
}

// ---- inward: from the nodes to where they meet --------------------------------------------------------

// A wrench on a node, in world components, as z and e_f of its body.
void load_node(const Model& model, const Kinematics& kin, NodeRef node, const NodeFrame& frame, const Spatial* Y,
               Spatial wrench, Spatial& z, double* e) {
  const Mat3 Rt = limber::transpose(pack(kin.world[node.body].R));
  const Spatial w{Rt * wrench.ang, Rt * wrench.lin};
  z -= wrench_from(frame.l, w);
  if (node.node == kBodyFrame) return;
  for (int k = 0; k < model.layout->links[node.body].n; ++k) e[k] += dot(Y[k], w);
}

// The six unit wrenches on a node.
void start_wrenches(const Model& model, NodeRef node, std::ptrdiff_t width, const Kinematics& kin, Spatial* Y,
                    UnitWrenches& t, double* e) {
  t.body = node.body;
  t.from = 0;
  const NodeFrame frame = node_in_body(model, kin, node, Y);
  if (node.body == kGround) return;
  std::fill_n(e, 6 * width, 0.0);
  for (int r = 0; r < 6; ++r) {
    t.z[r] = zero_spatial();
    load_node(model, kin, node, frame, Y, unit_spatial(r), t.z[r], e + r * width);
  }
}

// The block of nodes a and b, which have met.
void write_block(const Layout& layout, std::ptrdiff_t width, const OperationalData& s, int a, int b,
                 Eigen::Ref<MatrixXd>& out) {
  const UnitWrenches &left = s.wrenches[a], &right = s.wrenches[b];
  const int n = layout.links[left.body].n;
  const double* e = s.e.data() + 6 * width * a;
  const double* x = s.x.data() + 6 * width * b;
  for (int j = 0; j < 6; ++j) {
    const Spatial Wz = s.W[left.body] * right.z[j];
    for (int r = 0; r <= (a == b ? j : 5); ++r) {
      const double value = entry(n, e + r * width, x + j * width, left.z[r], Wz);
      out(6 * a + r, 6 * b + j) = out(6 * b + j, 6 * a + r) = value;
    }
  }
}

// Whether all that are at body i came through the same body, so that there are no blocks to make.
bool came_together(const OperationalData& s, int i, int count) {
  int from = -1;
  for (int b = 0; b < count; ++b) {
    if (s.wrenches[b].body != i) continue;
    if (s.wrenches[b].from == 0 || (from >= 0 && from != s.wrenches[b].from)) return false;
    from = s.wrenches[b].from;
  }
  return true;
}

// All that are at body i pass its modes, and make blocks with those that came another way.  Returns how many.
int pass_body(const Layout& layout, int i, std::ptrdiff_t width, AbaData& ws, OperationalData& s,
              Eigen::Ref<MatrixXd>& out) {
  const Link& link = layout.links[i];
  const int count = static_cast<int>(out.rows()) / 6;
  const bool together = came_together(s, i, count);
  int here = 0;
  for (int b = 0; b < count; ++b) {
    UnitWrenches& t = s.wrenches[b];
    if (t.body != i) continue;
    ++here;
    if (together) {
      for (Spatial& z : t.z) z = link.n > 0 ? s.through[t.from] * z : z;
      continue;
    }
    const std::ptrdiff_t at = 6 * width * b;
    for (int r = 0; t.from != 0 && r < 6; ++r) {
      arrive(layout, ws.kin, link, layout.links[t.from].attachment, t.z[r], s.e.data() + at + r * width);
    }
    pass_modes(layout, i, width, ws, t.z, s.e.data() + at, s.x.data() + at);
    for (int a = 0; a <= b; ++a) {
      const bool met_before = s.wrenches[a].from == t.from && t.from != 0;
      if (s.wrenches[a].body == i && !met_before) write_block(layout, width, s, a, b, out);
    }
  }
  return here;
}

void leave_body(const Layout& layout, int i, int count, const AbaData& ws, OperationalData& s) {
  const Link& link = layout.links[i];
  for (int b = 0; b < count; ++b) {
    UnitWrenches& t = s.wrenches[b];
    if (t.body != i) continue;
    for (Spatial& z : t.z) {
      if (ws.prescribed[i] == 0) pass_hinge_inward(link, ws, ws.kin.hinge_map(link), z);
      z = back_across(ws.kin.links[i], z);
      flush_subnormals(z);
    }
    t.body = link.parent;
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

// How many of the nodes that move every body carries.  Returns how many there are.
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
  columns.resize(static_cast<std::size_t>(width_of(layout)));
}

void compute_operational_inertia_posed(const Model& model, std::span<const NodeRef> nodes, AbaData& ws,
                                       OperationalData& s, Eigen::Ref<MatrixXd> Lambda_inverse) {
  const Layout& layout = *model.layout;
  const std::ptrdiff_t width = width_of(layout);
  const int count = static_cast<int>(nodes.size());
  ws.set_stage(AbaStage::factors);  // z and a of the bodies serve as scratch
  grow(layout, std::max<std::size_t>(nodes.size(), 1), s);
  Lambda_inverse.setZero();
  for (const NodeRef node : nodes) node_in_body(model, ws.kin, node, nullptr);  // throws for one that is not there
  const int moving = count_carried(layout, nodes, s);
  outward_mobilities(layout, moving, ws, s);
  for (int b = 0; b < count; ++b) {
    start_wrenches(model, nodes[b], width, ws.kin, s.columns.data(), s.wrenches[b], s.e.data() + 6 * width * b);
  }
  for (int i = model.body_count() - 1; i > 0; --i) {
    if (s.carried[i] == 0) continue;
    if (pass_body(layout, i, width, ws, s, Lambda_inverse) == moving) return;  // all have met
    leave_body(layout, i, count, ws, s);
  }
}

void respond_posed(const Model& model, std::span<const NodeRef> nodes, ConstVec lambda, AbaData& ws,
                   OperationalData& scratch, Vec dv) {
  start_solve(model, ws.zero, ws);
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    const NodeFrame frame = node_in_body(model, ws.kin, nodes[a], scratch.columns.data());
    if (nodes[a].body == kGround) continue;
    const Link& link = model.layout->links[nodes[a].body];
    const Vector6 wrench = lambda.segment<6>(static_cast<Eigen::Index>(6 * a));
    load_node(model, ws.kin, nodes[a], frame, scratch.columns.data(), to_spatial(wrench), ws.bodies[nodes[a].body].z,
              link.n > 0 ? &ws.e_f[link.scalars] : nullptr);
  }
  finish_solve(model, ws, dv);
}

void compute_operational_inertia(const Model& model, std::span<const NodeRef> nodes, AbaData& ws,
                                 OperationalData& scratch, Eigen::Ref<MatrixXd> Lambda_inverse) {
  ws.check_stage(model, AbaStage::factors, "compute_operational_inertia");
  check_wrenches(Lambda_inverse.rows(), Lambda_inverse.cols(), nodes.size());
  compute_world_poses(model, ws.kin);
  compute_operational_inertia_posed(model, nodes, ws, scratch, Lambda_inverse);
}

void respond(const Model& model, std::span<const NodeRef> nodes, ConstVec lambda, AbaData& ws, OperationalData& scratch,
             Vec dv) {
  ws.check_stage(model, AbaStage::factors, "respond");
  check_wrenches(lambda.size(), lambda.size(), nodes.size());
  check_speeds(model, dv);
  compute_world_poses(model, ws.kin);
  respond_posed(model, nodes, lambda, ws, scratch, dv);
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
    const Link& link = layout.links[i];
    for (int k = 0; ws.prescribed[i] == 0 && k < link.nr; ++k) total -= std::log(ws.D_inverse[link.v + k]);
    if (link.n > 0 && ws.is_condensed[i] != 0) {
      total += log_det_condensed(layout, i, ws);
    } else {
      for (int k = 0; k < link.n; ++k) total -= std::log(ws.cholesky.d_inverse[link.scalars + k]);
    }
  }
  return total;
}

}  // namespace limber
