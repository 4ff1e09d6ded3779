// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/kinematics.hpp"
#include "sweeps.hpp"

namespace limber {
namespace {

// O(1); throws InputError.
void check_node(const Model& model, NodeRef node) {
  const bool body = node.body >= 0 && node.body < model.body_count();
  if (body && node.node >= kBodyFrame && node.node < static_cast<int>(model.body(node.body).nodes.size())) return;
  throw InputError("node " + std::to_string(node.node) + " of body " + std::to_string(node.body) +
                   " is not there; give indices of the model, kBodyFrame for a body's own frame");
}

}  // namespace

NodeFrame node_in_body(const Model& model, const Kinematics& kin, NodeRef node, Spatial* Y) {
  check_node(model, node);
  if (node.node == kBodyFrame) {
    NodeFrame frame{};
    for (int j = 0; j < 3; ++j) frame.R.c[j][j] = 1;
    return frame;
  }
  const Layout& layout = *model.layout;
  const Link& link = layout.links[node.body];
  NodeFrame frame;
  const bool still = layout.ruthless || link.n == 0;
  compute_node(link.constants->nodes[node.node], link.n, still ? nullptr : &kin.eta[link.scalars],
               still ? nullptr : &kin.etadot[link.scalars], frame, Y);
  return frame;
}

namespace {

// Visits each coordinate on the path from a node to the ground: visit(speed, twist) gets the twist of the node per unit
// speed, at the node's origin, in world components.  ToWorld: transforms twists of a body there.
struct ToWorld {
  Mat3 R;   // body basis -> world
  Vec4d l;  // node's origin relative to the body's, in the body's basis
  Spatial operator()(Spatial V) const { return {R * V.ang, R * (V.lin + cross(V.ang, l))}; }
};

template <typename Visit>
void walk(const Model& model, const Kinematics& kin, NodeRef node, Visit visit) {
  const Layout& layout = *model.layout;
  const Vec4d end = to_vec4d(node_pose(model, kin, node).p);
  const auto to_world = [&](int body) {
    const Mat3 R = pack(kin.world[body].R);
    return ToWorld{R, transpose(R) * (end - to_vec4d(kin.world[body].p))};
  };
  for (int i = node.body; i != kGround; i = layout.links[i].parent) {
    const Link& link = layout.links[i];
    const ToWorld map = to_world(i);
    const Spatial* H = kin.hinge_map(link);
    for (int k = 0; k < link.nr; ++k) visit(link.v + k, map(H[k]));
    for (int k = 0; link.inboard >= 0 && k < link.n; ++k)
      visit(link.vm + k, map(kin.columns[link.inboard_columns + k]));
    if (link.attachment < 0) continue;
    const OutboardAttachment& attachment = layout.attachments[link.attachment];
    const Link& parent = layout.links[link.parent];
    ToWorld from_attachment = to_world(link.parent);
    from_attachment.l -= kin.attachments[link.attachment].l;
    for (int k = 0; k < parent.n; ++k) visit(parent.vm + k, from_attachment(kin.columns[attachment.columns + k]));
  }
}

// The columns Pi of the node itself, one by one, without a workspace.
template <typename Visit>
void own_columns(const Model& model, const Kinematics& kin, NodeRef node, Visit visit) {
  if (node.body == kGround || node.node == kBodyFrame) return;
  const Layout& layout = *model.layout;
  const Link& link = layout.links[node.body];
  const NodeConstants& constants = link.constants->nodes[node.node];
  const NodeFrame frame = node_in_body(model, kin, node, nullptr);
  const Mat3 R = pack(kin.world[node.body].R);
  for (int k = 0; k < link.n; ++k) {
    Vec4d gamma = constants.gamma[k];
    for (int j = 0; !constants.second.empty() && j < link.n; ++j) {
      gamma += constants.second[static_cast<std::size_t>(k) * link.n + j] * spread(kin.eta[link.scalars + j]);
    }
    visit(link.vm + k, Spatial{R * (frame.A * constants.lambda[k]), R * gamma});
  }
}

Vector6 motion(const Model& model, const Kinematics& kin, NodeRef node, ConstVec speeds) {
  Spatial total = zero_spatial();
  const auto add = [&](int k, Spatial column) { total += column * speeds[k]; };
  walk(model, kin, node, add);
  own_columns(model, kin, node, add);
  return to_vector(total);
}

}  // namespace

void compute_world_poses(const Model& model, Kinematics& kin) {
  const Layout& layout = *model.layout;
  check_model(model, kin);
  kin.posed_stamp = kin.stamp;
  kin.world[0] = {};
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    const LinkFrame& f = kin.links[i];
    Vec4d r = f.r;
    if (link.attachment >= 0) r += kin.attachments[link.attachment].l;
    kin.world[i] = kin.world[link.parent] * Pose{to_matrix(f.R), to_vector(r)};
  }
}

const Pose& body_pose(const Kinematics& kin, int body) {
  check_poses(kin);
  if (body >= 0 && body < static_cast<int>(kin.world.size())) return kin.world[static_cast<std::size_t>(body)];
  throw InputError("body " + std::to_string(body) + " is not there; the model has " + std::to_string(kin.world.size()) +
                   ", the ground among them");
}

Pose node_pose(const Model& model, const Kinematics& kin, NodeRef node) {
  check_poses(kin);
  const NodeFrame frame = node_in_body(model, kin, node, nullptr);
  return kin.world[node.body] * Pose{to_matrix(frame.R), to_vector(frame.l)};
}

void compute_node_jacobian(const Model& model, const Kinematics& kin, NodeRef node, Eigen::Ref<Matrix6X> J) {
  if (J.cols() != model.nv) {
    throw InputError("compute_node_jacobian: J must be 6 x " + std::to_string(model.nv) + ", not 6 x " +
                     std::to_string(J.cols()));
  }
  check_node(model, node);
  J.setZero();
  const auto add = [&](int k, Spatial column) { J.col(k) += to_vector(column); };
  walk(model, kin, node, add);
  own_columns(model, kin, node, add);
}

Vector6 node_velocity(const Model& model, const Kinematics& kin, NodeRef node, ConstVec v) {
  check_speeds(model, v);
  return motion(model, kin, node, v);
}

Vector6 node_acceleration(const Model& model, const Kinematics& kin, NodeRef node, ConstVec vdot) {
  check_speeds(model, vdot);
  return motion(model, kin, node, vdot) + node_bias_acceleration(model, kin, node);
}

Vector6 node_bias_acceleration(const Model& model, const Kinematics& kin, NodeRef node) {
  check_poses(kin);
  if (node.body == kGround) return Vector6::Zero();
  const LinkFrame& f = kin.links[node.body];
  const NodeFrame d = node_in_body(model, kin, node, nullptr);
  const Vec4d w = f.V.ang;
  const Vec4d wdot = f.a.ang + d.turn_bias + cross(w, d.turn_rate);
  const Vec4d vdot =
      f.a.lin + cross(w, f.V.lin) + cross(f.a.ang, d.l) + cross(w, cross(w, d.l) + spread(2) * d.l_rate) + d.l_bias;
  const Mat3 R = pack(kin.world[node.body].R);
  return to_vector(Spatial{R * wdot, R * vdot - kin.links[kGround].a.lin});
}

void apply_wrenches(const Model& model, std::span<const NodeWrench> wrenches, Kinematics& kin) {
  if (!wrenches.empty()) kin.framed_stamp = 0;
  for (const NodeWrench& input : wrenches) {
    const NodeRef at = input.at;
    check_node(model, at);
    if (at.body == kGround) continue;
    const Link& link = model.layout->links[at.body];
    const NodeFrame d = node_in_body(model, kin, at, nullptr);
    const Mat3 R = input.frame == Frame::node ? d.R : transpose(pack(kin.world[at.body].R));
    const Spatial given = to_spatial(input.wrench);
    const Spatial w{R * given.ang, R * given.lin};
    kin.links[at.body].p -= wrench_from(d.l, w);
    if (at.node == kBodyFrame) continue;
    const Vector6 in_world = to_vector(Spatial{pack(kin.world[at.body].R) * w.ang, pack(kin.world[at.body].R) * w.lin});
    own_columns(model, kin, at,
                [&](int k, Spatial column) { kin.p_f[link.scalars + k - link.vm] -= to_vector(column).dot(in_world); });
  }
}

}  // namespace limber
