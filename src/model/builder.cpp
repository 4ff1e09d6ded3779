// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "checks.hpp"
#include "drive_checks.hpp"
#include "limber/body/detail/content.hpp"
#include "limber/model/detail/layout.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/slider.hpp"
#include "limber/spatial/detail/text.hpp"
#include "segment_pieces.hpp"

namespace limber {
namespace {

using model_impl::refuse;

void check_coefficients(VectorXd& values, const Joint& joint, const char* what) {
  const int nr = speed_count(joint.kind);
  if (values.size() == 0) values = VectorXd::Zero(nr);
  if (values.size() != nr) {
    refuse("joint", joint.name,
           std::string(what) + " has " + std::to_string(values.size()) + " numbers; a " + to_string(joint.kind) +
               " joint has " + std::to_string(nr));
  }
  for (int k = 0; k < nr; ++k) {
    if (!std::isfinite(values[k]) || values[k] < 0) {
      refuse("joint", joint.name, std::string(what) + " must be a finite number, 0 or more");
    }
  }
}

void check_origin(const Joint& joint) {
  constexpr double kOrthonormal = 1e-8;  // entries of R^T R - 1 of matrices given to ten digits
  const Matrix3d& R = joint.origin.R;
  const bool finite = R.allFinite() && joint.origin.p.allFinite();
  if (finite && (R.transpose() * R - Matrix3d::Identity()).cwiseAbs().maxCoeff() <= kOrthonormal &&
      R.determinant() > 0) {
    return;
  }
  refuse("joint", joint.name, "its origin is not a pose; give a finite position and a rotation matrix");
}

void check_stop(const Joint& joint) {
  if (!joint.stop) return;
  const JointStop& stop = *joint.stop;
  if (!joint_traits(joint.kind).stops)
    refuse("joint", joint.name, std::string("a ") + to_string(joint.kind) + " joint has no stops; remove them");
  if (!(stop.lower < stop.upper)) refuse("joint", joint.name, "its upper travel limit is not above the lower one");
  if (!(stop.stiffness > 0) || !(stop.damping >= 0) || !std::isfinite(stop.stiffness + stop.damping))
    refuse("joint", joint.name, "its stop needs a stiffness above 0 and a damping of 0 or more");
}

void check_joint(Joint& joint) {
  model_impl::check_item_name("joint", joint.name);
  check_origin(joint);
  model_impl::set_unit_axes(joint, "joint");
  check_coefficients(joint.stiffness, joint, "stiffness");
  check_coefficients(joint.damping, joint, "damping");
  check_coefficients(joint.armature, joint, "armature");
  model_impl::check_limit(joint, joint.effort_limit, "effort_limit");
  model_impl::check_limit(joint, joint.velocity_limit, "velocity_limit");
  check_stop(joint);
  model_impl::check_drive(joint);
  model_impl::check_friction(joint);
  if (!joint_traits(joint.kind).quaternion) return;
  const auto& k = joint.stiffness;
  if (k[0] != k[1] || k[0] != k[2]) {
    refuse("joint", joint.name, "stiffness differs between the three rotations; write the same number for each");
  }
}

// Adds the names of the coordinates or speeds of a joint and of the modes of its body.
void add_names(const model_impl::Piece& piece, const std::vector<JointCoordinate>& hinge,
               std::vector<std::string>& names) {
  const std::string& joint = piece.joint.name;
  for (const JointCoordinate& c : hinge) names.push_back(c.suffix.empty() ? joint : joint + "." + c.suffix);
  for (const std::string& mode : piece.body->mode_names) names.push_back(piece.label + "." + mode);
}

// The motors of elastic transmissions come last.
void add_motors(std::vector<std::string>& names, const std::vector<Joint>& joints) {
  for (const Joint& joint : joints) {
    if (joint.drive && joint.drive->elastic()) names.push_back(joint.name + ".motor");
  }
}

// Bodies and joints share one namespace in scenarios.
void check_names(const Model& model) {
  std::set<std::string> names, closures;
  for (int i = 1; i < model.body_count(); ++i) {
    if (leads_segments(model, i) && !names.insert(model.body_names[i]).second)
      refuse("body", model.body_names[i], "name used twice; rename one");
  }
  for (int i = 1; i < model.body_count(); ++i) {
    if (!names.insert(model.joints[i].name).second)
      refuse("joint", model.joints[i].name, "name used twice; rename one");
  }
  for (const Closure& closure : model.closures) {
    if (!closures.insert(closure.name).second) refuse("closure", closure.name, "name used twice; rename one");
  }
}

void check_mass(const Model& model) {
  double total = 0;
  for (const auto& body : model.bodies) total += body->mass;
  if (model.body_count() < 2) throw InputError("the machine has no bodies; add at least one, and a joint for it");
  if (!(total > 0)) throw InputError("the machine has no mass; give at least one body a mass above 0");
}

}  // namespace

ModelBuilder& ModelBuilder::gravity(const Vector3d& g) {
  if (!g.allFinite()) throw InputError("gravity is not finite; write three numbers");
  model_.gravity = g;
  return *this;
}

ModelBuilder& ModelBuilder::fidelity(Fidelity f) {
  model_.fidelity.value_ = f;
  return *this;
}

ModelBuilder& ModelBuilder::elimination(Elimination choice) {
  elimination_ = choice;
  return *this;
}

int ModelBuilder::add_body(Body body) {
  model_impl::check_item_name("body", body.name);
  try {
    check_body(body);
  } catch (const InputError& e) {
    refuse("body", body.name, e.what());
  }
  body_names_.push_back(std::move(body.name));
  body.name.clear();
  auto& shared = known_bodies_[content_key(body)];
  if (!shared) shared = std::make_shared<const Body>(std::move(body));
  bodies_.push_back(shared);
  return static_cast<int>(bodies_.size());
}

void ModelBuilder::add_joint(Joint joint, int child) {
  check_joint(joint);
  if (child < 1 || child > static_cast<int>(bodies_.size()))
    refuse("joint", joint.name, "its child is not a number that add_body returned; name the body instead");
  if (!carried_.insert(child).second) {
    refuse("joint", joint.name, "body '" + body_names_[child - 1] + "' is already carried by another joint");
  }
  model_.joints.value_.push_back(std::move(joint));
  children_.push_back(child);
}

void ModelBuilder::add_joint(Joint joint, const std::string& parent, const std::string& child) {
  const std::string item = "joint '" + joint.name + "'";
  joint.parent = find_node(item, parent);
  const NodeRef at = find_node(item, child);
  joint.child_node = at.node;
  if (at.body == kGround) refuse("joint", joint.name, "its child is the world; name a body");
  add_joint(std::move(joint), at.body);
}

void ModelBuilder::add_closure(Closure closure) {
  model_impl::check_closure(closure);
  model_.closures.value_.push_back(std::move(closure));
}

void ModelBuilder::add_closure(Closure closure, const std::string& a, const std::string& b) {
  const std::string item = "closure '" + closure.name + "'";
  closure.a = find_node(item, a);
  closure.b = find_node(item, b);
  add_closure(std::move(closure));
}

NodeRef ModelBuilder::find_node(const std::string& item, const std::string& path) const {
  return model_impl::find_node(path, body_names_, item + ": ", [&](std::size_t k) {
    return std::pair<int, const Body*>(static_cast<int>(k) + 1, bodies_[k].get());
  });
}

// Bodies and joints in the order of the joints; place: index in the model by number from add_body, -1: none.
void ModelBuilder::place_bodies(Model& model, std::vector<int>& place) const {
  auto segments = std::make_shared<SegmentedBeams>();
  for (std::size_t j = 0; j < children_.size(); ++j) {
    Joint joint = model_.joints[j];
    const int parent = joint.parent.body, first = model.body_count();
    if (parent < 0 || parent >= static_cast<int>(place.size()) || place[parent] < 0) {
      refuse("joint", joint.name, "its parent is not carried by an earlier joint; list the joints parents first");
    }
    const int child = children_[j] - 1;
    const std::string& name = body_names_[child];
    model_impl::check_order("body", name, model.fidelity, *bodies_[child]);
    const SegmentedBeam* cut = parent == kGround ? nullptr : find_segmented(model, body_names_[parent - 1]);
    joint.parent = cut != nullptr ? model_impl::place_in_model(*cut, joint.parent.node)
                                  : NodeRef{place[parent], joint.parent.node};
    place[children_[j]] = first;
    std::vector<model_impl::Piece> pieces = {{joint, bodies_[child], name}};
    if (segmented_of(*bodies_[child]) != nullptr) {
      model_impl::check_child(joint, name, *bodies_[child]);
      segments->beams.emplace_back();
      pieces = model_impl::cut_beam(joint, name, bodies_[child], first, segments->beams.back());
      model.segments = segments;
    }
    for (model_impl::Piece& piece : pieces) {
      const JointTraits& traits = joint_traits(piece.joint.kind);
      piece.joint.q = model.nq;
      piece.joint.v = model.nv;
      add_names(piece, traits.positions, model.coordinates.value_);
      add_names(piece, traits.speeds, model.speeds.value_);
      model.nq = static_cast<int>(model.coordinates.size());
      model.nv = static_cast<int>(model.speeds.size());
      model.bodies.value_.push_back(piece.body);
      model.body_names.value_.push_back(name);
      model.joints.value_.push_back(std::move(piece.joint));
    }
  }
  for (std::size_t b = 1; b < place.size(); ++b) {
    if (place[b] < 0) refuse("body", body_names_[b - 1], "no joint carries it; add one with it as child");
  }
  model_impl::set_beams(model.body_count(), *segments);
}

void ModelBuilder::place_closures(const std::vector<int>& place, Model& model) const {
  for (Closure& closure : model.closures.value_) {
    for (NodeRef* at : {&closure.a, &closure.b}) {
      if (at->body < 0 || at->body >= static_cast<int>(place.size()))
        refuse("closure", closure.name, "refers to a body that does not exist");
      const SegmentedBeam* cut = at->body == kGround ? nullptr : find_segmented(model, body_names_[at->body - 1]);
      *at = cut != nullptr ? model_impl::place_in_model(*cut, at->node) : NodeRef{place[at->body], at->node};
      model_impl::check_node(model, "closure", closure.name, *at);
    }
  }
}

Model ModelBuilder::build() const {
  Model model = model_;
  std::vector<int> place(bodies_.size() + 1, -1);
  place[kGround] = kGround;
  auto ground = std::make_shared<Body>();
  ground->S = Matrix3Xd::Zero(3, 1);
  ground->C = {Matrix3d::Zero()};
  model.bodies.value_ = {ground};
  model.body_names.value_ = {"world"};
  model.joints.value_.assign(1, Joint{});
  place_bodies(model, place);
  for (auto* names : {&model.coordinates.value_, &model.speeds.value_}) add_motors(*names, model.joints);
  model.nq = static_cast<int>(model.coordinates.size());
  model.nv = static_cast<int>(model.speeds.size());
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    model_impl::check_node(model, "joint", joint.name, joint.parent);
    model_impl::check_node(model, "joint", joint.name, {i, joint.child_node});
    if (joint.kind == kSlider) model_impl::finish_slider(model, i, model.joints.value_[i]);
  }
  place_closures(place, model);
  check_names(model);
  check_mass(model);
  model.layout = std::make_shared<const Layout>(make_layout(model, elimination_));
  return model;
}

}  // namespace limber
