// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/detail/layout.hpp"

#include <algorithm>
#include <map>

#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

// A Rot(axis, q) B = K0 + cos q K1 + sin q K2, by Rodrigues' formula.
void set_rotation_terms(const Pose& A, const Vector3& axis, const Pose& B, PackedPose* K) {
  const Matrix3 N = axis * axis.transpose();
  const Matrix3 terms[3] = {N, Matrix3::Identity() - N, skew(axis)};
  for (int i = 0; i < 3; ++i) {
    K[i].R = pack(Matrix3(A.R * terms[i] * B.R));
    K[i].p = to_vec4d(Vector3(A.R * terms[i] * B.p));
  }
  K[0].p += to_vec4d(A.p);
}

// A twist [w; v] at O in the basis of O, seen from F; B is the pose of F in O.
Spatial seen_from(const Pose& B, const Vector3& w, const Vector3& v) {
  return {to_vec4d(Vector3(B.R.transpose() * w)), to_vec4d(Vector3(B.R.transpose() * (v + w.cross(B.p))))};
}

// Poses and motion map of theory §3, with everything constant multiplied out.
void set_joint(const Joint& joint, const Pose& A, const Pose& B, Link& link) {
  const Vector3 none = Vector3::Zero();
  link.K[0] = pack(A * B);
  link.L[0] = pack(B);
  link.slide = to_vec4d(Vector3(A.R * joint.axis));
  switch (joint.kind) {
    case JointKind::fixed:
      break;
    case JointKind::revolute:
    case JointKind::cylindrical:
      set_rotation_terms(A, joint.axis, B, link.K);
      link.H[0] = seen_from(B, joint.axis, none);
      link.H[1] = seen_from(B, none, joint.axis);
      break;
    case JointKind::prismatic:
      link.H[0] = seen_from(B, none, joint.axis);
      break;
    case JointKind::universal:
      set_rotation_terms(A, joint.axis, Pose{}, link.K);
      set_rotation_terms(Pose{}, joint.axis2, B, link.L);
      link.axis = to_vec4d(joint.axis);
      link.H[0] = seen_from(B, joint.axis, none);
      link.H[1] = seen_from(B, joint.axis2, none);
      break;
    case JointKind::spherical:
    case JointKind::free:
      link.K[0] = pack(A);
      for (int k = 0; k < 3; ++k) {
        link.H[k] = seen_from(B, Vector3::Unit(k), none);
        link.H[3 + k] = seen_from(B, none, Vector3::Unit(k));
      }
      break;
  }
}

Pose node_pose(const Body& body, int node) {
  if (node == kBodyFrame) return {};
  return {body.nodes[node].rotation, body.nodes[node].position};
}

bool moves(const BodyConstants& shape, int node) { return node != kBodyFrame && shape.nodes[node].moves; }

void set_passive(const Joint& joint, Link& link) {
  const auto copy = [&](const VectorX& from, double* to) {
    for (int k = 0; k < from.size(); ++k) to[k] = from[k];
    return from.size() > 0 && !from.isZero(0);
  };
  const bool spring = copy(joint.stiffness, link.stiffness), damper = copy(joint.damping, link.damping);
  link.passive = spring || damper;
  copy(joint.armature, link.armature);
}

// Numbers of modes from which the condensed elimination is the cheaper one (bench/results/).
constexpr int kCondensedFrom = 8;
constexpr int kCondensedFromRuthless = 4;

Elimination choose(const Layout& layout, const Link& link, Elimination choice) {
  const int nodes = link.handle_end - link.handle_begin;
  const bool applies = link.n > 0 && link.shape->mass_diagonal() && link.root < 0 && nodes <= kMaxStack;
  if (!applies || choice == Elimination::cholesky) return Elimination::cholesky;
  if (choice == Elimination::condensed) return Elimination::condensed;
  const int from = layout.ruthless ? kCondensedFromRuthless : kCondensedFrom;
  return link.n >= from * std::max(1, nodes) ? Elimination::condensed : Elimination::cholesky;
}

// The moving nodes that carry others, and the places of all modal columns, in the order of the bodies.
void set_columns(const Model& model, Layout& layout) {
  std::vector<std::vector<int>> carrying(model.bodies.size());
  for (std::size_t i = 1; i < model.joints.size(); ++i) {
    const NodeRef at = model.joints[i].parent;
    if (at.body == kGround || !moves(*layout.links[at.body].shape, at.node)) continue;
    auto& nodes = carrying[at.body];
    if (std::find(nodes.begin(), nodes.end(), at.node) == nodes.end()) nodes.push_back(at.node);
  }
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    Link& link = layout.links[i];
    link.columns = layout.columns;
    layout.columns += kLanes * lanes_for(link.n);
    if (moves(*link.shape, model.joints[i].child_node)) {
      link.root = model.joints[i].child_node;
      link.root_columns = layout.columns;
      layout.columns += kLanes * lanes_for(link.n);
    }
    link.handle_begin = static_cast<int>(layout.handles.size());
    for (const int node : carrying[i]) {
      layout.handles.push_back({static_cast<int>(i), node, layout.columns});
      layout.columns += kLanes * lanes_for(link.n);
    }
    link.handle_end = static_cast<int>(layout.handles.size());
    layout.max_handles = std::max(layout.max_handles, link.handle_end - link.handle_begin);
  }
}

int find_handle(const Layout& layout, NodeRef at) {
  if (at.body == kGround) return -1;
  const Link& parent = layout.links[at.body];
  for (int h = parent.handle_begin; h < parent.handle_end; ++h) {
    if (layout.handles[h].node == at.node) return h;
  }
  return -1;
}

void set_link(const Model& model, int i, Layout& layout) {
  const Joint& joint = model.joints[i];
  Link& link = layout.links[i];
  link.parent = joint.parent.body;
  link.kind = joint.kind;
  link.nr = speed_count(joint.kind);
  link.q = joint.q;
  link.v = joint.v;
  link.qm = model.first_mode_q(i);
  link.vm = model.first_mode(i);
  link.handle = find_handle(layout, joint.parent);
  if (joint.kind == JointKind::universal || link.root >= 0) {
    link.varying = layout.varying;
    layout.varying += link.nr;
  }
  // Carrier -> O+, and O -> F, where they are constant.
  Pose A = joint.origin;
  if (link.handle < 0) A = node_pose(model.body(joint.parent.body), joint.parent.node) * A;
  const Pose B = link.root < 0 ? inverse(node_pose(model.body(i), joint.child_node)) : Pose{};
  set_joint(joint, A, B, link);
  set_passive(joint, link);
}

}  // namespace

Layout make_layout(const Model& model, Elimination choice) {
  Layout layout;
  layout.ruthless = model.fidelity == Fidelity::ruthless;
  layout.stiffened = model.fidelity == Fidelity::stiffened;
  layout.links.resize(model.bodies.size());
  std::map<const Body*, std::shared_ptr<const BodyConstants>> shapes;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    auto& shape = shapes[model.bodies[i].get()];
    if (!shape) {
      shape = std::make_shared<const BodyConstants>(make_constants(*model.bodies[i]));
      layout.shapes.push_back(shape);
    }
    Link& link = layout.links[i];
    link.shape = shape.get();
    link.n = shape->n;
    link.scalars = layout.scalars;
    layout.scalars += kLanes * lanes_for(shape->ne);
    layout.max_modes = std::max(layout.max_modes, shape->n);
    layout.max_extended = std::max(layout.max_extended, shape->ne);
  }
  set_columns(model, layout);
  for (std::size_t i = 1; i < model.bodies.size(); ++i) set_link(model, static_cast<int>(i), layout);
  for (std::size_t i = layout.links.size() - 1; i > 0; --i) {
    Link& link = layout.links[i];
    link.elimination = choose(layout, link, choice);
    if (link.handle < 0) continue;
    Handle& handle = layout.handles[link.handle];
    link.opens_handle = !handle.opened;
    handle.opened = true;
  }
  return layout;
}

}  // namespace limber
