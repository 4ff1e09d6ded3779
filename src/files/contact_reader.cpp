// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "files/element_reader.hpp"
#include "files/names.hpp"
#include "limber/files/detail/model_names.hpp"
#include "limber/files/detail/text.hpp"

namespace limber {
namespace {

using Shape = Contact::Shape;

// plane, {box: [x, y, z]} or {cylinder: {radius, length}}.
void read_contact_shape(const Reader& at, Contact& c) {
  if (!at.is_map()) {
    if (at.text() != "plane") at.fail("must be plane, {box: [x, y, z]} or {cylinder: {radius: r, length: l}}");
    return;
  }
  at.check_keys({"box", "cylinder"});
  if (at.one_of({"box", "cylinder"}) == "box") {
    const Reader box = at.at("box", "");
    c.shape = Shape::box;
    c.size = box.vector3();
    if (!(c.size.minCoeff() > 0)) box.fail("must have lengths above 0");
    return;
  }
  const Reader cylinder = at.at("cylinder", "");
  cylinder.check_keys({"radius", "length"});
  c.shape = Shape::cylinder;
  c.size = {cylinder.at("radius", "radius: 0.1").positive(), cylinder.at("length", "length: 1").positive(), 0};
}

// A coefficient, or {coefficient, stick_stiffness, stick_damping, slip_speed}.
void read_friction(const Reader& at, Contact& c) {
  c.stick_stiffness = c.stiffness;
  c.stick_damping = c.damping;
  if (!at.is_map()) {
    c.friction = at.not_negative();
    return;
  }
  at.check_keys({"coefficient", "stick_stiffness", "stick_damping", "slip_speed"});
  c.friction = at.at("coefficient", "coefficient: 0.5").not_negative();
  if (const auto given = at.find("stick_stiffness")) c.stick_stiffness = given->positive();
  if (const auto given = at.find("stick_damping")) c.stick_damping = given->not_negative();
  if (const auto given = at.find("slip_speed")) c.slip_speed = given->positive();
  for (const std::string_view key : {"stick_stiffness", "stick_damping"})
    if (const auto given = at.find(key); given && c.radius > 0)
      given->fail("belongs to a point; a sphere rolls, and its friction fades below slip_speed");
}

double read_coefficient(const Reader& at) {
  const double e = at.positive();
  if (e > 1) at.fail("must lie above 0 and at most at 1");
  return e;
}

Contact read_contact(const Reader& at, const ModelNames& names) {
  at.check_keys({"name", "point", "radius", "on", "shape", "stiffness", "damping", "restitution", "friction"});
  Contact c;
  c.point = read_element_end(at.at("point", "point: foot.tip"), names);
  c.on = read_element_end(at.at("on", "on: world"), names);
  if (const auto radius = at.find("radius")) c.radius = radius->not_negative();
  read_contact_shape(at.at("shape", "shape: plane"), c);
  c.stiffness = at.at("stiffness", "stiffness: 1e5").positive();
  const auto damping = at.find("damping"), restitution = at.find("restitution");
  if (damping && restitution) restitution->fail("gives the damping; remove one of the two");
  if (damping) c.damping = damping->not_negative();
  if (restitution) c.restitution = read_coefficient(*restitution);
  if (const auto friction = at.find("friction")) read_friction(*friction, c);
  return c;
}

// Reads limits.restitution of joints.
void read_stop_restitution(const Reader& root, const Model& model, std::vector<StopRestitution>& out) {
  const auto joints = root.find("joints");
  for (const Reader& entry : joints ? joints->list() : std::vector<Reader>()) {
    const auto limits = entry.find("limits");
    if (!limits || !limits->has("restitution")) continue;
    const int joint = model.find_joint(entry.at("name", "").text());
    const Reader at = entry.in(fmt::format("joint '{}'", model.joints[joint].name)).at("limits", "");
    if (at.has("damping")) at.at("damping", "").fail("follows from restitution; remove one of the two");
    out.push_back({joint, read_coefficient(at.at("restitution", ""))});
  }
}

}  // namespace

std::shared_ptr<const Contacts> read_contacts(const Reader& root, const Model& model) {
  auto out = std::make_shared<Contacts>();
  read_stop_restitution(root, model, out->stops);
  const auto list = root.find("contacts");
  const ModelNames named(model);
  Names names;
  for (const Reader& entry : list ? list->list() : std::vector<Reader>()) {
    const std::string name = names.take(entry, "name: foot");
    const Reader at = entry.in(fmt::format("contact '{}'", name));
    Contact contact = read_contact(at, named);
    contact.name = name;
    try {
      check_contacts(model, {{contact}, {}});
    } catch (const InputError& e) {
      const std::string what = e.what(), item = at.item() + ": ";
      at.fail_item(what.starts_with(item) ? what.substr(item.size()) : what);
    }
    out->list.push_back(std::move(contact));
  }
  if (out->list.empty() && out->stops.empty()) return nullptr;
  return out;
}

}  // namespace limber
