// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "deformation.hpp"
#include "limber/spatial/rotation.hpp"
#include "sweeps.hpp"

// Nodes of deformed bodies.  theory §2, Nodes.
namespace limber {
namespace {

// ---- nodes, four at a time ------------------------------------------------------------------------------

// One node of each body, relative to the body.
struct MovedNodes {
  FourVectors l, l_rate, l_bias, theta, theta_rate;
};

template <typename N>
LIMBER_INLINE void displace(N n, const FourNodes& node, const Vec4d* e, const Vec4d* rate, MovedNodes& out) {
  const Vec4d o = zero();
  const FourVectors *lambda = node.lambda.data(), *gamma = node.gamma.data();
  FourVectors theta{o, o, o}, theta_rate = theta;
  for_each(
      n, LIMBER_EACH(k) {
        add(theta, lambda[k], e[k]);
        add(theta_rate, lambda[k], rate[k]);
      });
  out.theta = theta;
  out.theta_rate = theta_rate;
  FourVectors l = node.position, l_rate{o, o, o};
  for_each(
      n, LIMBER_EACH(k) {
        add(l, gamma[k], e[k]);
        add(l_rate, gamma[k], rate[k]);
      });
  out.l = l;
  out.l_rate = l_rate;
  out.l_bias = {o, o, o};
}

// Adds eta^T Xi eta / 2 to l, with its derivatives.
void displace_second(const FourNodes& node, int n, const Vec4d* e, const Vec4d* rate, MovedNodes& out,
                     FourVectors* gamma) {
  for (int k = 0; k < n; ++k) {
    const FourVectors* row = &node.second[static_cast<std::size_t>(k) * n];
    FourVectors turned = row[0] * e[0], turned_rate = row[0] * rate[0];  // Xi eta, Xi etadot
    for (int j = 1; j < n; ++j) {
      add(turned, row[j], e[j]);
      add(turned_rate, row[j], rate[j]);
    }
    add(out.l, turned, 0.5 * e[k]);
    add(out.l_rate, turned, rate[k]);
    add(out.l_bias, turned_rate, rate[k]);
    gamma[k] = node.gamma[k] + turned;
  }
}

// R = exp(theta) R0, A, the relative twist [A thetadot; l'] and the relative acceleration.
LIMBER_INLINE void put_nodes(const FourNodes& node, const MovedNodes& d, AttachmentFrame* const* at,
                             FourAttachments& four) {
  const FourVectors &t = d.theta, &t_rate = d.theta_rate;
  const FourRotationSeries c = rotation_series(dot(t, t));
  FourMatrices R = turn_matrix(t, c.cosine, c.sinc, c.a);
  if (node.turned) R = {R * node.rotation.c[0], R * node.rotation.c[1], R * node.rotation.c[2]};
  scatter(
      R.c[0], LIMBER_LANE(lane) { return at[lane]->R.c[0]; });
  scatter(
      R.c[1], LIMBER_LANE(lane) { return at[lane]->R.c[1]; });
  scatter(
      R.c[2], LIMBER_LANE(lane) { return at[lane]->R.c[2]; });
  four.A = turn_matrix(t, c.sinc, c.a, c.b);
  four.l = d.l;
  const FourVectors turn_rate = four.A * t_rate, once = cross(t, t_rate), twice = cross(t, once);
  const Vec4d along = dot(t, t_rate), both = along + along;
  scatter(
      d.l, LIMBER_LANE(lane) { return at[lane]->l; });
  scatter(
      turn_rate, LIMBER_LANE(lane) { return at[lane]->V.ang; });
  scatter(
      d.l_rate, LIMBER_LANE(lane) { return at[lane]->V.lin; });
  scatter(
      once * (both * c.da) + twice * (both * c.db) + cross(t_rate, once) * c.b,
      LIMBER_LANE(lane) { return at[lane]->a.ang; });
  scatter(
      d.l_bias - cross(turn_rate, d.l_rate), LIMBER_LANE(lane) { return at[lane]->a.lin; });
}

}  // namespace

void place_nodes(const NodeGroup& group, AttachmentFrame* const* at, Kinematics& kin, GroupScratch& scratch) {
  const FourNodes& node = *group.constants;
  const Vec4d *e = scratch.e.data(), *rate = scratch.rate.data();
  MovedNodes d;
  with_size(group.n, [&](auto n) { displace(n, node, e, rate, d); });
  if (!node.second.empty()) displace_second(node, group.n, e, rate, d, &kin.four_gamma[group.modes]);
  put_nodes(node, d, at, kin.four_attachments[&group - kin.layout->node_groups.data()]);
}

void move_nodes(const NodeGroup& group, Kinematics& kin, GroupScratch& scratch) {
  gather_numbers(
      group.n, [&](int lane) { return &kin.eta[group.scalars[lane]]; }, scratch.e.data());
  gather_numbers(
      group.n, [&](int lane) { return &kin.etadot[group.scalars[lane]]; }, scratch.rate.data());
  AttachmentFrame* const frames = kin.attachments.data();
  AttachmentFrame* const at[kLanes] = {frames + group.attachments[0], frames + group.attachments[1],
                                       frames + group.attachments[2], frames + group.attachments[3]};
  place_nodes(group, at, kin, scratch);
  const FourNodes& node = *group.constants;
  const FourVectors* gamma = &kin.four_gamma[group.modes];
  Spatial* const all = kin.columns.data();
  Spatial* const columns[kLanes] = {all + group.columns[0], all + group.columns[1], all + group.columns[2],
                                    all + group.columns[3]};
  const FourMatrices& A = kin.four_attachments[&group - kin.layout->node_groups.data()].A;
  for (int k = 0; k < group.n; ++k) {
    scatter(
        A * node.lambda[k], LIMBER_LANE(lane) { return columns[lane][k].ang; });
  }
  for (int k = 0; !node.second.empty() && k < group.n; ++k) {
    scatter(
        gamma[k], LIMBER_LANE(lane) { return columns[lane][k].lin; });
  }
}

namespace {

// ---- one node ---------------------------------------------------------------------------------------------

// Adds eta^T Xi eta / 2 to l, with its derivatives, and Xi eta to the columns.
void add_second_order(const NodeConstants& node, int n, const double* eta, const double* etadot, NodeFrame& out,
                      Spatial* Y) {
  for (int k = 0; k < n; ++k) {
    Vec4d turned = zero(), turned_rate = zero();  // Xi eta, Xi etadot
    for (int j = 0; j < n; ++j) {
      turned += node.second[static_cast<std::size_t>(k) * n + j] * spread(eta[j]);
      turned_rate += node.second[static_cast<std::size_t>(k) * n + j] * spread(etadot[j]);
    }
    out.l += turned * spread(0.5 * eta[k]);
    out.l_rate += turned * spread(etadot[k]);
    out.l_bias += turned_rate * spread(etadot[k]);
    if (Y != nullptr) Y[k].lin += turned;
  }
}

// R = exp(theta) R0;  A = 1 + a theta~ + b theta~^2;  A rate and (dA/dt) rate.
LIMBER_INLINE void turn_node(const NodeConstants& node, Vec4d theta, Vec4d rate, NodeFrame& out) {
  const RotationSeries c = rotation_series(dot(theta, theta));
  const Vec4d sinc = spread(c.sinc), a = spread(c.a), b = spread(c.b);
  Mat3 turn;
  for (int j = 0; j < 3; ++j) {
    Vec4d unit = zero();
    unit[j] = 1;
    const Vec4d once = cross(theta, unit), twice = cross(theta, once);
    turn.c[j] = unit + sinc * once + a * twice;
    out.A.c[j] = unit + a * once + b * twice;
  }
  out.R = turn * node.rotation;
  const Vec4d once = cross(theta, rate), twice = cross(theta, once);
  out.turn_rate = rate + a * once + b * twice;
  out.turn_bias = spread(2 * dot(theta, rate)) * (spread(c.da) * once + spread(c.db) * twice) + b * cross(rate, once);
}

template <typename N>
void move_node(N n, const NodeConstants& node, const double* eta, const double* etadot, NodeFrame& out, Spatial* Y) {
  Vec4d theta = zero(), rate = zero();
  const Vec4d* lambda = node.lambda.data();
  const Vec4d* gamma = node.gamma.data();
  Vec4d l = node.position, l_rate = zero();
  for_each(
      n, LIMBER_EACH(k) {
        const Vec4d e = spread(eta[k]), d = spread(etadot[k]);
        theta += lambda[k] * e;
        rate += lambda[k] * d;
        l += gamma[k] * e;
        l_rate += gamma[k] * d;
      });
  out.l = l;
  out.l_rate = l_rate;
  out.l_bias = zero();
  turn_node(node, theta, rate, out);
  if (Y != nullptr) {
    for_each(
        n, LIMBER_EACH(k) {
          Y[k] = {out.A * lambda[k], gamma[k]};
        });
  }
  if (!node.second.empty()) add_second_order(node, n, eta, etadot, out, Y);
}

}  // namespace

void compute_node(const NodeConstants& node, int n, const double* eta, const double* etadot, NodeFrame& out,
                  Spatial* Y) {
  if (eta != nullptr) {
    with_size(n, [&](auto size) { move_node(size, node, eta, etadot, out, Y); });
    return;
  }
  const Mat3 one{{Vec4d{1, 0, 0, 0}, Vec4d{0, 1, 0, 0}, Vec4d{0, 0, 1, 0}}};
  out = NodeFrame{node.position, node.rotation, one, zero(), zero(), zero(), zero()};
  for (int k = 0; Y != nullptr && k < n; ++k) Y[k] = {node.lambda[k], node.gamma[k]};
}

}  // namespace limber
