// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/aba.hpp"

#include <algorithm>
#include <cmath>

#include "elimination.hpp"

namespace limber {
namespace {

bool is_prescribed(std::span<const std::uint8_t> prescribed, int i) {
  return !prescribed.empty() && prescribed[i] != 0;
}

// Those of the hinge: -u.
LIMBER_INLINE double* start_hinge(const Link& link, int i, const double* u, AbaData& ws) {
  double* b = &ws.b[ws.unknowns[i].begin + ws.unknowns[i].modes];
  if (link.nr == 1) {
    b[0] = -u[link.v];
  } else {
    for (int k = 0; k < link.nr; ++k) b[k] = -u[link.v + k];
  }
  return b;
}

// Bias forces b = p + K eta + D etadot - u of the modes.
void start_modes(const Link& link, int i, const double* u, AbaData& ws) {
  double* b = modal_bias(link, i, ws);
  const double *u_f = u + link.vm, *p_f = &ws.kin.p_f[link.scalars];
  if (link.n > 0 && link.constants->elastic_diagonal) {
    const double *K = link.constants->K.data(), *D = link.constants->D.data();
    const double *eta = &ws.kin.eta[link.scalars], *etadot = &ws.kin.etadot[link.scalars];
    const int whole = link.n - link.n % kLanes;
    for (int k = 0; k < whole; k += kLanes) {
      store(b + k, load(p_f + k) + load(K + k) * load(eta + k) + load(D + k) * load(etadot + k) - load(u_f + k));
    }
    for (int k = whole; k < link.n; ++k) b[k] = p_f[k] + K[k] * eta[k] + D[k] * etadot[k] - u_f[k];
  } else if (link.n > 0) {
    for (int k = 0; k < link.n; ++k) b[k] = p_f[k] - u_f[k];
    add_elastic_force(*link.constants, &ws.kin.eta[link.scalars], &ws.kin.etadot[link.scalars], b);
  }
}

// Those of the hinge, with its spring and damper.
void start_joint(const Link& link, int i, const double* u, AbaData& ws) {
  double* b_hinge = start_hinge(link, i, u, ws);
  if (!link.passive) return;
  double passive[6] = {};
  add_passive_force(link, &ws.kin.q[link.q], &ws.kin.v[link.v], passive);
  for (int k = 0; k < link.nr; ++k) b_hinge[k] -= passive[k];
}

// The modes without bias and elastic forces.
void start_modes_alone(const Link& link, int i, const double* u, AbaData& ws) {
  double* b = modal_bias(link, i, ws);
  for (int k = 0; k < link.n; ++k) b[k] = -u[link.vm + k];
}

// Modal mass that depends on the state.
void start_varying_mass(const Link& link, int i, AbaData& ws) {
  const Unknowns& unknowns = ws.unknowns[i];
  const int lanes = lanes_for(link.n);
  for (int k = 0; k < link.n; ++k) {
    for (int c = 0; c < lanes; ++c) {
      const std::size_t at = unknowns.D + static_cast<std::size_t>(k) * unknowns.chunks + c;
      ws.D_0[at] = load(&ws.kin.G[i][(static_cast<std::size_t>(k) * lanes + c) * kLanes]) + ws.implicit.D_added[at];
    }
  }
}

// The bodies alone: inertias with the bias wrenches p of their motion, columns of their modes.
template <bool Bias>
void start_bodies(const Layout& layout, const double* u, AbaData& ws) {
  const int count = static_cast<int>(layout.links.size());
  for (int i = 1; i < count; ++i) {
    const Link& link = layout.links[i];
    const LinkFrame& f = ws.kin.links[i];
    if (link.n > 0) Bias ? start_modes(link, i, u, ws) : start_modes_alone(link, i, u, ws);
    if (link.n > 0 && link.constants->G_rows.empty()) start_varying_mass(link, i, ws);
    const Spatial p = Bias ? f.p : zero_spatial();
    ws.unknowns[i].active ? void(ws.bodies[i].z = p) : set_inertia(f.m, f.s, f.J, p, ws.bodies[i].P);
  }
  for (std::size_t g = 0; g < layout.groups.size(); ++g) start_group(layout, g, ws);
  for (std::size_t g = 0; !ws.constant_columns && g < layout.node_groups.size(); ++g) start_columns(layout, g, ws);
  for (int i = 1; i < count; ++i) {
    Bias ? start_joint(layout.links[i], i, u, ws) : void(start_hinge(layout.links[i], i, u, ws));
  }
}

// Bodies one after the other, from the tips; `given`: accelerations of prescribed hinges.
Status inward_sweep(const Layout& layout, std::span<const std::uint8_t> prescribed, const double* given, AbaData& ws) {
  ws.failure = -1;
  ws.stage = AbaStage::none;
  for (int i = static_cast<int>(layout.links.size()) - 1; i > 0; --i) {
    ws.prescribed[i] = is_prescribed(prescribed, i);
    ws.failure = eliminate(layout, i, ws.prescribed[i] != 0 ? given : nullptr, ws);
    if (ws.failure >= 0) return ws.failure_is_number ? Status::singular_mass : Status::not_finite;
  }
  return Status::ok;
}

void outward_sweep(const Layout& layout, AbaData& ws, double* vdot) {
  ws.bodies[0].a = zero_spatial();
  for (int i = 1; i < static_cast<int>(layout.links.size()); ++i) accelerate(layout, i, ws, vdot);
  for (std::size_t g = 0; g < layout.groups.size(); ++g) expand_group(layout, g, ws, vdot);
}

// The sweeps after the kinematics; Bias: with the bias forces of the motion.
template <bool Bias>
Status sweep(const Layout& layout, const double* u, std::span<const std::uint8_t> prescribed, AbaStage reached,
             AbaData& ws, Vec vdot) {
  start_bodies<Bias>(layout, u, ws);
  if (const Status status = inward_sweep(layout, prescribed, vdot.data(), ws); status != Status::ok) return status;
  outward_sweep(layout, ws, vdot.data());
  if (!is_finite(vdot)) return Status::not_finite;
  ws.set_stage(reached);
  return Status::ok;
}

// D_0 of a body: modal mass, armature, and what an implicit step adds to them.
void set_constant_mass(const Link& link, int i, AbaData& ws) {
  const Unknowns& unknowns = ws.unknowns[i];
  const BodyConstants& constants = *link.constants;
  const std::size_t width = static_cast<std::size_t>(kLanes) * unknowns.chunks, n = link.n;
  double* D = reinterpret_cast<double*>(ws.D_0.data() + unknowns.D);
  double* added = reinterpret_cast<double*>(ws.implicit.D_added.data() + unknowns.D);
  for (int k = 0; k < link.nr; ++k) {
    D[(unknowns.modes + k) * (width + 1)] = link.armature[k] + ws.implicit.hinge_added[link.v + k];
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

// Places and constants of the unknowns of all bodies, four by four: what a group writes has room at each of its bodies.
void set_unknowns(const Layout& layout, AbaData& ws) {
  for (std::size_t i = 1; i < layout.links.size(); ++i) find_active(layout, static_cast<int>(i), ws);
  std::size_t numbers = 0, entries = 0, rows = 0, most = 0;
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
      for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
        ws.rows_begin[h] = rows;
        rows += std::size_t{6} * unknowns.chunks;
      }
    }
    for (const int i : group.bodies) {
      ws.unknowns[i].begin = numbers;
      numbers += static_cast<std::size_t>(kLanes) * room;
    }
  }
  const std::size_t chunks = lanes_for(static_cast<int>(most)), padded = kLanes * chunks;
  ws.mu.assign(numbers, zero_spatial());
  ws.Z = ws.mu;
  ws.b.assign(numbers, 0);
  ws.d_inverse.assign(numbers, 0);
  ws.W_rows.assign(rows, zero());
  ws.D_0.assign(entries, zero());
  ws.L = ws.implicit.D_added = ws.D_0;
  ws.D.assign(padded * chunks, zero());
  ws.U_rows.assign(6 * chunks, zero());
  ws.mu_rows = ws.U_rows;
  ws.x = ws.b;
  ws.scale.assign(padded, 0);
  for (std::size_t i = 1; i < layout.links.size(); ++i) set_constant_mass(layout.links[i], static_cast<int>(i), ws);
  for (std::size_t g = 0; g < layout.groups.size(); ++g) set_group_modes(layout, g, ws);
  for (std::size_t g = 0; g < layout.node_groups.size(); ++g) set_node_columns(layout, g, ws);
}

// In `ruthless` the columns of the bodies are constants.
void set_constant_columns(const Model& model, AbaData& ws) {
  const Layout& layout = *model.layout;
  ws.constant_columns = false;
  if (!layout.ruthless) return;
  compute_kinematics(model, ws.rest, ws.kin);
  start_bodies<false>(layout, ws.zero.data(), ws);
  ws.constant_columns = true;
}

}  // namespace

AbaData::AbaData(const Model& model) : kin(model) {
  const Layout& layout = *model.layout;
  rest = make_zero_state(model);
  bodies.resize(layout.links.size());
  attachments.resize(layout.attachments.size());
  unknowns.resize(layout.links.size());
  active.resize(layout.links.size());
  group_modes.resize(layout.groups.size());
  node_columns.assign(layout.group_modes, FourSpatial{});
  node_unknowns.assign(layout.node_groups.size(), 0);
  W.assign(layout.columns, zero_spatial());
  group_W.resize(static_cast<std::size_t>(kLanes) * lanes_for(layout.max_modes));
  group_b.assign(std::size_t{3} * kLanes * lanes_for(layout.max_modes), limber::zero());
  rows_begin.assign(layout.attachments.size(), 0);
  b_modal.assign(layout.scalars, 0);
  prescribed.assign(layout.links.size(), 0);
  modal.assign(std::size_t{2} * kLanes * lanes_for(layout.max_modes), 0);
  tau.setZero(model.nv);
  zero.setZero(model.nv);
  implicit.hinge_added.setZero(model.nv);
  set_unknowns(layout, *this);
  set_constant_columns(model, *this);
}

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
  compute_bias(model, x, forces.wrenches, ws.kin);
  return sweep<true>(*model.layout, forces.tau.data(), {}, AbaStage::accelerations, ws, vdot);
}

Status hybrid(const Model& model, const State& x, const Forces& forces, std::span<const std::uint8_t> prescribed,
              AbaData& ws, Vec vdot, Vec tau_out) {
  check_sizes(model, x, forces.tau, vdot);
  if (static_cast<int>(prescribed.size()) != model.body_count() || tau_out.size() != model.nv) {
    throw InputError("hybrid: `prescribed` needs one entry per body, `tau_out` one per speed");
  }
  const Layout& layout = *model.layout;
  compute_bias(model, x, forces.wrenches, ws.kin);
  const Status status = sweep<true>(layout, forces.tau.data(), prescribed, AbaStage::accelerations, ws, vdot);
  tau_out = forces.tau;
  for (int i = 1; i < model.body_count(); ++i) {
    const Link& link = layout.links[i];
    if (!is_prescribed(prescribed, i)) continue;
    const Spatial f = joint_wrench(layout, i, ws, vdot.data());
    const Spatial* H = ws.kin.hinge_map(link);
    double passive[6] = {};
    if (link.passive) add_passive_force(link, &ws.kin.q[link.q], &ws.kin.v[link.v], passive);
    for (int k = 0; k < link.nr; ++k) {
      tau_out[link.v + k] = dot(H[k], f) + link.armature[k] * vdot[link.v + k] - passive[k];
    }
  }
  return status == Status::ok && !tau_out.allFinite() ? Status::not_finite : status;
}

Status hybrid_impulse(const Model& model, const State& x, std::span<const std::uint8_t> prescribed, AbaData& ws,
                      Vec dv) {
  check_sizes(model, x, dv, dv);
  if (!prescribed.empty() && static_cast<int>(prescribed.size()) != model.body_count()) {
    throw InputError("hybrid_impulse: `prescribed` needs one entry per body, or none");
  }
  compute_kinematics(model, x, ws.kin);
  return sweep<false>(*model.layout, ws.zero.data(), prescribed, AbaStage::factors, ws, dv);
}

void set_implicit(const Model& model, double c_D, double c_K, ConstVec more, AbaData& ws) {
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
}

Status factor_mass(const Model& model, const State& x, AbaData& ws, std::span<const std::uint8_t> prescribed) {
  if (!prescribed.empty() && static_cast<int>(prescribed.size()) != model.body_count()) {
    throw InputError("factor_mass: `prescribed` needs one entry per body, or none");
  }
  const Layout& layout = *model.layout;
  compute_kinematics(model, x, ws.kin);
  start_bodies<false>(layout, ws.zero.data(), ws);
  if (const Status status = inward_sweep(layout, prescribed, ws.zero.data(), ws); status != Status::ok) return status;
  ws.set_stage(AbaStage::factors);
  return Status::ok;
}

void start_solve(const Model& model, ConstVec f, AbaData& ws) {
  ws.stage = AbaStage::factors;  // z and a of the bodies are those of this solution from now on
  for (int i = 0; i < model.body_count(); ++i) ws.bodies[i].z = zero_spatial();
  for (ArticulatedAttachment& attachment : ws.attachments) attachment.z = zero_spatial();
  for (int i = 1; i < model.body_count(); ++i) {
    start_modes_alone(model.layout->links[i], i, f.data(), ws);
    start_hinge(model.layout->links[i], i, f.data(), ws);
  }
}

void finish_solve(const Model& model, AbaData& ws, Vec out) {
  const Layout& layout = *model.layout;
  for (int i = model.body_count() - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    if (ws.prescribed[i] != 0) out.segment(link.v, link.nr).setZero();
    reduce(layout, i, ws);
    Spatial& into = link.attachment >= 0 ? ws.attachments[link.attachment].z : ws.bodies[link.parent].z;
    into += wrench_to_parent(link, i, ws.kin, ws.bodies[i].z);
    flush_subnormals(into);
  }
  outward_sweep(layout, ws, out.data());
}

Spatial joint_wrench(const Layout& layout, int i, const AbaData& ws, const double* vdot) {
  const Link& link = layout.links[i];
  Spatial a = ws.bodies[i].a;
  if (link.inboard >= 0) a -= times(&ws.kin.columns[link.inboard_columns], vdot + link.vm, link.n);
  const Inertia& P = ws.bodies[i].P;
  const Spatial f = times(P, transpose(P.B), a);
  return Spatial{without_last(f.ang), f.lin} + ws.bodies[i].z;
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
