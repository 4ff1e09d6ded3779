// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/moving_parts.hpp"

#include "limber/model/contacts.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/slider.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;

Json components(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }

std::string_view shape_name(Contact::Shape shape) {
  return shape == Contact::Shape::plane ? "plane" : shape == Contact::Shape::box ? "box" : "cylinder";
}

}  // namespace

MovingParts::MovingParts(const Model& model) {
  for (int i = 1; i < model.body_count(); ++i) {
    if (model.joints[i].drive) drives.push_back(i);
    if (model.joints[i].kind == kSlider) sliders.push_back(i);
  }
}

void MovingParts::add_row(const Model& model, ConstVec q) {
  for (const int i : drives) {
    const MotorIndex motor = motor_index(model, i);
    const double angle = motor.q >= 0 ? q[motor.q] : model.joints[i].drive->ratio * q[model.joints[i].q];
    angles.push_back(static_cast<float>(angle));
  }
  for (const int i : sliders) places.push_back(static_cast<float>(q[model.joints[i].q]));
}

void MovingParts::add_to(PageData& page, std::size_t pictures) {
  if (!drives.empty()) page.add("rotor_angles", {pictures, drives.size()}, angles, drives.size());
  if (!sliders.empty()) page.add("slider_places", {pictures, sliders.size()}, places, sliders.size());
}

Json make_page_place(NodeRef at, const Pose& pose, const std::vector<int>& first_node) {
  const bool node = at.body != kGround && at.node != kBodyFrame;
  const Eigen::Quaterniond turn(pose.R);
  return {{"body", at.body - 1},
          {"node", node ? first_node[static_cast<std::size_t>(at.body)] + at.node : -1},
          {"at", components(pose.p)},
          {"rotation", {turn.w(), turn.x(), turn.y(), turn.z()}}};
}

// Their z is the axis of the drive, or of the joint.  The rotor of a slider moves with it.
Json make_rotors(const Model& model, const std::vector<int>& first_node) {
  Json out = Json::array();
  for (const int i : MovingParts(model).drives) {
    const Joint& joint = model.joints[i];
    const bool slides = joint.kind == kSlider;
    const Vector3d axis = joint.drive->axis ? *joint.drive->axis : slides ? Vector3d::UnitX() : joint.axis;
    Pose pose = slides ? Pose{} : joint.origin;
    pose.R = (pose.R * Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), axis).toRotationMatrix()).eval();
    Json rotor = make_page_place(slides ? NodeRef{i, joint.child_node} : joint.parent, pose, first_node);
    rotor["name"] = joint.name;
    out.push_back(std::move(rotor));
  }
  return out;
}

Json make_contacts(const Model& model, const std::vector<int>& first_node) {
  Json out = Json::array();
  if (!model.contacts) return out;
  for (const Contact& c : model.contacts->list)
    out.push_back({{"name", c.name},
                   {"point", make_page_place(c.point.node, c.point.at, first_node)},
                   {"on", make_page_place(c.on.node, c.on.at, first_node)},
                   {"shape", shape_name(c.shape)},
                   {"size", components(c.size)},
                   {"radius", c.radius}});
  return out;
}

}  // namespace limber
