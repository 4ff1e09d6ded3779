// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/detail/layout.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "limber/model/detail/rail.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/friction.hpp"
#include "limber/model/slider.hpp"

namespace limber {
namespace {

Pose node_pose(const Body& body, int node) {
  if (node == kBodyFrame) return {};
  return {body.nodes[node].rotation, body.nodes[node].position};
}

bool moves(const BodyConstants& constants, int node) { return node != kBodyFrame && constants.nodes[node].moves; }

void set_passive(const Joint& joint, Link& link) {
  const auto copy = [&](const VectorXd& from, double* to) {
    for (int k = 0; k < from.size(); ++k) to[k] = from[k];
    return from.size() > 0 && !from.isZero(0);
  };
  const bool spring = copy(joint.stiffness, link.stiffness), damper = copy(joint.damping, link.damping);
  link.passive = spring || damper;
  copy(joint.armature, link.armature);
  if (joint.friction && joint.friction->viscous > 0) {
    link.damping[0] += joint.friction->viscous;
    link.passive = true;
  }
}

// theory §3, Drives.  A: pose of O+ in the inboard frame.
void set_drive(const Model& model, const Joint& joint, const Pose& A, int body, Layout& layout) {
  if (!joint.drive) return;
  const Drive& drive = *joint.drive;
  Link& link = layout.links[body];
  if (drive.axis && drive.inertia > 0 && joint.parent.body != kGround) {
    link.rotor = {true, to_vec4d(Vector3d(A.R * *drive.axis)), drive.inertia, drive.ratio};
    layout.rotors.push_back(body);
  }
  if (!drive.elastic()) {
    link.armature[0] += drive.ratio * drive.ratio * drive.inertia;
    return;
  }
  const int k = static_cast<int>(layout.motors.size());
  int motors = 0;
  for (const Joint& each : model.joints) motors += each.drive && each.drive->elastic();
  link.motor = {model.nq - motors + k - joint.q,
                model.nv - motors + k - joint.v,
                drive.ratio,
                drive.inertia,
                drive.stiffness,
                drive.damping,
                1 / drive.ratio,
                0.5 * drive.backlash};
  link.passive = true;
  layout.motors.push_back(body);
}

// Active coordinates, if applicable.  theory §5.  The coordinates that move the attachment of a slider change with its
// position.
Elimination choose(const Layout& layout, const Link& link, Elimination choice) {
  bool applies = link.n > 0 && link.constants->mass_diagonal() && link.inboard < 0;
  for (int h = link.attachment_begin; h < link.attachment_end; ++h)
    applies = applies && !is_rail(layout, layout.attachments[h]);
  return applies && choice != Elimination::all_modes ? Elimination::active : Elimination::all_modes;
}

// Placeholder node of the attachment of a slider, one per slider, until the attachments are set.
int node_of_slider(std::size_t joint) { return -2 - static_cast<int>(joint); }

// The moving nodes that carry other bodies, and the columns of all modes, in the order of the bodies.
void set_columns(const Model& model, Layout& layout) {
  std::vector<std::vector<int>> carrying(model.bodies.size());
  for (std::size_t i = 1; i < model.joints.size(); ++i) {
    const NodeRef at = model.joints[i].parent;
    if (model.joints[i].kind == kSlider) {
      carrying[at.body].push_back(node_of_slider(i));
      continue;
    }
    if (at.body == kGround || !moves(*layout.links[at.body].constants, at.node)) continue;
    auto& nodes = carrying[at.body];
    if (std::find(nodes.begin(), nodes.end(), at.node) == nodes.end()) nodes.push_back(at.node);
  }
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    Link& link = layout.links[i];
    link.columns = layout.columns;
    layout.columns += kLanes * lanes_for(link.n);
    if (moves(*link.constants, model.joints[i].child_node)) {
      link.inboard = model.joints[i].child_node;
      link.inboard_columns = layout.columns;
      layout.columns += kLanes * lanes_for(link.n);
    }
    link.attachment_begin = static_cast<int>(layout.attachments.size());
    for (const int node : carrying[i]) {
      layout.attachments.push_back({static_cast<int>(i), node, layout.columns});
      layout.columns += kLanes * lanes_for(link.n);
    }
    link.attachment_end = static_cast<int>(layout.attachments.size());
    layout.max_attachments = std::max(layout.max_attachments, link.attachment_end - link.attachment_begin);
  }
}

int find_attachment(const Layout& layout, NodeRef at) {
  if (at.body == kGround) return -1;
  const Link& parent = layout.links[at.body];
  for (int h = parent.attachment_begin; h < parent.attachment_end; ++h) {
    if (layout.attachments[h].node == at.node) return h;
  }
  return -1;
}

// Reuses the constants of the previous layout if the body is the same.  `rail`: append the rail of sliders to its
// nodes.
std::shared_ptr<const BodyConstants> find_constants(const Layout* before, int i, const Body& body, bool rail) {
  const BodyConstants* wanted = before == nullptr ? nullptr : before->links[i].constants;
  if (wanted != nullptr && wanted->source == &body) {
    for (const auto& constants : before->constants) {
      if (constants.get() == wanted) return constants;
    }
  }
  auto made = std::make_shared<BodyConstants>(make_constants(body));
  if (rail) add_rail(body, *made);
  return made;
}

// Bodies with sliders, by their data.
std::set<const Body*> find_rails(const Model& model) {
  std::set<const Body*> out;
  for (const Joint& joint : model.joints)
    if (joint.kind == kSlider) out.insert(model.bodies[joint.parent.body].get());
  return out;
}

// Gives the attachments of sliders the rail of their beam, stored after its nodes.
void set_rails(const Model& model, Layout& layout) {
  for (OutboardAttachment& attachment : layout.attachments)
    if (attachment.node < kBodyFrame) attachment.node = static_cast<int>(model.body(attachment.body).nodes.size());
}

void set_link(const Model& model, int i, Layout& layout) {
  const Joint& joint = model.joints[i];
  Link& link = layout.links[i];
  link.parent = joint.parent.body;
  link.kind = joint.kind;
  link.nr = speed_count(joint.kind);
  link.quaternion = joint_traits(joint.kind).quaternion;
  link.q = joint.q;
  link.v = joint.v;
  link.qm = model.first_mode_q(i);
  link.vm = model.first_mode(i);
  const bool slider = joint.kind == kSlider;
  link.attachment = find_attachment(
      layout, slider ? NodeRef{joint.parent.body, node_of_slider(static_cast<std::size_t>(i))} : joint.parent);
  // Inboard frame -> O+, and O -> F, if they are constant.
  Pose A = joint.origin;
  if (link.attachment < 0) A = node_pose(model.body(joint.parent.body), joint.parent.node) * A;
  const Pose B = link.inboard < 0 ? inverse(node_pose(model.body(i), joint.child_node)) : Pose{};
  set_hinge(joint, A, B, link);
  if (link.varies || link.inboard >= 0) {
    link.varying = layout.varying;
    layout.varying += link.nr;
  }
  set_passive(joint, link);
  set_drive(model, joint, A, i, layout);
  if (joint.kind == JointKind::revolute || joint.kind == JointKind::cylindrical) {
    const int at = static_cast<int>(layout.angles.size());
    link.angle = at / kLanes * 2 * kLanes + at % kLanes;
    layout.angles.push_back(link.q);
  }
  const auto is_zero = [](Vec4d x) { return to_vector(x).isZero(0); };
  link.pivots = joint.kind == JointKind::revolute && link.inboard < 0 && is_zero(link.H[0].lin) &&
                is_zero(link.K[1].p) && is_zero(link.K[2].p);
}

}  // namespace

Layout make_layout(const Model& model, Elimination choice, const Layout* before) {
  Layout layout;
  layout.choice = choice;
  layout.ruthless = model.fidelity == Fidelity::ruthless;
  layout.stiffened = model.fidelity == Fidelity::stiffened;
  layout.links.resize(model.bodies.size());
  std::map<const Body*, std::shared_ptr<const BodyConstants>> made;
  const std::set<const Body*> rails = find_rails(model);
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    auto& constants = made[model.bodies[i].get()];
    if (!constants) {
      constants = find_constants(before, static_cast<int>(i), *model.bodies[i], rails.contains(model.bodies[i].get()));
      layout.constants.push_back(constants);
    }
    Link& link = layout.links[i];
    link.constants = constants.get();
    link.n = constants->n;
    link.scalars = layout.scalars;
    layout.scalars += kLanes * lanes_for(constants->ne);
    layout.max_modes = std::max(layout.max_modes, constants->n);
    layout.max_extended = std::max(layout.max_extended, constants->ne);
  }
  set_columns(model, layout);
  for (std::size_t i = 1; i < model.bodies.size(); ++i) set_link(model, static_cast<int>(i), layout);
  set_rails(model, layout);
  for (std::size_t i = layout.links.size() - 1; i > 0; --i) {
    Link& link = layout.links[i];
    link.elimination = choose(layout, link, choice);
    if (link.attachment < 0) continue;
    OutboardAttachment& attachment = layout.attachments[link.attachment];
    link.opens_attachment = !attachment.opened;
    attachment.opened = true;
  }
  while (layout.angles.size() % kLanes != 0) layout.angles.push_back(layout.angles.front());
  set_groups(layout);
  return layout;
}

}  // namespace limber
