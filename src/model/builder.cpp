// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <unordered_map>

#include "limber/model/detail/layout.hpp"

namespace limber {
namespace {

[[noreturn]] void refuse(const std::string& item, const std::string& name, const std::string& what) {
  throw InputError(item + " '" + name + "': " + what);
}

// All numbers and node names of a body, to find equal ones.
std::string content_key(const Body& body) {
  std::string key;
  const auto add = [&key](const auto& matrix) {
    const auto size = matrix.size();
    key.append(reinterpret_cast<const char*>(&size), sizeof size);
    key.append(reinterpret_cast<const char*>(matrix.data()), sizeof(double) * static_cast<std::size_t>(size));
  };
  add(Eigen::Matrix<double, 1, 1>(body.mass));
  add(body.S);
  for (const Matrix3& C : body.C) add(C);
  add(body.stiffness);
  add(body.damping);
  for (const ModePair& pair : body.pairs) key += std::to_string(pair.a) + "," + std::to_string(pair.b) + ";";
  for (const Node& node : body.nodes) {
    key += node.name + '\n';
    add(node.position);
    add(node.rotation);
    add(node.translation);
    add(node.turn);
    for (const MatrixX& second : node.second) add(second);
  }
  for (const std::string& name : body.mode_names) key += name + '\n';
  return key;
}

Vector3 unit(const Vector3& axis, const Joint& joint, const char* what) {
  const double length = axis.norm();
  if (!(length > 0) || !std::isfinite(length)) {
    refuse("joint", joint.name, std::string(what) + " has no direction; write three numbers that are not all zero");
  }
  return axis / length;
}

void check_coefficients(VectorX& values, const Joint& joint, const char* what) {
  const int nr = speed_count(joint.kind);
  if (values.size() == 0) values = VectorX::Zero(nr);
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
  constexpr double kOrthonormal = 1e-8;  // entries of R^T R - 1; what survives ten digits in a file
  const Matrix3& R = joint.origin.R;
  const bool finite = R.allFinite() && joint.origin.p.allFinite();
  if (finite && (R.transpose() * R - Matrix3::Identity()).cwiseAbs().maxCoeff() <= kOrthonormal &&
      R.determinant() > 0) {
    return;
  }
  refuse("joint", joint.name, "its origin is not a pose; give a finite position and a rotation matrix");
}

void check_joint(Joint& joint) {
  check_origin(joint);
  const bool turns = joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic ||
                     joint.kind == JointKind::cylindrical || joint.kind == JointKind::universal;
  if (turns) joint.axis = unit(joint.axis, joint, "axis");
  if (joint.kind == JointKind::universal) {
    joint.axis2 = unit(joint.axis2, joint, "axis2");
    constexpr double kParallel = 1e-9;  // sine of the angle below which the two speeds cannot be told apart
    if (joint.axis.cross(joint.axis2).norm() < kParallel) {
      refuse("joint", joint.name, "axis and axis2 are parallel; a universal joint needs two directions");
    }
  }
  check_coefficients(joint.stiffness, joint, "stiffness");
  check_coefficients(joint.damping, joint, "damping");
  check_coefficients(joint.armature, joint, "armature");
  if (position_count(joint.kind) == speed_count(joint.kind)) return;
  const auto& k = joint.stiffness;
  if (k[0] != k[1] || k[0] != k[2]) {
    refuse("joint", joint.name, "stiffness differs between the three rotations; write the same number for each");
  }
}

std::vector<std::string> hinge_names(const Joint& joint, bool speeds) {
  const std::string& n = joint.name;
  switch (joint.kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
    case JointKind::prismatic:
      return {n};
    case JointKind::cylindrical:
      return {n + ".angle", n + ".slide"};
    case JointKind::universal:
      return {n + ".angle1", n + ".angle2"};
    case JointKind::spherical:
      if (speeds) return {n + ".wx", n + ".wy", n + ".wz"};
      return {n + ".qw", n + ".qx", n + ".qy", n + ".qz"};
    case JointKind::free:
      if (speeds) return {n + ".wx", n + ".wy", n + ".wz", n + ".vx", n + ".vy", n + ".vz"};
      return {n + ".qw", n + ".qx", n + ".qy", n + ".qz", n + ".x", n + ".y", n + ".z"};
  }
  return {};
}

void number_coordinates(Model& model) {
  for (int i = 1; i < model.body_count(); ++i) {
    Joint& joint = model.joints[i];
    joint.q = model.nq;
    joint.v = model.nv;
    const auto add = [&](std::vector<std::string>& names, bool speeds) {
      for (std::string& name : hinge_names(joint, speeds)) names.push_back(std::move(name));
      for (const std::string& mode : model.body(i).mode_names) names.push_back(model.body_names[i] + "." + mode);
    };
    add(model.coordinates, false);
    add(model.speeds, true);
    model.nq = static_cast<int>(model.coordinates.size());
    model.nv = static_cast<int>(model.speeds.size());
  }
}

void check_node(const Model& model, const std::string& item, const std::string& name, NodeRef at) {
  if (at.body < 0 || at.body >= model.body_count()) refuse(item, name, "names a body that is not there");
  const int nodes = static_cast<int>(model.body(at.body).nodes.size());
  if (at.node < kBodyFrame || at.node >= nodes) {
    refuse(item, name, "names a node that body '" + model.body_names[at.body] + "' does not have");
  }
}

void check_names(const Model& model) {
  std::set<std::string> bodies, joints;
  for (int i = 1; i < model.body_count(); ++i) {
    if (!bodies.insert(model.body_names[i]).second) refuse("body", model.body_names[i], "name used twice; rename one");
    if (!joints.insert(model.joints[i].name).second)
      refuse("joint", model.joints[i].name, "name used twice; rename one");
  }
}

void check_mass(const Model& model) {
  double total = 0;
  for (const auto& body : model.bodies) total += body->mass;
  if (!(total > 0)) throw InputError("the machine has no mass; give at least one body a mass above 0");
}

}  // namespace

ModelBuilder& ModelBuilder::gravity(const Vector3& g) {
  if (!g.allFinite()) throw InputError("gravity is not finite; write three numbers");
  model_.gravity = g;
  return *this;
}

ModelBuilder& ModelBuilder::fidelity(Fidelity f) {
  model_.fidelity = f;
  return *this;
}

ModelBuilder& ModelBuilder::elimination(Elimination choice) {
  elimination_ = choice;
  return *this;
}

int ModelBuilder::add_body(Body body) {
  body_names_.push_back(std::move(body.name));
  body.name.clear();
  auto& shared = known_bodies_[content_key(body)];
  if (!shared) shared = std::make_shared<const Body>(std::move(body));
  bodies_.push_back(shared);
  return static_cast<int>(bodies_.size());
}

void ModelBuilder::add_joint(Joint joint, int child) {
  check_joint(joint);
  if (child < 1 || child > static_cast<int>(bodies_.size())) refuse("joint", joint.name, "its child is not there");
  if (!carried_.insert(child).second) {
    refuse("joint", joint.name, "body '" + body_names_[child - 1] + "' is already carried by another joint");
  }
  model_.joints.push_back(std::move(joint));
  children_.push_back(child);
}

void ModelBuilder::add_closure(Closure closure) { model_.closures.push_back(std::move(closure)); }

Model ModelBuilder::build() const {
  Model model = model_;
  std::vector<int> place(bodies_.size() + 1, -1);  // index from add_body -> index in the model
  place[kGround] = kGround;
  auto ground = std::make_shared<Body>();
  ground->S = Matrix3X::Zero(3, 1);
  ground->C = {Matrix3::Zero()};
  model.bodies = {ground};
  model.body_names = {"world"};
  model.joints.assign(1, Joint{});
  for (std::size_t j = 0; j < children_.size(); ++j) {
    Joint joint = model_.joints[j];
    const int parent = joint.parent.body;
    if (parent < 0 || parent >= static_cast<int>(place.size()) || place[parent] < 0) {
      refuse("joint", joint.name, "its parent is not carried by an earlier joint; list the joints parents first");
    }
    joint.parent.body = place[parent];
    place[children_[j]] = model.body_count();
    model.bodies.push_back(bodies_[children_[j] - 1]);
    model.body_names.push_back(body_names_[children_[j] - 1]);
    model.joints.push_back(std::move(joint));
  }
  for (std::size_t b = 1; b < place.size(); ++b) {
    if (place[b] < 0) refuse("body", body_names_[b - 1], "no joint carries it; add one with it as child");
  }
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    check_node(model, "joint", joint.name, joint.parent);
    check_node(model, "joint", joint.name, {i, joint.child_node});
  }
  for (Closure& closure : model.closures) {
    for (NodeRef* at : {&closure.a, &closure.b}) {
      if (at->body < 0 || at->body >= static_cast<int>(place.size()))
        refuse("closure", closure.name, "names a body that is not there");
      at->body = place[at->body];
      check_node(model, "closure", closure.name, *at);
    }
  }
  check_names(model);
  check_mass(model);
  number_coordinates(model);
  model.layout = std::make_shared<const Layout>(make_layout(model, elimination_));
  return model;
}

}  // namespace limber
