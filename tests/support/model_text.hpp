// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "support/machine.hpp"

namespace limber::test {

// A model of the tests as a model file (docs/model-format.md), in JSON, which is also YAML.
class ModelText {
 public:
  using Json = nlohmann::json;

  // `model` is the result of make_model, with the names of the nodes.
  static std::string of(const Machine& machine, const Model& model) {
    Json bodies = Json::array(), joints = Json::array();
    for (std::size_t i = 0; i < machine.bodies.size(); ++i) {
      Json body = std::visit([](const auto& spec) { return body_of(spec); }, machine.bodies[i]);
      body["name"] = model.body_names[i + 1];
      bodies.push_back(body);
      joints.push_back(joint_of(machine.joints[i], model, static_cast<int>(i) + 1));
    }
    return Json{{"limber", 1},
                {"gravity", list(machine.gravity)},
                {"fidelity", to_string(machine.fidelity)},
                {"bodies", bodies},
                {"joints", joints}}
        .dump(1);
  }

 private:
  template <typename Vector>
  static Json list(const Vector& v) {
    Json out = Json::array();
    for (const double e : v) out.push_back(e);
    return out;
  }
  static Json rows(const MatrixXd& m) {
    Json out = Json::array();
    for (Eigen::Index i = 0; i < m.rows(); ++i) out.push_back(list(VectorXd(m.row(i))));
    return out;
  }
  static Json second(const std::array<MatrixXd, 3>& Xi) {
    Json out = Json::array();
    for (const MatrixXd& X : Xi) out.push_back(rows(X));
    return out;
  }
  // R = Rz(yaw) Ry(pitch) Rx(roll).
  static Json rpy(const Matrix3d& R) {
    return {std::atan2(R(2, 1), R(2, 2)), std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0))),
            std::atan2(R(1, 0), R(0, 0))};
  }
  static Json nodes_of(const std::vector<Node>& nodes) {
    Json out = Json::array();
    for (const Node& node : nodes) {
      Json item{{"name", node.name}, {"position", list(node.position)}, {"rpy", rpy(node.rotation)}};
      if (node.turn.cols() > 0) {
        item["translation"] = rows(node.translation);
        item["rotation"] = rows(node.turn);
      }
      if (node.second[0].size() > 0) item["second"] = second(node.second);
      out.push_back(item);
    }
    return out;
  }
  static Json body_of(const RigidSpec& spec) {
    const Matrix3d& J = spec.inertia;
    return {{"rigid",
             {{"mass", spec.mass},
              {"com", list(spec.com)},
              {"inertia", {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)}}}},
            {"nodes", nodes_of(spec.nodes)}};
  }
  static Json body_of(const ModalSpec& spec) {
    Json points = Json::array();
    for (const MassPoint& p : spec.points) {
      Json item{{"mass", p.mass}, {"position", list(p.position)}, {"shape", rows(p.shape)}};
      if (p.second[0].size() > 0) item["second"] = second(p.second);
      points.push_back(item);
    }
    return {{"modal", {{"points", points}, {"stiffness", rows(spec.stiffness)}, {"damping", rows(spec.damping)}}},
            {"nodes", nodes_of(spec.nodes)}};
  }
  static Json body_of(const BeamSpec& spec) {
    Json nodes = Json::array();
    for (const BeamNode& node : spec.nodes)
      nodes.push_back({{"name", node.name}, {"at", node.at}, {"rpy", rpy(node.rotation)}});
    const char* basis = spec.basis == BeamBasis::clamped_free ? "clamped-free"
                        : spec.basis == BeamBasis::polynomial ? "polynomial"
                                                              : "free-free";
    return {{"beam",
             {{"length", spec.length},
              {"mass_per_length", spec.mass_per_length},
              {"EIy", spec.EIy},
              {"EIz", spec.EIz},
              {"EA", spec.EA},
              {"GJ", spec.GJ},
              {"rotary_inertia_per_length", {spec.rotary_inertia_y, spec.rotary_inertia_z}},
              {"basis", basis},
              {"modes",
               {{"bending_y", spec.modes[0]},
                {"bending_z", spec.modes[1]},
                {"axial", spec.modes[2]},
                {"torsion", spec.modes[3]}}},
              {"damping", spec.damping.at(0)}}},
            {"nodes", nodes}};
  }
  static std::string place(const Model& model, NodeRef ref) {
    if (ref.body == kGround) return "world";
    const std::string& body = model.body_names[ref.body];
    return ref.node == kBodyFrame ? body : body + "." + model.body(ref.body).nodes[ref.node].name;
  }
  static Json joint_of(const Joint& joint, const Model& model, int child) {
    Json out{{"name", model.joints[child].name},
             {"type", to_string(joint.kind)},
             {"parent", place(model, joint.parent)},
             {"child", place(model, {child, joint.child_node})},
             {"origin", {{"xyz", list(joint.origin.p)}, {"rpy", rpy(joint.origin.R)}}}};
    const JointKind kind = joint.kind;
    const bool ball = kind == JointKind::spherical || kind == JointKind::free;
    if (kind != JointKind::fixed && !ball) out["axis"] = list(joint.axis);
    if (kind == JointKind::universal) out["axis2"] = list(joint.axis2);
    if (joint.stiffness.size() > 0) out["stiffness"] = list(joint.stiffness);
    if (joint.damping.size() > 0) out["damping"] = list(joint.damping);
    if (joint.armature.size() > 0) out["armature"] = list(joint.armature);
    return out;
  }
};

}  // namespace limber::test
