// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "sliders.hpp"

#include "limber/model/detail/rail.hpp"
#include "limber/model/slider.hpp"
#include "limber/spatial/rotation.hpp"

// The section of a beam at s has the position l(s, eta) and the rotation exp(theta(s, eta)).  A slider follows it:
//   V = V_beam at l + [A thetadot; ldot],    thetadot = theta_eta etadot + theta_s sdot, ldot likewise
//   columns of the modes [A theta_eta; l_eta],  hinge map [A theta_s; l_s]
//   bias: thetaddot = 2 theta_s,eta etadot sdot + theta_ss sdot^2, lddot likewise
namespace limber {
namespace {

// Rotation vector of the section from the shapes (translation, twist) and their derivatives by s.
LIMBER_INLINE Vec4d turn_of(Vec4d twist, Vec4d slope) { return Vec4d{twist[3], -slope[2], slope[1], 0}; }
LIMBER_INLINE Vec4d place_of(Vec4d shape) { return Vec4d{shape[0], shape[1], shape[2], 0}; }

// Sums over the modes.
struct SliderSection {
  Vec4d l, l_s, l_ss, l_eta, l_seta;                      // l_eta etadot, l_s,eta etadot
  Vec4d theta, theta_s, theta_ss, theta_eta, theta_seta;  // the same for the rotation vector
  Vec4d l_bias;                                           // etadot^T Xi etadot
};

void add_modes(const NodeConstants* rail, const RailPlace& at, int n, const double* eta, const double* rate,
               SliderSection& out, Spatial* columns) {
  Vec4d phi[4];
  for (int k = 0; k < n; ++k) {
    evaluate_on_rail(
        rail, at, [k](const NodeConstants& c) { return c.gamma[static_cast<std::size_t>(k)]; }, phi);
    const Vec4d e = spread(eta[k]), d = spread(rate[k]);
    const Vec4d turn = turn_of(phi[0], phi[1]), turn_s = turn_of(phi[1], phi[2]), turn_ss = turn_of(phi[2], phi[3]);
    out.l += place_of(phi[0]) * e;
    out.l_s += place_of(phi[1]) * e;
    out.l_ss += place_of(phi[2]) * e;
    out.l_eta += place_of(phi[0]) * d;
    out.l_seta += place_of(phi[1]) * d;
    out.theta += turn * e;
    out.theta_s += turn_s * e;
    out.theta_ss += turn_ss * e;
    out.theta_eta += turn * d;
    out.theta_seta += turn_s * d;
    columns[k] = {turn, place_of(phi[0])};
  }
}

// l += eta^T Xi eta / 2.
void add_products(const NodeConstants* rail, const RailPlace& at, int n, const double* eta, const double* rate,
                  SliderSection& out, Spatial* columns) {
  Vec4d xi[4];
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < n; ++b) {
      evaluate_on_rail(
          rail, at, [=](const NodeConstants& c) { return c.second[static_cast<std::size_t>(a) * n + b]; }, xi);
      const Vec4d half = spread(0.5 * eta[a] * eta[b]), mixed = spread(rate[a] * eta[b]);
      out.l += xi[0] * half;
      out.l_s += xi[1] * half;
      out.l_ss += xi[2] * half;
      out.l_eta += xi[0] * mixed;
      out.l_seta += xi[1] * mixed;
      out.l_bias += xi[0] * spread(rate[a] * rate[b]);
      columns[a].lin += xi[0] * spread(eta[b]);
    }
  }
}

void place_slider(const Layout& layout, const Link& link, const double* q, const double* v, Kinematics& kin) {
  const OutboardAttachment& attachment = layout.attachments[link.attachment];
  const Link& beam = layout.links[link.parent];
  const NodeConstants* rail = &beam.constants->nodes[attachment.node];
  const double s = q[link.q], rate = v[link.v];
  const RailPlace place = find_on_rail(*rail, s);
  Spatial* columns = &kin.columns[attachment.columns];
  const Vec4d o = zero();
  SliderSection d{o, o, o, o, o, o, o, o, o, o, o};
  d.l[0] = s;
  d.l_s[0] = 1;
  add_modes(rail, place, beam.n, q + beam.qm, v + beam.vm, d, columns);
  if (!rail->second.empty()) add_products(rail, place, beam.n, q + beam.qm, v + beam.vm, d, columns);

  const RotationSeries c = rotation_series(dot(d.theta, d.theta));
  const auto jacobian = [&](Vec4d x) {
    const Vec4d once = cross(d.theta, x);
    return x + spread(c.a) * once + spread(c.b) * cross(d.theta, once);
  };
  AttachmentFrame& at = kin.attachments[link.attachment];
  at.l = d.l;
  for (int j = 0; j < 3; ++j) {
    Vec4d unit = o;
    unit[j] = 1;
    const Vec4d once = cross(d.theta, unit);
    at.R.c[j] = unit + spread(c.sinc) * once + spread(c.a) * cross(d.theta, once);
  }
  const Vec4d sdot = spread(rate), theta_rate = d.theta_eta + d.theta_s * sdot, l_rate = d.l_eta + d.l_s * sdot;
  const Vec4d theta_bias = (spread(2) * d.theta_seta + d.theta_ss * sdot) * sdot;
  const Vec4d l_bias = d.l_bias + (spread(2) * d.l_seta + d.l_ss * sdot) * sdot;
  const Vec4d once = cross(d.theta, theta_rate), twice = cross(d.theta, once);
  const Vec4d jacobian_rate = spread(2 * dot(d.theta, theta_rate)) * (spread(c.da) * once + spread(c.db) * twice) +
                              spread(c.b) * cross(theta_rate, once);
  at.V = {jacobian(theta_rate), l_rate};
  at.a = {jacobian(theta_bias) + jacobian_rate, l_bias - cross(at.V.ang, l_rate)};
  for (int k = 0; k < beam.n; ++k) columns[k].ang = jacobian(columns[k].ang);

  // The hinge map at the section, then on the child side.
  const Mat3 Rt = transpose(at.R);
  const Spatial h{Rt * jacobian(d.theta_s), Rt * d.l_s};
  const Mat3 Kt = transpose(link.K[0].R);
  kin.varying[link.varying] = {Kt * h.ang, Kt * (h.lin + cross(h.ang, link.K[0].p))};
}

}  // namespace

void place_sliders(const double* q, const double* v, Kinematics& kin) {
  const Layout& layout = *kin.layout;
  if (layout.varying == 0) return;  // sliders have variable hinge maps
  for (const Link& link : layout.links) {
    if (link.kind == kSlider) place_slider(layout, link, q, v, kin);
  }
}

}  // namespace limber
