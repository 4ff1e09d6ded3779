// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/machine.hpp"

#include <algorithm>
#include <unordered_map>

#include "limber/dynamics/detail/kinematics.hpp"
#include "limber/dynamics/elements.hpp"
#include "limber/linear/facts.hpp"
#include "limber/model/elements.hpp"
#include "limber/model/slider.hpp"
#include "report/moving_parts.hpp"
#include "report/outline.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;

// Number of stations along a beam: fewer if there are more links.
int stations_for(int bodies) { return bodies <= 100 ? 17 : bodies <= 400 ? 5 : 3; }

std::string add_matrix(const std::string& name, const RowMatrix& m, PageData& page) {
  const auto rows = static_cast<std::size_t>(m.rows()), columns = static_cast<std::size_t>(m.cols());
  return page.add(name, {rows, columns}, std::span<const float>(m.data(), rows * columns));
}

Json numbers(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }

Json quaternion(const Matrix3d& R) {
  const Eigen::Quaterniond q(R);
  return {q.w(), q.x(), q.y(), q.z()};
}

Json make_geometry(const Body& body, const Model& model, std::size_t index, PageData& page) {
  const Outline outline = make_outline(body, model.fidelity, stations_for(model.body_count()));
  const std::string tag = "geometry" + std::to_string(index);
  Json out = Json::object();
  out["stations"] = add_matrix(tag, outline.places, page);
  if (body.modes > 0) out["shapes"] = add_matrix(tag + ".shapes", outline.shapes, page);
  if (outline.turns.size() > 0) out["turns"] = add_matrix(tag + ".turns", outline.turns, page);
  if (outline.second.size() > 0) out["second"] = add_matrix(tag + ".second", outline.second, page);
  if (outline.strain_rows > 0 && body.modes > 0) {
    out["strain"] = add_matrix(tag + ".strain", outline.strain, page);
    out["strain_rows"] = outline.strain_rows;
  } else if (body.modes > 0) {
    out["stiffness"] = add_matrix(tag + ".stiffness", body.stiffness.cast<float>(), page);
  }
  if (!outline.triangles.empty()) {
    std::vector<std::uint32_t> corners;
    for (const auto& t : outline.triangles) corners.insert(corners.end(), t.begin(), t.end());
    out["triangles"] = page.add(tag + ".triangles", {outline.triangles.size(), 3}, corners);
  }
  out["lines"] = outline.lines;
  if (!outline.boxes.empty()) out["boxes"] = outline.boxes;
  return out;
}

// A node of body i; equal bodies share the arrays of their nodes.
Json make_node(const Model& model, int i, std::size_t k, std::size_t geometry, PageData& page) {
  const Body& body = model.body(i);
  const Node& node = body.nodes[k];
  Json out = {{"name", node_name(model, {i, static_cast<int>(k)})},
              {"body", i - 1},
              {"position", numbers(node.position)},
              {"rotation", quaternion(node.rotation)}};
  if (body.modes == 0 || model.fidelity == Fidelity::ruthless) return out;
  const std::string tag = "node" + std::to_string(geometry) + "." + std::to_string(k);
  RowMatrix shapes = RowMatrix::Zero(6, body.modes);
  if (node.translation.size() > 0) shapes.topRows(3) = node.translation.cast<float>();
  if (node.turn.size() > 0) shapes.bottomRows(3) = node.turn.cast<float>();
  out["shapes"] = add_matrix(tag, shapes, page);
  if (model.fidelity != Fidelity::stiffened || node.second[0].size() == 0) return out;
  RowMatrix second(3, body.modes * body.modes);
  for (int c = 0; c < 3; ++c) second.row(c) = rows_in_line(node.second[c]);
  out["second"] = add_matrix(tag + ".second", second, page);
  return out;
}

Json make_joint(const Model& model, int i, const std::vector<int>& first_node) {
  const Joint& joint = model.joints[i];
  const auto node_index = [&](int body, int node) {
    return node == kBodyFrame || body == kGround ? -1 : first_node[static_cast<std::size_t>(body)] + node;
  };
  Json axes = Json::array();
  const JointTraits& traits = joint_traits(joint.kind);
  if (joint.kind == kSlider) axes.push_back(numbers(Vector3d::UnitX()));
  if (traits.axes > 0) axes.push_back(numbers(joint.axis));
  if (traits.axes > 1) axes.push_back(numbers(joint.axis2));
  return {{"name", joint.name},
          {"type", traits.drawn_as},
          {"parent", joint.parent.body - 1},
          {"parent_node", node_index(joint.parent.body, joint.parent.node)},
          {"child", i - 1},
          {"child_node", node_index(i, joint.child_node)},
          {"axes", axes}};
}

Json make_place(const ElementEnd& end, const std::vector<int>& first_node) {
  return make_page_place(end.node, end.at, first_node);
}

// Force elements between places.
Json make_elements(const Model& model, const std::vector<int>& first_node) {
  Json out = Json::array();
  if (model.elements) {
    for (const ForceElement& e : model.elements->list) {
      if (e.joint >= 0) continue;
      Json points = Json::array({make_place(e.a, first_node)});
      for (const ElementEnd& end : e.over) points.push_back(make_place(end, first_node));
      points.push_back(make_place(e.b, first_node));
      out.push_back({{"name", e.name}, {"kind", to_string(e.kind)}, {"points", std::move(points)}});
    }
  }
  return out;
}

// Nodes whose paths are drawn: the last node of each leaf body, or, if it has none, the node it is attached to.
std::vector<NodeRef> find_ends(const Model& model) {
  std::vector<bool> carries(static_cast<std::size_t>(model.body_count()), false);
  for (int i = 1; i < model.body_count(); ++i) carries[static_cast<std::size_t>(model.joints[i].parent.body)] = true;
  std::vector<NodeRef> out;
  for (int i = 1; i < model.body_count(); ++i) {
    if (carries[static_cast<std::size_t>(i)]) continue;
    const Body& body = model.body(i);
    const int tip = body.find_node("tip").value_or(static_cast<int>(body.nodes.size()) - 1);
    const NodeRef below = model.joints[i].parent;
    if (!body.nodes.empty())
      out.push_back({i, tip});
    else if (below.body != kGround && below.node != kBodyFrame)
      out.push_back(below);
  }
  return out;
}

}  // namespace

void add_machine(const Model& model, PageData& page) {
  Json geometries = Json::array(), bodies = Json::array(), nodes = Json::array(), joints = Json::array();
  std::unordered_map<const Body*, std::size_t> known;
  int sliders = 0;
  std::vector<int> first_node(static_cast<std::size_t>(model.body_count()), 0);
  for (int i = 1; i < model.body_count(); ++i) {
    const Body& body = model.body(i);
    const auto [entry, is_new] = known.emplace(&body, known.size());
    const std::size_t geometry = entry->second;
    if (is_new) geometries.push_back(make_geometry(body, model, geometry, page));
    bodies.push_back({{"name", model.body_names[i]}, {"geometry", geometry}});
    first_node[static_cast<std::size_t>(i)] = static_cast<int>(nodes.size());
    for (std::size_t k = 0; k < body.nodes.size(); ++k) nodes.push_back(make_node(model, i, k, geometry, page));
    joints.push_back(make_joint(model, i, first_node));
    if (model.joints[i].kind == kSlider) joints.back()["slides"] = sliders++;
  }
  for (const NodeRef end : find_ends(model))
    nodes[static_cast<std::size_t>(first_node[static_cast<std::size_t>(end.body)] + end.node)]["trace"] = true;
  page.header["gravity"] = numbers(model.gravity);
  page.header["geometries"] = std::move(geometries);
  page.header["bodies"] = std::move(bodies);
  page.header["nodes"] = std::move(nodes);
  page.header["joints"] = std::move(joints);
  if (has_elements(model)) page.header["elements"] = make_elements(model, first_node);
  if (model.contacts) page.header["contacts"] = make_contacts(model, first_node);
  if (Json rotors = make_rotors(model, first_node); !rotors.empty()) page.header["rotors"] = std::move(rotors);
}

int mode_count(const Model& model) {
  int count = 0;
  for (int i = 1; i < model.body_count(); ++i) count += model.body(i).modes;
  return count;
}

void set_picture(const Model& model, const Kinematics& kin, Picture& picture) {
  picture.poses.resize(7 * static_cast<std::size_t>(model.body_count() - 1));
  picture.eta.resize(static_cast<std::size_t>(mode_count(model)));
  float *pose = picture.poses.data(), *eta = picture.eta.data();
  for (int i = 1; i < model.body_count(); ++i, pose += 7) {
    const Pose& X = body_pose(kin, i);
    const Eigen::Quaterniond q(X.R);
    Eigen::Matrix<float, 4, 1> turn(q.cast<float>().w(), q.cast<float>().x(), q.cast<float>().y(), q.cast<float>().z());
    if (turn.dot(Eigen::Map<const Eigen::Matrix<float, 4, 1>>(pose + 3)) < 0) turn = -turn;
    Eigen::Map<Eigen::Matrix<float, 3, 1>>{pose} = X.p.cast<float>();
    Eigen::Map<Eigen::Matrix<float, 4, 1>>(pose + 3) = turn;
    for (int a = 0; a < model.body(i).modes; ++a) *eta++ = static_cast<float>(kin.q[model.first_mode_q(i) + a]);
  }
}

}  // namespace limber
