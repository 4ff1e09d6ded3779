// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/urdf_flexible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "files/body_reader.hpp"
#include "limber/files/detail/text.hpp"

namespace limber {
namespace {

constexpr double kOnePlace = 1e-9;  // m, or fraction of a length

std::string_view form_of(const Reader& given) { return given.one_of({"beam", "plate", "modal", "file"}); }

// x from the frame of the link to the farthest joint, else to the centre of mass; z of the body as close to z of the
// link as possible.
Pose place_along(const Reader& given, const Vector3d& far) {
  if (far.norm() < kOnePlace)
    given.fail(
        "carries no joint and has no centre of mass to point at; write origin: {rpy: [0, 0, 0]} beside the form, "
        "the pose of the body in the frame of the link");
  const Vector3d x = far.normalized();
  Vector3d y = Vector3d::UnitZ().cross(x);
  y = y.norm() < 1e-6 ? Vector3d(Vector3d::UnitY()) : Vector3d(y.normalized());
  const Vector3d z = x.cross(y).normalized();
  Pose pose;
  pose.R << x, z.cross(x), z;
  return pose;
}

Pose read_body_pose(const Reader& given) {
  given.check_keys({"xyz", "rpy"});
  Pose pose;
  if (const auto xyz = given.find("xyz")) pose.p = xyz->vector3();
  if (const auto rpy = given.find("rpy")) pose.R = rpy->rpy();
  return pose;
}

// The joint farthest from the frame of a link.
Vector3d farthest_joint(const UrdfRobot& robot, int link) {
  Vector3d far = Vector3d::Zero();
  for (const UrdfJoint& joint : robot.joints)
    if (joint.parent == link && joint.origin.xyz.norm() > far.norm()) far = joint.origin.xyz;
  return far;
}

void set_beam(const UrdfRobot& robot, int index, FlexibleLink& link) {
  const UrdfLink& replaced = robot.links[static_cast<std::size_t>(index)];
  const Reader beam = link.given.at("beam", "");
  if (!beam.is_map()) beam.fail("must be a map, such as {EIy: 1e5, EIz: 1e5, modes: {bending_y: 2, bending_z: 2}}");
  const Vector3d far = farthest_joint(robot, index);
  if (!link.given.has("origin")) link.pose = place_along(link.given, far.norm() < kOnePlace ? replaced.com : far);
  link.mass = replaced.mass;
  const auto length = beam.find("length");
  link.length = length ? length->positive() : (inverse(link.pose) * Pose{Matrix3d::Identity(), far}).p.x();
  if (!(link.length > kOnePlace))
    beam.fail_item("missing key 'length' in beam; no joint shows where the link ends, write for example length: 0.5");
}

}  // namespace

std::string FlexibleLink::inboard(const std::string& name) const {
  const auto beam = given.find("beam");
  const auto basis = beam ? beam->find("basis") : std::nullopt;
  const bool moves = basis && basis->is_scalar() && (basis->text() == "free-free" || basis->text() == "pinned-free");
  return moves ? name + ".root" : name;
}

std::pair<std::string, Pose> FlexibleLink::attach(const std::string& name, const std::string& joint, const Pose& place,
                                                  DocumentBuilder& make) {
  Pose rest = inverse(pose) * place;
  if (!nodes.empty() || !given.has("beam")) {
    if (nodes.empty()) return {name, rest};
    const auto nearest = std::min_element(nodes.begin(), nodes.end(), [&](const Node& a, const Node& b) {
      return (a.position - rest.p).norm() < (b.position - rest.p).norm();
    });
    return {name + "." + nearest->name, inverse(Pose{nearest->rotation, nearest->position}) * rest};
  }
  double share = std::clamp(rest.p.x() / length, 0.0, 1.0);
  if (share > 1 - kOnePlace) share = 1;
  if (share < kOnePlace) share = 0;
  rest.p.x() -= share * length;
  for (double& x : rest.p)
    if (std::abs(x) < 1e-13 * length) x = 0;
  if (share == 1) return {name + ".tip", rest};
  if (share == 0) return {name + ".root", rest};
  beam_nodes.push_back(make.map({{"name", make.text(joint)}, {"at", make.number(share)}}));
  return {name + "." + joint, rest};
}

DocumentBuilder::Value FlexibleLink::make_body(const std::string& name, DocumentBuilder& make) const {
  const std::string form(form_of(given));
  const Reader shape = given.at(form, "");
  DocumentBuilder::Value value = &shape.node();
  std::vector<DocumentBuilder::Value> list;
  if (const auto own = given.find("nodes"))
    for (const Reader& node : own->list()) list.push_back(&node.node());
  list.insert(list.end(), beam_nodes.begin(), beam_nodes.end());
  if (form == "beam") {
    DocumentBuilder::Entries more;
    if (!shape.has("length")) more.emplace_back("length", make.number(length));
    const auto given_mass = {"mass", "mass_per_length", "section", "material", "stations"};
    if (std::none_of(given_mass.begin(), given_mass.end(), [&](const char* key) { return shape.has(key); }))
      more.emplace_back("mass", make.number(mass));
    value = make.with(value, more);
  }
  DocumentBuilder::Entries body = {{"name", make.text(name)}, {form, value}};
  if (!list.empty()) body.emplace_back("nodes", make.list(list));
  return make.map(body);
}

std::vector<std::optional<FlexibleLink>> find_flexible_links(const UrdfRobot& robot,
                                                             const std::vector<std::string>& names,
                                                             const UrdfOverlay& overlay, DocumentBuilder& make) {
  std::vector<std::optional<FlexibleLink>> out(robot.links.size());
  if (!overlay.flexible) return out;
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const auto& [key, entry] : overlay.flexible->entries()) {
    const auto found = std::find(known.begin(), known.end(), key.text());
    if (found == known.end())
      key.fail_item(fmt::format("flexible: {} is not a link of {};{} links: {}", show(key.text()), robot.file,
                                suggest(key.text(), known), join(known)));
    if (*found == "world") key.fail_item("flexible: the world cannot be flexible; name another link");
    const auto index = static_cast<int>(found - known.begin());
    FlexibleLink link{entry, {}, false, 0, 0, {}, {}};
    entry.check_keys({"beam", "plate", "modal", "file", "nodes", "origin"});
    const std::string_view form = form_of(entry);
    if (const auto pose = entry.find("origin")) link.pose = read_body_pose(*pose);
    if (form == "beam") {
      set_beam(robot, index, link);
    } else {
      Document alone;
      alone.file = entry.file();
      alone.root = link.make_body(std::string(*found), make);
      LastBeam last;
      BodyFiles files(std::filesystem::path(entry.file()).parent_path().string(), nullptr);
      link.nodes =
          read_body(Reader(alone).in(fmt::format("body '{}'", *found)), std::string(*found), false, last, files).nodes;
    }
    link.mounted = link.pose.p.norm() > kOnePlace;
    out[static_cast<std::size_t>(index)] = std::move(link);
  }
  return out;
}

}  // namespace limber
