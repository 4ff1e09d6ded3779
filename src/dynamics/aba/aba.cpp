// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/aba.hpp"

#include <algorithm>
#include <cmath>

#include "ahead.hpp"
#include "dynamics/kinematics/body_motion.hpp"
#include "elimination.hpp"
#include "limber/model/slider.hpp"

namespace limber {
namespace {

bool is_prescribed(std::span<const std::uint8_t> prescribed, std::size_t i) {
  return !prescribed.empty() && prescribed[i] != 0;
}

// Bias forces of hinges: -u, then minus the forces of joint springs and dampers.
void start_hinges(AbaData& ws) {
  for (std::size_t k = 0; k < ws.hinge_b.size(); ++k) ws.hinge_b[k] = -ws.u[ws.hinge_speeds[k]];
}
void add_passive_forces(AbaData& ws) {
  for (const int i : ws.passive) {
    const Link& link = *ws.steps[i].link;
    double* b = ws.steps[i].b;
    if (link.motor.v != 0) {  // one coordinate; transmission: see start_drives
      b[0] += link.stiffness[0] * ws.q[link.q] + link.damping[0] * ws.v[link.v];
      continue;
    }
    double passive[6] = {};
    add_passive_force(link, &ws.q[link.q], &ws.v[link.v], passive);
    for (int k = 0; k < link.nr; ++k) b[k] -= passive[k];
  }
}

// External wrenches on nodes: adds their modal part to the forces u; stores the rest in z of the body until
// add_wrenches.
void collect_wrenches(const Model& model, std::span<const NodeWrench> wrenches, AbaData& ws) {
  std::fill(ws.loaded.begin(), ws.loaded.end(), 0);
  for (const NodeWrench& input : wrenches) {
    if (input.at.body > 0 && input.at.body < model.body_count()) ws.bodies[input.at.body].z = zero_spatial();
  }
  for (const NodeWrench& input : wrenches) {
    const NodeRef at = input.at;
    node_in_body(model, ws.kin, at, nullptr);  // throws if there is no such node
    if (at.body == kGround) continue;
    const Link& link = model.layout->links[at.body];
    copy_modes(link, ws.q.data(), ws.v.data(), ws.kin);
    Spatial w = to_spatial(input.wrench);
    if (input.frame == Frame::node) {
      const Mat3 R = ws.frames[at.body].R * node_in_body(model, ws.kin, at, nullptr).R;
      w = {R * w.ang, R * w.lin};
    }
    std::fill_n(ws.modal.data(), link.n, 0.0);
    load_node(model, at, w, ws, ws.bodies[at.body].z, ws.modal.data());
    ws.loaded[at.body] = 1;
    for (int k = 0; k < link.n; ++k) ws.u[link.vm + k] -= ws.modal[k];
  }
}

// Columns of the modes at the attachments of sliders:  W = [A lambda; gamma + l x A lambda] + U.
void start_sliders(const Layout& layout, AbaData& ws) {
  if (layout.varying == 0) return;
  for (const Link& link : layout.links) {
    if (link.kind != kSlider) continue;
    const Link& beam = layout.links[link.parent];
    const int columns = layout.attachments[link.attachment].columns;
    const Mat3& R = ws.frames[link.parent].R;
    const Vec4d l = ws.kin.attachments[link.attachment].l;
    for (int k = 0; k < beam.n; ++k) {
      const Spatial& Y = ws.kin.columns[columns + k];
      Spatial& W = ws.W[columns + k];
      W = {R * Y.ang, R * (Y.lin + cross(l, Y.ang))};
      if (beam.inboard >= 0) W += ws.U[beam.inboard_columns + k];
    }
  }
}

// Adds external wrenches on nodes to the bias wrenches of the motion.
void add_wrenches(const BodyGroup& group, AbaData& ws) {
  for (const int i : group.bodies) {
    if (ws.loaded[i] == 0) continue;
    ws.loaded[i] = 0;
    add_wrench(ws.P[ws.body_places[i]], ws.bodies[i].z);
    ws.bodies[i].z = zero_spatial();
  }
}

// Starts groups up to entry `end` of ws.starts: inertias, bias wrenches of the motion and columns of modes of each body
// alone.
template <bool Bias>
LIMBER_INLINE void start_groups(const Layout& layout, int& started, int end, bool loaded, AbaData& ws) {
  const int size = static_cast<int>(ws.starts.size());
  constexpr int kFar = kBlock / 2, kNear = kBlock / 4;
  const bool ahead = size > 2 * kFar;
  for (; started < end; ++started) {
    const int g = ws.starts[started];
    if (ahead && started + kFar < size) {
      prefetch_start(layout, ws.starts[started + kFar], ws);
      prefetch_start_data(layout, ws.starts[started + kNear], ws);
    }
    if (g < 0) {
      start_columns(layout, -1 - g, ws);
      continue;
    }
    start_group<Bias>(layout, g, ws);
    if (loaded) add_wrenches(layout.groups[g], ws);
  }
}

// Forces on hinges and wrenches on nodes.
template <bool Bias>
void start_forces(const Model& model, const double* u, std::span<const NodeWrench> wrenches, AbaData& ws) {
  const Layout& layout = *model.layout;
  std::copy_n(u, ws.zero.size(), ws.u.data());
  if (!wrenches.empty()) collect_wrenches(model, wrenches, ws);
  start_sliders(layout, ws);
  start_hinges(ws);
  if (Bias) add_passive_forces(ws);
  start_drives<Bias>(layout, ws);
}

// Eliminates bodies from the leaves to the base.  `given`: accelerations of prescribed hinges; `loaded`: there are
// wrenches on nodes.
template <bool Bias>
Status inward_sweep(const Layout& layout, bool loaded, std::span<const std::uint8_t> prescribed, const double* given,
                    AbaData& ws) {
  int started = 0;
  ws.failure = -1;
  ws.stage = AbaStage::none;
  if (ws.has_prescribed || !prescribed.empty()) {
    for (std::size_t i = 1; i < layout.links.size(); ++i) ws.prescribed[i] = is_prescribed(prescribed, i);
  }
  ws.has_prescribed = !prescribed.empty();
  for (std::size_t block = ws.blocks.size(); block-- > 0;) {
    start_groups<Bias>(layout, started, ws.blocks[block].started, loaded, ws);
    ws.failure = eliminate_block(block, given, ws);
    if (ws.failure >= 0) return ws.failure_is_number ? Status::singular_mass : Status::not_finite;
  }
  if (ws.streams) finish_stores();
  return Status::ok;
}

void outward_sweep(const Layout& layout, AbaData& ws, double* vdot) {
  ws.bodies[0].a = zero_spatial();
  int expanded = 0;
  for (const SweepBlock& block : ws.blocks) {
    accelerate_block(block, ws, vdot);
    for (; expanded < block.expanded; ++expanded) expand_group(layout, ws.expands[expanded], ws, vdot);
  }
  accelerate_motors(layout, ws, vdot);
}

// All sweeps.  Bias: with the bias forces of the motion.
template <bool Bias>
Status sweep(const Model& model, const State& x, const double* u, std::span<const NodeWrench> wrenches,
             std::span<const std::uint8_t> prescribed, AbaStage reached, AbaData& ws, Vec vdot) {
  const Layout& layout = *model.layout;
  compute_motion(model, x, ws);
  start_forces<Bias>(model, u, wrenches, ws);
  const Status status = inward_sweep<Bias>(layout, !wrenches.empty(), prescribed, vdot.data(), ws);
  if (status != Status::ok) return status;
  outward_sweep(layout, ws, vdot.data());
  if (!is_finite(vdot)) return Status::not_finite;
  ws.set_stage(reached);
  return Status::ok;
}

// D_0 of a body: modal mass, armature, and the terms added by an implicit step.
void set_constant_mass(const Link& link, int i, AbaData& ws) {
  const Unknowns& unknowns = ws.unknowns[i];
  const BodyConstants& constants = *link.constants;
  const std::size_t width = static_cast<std::size_t>(kLanes) * unknowns.chunks, n = link.n;
  double* D = reinterpret_cast<double*>(ws.D_0.data() + unknowns.D);
  double* added = reinterpret_cast<double*>(ws.implicit.D_added.data() + unknowns.D);
  for (int k = 0; k < link.nr; ++k) {
    D[(unknowns.modes + k) * (width + 1)] = link.armature[k] + ws.implicit.hinge_added[link.v + k];
  }
  if (link.motor.v != 0) {
    const MotorTerms terms(link, link.v + link.motor.v, ws.implicit);
    D[unknowns.modes * (width + 1)] -= terms.coupling * terms.coupling / terms.inertia;
  }
  for (std::size_t a = 0; a < static_cast<std::size_t>(unknowns.modes); ++a) {
    for (std::size_t b = 0; b < static_cast<std::size_t>(unknowns.modes); ++b) {
      if (unknowns.active) {
        D[a * width + b] = a == b ? 1 : 0;
        continue;
      }
      const bool zero = constants.elastic_diagonal && a != b;
      const std::size_t at = constants.elastic_diagonal ? a : a * n + b;
      if (ws.implicit.active && !zero) {
        added[a * width + b] = ws.implicit.c_D * constants.D[at] + ws.implicit.c_K * constants.K[at];
      }
      if (!constants.G_rows.empty()) {
        D[a * width + b] = constants.G_rows[a * kLanes * lanes_for(link.n) + b] + added[a * width + b];
      }
    }
  }
}

// Indices and constants of the unknowns of all bodies.  Bodies of a group are padded to equal size, because a group
// writes all four lanes.
void set_unknowns(const Layout& layout, AbaData& ws) {
  for (std::size_t i = 1; i < layout.links.size(); ++i) find_active(layout, static_cast<int>(i), ws);
  std::size_t numbers = 0, entries = 0, most = 0, hinges = 0;
  for (const BodyGroup& group : layout.groups) {
    int room = 0;
    for (const int i : group.bodies) {
      const Link& link = layout.links[i];
      Unknowns& unknowns = ws.unknowns[i];
      const auto count = static_cast<std::size_t>(unknowns.modes + link.nr);
      unknowns.chunks = lanes_for(static_cast<int>(count));
      unknowns.D = entries;
      entries += count * unknowns.chunks;
      room = std::max(room, unknowns.chunks);
      most = std::max(most, count);
    }
    for (const int i : group.bodies) {
      ws.unknowns[i].begin = numbers;
      numbers += static_cast<std::size_t>(kLanes) * room;
    }
  }
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    ws.unknowns[i].hinge = hinges;
    hinges += layout.links[i].nr;
  }
  const std::size_t chunks = lanes_for(static_cast<int>(most)), padded = kLanes * chunks;
  ws.H.assign(hinges, zero_spatial());
  make_room(layout.columns, ws.W);
  make_room(numbers, ws.Z);
  make_room(entries, ws.L);
  make_room(layout.links.size(), ws.steps);
  make_room(layout.links.size(), ws.motion_steps);
  make_room(layout.groups.size(), ws.group_steps);
  make_room(layout.node_groups.size(), ws.node_steps);
  ws.W.assign(layout.columns, zero_spatial());
  ws.body_columns = static_cast<int>(padded);
  ws.Z.assign(numbers, zero_spatial());
  ws.hinge_b.assign(hinges, 0);
  ws.b.assign(numbers, 0);
  ws.d_inverse.assign(numbers, 0);
  ws.D_0.assign(entries, zero());
  ws.L = ws.implicit.D_added = ws.D_0;
  ws.D.assign(padded * chunks, zero());
  if (ws.steps.empty()) ws.streams = numbers * sizeof(Spatial) + entries * sizeof(Vec4d) > kStreamed;
  ws.body_L.assign(ws.streams ? padded * chunks : 0, zero());
  ws.body_Z.assign(ws.streams ? padded : 0, zero_spatial());
  ws.body_d_inverse.assign(ws.streams ? padded : 0, 0);
  ws.x.assign(numbers + padded, 0);
  for (std::size_t i = 1; i < layout.links.size(); ++i) set_constant_mass(layout.links[i], static_cast<int>(i), ws);
  for (std::size_t g = 0; g < layout.groups.size(); ++g) set_group_modes(layout, g, ws);
  for (std::size_t g = 0; g < layout.node_groups.size(); ++g) set_node_columns(layout, g, ws);
  set_steps(ws.steps.empty(), ws);
}

// In `ruthless` the columns of the bodies are constant in their own bases.
void set_constant_columns(const Model& model, AbaData& ws) {
  const Layout& layout = *model.layout;
  ws.constant_columns = false;
  if (!layout.ruthless) return;
  compute_motion(model, ws.rest, ws);
  start_forces<false>(model, ws.zero.data(), {}, ws);
  int started = 0;
  start_groups<false>(layout, started, static_cast<int>(ws.starts.size()), false, ws);
  ws.constant_columns = true;
}

}  // namespace

AbaArrays::AbaArrays(const Model& model) : kin(model) {
  const Layout& layout = *model.layout;
  rest = make_zero_state(model);
  q.assign(model.nq + kLanes, 0);
  v.assign(model.nv + kLanes, 0);
  u = v;
  make_room(layout.links.size(), frames);
  make_room(layout.links.size(), bodies);
  frames.resize(layout.links.size());
  for (int j = 0; j < 3; ++j) frames[0].R.c[j][j] = 1;
  U.assign(layout.columns, zero_spatial());
  bodies.resize(layout.links.size());
  attachments.resize(layout.attachments.size());
  unknowns.resize(layout.links.size());
  active.resize(layout.links.size());
  group_modes.resize(layout.groups.size());
  node_columns.assign(layout.group_modes, FourSpatial{});
  node_unknowns.assign(layout.node_groups.size(), 0);
  node_turning = node_unknowns;
  axis_columns.resize(layout.group_modes);
  node_axes.assign(layout.node_groups.size(), 0);
  keeps_attachments = layout.ruthless || has_sliders(model);
  joint_P.resize(layout.links.size());
  loaded.assign(layout.links.size(), 0);
  group_F.resize(std::size_t{kLanes} * lanes_for(layout.max_extended));
  group_b.assign(std::size_t{2} * kLanes * lanes_for(layout.max_modes), limber::zero());
  g.resize(std::max(layout.max_attachments, 1));
  node_scratch.resize(static_cast<std::size_t>(kLanes) * lanes_for(layout.max_modes));
  b_modal.assign(layout.scalars, 0);
  four_b.assign(layout.group_shapes, limber::zero());
  prescribed.assign(layout.links.size(), 0);
  rotors.resize(layout.rotors.size());
  modal.assign(std::size_t{2} * kLanes * lanes_for(layout.max_modes), 0);
  tau.setZero(model.nv);
  zero.setZero(model.nv);
  implicit.hinge_added.setZero(model.nv);
  implicit.coupling.setZero(model.nv);
}

AbaData::AbaData(const Model& model) : AbaArrays(model) {
  set_unknowns(*model.layout, *this);
  set_constant_columns(model, *this);
}

AbaData::AbaData(const AbaData& other) : AbaArrays(other) { set_steps(true, *this); }

void AbaData::check_stage(const Model& model, AbaStage needed, const char* caller) const {
  check_model(model, kin);
  if (stage >= needed && stamp == kin.stamp) return;
  throw InputError(std::string(caller) +
                   (needed == AbaStage::factors
                        ? ": the workspace holds no factors of the mass matrix at its state; call "
                          "factor_mass, aba, hybrid or solve_mass with it first"
                        : ": the workspace holds no accelerations of the open tree; aba or hybrid "
                          "must have been the last call with it"));
}

Status aba(const Model& model, const State& x, const Forces& forces, AbaData& ws, Vec vdot) {
  check_sizes(model, x, forces.tau, vdot);
  return sweep<true>(model, x, forces.tau.data(), forces.wrenches, {}, AbaStage::accelerations, ws, vdot);
}

Status hybrid(const Model& model, const State& x, const Forces& forces, std::span<const std::uint8_t> prescribed,
              AbaData& ws, Vec vdot, Vec tau_out) {
  check_sizes(model, x, forces.tau, vdot);
  if (static_cast<int>(prescribed.size()) != model.body_count() || tau_out.size() != model.nv) {
    throw InputError("hybrid: `prescribed` needs one entry per body, `tau_out` one per speed");
  }
  const Layout& layout = *model.layout;
  const Status status =
      sweep<true>(model, x, forces.tau.data(), forces.wrenches, prescribed, AbaStage::accelerations, ws, vdot);
  tau_out = forces.tau;
  for (int i = 1; i < model.body_count(); ++i) {
    const Link& link = layout.links[i];
    if (!is_prescribed(prescribed, static_cast<std::size_t>(i))) continue;
    const Spatial f = joint_wrench(layout, i, ws, vdot.data());
    const Spatial* H = &ws.H[ws.unknowns[i].hinge];
    double passive[6] = {};
    if (link.passive) add_passive_force(link, &ws.q[link.q], &ws.v[link.v], passive);
    for (int k = 0; k < link.nr; ++k) {
      tau_out[link.v + k] = dot(H[k], f) + link.armature[k] * vdot[link.v + k] - passive[k];
    }
    if (ws.steps[i].rotor != nullptr && link.motor.v == 0) tau_out[link.v] += rotor_torque(ws.steps[i]);
  }
  return status == Status::ok && !tau_out.allFinite() ? Status::not_finite : status;
}

Status hybrid_impulse(const Model& model, const State& x, std::span<const std::uint8_t> prescribed, AbaData& ws,
                      Vec dv) {
  check_sizes(model, x, dv, dv);
  if (!prescribed.empty() && static_cast<int>(prescribed.size()) != model.body_count()) {
    throw InputError("hybrid_impulse: `prescribed` needs one entry per body, or none");
  }
  return sweep<false>(model, x, ws.zero.data(), {}, prescribed, AbaStage::factors, ws, dv);
}

void set_implicit(const Model& model, double c_D, double c_K, ConstVec more, AbaData& ws,
                  std::span<const std::uint8_t> open) {
  const Layout& layout = *model.layout;
  check_speeds(model, more);
  check_model(model, ws.kin);
  ws.stage = AbaStage::none;
  ws.implicit.active = true;
  ws.implicit.c_D = c_D;
  ws.implicit.c_K = c_K;
  ws.implicit.hinge_added = more;
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    for (int k = 0; k < link.nr; ++k) {
      ws.implicit.hinge_added[link.v + k] += c_D * link.damping[k] + c_K * link.stiffness[k];
    }
  }
  for (const int i : layout.motors) {
    const Link& link = layout.links[i];
    const int m = link.v + link.motor.v;
    const bool acts = open.empty() || open[static_cast<std::size_t>(i)] == 0;
    const double added = acts ? c_D * link.motor.damping + c_K * link.motor.stiffness : 0;
    ws.implicit.hinge_added[link.v] += added;
    ws.implicit.hinge_added[m] += added * link.motor.per_turn * link.motor.per_turn;
    ws.implicit.coupling[m] = added * link.motor.per_turn;
  }
  set_unknowns(layout, ws);
  set_constant_columns(model, ws);
}

void add_implicit_force(const Model& model, const AbaData& ws, ConstVec a, Vec tau) {
  const Layout& layout = *model.layout;
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    const BodyConstants& constants = *link.constants;
    for (int k = link.v; k < link.v + link.nr; ++k) tau[k] += ws.implicit.hinge_added[k] * a[k];
    for (int k = 0; k < link.n; ++k) {
      if (constants.elastic_diagonal) {
        tau[link.vm + k] += (ws.implicit.c_D * constants.D[k] + ws.implicit.c_K * constants.K[k]) * a[link.vm + k];
        continue;
      }
      for (int b = 0; b < link.n; ++b) {
        const std::size_t at = static_cast<std::size_t>(k) * link.n + b;
        tau[link.vm + k] += (ws.implicit.c_D * constants.D[at] + ws.implicit.c_K * constants.K[at]) * a[link.vm + b];
      }
    }
  }
  for_motors(layout, [&](const Link& link, int, int m) {
    const double coupling = MotorTerms(link, m, ws.implicit).coupling;
    tau[m] += ws.implicit.hinge_added[m] * a[m] - coupling * a[link.v];
    tau[link.v] -= coupling * a[m];
  });
}

Status factor_mass(const Model& model, const State& x, AbaData& ws, std::span<const std::uint8_t> prescribed) {
  if (!prescribed.empty() && static_cast<int>(prescribed.size()) != model.body_count()) {
    throw InputError("factor_mass: `prescribed` needs one entry per body, or none");
  }
  check_sizes(model, x, x.v, x.v);
  compute_motion(model, x, ws);
  start_forces<false>(model, ws.zero.data(), {}, ws);
  const Status status = inward_sweep<false>(*model.layout, false, prescribed, ws.zero.data(), ws);
  if (status != Status::ok) return status;
  ws.set_stage(AbaStage::factors);
  return Status::ok;
}

void start_solve(const Model& model, ConstVec f, AbaData& ws) {
  ws.stage = AbaStage::factors;  // overwrites z and a of the bodies
  for (int i = 0; i < model.body_count(); ++i) ws.bodies[i].z = zero_spatial();
  for (ArticulatedAttachment& attachment : ws.attachments) attachment.z = zero_spatial();
  std::copy_n(f.data(), f.size(), ws.u.data());
  for (int i = 1; i < model.body_count(); ++i) {
    const Link& link = model.layout->links[i];
    double* b = modal_bias(link, i, ws);
    for (int k = 0; k < link.n; ++k) b[k] = -f[link.vm + k];
  }
  start_hinges(ws);
  start_motor_forces(*model.layout, ws);
}

void finish_solve(const Model& model, AbaData& ws, Vec out) {
  const Layout& layout = *model.layout;
  for (int i = model.body_count() - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    if (ws.prescribed[i] != 0) out.segment(link.v, link.nr).setZero();
    reduce(layout, i, ws);
    Spatial& into = link.attachment >= 0 ? ws.attachments[link.attachment].z : ws.bodies[link.parent].z;
    into += wrench_to_parent(i, ws, ws.bodies[i].z);
    flush_subnormals(into);
  }
  gather_forces(layout, ws);
  outward_sweep(layout, ws, out.data());
}

Spatial joint_wrench(const Layout& layout, int i, const AbaData& ws, const double* vdot) {
  const Link& link = layout.links[i];
  Spatial a = ws.bodies[i].a;
  if (link.inboard >= 0) a -= times(&ws.U[link.inboard_columns], vdot + link.vm, link.n);
  const Inertia& P = ws.joint_P[i];
  const Spatial f = times(P, transpose(P.B), a);
  return Spatial{without_last(f.ang), f.lin} + ws.bodies[i].z;
}

void load_node(const Model& model, NodeRef node, const Spatial& wrench, AbaData& ws, Spatial& z, double* b) {
  Spatial* Y = ws.node_scratch.data();
  const NodeFrame frame = node_in_body(model, ws.kin, node, Y);
  const Mat3 &R = ws.frames[node.body].R, Rt = transpose(R);
  z -= wrench_from(R * frame.l, wrench);
  if (node.node == kBodyFrame) return;
  const Spatial w{Rt * wrench.ang, Rt * wrench.lin};
  for (int k = 0; k < model.layout->links[node.body].n; ++k) b[k] -= dot(Y[k], w);
}

void solve_factored(const Model& model, ConstVec f, AbaData& ws, Vec out) {
  ws.check_stage(model, AbaStage::factors, "solve_factored");
  check_speeds(model, f);
  check_speeds(model, out);
  start_solve(model, f, ws);
  finish_solve(model, ws, out);
}

Status solve_mass(const Model& model, const State& x, ConstVec f, AbaData& ws, Vec out) {
  check_sizes(model, x, f, out);
  if (const Status status = factor_mass(model, x, ws); status != Status::ok) return status;
  solve_factored(model, f, ws, out);
  return is_finite(out) ? Status::ok : Status::not_finite;
}

}  // namespace limber
