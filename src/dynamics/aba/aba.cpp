// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/aba.hpp"

#include <algorithm>
#include <cmath>

#include "elimination.hpp"

namespace limber {
namespace {

bool is_prescribed(std::span<const std::uint8_t> prescribed, int i) {
  return !prescribed.empty() && prescribed[i] != 0;
}

// Scale of each hinge speed, before the modes are eliminated: what their elimination leaves is rounded, too.
LIMBER_INLINE void hinge_scales(const Link& link, const Spatial* H, const AbaWorkspace& ws, const Mat6& P,
                                double* scale) {
  for (int k = 0; k < link.nr; ++k) {
    scale[k] = inertia_scale(P, H[k]);
    for (int h = link.handle_begin; h < link.handle_end; ++h) {
      scale[k] += inertia_scale(ws.handles[h].Gamma, twist_at(ws.kin.handles[h].l, H[k]));
    }
  }
}

// The hinge leaves the recursion one speed after the other.  theory §5:
//   D = H^T P H + armature,  P+ = P - (P H) D^-1 (P H)^T
LIMBER_INLINE int factor_hinge(const Link& link, const Spatial* H, const double* scale, Mat6& P, AbaWorkspace& ws) {
  for (int k = 0; k < link.nr; ++k) {
    const Spatial PH = P * H[k];
    const double D = dot(H[k], PH) + link.armature[k] + ws.hinge_added[link.v + k];
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

bool can_condense(const Link& link, int i, const AbaWorkspace& ws) {
  return link.elimination == Elimination::condensed && (!ws.implicit || !ws.G_inverse[i].empty());
}

// Articulated inertias, inward.  [JR] (63).  Returns the speed without inertia, or -1.
int inward_inertia(const Layout& layout, int i, bool prescribed, AbaWorkspace& ws) {
  const Link& link = layout.links[i];
  const Kinematics& kin = ws.kin;
  const Spatial* H = kin.hinge_map(link);
  ws.held[i] = prescribed;
  double scale[6];
  hinge_scales(link, H, ws, ws.bodies[i].P, scale);
  if (link.n > 0) {
    ws.condensed[i] = can_condense(link, i, ws) && factor_condensed(layout, i, ws);
    if (!ws.condensed[i]) {
      if (const int k = factor_cholesky(layout, i, ws); k >= 0) return link.vm + k;
    }
  }
  Mat6 P = ws.bodies[i].P;
  if (!prescribed) {
    if (const int k = factor_hinge(link, H, scale, P, ws); k >= 0) return link.v + k;
  }
  if (link.parent == kGround) return -1;
  const Mat6 on_carrier = back_across(kin.links[i], P);
  if (link.handle < 0) {
    add(ws.bodies[link.parent].P, on_carrier);
  } else if (link.opens_handle) {
    ws.handles[link.handle].Gamma = on_carrier;
  } else {
    add(ws.handles[link.handle].Gamma, on_carrier);
  }
  return -1;
}

// Bias wrenches, inward.  [JR] (63): e_R = u - H^T z, z+ = z + P H D^-1 e_R; prescribed: z+ = z + P_R H betadot.
void inward_force(const Layout& layout, int i, const double* prescribed, AbaWorkspace& ws) {
  const Link& link = layout.links[i];
  const Kinematics& kin = ws.kin;
  if (link.n > 0) {
    ws.condensed[i] ? reduce_condensed(layout, i, ws) : reduce_cholesky(layout, i, ws);
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
  const Spatial on_carrier = back_across(kin.links[i], z);
  if (link.handle < 0) {
    ws.bodies[link.parent].z += on_carrier;
  } else if (link.opens_handle) {
    ws.handles[link.handle].z = on_carrier;
  } else {
    ws.handles[link.handle].z += on_carrier;
  }
}

// Accelerations, outward.  [JR] (64): betadot = D^-1 (e_R - (P H)^T a), the speed eliminated last comes first.
void outward_acceleration(const Layout& layout, int i, bool prescribed, AbaWorkspace& ws, double* vdot) {
  const Link& link = layout.links[i];
  const Kinematics& kin = ws.kin;
  Spatial a = across(kin.links[i], link.handle >= 0 ? ws.handles[link.handle].a : ws.bodies[link.parent].a);
  const Spatial* H = kin.hinge_map(link);
  for (int k = link.nr - 1; k >= 0; --k) {
    double& betadot = vdot[link.v + k];
    if (!prescribed) betadot = ws.D_inverse[link.v + k] * (ws.e[link.v + k] - dot(ws.PH[link.v + k], a));
    a += H[k] * betadot;
  }
  ws.bodies[i].a = a;
  if (link.n == 0) return;
  ws.condensed[i] ? expand_condensed(layout, i, ws, vdot + link.vm) : expand_cholesky(layout, i, ws, vdot + link.vm);
}

// Right sides: inertias of the bodies alone, and forces u less the bias and the elastic forces.
void start_body(const Layout& layout, int i, const double* u, AbaWorkspace& ws) {
  const Link& link = layout.links[i];
  const LinkFrame& f = ws.kin.links[i];
  ws.bodies[i].P = body_inertia(f.m, f.s, f.J);
  ws.bodies[i].z = f.p;
  for (int k = link.v; k < link.v + link.nr; ++k) ws.e[k] = u[k];
  if (link.passive) add_passive_force(link, &ws.kin.q[link.q], &ws.kin.v[link.v], &ws.e[link.v]);
  if (link.n == 0) return;
  double* e_f = &ws.e_f[link.scalars];
  const double* p_f = &ws.kin.p_f[link.scalars];
  if (link.shape->elastic_diagonal) {
    const double *K = link.shape->K.data(), *D = link.shape->D.data(), *u_f = u + link.vm;
    const double *eta = &ws.kin.eta[link.scalars], *etadot = &ws.kin.etadot[link.scalars];
    with_size(link.n, [&](auto n) {
      for_each(
          n, LIMBER_EACH(k) { e_f[k] = u_f[k] - p_f[k] - K[k] * eta[k] - D[k] * etadot[k]; });
    });
    return;
  }
  for (int k = 0; k < link.n; ++k) e_f[k] = p_f[k];
  add_elastic_force(*link.shape, &ws.kin.eta[link.scalars], &ws.kin.etadot[link.scalars], e_f);
  for (int k = 0; k < link.n; ++k) e_f[k] = u[link.vm + k] - e_f[k];
}

void start_forces(const Layout& layout, int i, const double* u, AbaWorkspace& ws) {
  const Link& link = layout.links[i];
  ws.bodies[i].z = zero_spatial();
  for (int k = 0; k < link.nr; ++k) ws.e[link.v + k] = u[link.v + k];
  for (int k = 0; k < link.n; ++k) ws.e_f[link.scalars + k] = u[link.vm + k];
}

void start_inertia(int i, AbaWorkspace& ws) {
  const LinkFrame& f = ws.kin.links[i];
  ws.bodies[i].P = body_inertia(f.m, f.s, f.J);
}

void start_body_without_bias(const Layout& layout, int i, const double* u, AbaWorkspace& ws) {
  start_inertia(i, ws);
  start_forces(layout, i, u, ws);
}

// Implicit steps: where the modal mass depends on the state, stiffness and damping are added to it every time.
void add_to_varying_mass(const Layout& layout, AbaWorkspace& ws) {
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    for (std::size_t k = 0; k < ws.kin.G[i].size(); ++k) ws.kin.G[i][k] += ws.G_added[i][k];
  }
}

// The three sweeps after the kinematics.
template <typename Start>
Status sweep(const Layout& layout, const double* u, std::span<const std::uint8_t> prescribed, Start start,
             AbaWorkspace& ws, Vec vdot) {
  const int count = static_cast<int>(layout.links.size());
  ws.failure = -1;
  for (int i = 1; i < count; ++i) start(layout, i, u, ws);
  if (ws.implicit) add_to_varying_mass(layout, ws);
  for (int i = count - 1; i > 0; --i) {
    const bool given = is_prescribed(prescribed, i);
    ws.failure = inward_inertia(layout, i, given, ws);
    if (ws.failure >= 0) return ws.kin.q.allFinite() ? Status::singular_mass : Status::not_finite;
    inward_force(layout, i, given ? vdot.data() : nullptr, ws);
  }
  ws.bodies[0].a = zero_spatial();
  for (int i = 1; i < count; ++i) outward_acceleration(layout, i, is_prescribed(prescribed, i), ws, vdot.data());
  return is_finite(vdot) ? Status::ok : Status::not_finite;
}

// In `ruthless` the condensed bodies are constants.
void compute_constants(const Model& model, AbaWorkspace& ws) {
  const Layout& layout = *model.layout;
  if (!layout.ruthless) return;
  compute_kinematics(model, make_zero_state(model), ws.kin);
  for (int i = 1; i < model.body_count(); ++i) {
    if (can_condense(layout.links[i], i, ws)) compute_gram(layout, i, ws);
  }
}

}  // namespace

AbaWorkspace::AbaWorkspace(const Model& model) : kin(model) {
  const Layout& layout = *model.layout;
  bodies.resize(layout.links.size());
  handles.resize(layout.handles.size());
  PH.assign(model.nv, zero_spatial());
  D_inverse.assign(model.nv, 0);
  e.assign(model.nv, 0);
  e_f.assign(layout.scalars, 0);
  y.assign(layout.columns, zero_spatial());
  d_inverse.assign(layout.scalars, 0);
  factor_begin.assign(layout.links.size(), 0);
  gram_begin = T_begin = direction_begin = factor_begin;
  direction_count.assign(layout.links.size(), 0);
  condensed.assign(layout.links.size(), 0);
  held = condensed;
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    const std::size_t c = static_cast<std::size_t>(link.handle_end - link.handle_begin);
    factor_begin[i] = L.size();
    gram_begin[i] = gram.size();
    T_begin[i] = T.size();
    direction_begin[i] = directions.size();
    if (link.n == 0) continue;
    if (link.elimination == Elimination::condensed) {
      gram.resize(gram.size() + 1 + c + c * c);
      T.resize(T.size() + c * c);
      directions.resize(directions.size() + 6);
    }
    L.resize(L.size() + static_cast<std::size_t>(link.n) * lanes_for(link.n), Vec4d{});
  }
  weights.assign(directions.size(), 0);
  stack.resize(2 * static_cast<std::size_t>(layout.max_handles));
  const std::size_t terms = static_cast<std::size_t>(layout.max_handles) + 2;  // handles, and two of a root node
  term_rows.resize(terms * 6 * lanes_for(layout.max_modes));
  term_columns.resize(terms * layout.max_modes);
  pivots.assign(layout.max_modes, 0);
  tau.setZero(model.nv);
  zero.setZero(model.nv);
  hinge_added.setZero(model.nv);
  compute_constants(model, *this);
}

Status aba(const Model& model, const State& x, const Forces& forces, AbaWorkspace& ws, Vec vdot) {
  check_sizes(model, x, forces.tau, vdot);
  compute_bias(model, x, forces.wrenches, ws.kin);
  return sweep(*model.layout, forces.tau.data(), {}, start_body, ws, vdot);
}

Status hybrid(const Model& model, const State& x, const Forces& forces, std::span<const std::uint8_t> prescribed,
              AbaWorkspace& ws, Vec vdot, Vec tau_out) {
  check_sizes(model, x, forces.tau, vdot);
  if (static_cast<int>(prescribed.size()) != model.body_count() || tau_out.size() != model.nv) {
    throw InputError("hybrid: `prescribed` needs one entry per body, `tau_out` one per speed");
  }
  const Layout& layout = *model.layout;
  compute_bias(model, x, forces.wrenches, ws.kin);
  const Status status = sweep(layout, forces.tau.data(), prescribed, start_body, ws, vdot);
  tau_out = forces.tau;
  for (int i = 1; i < model.body_count(); ++i) {
    const Link& link = layout.links[i];
    if (!is_prescribed(prescribed, i)) continue;
    // f_R = P_R a_R + z_R on the joint side of the modes: P and z of the body after their elimination.
    Spatial a = ws.bodies[i].a;
    if (link.root >= 0) a -= times(&ws.kin.columns[link.root_columns], vdot.data() + link.vm, link.n);
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

Status hybrid_impulse(const Model& model, const State& x, std::span<const std::uint8_t> prescribed, AbaWorkspace& ws,
                      Vec dv) {
  check_sizes(model, x, dv, dv);
  compute_kinematics(model, x, ws.kin);
  return sweep(*model.layout, ws.zero.data(), prescribed, start_body_without_bias, ws, dv);
}

void set_implicit(const Model& model, double c_D, double c_K, ConstVec more, AbaWorkspace& ws) {
  const Layout& layout = *model.layout;
  ws.implicit = true;
  ws.c_D = c_D;
  ws.c_K = c_K;
  ws.hinge_added = more;
  ws.G_added.resize(layout.links.size());
  ws.G_inverse.resize(layout.links.size());
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    const BodyConstants& shape = *link.shape;
    for (int k = 0; k < link.nr; ++k) {
      ws.hinge_added[link.v + k] += c_D * link.damping[k] + c_K * link.stiffness[k];
    }
    const int n = link.n, width = kLanes * lanes_for(n);
    std::vector<double>& G = ws.G_added[i];
    if (shape.G_rows.empty()) {
      G.assign(static_cast<std::size_t>(n) * width, 0);
    } else {
      G = shape.G_rows;
    }
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        if (shape.elastic_diagonal && a != b) continue;
        const std::size_t at = shape.elastic_diagonal ? a : a * n + b;
        G[a * width + b] += c_D * shape.D[at] + c_K * shape.K[at];
      }
    }
    if (!shape.mass_diagonal() || !shape.elastic_diagonal) continue;
    ws.G_inverse[i].assign(width, 0);
    for (int a = 0; a < n; ++a) ws.G_inverse[i][a] = 1 / G[a * width + a];
  }
  compute_constants(model, ws);
}

void add_implicit_force(const Model& model, const AbaWorkspace& ws, ConstVec a, Vec tau) {
  const Layout& layout = *model.layout;
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    const BodyConstants& shape = *link.shape;
    for (int k = link.v; k < link.v + link.nr; ++k) tau[k] += ws.hinge_added[k] * a[k];
    for (int k = 0; k < link.n; ++k) {
      if (shape.elastic_diagonal) {
        tau[link.vm + k] += (ws.c_D * shape.D[k] + ws.c_K * shape.K[k]) * a[link.vm + k];
        continue;
      }
      for (int b = 0; b < link.n; ++b) {
        const std::size_t at = static_cast<std::size_t>(k) * link.n + b;
        tau[link.vm + k] += (ws.c_D * shape.D[at] + ws.c_K * shape.K[at]) * a[link.vm + b];
      }
    }
  }
}

Status factor_mass(const Model& model, const State& x, AbaWorkspace& ws, std::span<const std::uint8_t> prescribed) {
  if (!prescribed.empty() && static_cast<int>(prescribed.size()) != model.body_count()) {
    throw InputError("factor_mass: `prescribed` needs one entry per body, or none");
  }
  const Layout& layout = *model.layout;
  compute_kinematics(model, x, ws.kin);
  ws.failure = -1;
  for (int i = 1; i < model.body_count(); ++i) start_inertia(i, ws);
  if (ws.implicit) add_to_varying_mass(layout, ws);
  for (int i = model.body_count() - 1; i > 0; --i) {
    ws.failure = inward_inertia(layout, i, is_prescribed(prescribed, i), ws);
    if (ws.failure >= 0) return ws.kin.q.allFinite() ? Status::singular_mass : Status::not_finite;
  }
  return Status::ok;
}

void start_solve(const Model& model, ConstVec f, AbaWorkspace& ws) {
  for (int i = 1; i < model.body_count(); ++i) start_forces(*model.layout, i, f.data(), ws);
}

void finish_solve(const Model& model, AbaWorkspace& ws, Vec out) {
  const Layout& layout = *model.layout;
  const int count = model.body_count();
  for (int i = count - 1; i > 0; --i) {
    const Link& link = layout.links[i];
    if (ws.held[i] != 0) out.segment(link.v, link.nr).setZero();
    inward_force(layout, i, ws.held[i] != 0 ? out.data() : nullptr, ws);
    end_faded(link.handle >= 0 ? ws.handles[link.handle].z : ws.bodies[link.parent].z);
  }
  ws.bodies[0].a = zero_spatial();
  for (int i = 1; i < count; ++i) outward_acceleration(layout, i, ws.held[i] != 0, ws, out.data());
}

void solve_factored(const Model& model, ConstVec f, AbaWorkspace& ws, Vec out) {
  check_speeds(model, f);
  check_speeds(model, out);
  start_solve(model, f, ws);
  finish_solve(model, ws, out);
}

Status solve_mass(const Model& model, const State& x, ConstVec f, AbaWorkspace& ws, Vec out) {
  check_sizes(model, x, f, out);
  compute_kinematics(model, x, ws.kin);
  return sweep(*model.layout, f.data(), {}, start_body_without_bias, ws, out);
}

}  // namespace limber
