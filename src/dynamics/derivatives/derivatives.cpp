// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/derivatives.hpp"

#include <algorithm>

#include "derivative_steps.hpp"
#include "limber/model/slider.hpp"

namespace limber {
namespace {

// The coordinate or speed of one column.
struct Seed {
  int body = 0;
  int hinge = -1, mode = -1;  // one of them is set
  bool rate = false;

  bool turns_modes() const { return mode >= 0 && !rate; }  // changes the shape, and thus the columns of nodes
};

// Derivatives at the seed's own body.
struct OwnSlope {
  RelativeSlope relative;
  Spatial dH[6] = {};  // of the hinge map
};

BodyMotion body_motion(Spatial V, Spatial A) { return {V.ang, {A.ang, A.lin + cross(V.ang, V.lin)}}; }

// ---- the motion -------------------------------------------------------------------------------------

// Modes and products with their derivatives; in `ruthless` shapes are those of the undeformed body at rest.
void prepare_modes(const Layout& layout, const Link& link, ConstVec vdot, DerivativesData& ws) {
  const Kinematics& kin = ws.rnea.kin;
  double *e = &ws.e[link.scalars], *e_rate = &ws.e_rate[link.scalars], *e_acc = &ws.e_acc[link.scalars];
  for (int k = 0; k < link.n; ++k) {
    e[k] = layout.ruthless ? 0 : kin.eta[link.scalars + k];
    e_rate[k] = layout.ruthless ? 0 : kin.etadot[link.scalars + k];
    e_acc[k] = vdot[link.vm + k];
  }
  for (int k = link.n; k < link.constants->ne; ++k) {
    const auto [a, b] = link.constants->pairs[static_cast<std::size_t>(k - link.n)];
    const double once = a == b ? 0.5 : 1;
    e[k] = once * e[a] * e[b];
    e_rate[k] = once * (e_rate[a] * e[b] + e[a] * e_rate[b]);
    e_acc[k] = once * (e_acc[a] * e[b] + 2 * e_rate[a] * e_rate[b] + e[a] * e_acc[b]);
  }
}

MovingNode moving_node(const Model& model, NodeRef at, const DerivativesData& ws) {
  const Link& link = model.layout->links[at.body];
  if (at.body == kGround || at.node == kBodyFrame) return {};
  const int k = link.scalars;
  return make_moving_node(&link.constants->nodes[at.node], link.n, ws.e.data() + k, ws.e_rate.data() + k,
                          ws.e_acc.data() + k);
}

// The section of a beam at a slider; it moves with the modes and with s.
MovingNode slider_node(const Layout& layout, int h, ConstVec vdot, DerivativesData& ws) {
  const Link &link = layout.links[ws.slider_of[h]], &beam = layout.links[link.parent];
  const Kinematics& kin = ws.rnea.kin;
  const int k = beam.scalars;
  return make_slider_node(&beam.constants->nodes[layout.attachments[h].node], beam.n, ws.e.data() + k,
                          ws.e_rate.data() + k, ws.e_acc.data() + k, {kin.q[link.q], kin.v[link.v], vdot[link.v]},
                          ws.slider_columns.data() + ws.slider_begin[h],
                          ws.slider_second.data() + ws.slider_second_begin[h]);
}

void prepare_body(const Model& model, int i, ConstVec vdot, DerivativesData& ws) {
  const Layout& layout = *model.layout;
  const Link& link = layout.links[i];
  const Kinematics& kin = ws.rnea.kin;
  const bool on_attachment = link.attachment >= 0;
  RelativeMotion& m = ws.motion[i];
  m.V_in = across(kin.links[i], on_attachment ? ws.attachments[link.attachment].motion.V : ws.motion[link.parent].V);
  m.A_in = across(kin.links[i], on_attachment ? ws.attachments[link.attachment].motion.A : ws.motion[link.parent].A);
  m.V = kin.links[i].V;
  m.A = kin.links[i].a + ws.rnea.sweep.a[i];
  m.W = m.V - m.V_in;
  m.W_rate = m.A - m.A_in - cross_twist(m.V, m.W);
  ws.modal_W[i] = zero_spatial();
  if (link.n == 0) return;
  prepare_modes(layout, link, vdot, ws);
  compute_terms(link, body_motion(m.V, m.A), ws);
  if (link.inboard >= 0) {
    ws.inboard[i] = moving_node(model, {i, link.inboard}, ws);
    ws.modal_W[i] = m.W;
    if (link.kind != kSlider) ws.modal_W[i] -= times(kin.hinge_map(link), &kin.v[link.v], link.nr);
  }
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    const int slider = ws.slider_of[h];
    ws.attachments[h] =
        slider >= 0 ? slider_node(layout, h, vdot, ws) : moving_node(model, {i, layout.attachments[h].node}, ws);
    place_node(m.V, m.A, ws.attachments[h]);
  }
}

void prepare(const Model& model, ConstVec vdot, std::span<const NodeWrench> wrenches, DerivativesData& ws) {
  const Kinematics& kin = ws.rnea.kin;
  ws.motion[0].V = kin.links[0].V;
  ws.motion[0].A = kin.links[0].a;
  for (int i = 1; i < model.body_count(); ++i) prepare_body(model, i, vdot, ws);
  ws.loaded.resize(wrenches.size());
  ws.load.resize(wrenches.size());
  for (std::size_t k = 0; k < wrenches.size(); ++k) {
    const NodeRef at = wrenches[k].at;
    ws.loaded[k] = moving_node(model, at, ws);
    const bool follows = wrenches[k].frame == Frame::node;
    const Mat3 R = follows ? node_in_body(model, kin, at, nullptr).R : transpose(pack(kin.world[at.body].R));
    const Spatial given = to_spatial(wrenches[k].wrench);
    ws.load[k] = {R * given.ang, R * given.lin};
  }
  for (std::size_t k = 0; k < ws.watched_nodes.size(); ++k) {
    const NodeRef at = ws.watched_nodes[k];
    ws.watched[k] = moving_node(model, at, ws);
    place_node(ws.motion[at.body].V, ws.motion[at.body].A, ws.watched[k]);
  }
}

// ---- one column -------------------------------------------------------------------------------------

// A hinge coordinate moves the body by its column of H.  The columns are constant in the body frame, with two
// exceptions: they depend on the modes of a moving inboard attachment; and if a joint is a product of exponentials that
// do not commute, earlier columns depend on later coordinates: dH_j / dq_k = H_j x H_k, j < k.  theory §8 (4).
OwnSlope hinge_slope(const Link& link, const Seed& seed, ConstVec vdot, const DerivativesData& ws) {
  const Kinematics& kin = ws.rnea.kin;
  const Spatial* H = kin.hinge_map(link);
  const int k = seed.hinge;
  const Spatial& modal = ws.modal_W[seed.body];
  const double* v = &kin.v[link.v];
  OwnSlope own;
  if (seed.rate) {
    own.relative = {zero_spatial(), H[k], zero_spatial() - cross_twist(modal, H[k])};
    for (int j = 0; link.varies && j < link.nr; ++j) {
      if (j != k) own.relative.dW_rate += cross_twist(H[std::min(j, k)], H[std::max(j, k)]) * v[j];
    }
    return own;
  }
  own.relative.xi = H[k];
  if (!link.varies) return own;
  // (dH/dt) beta = sum_(j<i) H_j x H_i v_j v_i.
  for (int j = 0; j < k; ++j) {
    own.dH[j] = cross_twist(H[j], H[k]);
    const Spatial dW = own.dH[j] * v[j];
    Spatial later = H[j + 1] * v[j + 1];
    for (int i = j + 2; i < link.nr; ++i) later += H[i] * v[i];
    own.relative.dW += dW;
    own.relative.dW_rate += own.dH[j] * vdot[link.v + j] - cross_twist(later + modal, dW);
    for (int i = 0; i < j; ++i) own.relative.dW_rate += cross_twist(H[i] * v[i], dW);
  }
  return own;
}

// Whether the seed is the position of a slider, which moves its section along the beam, and all bodies it carries.
bool moves_on_rail(const Link& link, const Seed& seed) { return link.kind == kSlider && seed.hinge >= 0; }

OwnSlope own_slope(const Link& link, const Seed& seed, ConstVec vdot, const DerivativesData& ws) {
  if (moves_on_rail(link, seed)) return {};
  if (seed.hinge >= 0) return hinge_slope(link, seed, vdot, ws);
  OwnSlope own;
  if (link.inboard < 0) return own;
  const NodeColumn U = inboard_column(ws.inboard[seed.body], seed.mode);
  own.relative = coordinate_slope(ws.motion[seed.body], U.Y, U.Y_rate, U.Y_acc, seed.rate);
  const Spatial* H = ws.rnea.kin.hinge_map(link);
  for (int k = 0; k < link.nr && !seed.rate; ++k) own.dH[k] = cross_twist(H[k], U.Y);
  return own;
}

RelativeSlope slope_of_node(const MovingNode& node, int body, const Seed& seed) {
  if (body != seed.body || seed.mode < 0 || node.constants == nullptr) return {};
  return node_slope(node, seed.mode, seed.rate);
}

// Derivatives at an attachment from those of its body, dV, dA and turn.
void attachment_slope(int h, const RelativeSlope& slope, Spatial dV, Spatial dA, Vec4d turn, DerivativesData& ws) {
  const MovingNode& node = ws.attachments[h];
  ws.attachment_dV[h] = twist_at(node.l, dV);
  ws.attachment_dA[h] = twist_at(node.l, dA);
  carry_slope(node.motion, slope, ws.attachment_dV[h], ws.attachment_dA[h]);
  ws.attachment_turn[h] = turn + slope.xi.ang;
  ws.attachment_df[h] = zero_spatial();
}

// Derivatives of twist, acceleration and inertial forces of a body that the seed moves.
void outward_slope(const Model& model, int i, const Seed& seed, const OwnSlope& own, DerivativesData& ws) {
  const Link& link = model.layout->links[i];
  const Kinematics& kin = ws.rnea.kin;
  const LinkFrame& f = kin.links[i];
  const RelativeMotion& m = ws.motion[i];
  const bool on_rail = i == seed.body && moves_on_rail(link, seed), on_attachment = link.attachment >= 0;
  const bool is_own = i == seed.body && !on_rail;
  Spatial dV = zero_spatial(), dA = zero_spatial();
  if (on_rail) {
    const MovingNode& section = ws.attachments[link.attachment];
    attachment_slope(link.attachment, node_slope(section, section.n, seed.rate), dV, dA, zero(), ws);
  }
  ws.turn[i] = is_own ? own.relative.xi.ang : zero();
  if (!is_own) {
    dV = across(f, on_attachment ? ws.attachment_dV[link.attachment] : ws.dV[link.parent]);
    dA = across(f, on_attachment ? ws.attachment_dA[link.attachment] : ws.dA[link.parent]);
    ws.turn[i] = f.Rt * (on_attachment ? ws.attachment_turn[link.attachment] : ws.turn[link.parent]);
  }
  carry_slope(m, is_own ? own.relative : RelativeSlope{}, dV, dA);
  ws.dV[i] = dV;
  ws.dA[i] = dA;
  const BodyMotion now = body_motion(m.V, m.A);
  const BodyMotion change{dV.ang, {dA.ang, dA.lin + cross(dV.ang, m.V.lin) + cross(m.V.ang, dV.lin)}};
  double* modal = ws.df_modal.data() + link.scalars;
  std::fill_n(modal, link.n, 0.0);
  ws.df[i] = motion_force_slope(link, f, now, change, ws, modal);
  if (is_own && seed.mode >= 0) ws.df[i] += mode_force_slope(link, now, seed.mode, seed.rate, ws, modal);
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    attachment_slope(h, slope_of_node(ws.attachments[h], i, seed), dV, dA, ws.turn[i], ws);
  }
}

// Derivative of a wrench on a node of a body that the seed moves; the wrench is constant in world or in the node.
void wrench_slope(const Model& model, const NodeWrench& input, const MovingNode& node, Spatial load, const Seed& seed,
                  DerivativesData& ws) {
  const int i = input.at.body;
  const Link& link = model.layout->links[i];
  double* modal = ws.df_modal.data() + link.scalars;
  const bool shapes_change = i == seed.body && seed.turns_modes() && node.constants != nullptr;
  const Spatial moved = shapes_change ? node_column(node, seed.mode).Y : zero_spatial();
  const bool follows = input.frame == Frame::node;
  const Spatial change = follows ? rotate_by(moved.ang, load) : rotate_by(-ws.turn[i], load);
  ws.df[i] -= wrench_from(node.l, change);
  ws.df[i].ang -= cross(moved.lin, load.lin);
  for (int a = 0; a < node.n; ++a) {
    modal[a] -= dot(node_column(node, a).Y, change);
    if (shapes_change) modal[a] -= dot(column_slope(node, a, seed.mode), load);
  }
}

// Derivative of the acceleration of a watched node in world.  theory §8 (5).
Vector6 watched_slope(const DerivativesData& ws, std::size_t k, const Seed& seed) {
  const MovingNode& node = ws.watched[k];
  const int i = ws.watched_nodes[k].body;
  const RelativeMotion& m = node.motion;
  const RelativeSlope slope = slope_of_node(node, i, seed);
  Spatial dV = twist_at(node.l, ws.dV[i]), dA = twist_at(node.l, ws.dA[i]);
  carry_slope(m, slope, dV, dA);
  const Vec4d turn = ws.turn[i] + slope.xi.ang;
  const Spatial classical{m.A.ang, m.A.lin + cross(m.V.ang, m.V.lin)};
  dA.lin += cross(dV.ang, m.V.lin) + cross(m.V.ang, dV.lin);
  const Spatial in_body = dA + rotate_by(turn, classical);
  const Mat3 R = pack(ws.rnea.kin.world[i].R);
  return to_vector(Spatial{R * in_body.ang, R * in_body.lin});
}

// Distributes the derivative of the wrench on an attachment to its modes and to the slider there; returns that on the
// body.
Spatial inward_attachment(const Layout& layout, int i, int h, const Seed& seed, DerivativesData& ws) {
  const Link& link = layout.links[i];
  const Spatial* Y = &ws.rnea.kin.columns[layout.attachments[h].columns];
  const int slider = ws.slider_of[h];
  // Whether the seed is a mode or slider position that moves the node relative to its body.
  const bool by_mode = i == seed.body && seed.turns_modes(),
             by_place = seed.body > 0 && slider == seed.body && seed.hinge >= 0 && !seed.rate;
  const bool shapes_change = by_mode || by_place;
  const int mode = by_place ? link.n : seed.mode;
  const MovingNode& node = ws.attachments[h];
  const Spatial f = ws.rnea.sweep.attachment_f[h];
  double* modal = ws.df_modal.data() + link.scalars;
  Spatial df = ws.attachment_df[h], more = zero_spatial();
  if (shapes_change) {
    const Spatial moved = node_column(node, mode).Y;
    df += rotate_by(moved.ang, f);
    more.ang = cross(moved.lin, f.lin);
    for (int a = 0; a < link.n; ++a) modal[a] += dot(column_slope(node, a, mode), f);
  }
  for (int a = 0; a < link.n; ++a) modal[a] += dot(Y[a], df);
  if (slider >= 0) {
    double& column = ws.column[layout.links[slider].v];
    column += dot(node_column(node, link.n).Y, df);
    if (shapes_change) column += dot(column_slope(node, link.n, mode), f);
  }
  return wrench_from(node.l, df) + more;
}

// The rotor of a joint, in the moving frame of its carrier: with s = theta'' + e . wdot and h = J (theta' + e . w),
//   d tau = J ds      d(torque) = J ds e + dh w x e + h dw x e        theory §3, Drives
// `turn`: derivative of the rotor's speed along the seed.
Spatial rotor_slope(const Link& link, const Seed& seed, double turn, DerivativesData& ws) {
  const Kinematics& kin = ws.rnea.kin;
  const RotorFrame rotor = rotor_frame(link, kin);
  const double J = link.rotor.inertia;
  Vec4d dw = zero(), dwdot = zero();
  if (seed.body > 0 && link.parent >= seed.body && ws.moved[link.parent] != 0) {
    dw = link.attachment >= 0 ? ws.attachment_dV[link.attachment].ang : ws.dV[link.parent].ang;
    dwdot = link.attachment >= 0 ? ws.attachment_dA[link.attachment].ang : ws.dA[link.parent].ang;
  }
  const double ds = J * dot(rotor.axis, dwdot), dh = J * (turn + dot(rotor.axis, dw));
  ws.column[rotor_speed(link)] += rotor_ratio(link) * ds;
  return {
      rotor.axis * spread(ds) + cross(rotor.w, rotor.axis) * spread(dh) + cross(dw, rotor.axis) * spread(rotor.spin),
      zero()};
}

// Wrenches inward: [JR] (45), differentiated.
void inward_slope(const Model& model, int i, const Seed& seed, const OwnSlope& own, DerivativesData& ws) {
  const Layout& layout = *model.layout;
  const Link& link = layout.links[i];
  const Kinematics& kin = ws.rnea.kin;
  const bool is_own = i == seed.body, shapes_change = is_own && seed.turns_modes();
  const Spatial f = ws.rnea.sweep.f[i];
  double* modal = ws.df_modal.data() + link.scalars;
  Spatial df = ws.df[i];
  for (int h = link.attachment_begin; h < link.attachment_end; ++h) {
    df += inward_attachment(layout, i, h, seed, ws);
  }
  for (int a = 0; link.inboard >= 0 && a < link.n; ++a) {
    modal[a] += dot(kin.columns[link.inboard_columns + a], df);
    if (shapes_change) modal[a] += dot(inboard_column_slope(ws.inboard[i], a, seed.mode), f);
  }
  for (int a = 0; a < link.n; ++a) ws.column[link.vm + a] = modal[a];
  const Spatial* H = kin.hinge_map(link);
  for (int k = 0; k < link.nr && link.kind != kSlider; ++k) {  // for a slider, by inward_attachment of its beam
    ws.column[link.v + k] = dot(H[k], df);
    if (is_own) ws.column[link.v + k] += dot(own.dH[k], f);
  }
  if (is_own) df += cross_wrench(own.relative.xi, f);
  Spatial on_inboard = back_across(kin.links[i], df);
  if (link.rotor.spins) {
    const bool turns = is_own && seed.rate && seed.hinge == 0 && link.motor.v == 0;
    on_inboard += rotor_slope(link, seed, turns ? link.rotor.ratio : 0, ws);
  }
  if (link.attachment >= 0) {
    ws.attachment_df[link.attachment] += on_inboard;
  } else {
    ws.df[link.parent] += on_inboard;
  }
}

// Resets the wrench derivatives of the bodies between body i and the ground.
void clear_inboard(const Layout& layout, int i, DerivativesData& ws) {
  ws.df[0] = zero_spatial();
  for (i = layout.links[i].parent; i != kGround; i = layout.links[i].parent) {
    const Link& link = layout.links[i];
    ws.df[i] = zero_spatial();
    std::fill_n(ws.df_modal.begin() + link.scalars, link.n, 0.0);
    for (int h = link.attachment_begin; h < link.attachment_end; ++h) ws.attachment_df[h] = zero_spatial();
  }
}

// ws.column by the speed of the motor of joint i, which only changes the rotor's spin.
void compute_motor_derivative(const Model& model, int i, DerivativesData& ws) {
  const Link& link = model.layout->links[i];
  ws.column.setZero();
  if (!link.rotor.spins) return;
  clear_inboard(*model.layout, i, ws);
  const Seed none{};
  (link.attachment >= 0 ? ws.attachment_df[link.attachment] : ws.df[link.parent]) = rotor_slope(link, none, 1, ws);
  for (i = link.parent; i != kGround; i = model.layout->links[i].parent) inward_slope(model, i, none, {}, ws);
}

// ws.column: derivative of inertial forces and wrenches along the seed.
void compute_derivative(const Model& model, const Seed& seed, ConstVec vdot, std::span<const NodeWrench> wrenches,
                        DerivativesData& ws) {
  const auto& links = model.layout->links;
  const int count = model.body_count();
  const OwnSlope own = own_slope(links[seed.body], seed, vdot, ws);
  ws.column.setZero();
  for (int i = seed.body; i < count; ++i) {
    ws.moved[i] = i == seed.body || (links[i].parent >= seed.body && ws.moved[links[i].parent] != 0);
    if (ws.moved[i] != 0) outward_slope(model, i, seed, own, ws);
  }
  const auto is_moved = [&](int i) { return i >= seed.body && ws.moved[i] != 0; };
  for (std::size_t k = 0; k < wrenches.size(); ++k) {
    if (is_moved(wrenches[k].at.body)) wrench_slope(model, wrenches[k], ws.loaded[k], ws.load[k], seed, ws);
  }
  for (std::size_t k = 0; k < ws.watched.size(); ++k) {
    if (!is_moved(ws.watched_nodes[k].body)) continue;
    const Link& link = links[seed.body];
    MatrixXd& out = seed.rate ? ws.node_dv : ws.node_dq;
    out.block<6, 1>(static_cast<Eigen::Index>(6 * k), seed.hinge >= 0 ? link.v + seed.hinge : link.vm + seed.mode) =
        watched_slope(ws, k, seed);
  }
  clear_inboard(*model.layout, seed.body, ws);
  for (int i = count - 1; i >= seed.body; --i) {
    if (ws.moved[i] != 0) inward_slope(model, i, seed, own, ws);
  }
  for (int i = links[seed.body].parent; i != kGround; i = links[i].parent) inward_slope(model, i, seed, own, ws);
}

void check_square(const Model& model, const Eigen::Ref<MatrixXd>& m) {
  if (m.rows() == model.nv && m.cols() == model.nv) return;
  throw InputError("derivatives: a matrix is " + std::to_string(m.rows()) + " x " + std::to_string(m.cols()) +
                   "; each must be nv x nv, " + std::to_string(model.nv) + " x " + std::to_string(model.nv));
}

}  // namespace

DerivativesData::DerivativesData(const Model& model) : aba(model), rnea(model) {
  const Layout& layout = *model.layout;
  const std::size_t bodies = layout.links.size(), count = layout.attachments.size();
  motion.resize(bodies);
  modal_W.assign(bodies, zero_spatial());
  e.assign(layout.scalars, 0);
  e_rate = e_acc = f_e = df_modal = e;
  terms.resize(layout.scalars);
  inboard.resize(bodies);
  attachments.resize(count);
  moved.assign(bodies, 0);
  dV.assign(bodies, zero_spatial());
  dA = df = dV;
  turn.assign(bodies, limber::zero());
  attachment_dV.assign(count, zero_spatial());
  attachment_dA = attachment_df = attachment_dV;
  attachment_turn.assign(count, limber::zero());
  de.assign(layout.max_extended, 0);
  de_rate = de_acc = mode_slopes = de;
  column.setZero(model.nv);
  slider_of.assign(count, -1);
  slider_begin.assign(count, 0);
  slider_second_begin.assign(count, 0);
  std::size_t columns = 0, second = 0;
  for (std::size_t i = 1; i < bodies; ++i) {
    const Link& link = layout.links[i];
    if (link.kind != kSlider) continue;
    const auto n = static_cast<std::size_t>(layout.links[link.parent].n);
    slider_of[link.attachment] = static_cast<int>(i);
    slider_begin[link.attachment] = static_cast<int>(columns);
    slider_second_begin[link.attachment] = static_cast<int>(second);
    columns += n + 1;
    second += n * n;
  }
  slider_columns.resize(columns);
  slider_second.assign(second, limber::zero());
}

void watch_nodes(const Model& model, std::span<const NodeRef> nodes, DerivativesData& ws) {
  for (const NodeRef node : nodes) node_in_body(model, ws.rnea.kin, node, nullptr);  // throws if there is no such node
  ws.watched_nodes.assign(nodes.begin(), nodes.end());
  ws.watched.resize(nodes.size());
  ws.node_dq.setZero(static_cast<Eigen::Index>(6 * nodes.size()), model.nv);
  ws.node_dv = ws.node_dq;
}

void rnea_derivatives(const Model& model, const State& x, ConstVec vdot, std::span<const NodeWrench> wrenches,
                      DerivativesData& ws, Eigen::Ref<MatrixXd> dtau_dq, Eigen::Ref<MatrixXd> dtau_dv) {
  check_square(model, dtau_dq);
  check_square(model, dtau_dv);
  const Layout& layout = *model.layout;
  rnea(model, x, vdot, wrenches, ws.rnea, ws.column);
  compute_world_poses(model, ws.rnea.kin);
  prepare(model, vdot, wrenches, ws);
  ws.node_dq.setZero();
  ws.node_dv.setZero();
  for (int i = 1; i < model.body_count(); ++i) {
    const Link& link = layout.links[i];
    for (int k = 0; k < link.nr + link.n; ++k) {
      const bool mode = k >= link.nr;
      for (const bool rate : {false, true}) {
        // In `ruthless` modes affect only the elastic forces.
        ws.column.setZero();
        const Seed seed{i, mode ? -1 : k, mode ? k - link.nr : -1, rate};
        if (!(layout.ruthless && mode)) compute_derivative(model, seed, vdot, wrenches, ws);
        (rate ? dtau_dv : dtau_dq).col(link.v + k) = ws.column;
      }
    }
  }
  for (const int i : layout.motors) {
    const int m = layout.links[i].v + layout.links[i].motor.v;
    dtau_dq.col(m).setZero();
    compute_motor_derivative(model, i, ws);
    dtau_dv.col(m) = ws.column;
  }
  add_elastic_slopes(model, ws.rnea.kin, dtau_dq, dtau_dv);
}

Status forward_derivatives(const Model& model, const State& x, const Forces& forces,
                           std::span<const std::uint8_t> prescribed, DerivativesData& ws, Vec vdot,
                           Eigen::Ref<MatrixXd> dvdot_dq, Eigen::Ref<MatrixXd> dvdot_dv,
                           Eigen::Ref<MatrixXd> dvdot_dtau) {
  check_square(model, dvdot_dtau);
  const Status status = prescribed.empty() ? aba(model, x, forces, ws.aba, vdot)
                                           : hybrid(model, x, forces, prescribed, ws.aba, vdot, ws.column);
  if (status != Status::ok) return status;
  rnea_derivatives(model, x, vdot, forces.wrenches, ws, dvdot_dq, dvdot_dv);
  for (Eigen::Index j = 0; j < model.nv; ++j) {
    for (Eigen::Ref<MatrixXd>* slopes : {&dvdot_dq, &dvdot_dv}) {
      ws.column = -slopes->col(j);
      solve_factored(model, ws.column, ws.aba, slopes->col(j));
    }
    ws.column.setZero();
    ws.column[j] = 1;
    solve_factored(model, ws.column, ws.aba, dvdot_dtau.col(j));
  }
  return is_finite(vdot) && dvdot_dq.allFinite() && dvdot_dv.allFinite() ? Status::ok : Status::not_finite;
}

}  // namespace limber
