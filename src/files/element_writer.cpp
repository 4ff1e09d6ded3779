// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/element_writer.hpp"

#include "files/rpy.hpp"
#include "limber/model/contacts.hpp"
#include "limber/model/elements.hpp"
#include "limber/simulate/force_laws.hpp"

namespace limber {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <class Vector>
OrderedJson number_list(const Vector& values) {
  OrderedJson out = OrderedJson::array();
  for (const double value : values) out.push_back(value);
  return out;
}

OrderedJson six_rows(const MatrixXd& m) {
  OrderedJson out = OrderedJson::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) out.push_back(number_list(VectorXd(m.row(i))));
  return out;
}

OrderedJson end_json(const Model& model, const ElementEnd& end) {
  std::string name = end.node.body == kGround ? "world" : model.body_names[end.node.body];
  if (end.node.body != kGround && end.node.node != kBodyFrame)
    name += "." + model.body(end.node.body).nodes[static_cast<std::size_t>(end.node.node)].name;
  if (end.at.p.isZero(0) && end.at.R == Matrix3d::Identity()) return name;
  OrderedJson out = {{"node", name}, {"xyz", number_list(end.at.p)}};
  if (end.at.R != Matrix3d::Identity()) out["rpy"] = number_list(rpy_of(end.at.R));
  return out;
}

void add_law(const ForceElement& e, OrderedJson& out) {
  constexpr const char* kInterpolations[] = {"linear", "cubic", "quintic"};
  if (const auto* expression = dynamic_cast<const ExpressionLaw*>(e.law.get())) {
    out["force"] = expression->text();
  } else if (const auto* table = dynamic_cast<const TableLaw*>(e.law.get())) {
    out["table"] = {{"x", number_list(table->points())},
                    {"y", number_list(table->forces())},
                    {"interpolate", kInterpolations[static_cast<int>(table->interpolation())]}};
  } else {
    throw InputError("element '" + e.name + "': cannot be written: its law is neither a table nor an expression");
  }
}

void add_line(const Model& model, const ForceElement& e, OrderedJson& out) {
  if (e.joint >= 0) {
    out["joint"] = model.joints[e.joint].name;
  } else {
    out["a"] = end_json(model, e.a);
    out["b"] = end_json(model, e.b);
  }
  if (e.law) add_law(e, out);
  if (!e.law && e.kind != ForceElement::Kind::actuator) {
    out["stiffness"] = e.stiffness;
    out[e.joint >= 0 ? "rest" : "length"] = e.length;
  }
  if (e.damping != 0) out["damping"] = e.damping;
  for (const ElementEnd& end : e.over) out["over"].push_back(end_json(model, end));
}

}  // namespace

std::vector<nlohmann::ordered_json> elements_json(const Model& model) {
  std::vector<OrderedJson> items;
  if (!model.elements) return items;
  for (const ForceElement& e : model.elements->list) {
    OrderedJson out = {{"name", e.name}, {"type", to_string(e.kind)}};
    if (e.kind == ForceElement::Kind::bushing) {
      out["a"] = end_json(model, e.a);
      out["b"] = end_json(model, e.b);
      out["stiffness"] = six_rows(e.K);
      out["damping"] = six_rows(e.D);
    } else {
      add_line(model, e, out);
    }
    items.push_back(std::move(out));
  }
  return items;
}

std::vector<nlohmann::ordered_json> contacts_json(const Model& model) {
  std::vector<OrderedJson> items;
  if (!model.contacts) return items;
  for (const Contact& c : model.contacts->list) {
    OrderedJson out = {{"name", c.name}, {"point", end_json(model, c.point)}, {"on", end_json(model, c.on)}};
    if (c.radius > 0) out["radius"] = c.radius;
    if (c.shape == Contact::Shape::plane) out["shape"] = "plane";
    if (c.shape == Contact::Shape::box) out["shape"] = {{"box", number_list(c.size)}};
    if (c.shape == Contact::Shape::cylinder)
      out["shape"] = {{"cylinder", {{"radius", c.size[0]}, {"length", c.size[1]}}}};
    out["stiffness"] = c.stiffness;
    if (c.restitution) {
      out["restitution"] = *c.restitution;
    } else {
      out["damping"] = c.damping;
    }
    OrderedJson friction = {{"coefficient", c.friction}, {"slip_speed", c.slip_speed}};
    if (c.radius == 0) {
      friction["stick_stiffness"] = c.stick_stiffness;
      friction["stick_damping"] = c.stick_damping;
    }
    if (c.friction > 0) out["friction"] = std::move(friction);
    items.push_back(std::move(out));
  }
  return items;
}

void add_joint_elements(const Model& model, int joint, nlohmann::ordered_json& out) {
  if (model.elements) {
    for (const JointRest& rest : model.elements->rests)
      if (rest.joint == joint) out["rest"] = number_list(rest.position);
  }
  if (!model.contacts) return;
  for (const StopRestitution& stop : model.contacts->stops) {
    if (stop.joint != joint || !out.contains("limits")) continue;
    out["limits"].erase("damping");
    out["limits"]["restitution"] = stop.coefficient;
  }
}

}  // namespace limber
