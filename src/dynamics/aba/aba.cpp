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

// Scale of each hinge speed, before the modes are eliminated: what their elimination leaves is rounded, too.
LIMBER_INLINE void hinge_scales(const Link& link, const Spatial* H, const AbaData& ws, const Mat6& P, double* scale) {
  for (int k = 0; k < link.nr; ++k) {
    scale[k] = inertia_scale(P, H[k]);
    for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
      scale[k] += inertia_scale(ws.attachments[h].Gamma, twist_at(ws.kin.attachments[h].l, H[k]));
    }
  }
}

// The hinge leaves the recursion one speed after the other.  theory §5:
//   D = H^T P H + armature,  P+ = P - (P H) D^-1 (P H)^T
LIMBER_INLINE int factor_hinge(const Link& link, const Spatial* H, const double* scale, Mat6& P, AbaData& ws) {
  for (int k = 0; k < link.nr; ++k) {
    const Spatial PH = P * H[k];
    const double D = dot(H[k], PH) + link.armature[k] + ws.implicit.hinge_added[link.v + k];
    if (!(D > kNoInertia * scale[k])) return k;
    const double inverse = 1 / D;
    ws.PH[link.v + k] = PH;
    ws.D_inverse[link.v + k] = inverse;
    Mat6Registers sum = Mat6Registers::from(P);
    sum.add(PH * -inverse, PH);
    sum.put(P);
  }
  return -1;
}

bool can_condense(const Link& link, int i, const AbaData& ws) {
  return link.elimination == Elimination::condensed && (!ws.implicit.active || !ws.implicit.G_inverse[i].empty());
}

// Articulated inertias, inward.  [JR] (63).  Returns the speed without inertia, or -1.
int inward_inertia(const Layout& layout, int i, bool prescribed, AbaData& ws) {
  const Link& link = layout.links[i];
  const Kinematics& kin = ws.kin;
  const Spatial* H = kin.hinge_map(link);
  ws.prescribed[i] = prescribed;
  double scale[6];
  hinge_scales(link, H, ws, ws.bodies[i].P, scale);
  if (link.n > 0) {
    ws.is_condensed[i] = can_condense(link, i, ws) && factor_condensed(layout, i, ws);
    if (!ws.is_condensed[i]) {
      if (const int k = factor_cholesky(layout, i, ws); k >= 0) return link.vm + k;
    }
  }
  Mat6 P = ws.bodies[i].P;
  if (!prescribed) {
    if (const int k = factor_hinge(link, H, scale, P, ws); k >= 0) return link.v + k;
  }
  if (link.parent == kGround) return -1;
  const Mat6 on_inboard = back_across(kin.links[i], P);
  if (link.attachment < 0) {
    add(ws.bodies[link.parent].P, on_inboard);
  } else if (link.opens_attachment) {
    ws.attachments[link.attachment].Gamma = on_inboard;
  } else {
    add(ws.attachments[link.attachment].Gamma, on_inboard);
  }
  return -1;
}

// Bias wrenches, inward.  [JR] (63): e_R = u - H^T z, z+ = z + P H D^-1 e_R; prescribed: z+ = z + P_R H betadot.
void inward_force(const Layout& layout, int i, const double* prescribed, AbaData& ws) {
  const Link& link = layout.links[i];
  const Kinematics& kin = ws.kin;
  if (link.n > 0) {
    ws.is_condensed[i] ? reduce_condensed(layout, i, ws) : reduce_cholesky(layout, i, ws);
  }
  Spatial z = ws.bodies[i].z;
  const Spatial* H = kin.hinge_map(link);
  if (prescribed != nullptr) {
    z += ws.bodies[i].P * times(H, prescribed + link.v, link.nr);
  } else {
    for (int k = link.v; k < link.v + link.nr; ++k) {
      ws.e[k] -= dot(H[k - link.v], z);
      z += ws.PH[k] * (ws.D_inverse[k] * ws.e[k]);
    }
  }
  if (link.parent == kGround) return;
  const Spatial on_inboard = back_across(kin.links[i], z);
  if (link.attachment < 0) {
    ws.bodies[link.parent].z += on_inboard;
  } else if (link.opens_attachment) {
    ws.attachments[link.attachment].z = on_inboard;
  } else {
    ws.attachments[link.attachment].z += on_inboard;
  }
}

// Accelerations, outward.  [JR] (64): betadot = D^-1 (e_R - (P H)^T a), the speed eliminated last comes first.
void outward_acceleration(const Layout& layout, int i, bool prescribed, AbaData& ws, double* vdot) {
  const Link& link = layout.links[i];
  const Kinematics& kin = ws.kin;
  Spatial a = across(kin.links[i], link.attachment >= 0 ? ws.attachments[link.attachment].a : ws.bodies[link.parent].a);
  const Spatial* H = kin.hinge_map(link);
  for (int k = link.nr - 1; k >= 0; --k) {
    double& betadot = vdot[link.v + k];
    if (!prescribed) betadot = ws.D_inverse[link.v + k] * (ws.e[link.v + k] - dot(ws.PH[link.v + k], a));
    a += H[k] * betadot;
  }
  ws.bodies[i].a = a;
  if (link.n == 0) return;
  ws.is_condensed[i] ? expand_condensed(layout, i, ws, vdot + link.vm) : expand_cholesky(layout, i, ws, vdot + link.vm);
}

// Right sides: inertias of the bodies alone, and forces u less the bias and the elastic forces.
void start_body(const Layout& layout, int i, const double* u, AbaData& ws) {
  const Link& link = layout.links[i];
  const LinkFrame& f = ws.kin.links[i];
  ws.bodies[i].P = body_inertia(f.m, f.s, f.J);
  ws.bodies[i].z = f.p;
  for (int k = link.v; k < link.v + link.nr; ++k) ws.e[k] = u[k];
  if (link.passive) add_passive_force(link, &ws.kin.q[link.q], &ws.kin.v[link.v], &ws.e[link.v]);
  if (link.n == 0) return;
  double* e_f = &ws.e_f[link.scalars];
  const double* p_f = &ws.kin.p_f[link.scalars];
  if (link.constants->elastic_diagonal) {
    const double *K = link.constants->K.data(), *D = link.constants->D.data(), *u_f = u + link.vm;
    const double *eta = &ws.kin.eta[link.scalars], *etadot = &ws.kin.etadot[link.scalars];
    with_size(link.n, [&](auto n) {
      for_each(
          n, LIMBER_EACH(k) { e_f[k] = u_f[k] - p_f[k] - K[k] * eta[k] - D[k] * etadot[k]; });
    });
    return;
  }
  for (int k = 0; k < link.n; ++k) e_f[k] = p_f[k];
  add_elastic_force(*link.constants, &ws.kin.eta[link.scalars], &ws.kin.etadot[link.scalars], e_f);
  for (int k = 0; k < link.n; ++k) e_f[k] = u[link.vm + k] - e_f[k];
}

void start_forces(const Layout& layout, int i, const double* u, AbaData& ws) {
  const Link& link = layout.links[i];
  ws.bodies[i].z = zero_spatial();
  for (int k = 0; k < link.nr; ++k) ws.e[link.v + k] = u[link.v + k];
  for (int k = 0; k < link.n; ++k) ws.e_f[link.scalars + k] = u[link.vm + k];
}

void start_inertia(int i, AbaData& ws) {
  const LinkFrame& f = ws.kin.links[i];
  ws.bodies[i].P = body_inertia(f.m, f.s, f.J);
}

void start_body_without_bias(const Layout& layout, int i, const double* u, AbaData& ws) {
  start_inertia(i, ws);
  start_forces(layout, i, u, ws);
}

// Implicit steps: where the modal mass depends on the state, stiffness and damping are added to it every time.
void add_to_varying_mass(const Layout& layout, AbaData& ws) {
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    for (std::size_t k = 0; k < ws.kin.G[i].size(); ++k) ws.kin.G[i][k] += ws.implicit.G_added[i][k];
  }
}

// The three sweeps after the kinematics.
template <typename Start>
Status sweep(const Layout& layout, const double* u, std::span<const std::uint8_t> prescribed, Start start,
             AbaStage reached, AbaData& ws, Vec vdot) {
  const int count = static_cast<int>(layout.links.size());
  ws.failure = -1;
  ws.stage = AbaStage::none;
  for (int i = 1; i < count; ++i) start(layout, i, u, ws);
  if (ws.implicit.active) add_to_varying_mass(layout, ws);
  for (int i = count - 1; i > 0; --i) {
    const bool given = is_prescribed(prescribed, i);
    ws.failure = inward_inertia(layout, i, given, ws);
    if (ws.failure >= 0) return ws.kin.q.allFinite() ? Status::singular_mass : Status::not_finite;
    inward_force(layout, i, given ? vdot.data() : nullptr, ws);
  }
  ws.bodies[0].a = zero_spatial();
  for (int i = 1; i < count; ++i) outward_acceleration(layout, i, is_prescribed(prescribed, i), ws, vdot.data());
  if (!is_finite(vdot)) return Status::not_finite;
  ws.set_stage(reached);
  return Status::ok;
}

// In `ruthless` the condensed bodies are constants.
void compute_constants(const Model& model, AbaData& ws) {
  const Layout& layout = *model.layout;
  if (!layout.ruthless) return;
  compute_kinematics(model, make_zero_state(model), ws.kin);
  for (int i = 1; i < model.body_count(); ++i) {
    if (can_condense(layout.links[i], i, ws)) compute_gram(layout, i, ws);
  }
}

// Places of the factors of every body, and the largest scratch that one needs.
void size_factors(const Layout& layout, CholeskyFactors& cholesky, CondensedFactors& condensed) {
  cholesky.y.assign(layout.columns, zero_spatial());
  cholesky.d_inverse.assign(layout.scalars, 0);
  cholesky.factor_begin.assign(layout.links.size(), 0);
  condensed.gram_begin = condensed.T_begin = condensed.direction_begin = cholesky.factor_begin;
  condensed.direction_count.assign(layout.links.size(), 0);
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    const std::size_t c = static_cast<std::size_t>(link.attachment_end - link.attachment_begin);
    cholesky.factor_begin[i] = cholesky.L.size();
    condensed.gram_begin[i] = condensed.gram.size();
    condensed.T_begin[i] = condensed.T.size();
    condensed.direction_begin[i] = condensed.directions.size();
    if (link.n == 0) continue;
    if (link.elimination == Elimination::condensed) {
      condensed.gram.resize(condensed.gram.size() + 1 + c + c * c);
      condensed.T.resize(condensed.T.size() + c * c);
      condensed.directions.resize(condensed.directions.size() + 6);
    }
    cholesky.L.resize(cholesky.L.size() + static_cast<std::size_t>(link.n) * lanes_for(link.n), Vec4d{});
  }
  condensed.weights.assign(condensed.directions.size(), 0);
  condensed.stack.resize(2 * static_cast<std::size_t>(layout.max_attachments));
  // Terms of D_f: one of each outboard attachment, two of the inboard one.
  const std::size_t terms = static_cast<std::size_t>(layout.max_attachments) + 2;
  cholesky.term_rows.resize(terms * 6 * lanes_for(layout.max_modes));
  cholesky.term_columns.resize(terms * layout.max_modes);
  cholesky.pivots.assign(layout.max_modes, 0);
}

}  // namespace

AbaData::AbaData(const Model& model) : kin(model) {
  const Layout& layout = *model.layout;
  bodies.resize(layout.links.size());
  attachments.resize(layout.attachments.size());
  PH.assign(model.nv, zero_spatial());
  D_inverse.assign(model.nv, 0);
  e.assign(model.nv, 0);
  e_f.assign(layout.scalars, 0);
  is_condensed.assign(layout.links.size(), 0);
  prescribed = is_condensed;
  size_factors(layout, cholesky, condensed);
  tau.setZero(model.nv);
  zero.setZero(model.nv);
  implicit.hinge_added.setZero(model.nv);
  compute_constants(model, *this);
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
  return sweep(*model.layout, forces.tau.data(), {}, start_body, AbaStage::accelerations, ws, vdot);
}

Status hybrid(const Model& model, const State& x, const Forces& forces, std::span<const std::uint8_t> prescribed,
              AbaData& ws, Vec vdot, Vec tau_out) {
  check_sizes(model, x, forces.tau, vdot);
  if (static_cast<int>(prescribed.size()) != model.body_count() || tau_out.size() != model.nv) {
    throw InputError("hybrid: `prescribed` needs one entry per body, `tau_out` one per speed");
  }
  const Layout& layout = *model.layout;
  compute_bias(model, x, forces.wrenches, ws.kin);
  const Status status = sweep(layout, forces.tau.data(), prescribed, start_body, AbaStage::accelerations, ws, vdot);
  tau_out = forces.tau;
  for (int i = 1; i < model.body_count(); ++i) {
    const Link& link = layout.links[i];
    if (!is_prescribed(prescribed, i)) continue;
    // f_R = P_R a_R + z_R on the joint side of the modes: P and z of the body after their elimination.
    Spatial a = ws.bodies[i].a;
    if (link.inboard >= 0) a -= times(&ws.kin.columns[link.inboard_columns], vdot.data() + link.vm, link.n);
    const Spatial f = ws.bodies[i].P * a + ws.bodies[i].z;
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
  return sweep(*model.layout, ws.zero.data(), prescribed, start_body_without_bias, AbaStage::factors, ws, dv);
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
  ws.implicit.G_added.resize(layout.links.size());
  ws.implicit.G_inverse.resize(layout.links.size());
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    const BodyConstants& constants = *link.constants;
    for (int k = 0; k < link.nr; ++k) {
      ws.implicit.hinge_added[link.v + k] += c_D * link.damping[k] + c_K * link.stiffness[k];
    }
    const int n = link.n, width = kLanes * lanes_for(n);
    std::vector<double>& G = ws.implicit.G_added[i];
    if (constants.G_rows.empty()) {
      G.assign(static_cast<std::size_t>(n) * width, 0);
    } else {
      G = constants.G_rows;
    }
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        if (constants.elastic_diagonal && a != b) continue;
        const std::size_t at = constants.elastic_diagonal ? a : a * n + b;
        G[a * width + b] += c_D * constants.D[at] + c_K * constants.K[at];
      }
    }
    if (!constants.mass_diagonal() || !constants.elastic_diagonal) continue;
    ws.implicit.G_inverse[i].assign(width, 0);
    for (int a = 0; a < n; ++a) ws.implicit.G_inverse[i][a] = 1 / G[a * width + a];
  }
  compute_constants(model, ws);
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
  ws.failure = -1;
  ws.stage = AbaStage::none;
  for (int i = 1; i < model.body_count(); ++i) start_inertia(i, ws);
  if (ws.implicit.active) add_to_varying_mass(layout, ws);
  for (int i = model.body_count() - 1; i > 0; --i) {
    ws.failure = inward_inertia(layout, i, is_prescribed(prescribed, i), ws);
    if (ws.failure >= 0) return ws.kin.q.allFinite() ? Status::singular_mass : Status::not_finite;
  }
  ws.set_stage(AbaStage::factors);
  return Status::ok;
}

void start_solve(const Model& model, ConstVec f, AbaData& ws) {
  ws.stage = AbaStage::factors;  // z and a of the bodies are those of this solution from now on
  for (int i = 1; i < model.body_count(); ++i) start_forces(*model.layout, i, f.data(), ws);
}

void finish_solve(const Model& model, AbaData& ws, Vec out) {
  const Layout& layout = *model.layout;
  const int count = model.body_count();
  for (int i = count - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    if (ws.prescribed[i] != 0) out.segment(link.v, link.nr).setZero();
    inward_force(layout, i, ws.prescribed[i] != 0 ? out.data() : nullptr, ws);
    flush_subnormals(link.attachment >= 0 ? ws.attachments[link.attachment].z : ws.bodies[link.parent].z);
  }
  ws.bodies[0].a = zero_spatial();
  for (int i = 1; i < count; ++i) outward_acceleration(layout, i, ws.prescribed[i] != 0, ws, out.data());
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
  compute_kinematics(model, x, ws.kin);
  return sweep(*model.layout, f.data(), {}, start_body_without_bias, AbaStage::factors, ws, out);
}

}  // namespace limber
