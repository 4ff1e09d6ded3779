// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/manifold.hpp"

#include "limber/model/detail/layout.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

// All coordinates except quaternions and, in a free joint, the position after them.
template <typename Each>
void for_plain(const Link& link, Each each) {
  if (!link.quaternion) {
    for (int k = 0; k < link.nr; ++k) each(link.q + k, link.v + k);
  }
  for (int k = 0; k < link.n; ++k) each(link.qm + k, link.vm + k);
}

Vector3d three(ConstVec x, int at) { return x.segment<3>(at); }

}  // namespace

void move(const Model& model, ConstVec q, ConstVec dv, Vec out) {
  if (model.nq == model.nv) {  // no quaternion
    out = q + dv;
    return;
  }
  for_motors(*model.layout, [&](const Link&, int at_q, int at_v) { out[at_q] = q[at_q] + dv[at_v]; });
  const auto& links = model.layout->links;
  for (std::size_t i = 1; i < links.size(); ++i) {
    const Link& link = links[i];
    for_plain(link, [&](int at_q, int at_v) { out[at_q] = q[at_q] + dv[at_v]; });
    if (!link.quaternion) continue;
    const Vector3d turn = three(dv, link.v);
    if (link.kind == JointKind::free) {
      // SE(3): the position moves by R A(turn) slide, A the left Jacobian of theory §2.
      const Vector3d slide = three(dv, link.v + 3);
      const RotationSeries s = rotation_series(turn.squaredNorm());
      const Vector3d moved = slide + s.a * turn.cross(slide) + s.b * turn.cross(turn.cross(slide));
      out.segment<3>(link.q + 4) = three(q, link.q + 4) + quaternion_rotation(q.data() + link.q) * moved;
    }
    quaternion_turn(q.data() + link.q, turn, out.data() + link.q);
  }
}

void chart_point(const Model& model, ConstVec q0, ConstVec y, Vec q) {
  if (model.nq == model.nv) {
    q = q0 + y;
    return;
  }
  for_motors(*model.layout, [&](const Link&, int at_q, int at_v) { q[at_q] = q0[at_q] + y[at_v]; });
  const auto& links = model.layout->links;
  for (std::size_t i = 1; i < links.size(); ++i) {
    const Link& link = links[i];
    for_plain(link, [&](int at_q, int at_v) { q[at_q] = q0[at_q] + y[at_v]; });
    if (!link.quaternion) continue;
    quaternion_turn(q0.data() + link.q, three(y, link.v), q.data() + link.q);
    if (link.kind == JointKind::free) q.segment<3>(link.q + 4) = three(q0, link.q + 4) + three(y, link.v + 3);
  }
}

void chart_coordinates(const Model& model, ConstVec q0, ConstVec q, Vec y) {
  if (model.nq == model.nv) {
    y = q - q0;
    return;
  }
  for_motors(*model.layout, [&](const Link&, int at_q, int at_v) { y[at_v] = q[at_q] - q0[at_q]; });
  const auto& links = model.layout->links;
  for (std::size_t i = 1; i < links.size(); ++i) {
    const Link& link = links[i];
    for_plain(link, [&](int at_q, int at_v) { y[at_v] = q[at_q] - q0[at_q]; });
    if (!link.quaternion) continue;
    // conj(q0) q
    const Eigen::Quaterniond from(q0[link.q], q0[link.q + 1], q0[link.q + 2], q0[link.q + 3]);
    const Eigen::Quaterniond to(q[link.q], q[link.q + 1], q[link.q + 2], q[link.q + 3]);
    const Eigen::Quaterniond turn = from.conjugate() * to;
    const double wxyz[] = {turn.w(), turn.x(), turn.y(), turn.z()};
    y.segment<3>(link.v) = quaternion_log(wxyz);
    if (link.kind == JointKind::free) y.segment<3>(link.v + 3) = three(q, link.q + 4) - three(q0, link.q + 4);
  }
}

void chart_rate(const Model& model, ConstVec q, ConstVec y, ConstVec v, Vec rate) {
  if (model.nq == model.nv) {
    rate = v;
    return;
  }
  for_motors(*model.layout, [&](const Link&, int, int at_v) { rate[at_v] = v[at_v]; });
  const auto& links = model.layout->links;
  for (std::size_t i = 1; i < links.size(); ++i) {
    const Link& link = links[i];
    for_plain(link, [&](int, int at_v) { rate[at_v] = v[at_v]; });
    if (!link.quaternion) continue;
    rate.segment<3>(link.v) = inverse_right_jacobian(three(y, link.v), three(v, link.v));
    if (link.kind == JointKind::free)
      rate.segment<3>(link.v + 3) = quaternion_rotation(q.data() + link.q) * three(v, link.v + 3);
  }
}

}  // namespace limber
