// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/urdf_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_set>

#include "files/document_builder.hpp"
#include "files/mesh_file.hpp"
#include "files/rpy.hpp"
#include "files/urdf_flexible.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/spatial/rotation.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

using Value = DocumentBuilder::Value;
using Entries = DocumentBuilder::Entries;

// Attachment of a joint, and its pose there.
struct Seat {
  std::string parent;
  Value origin = nullptr;  // null: none
};

class UrdfConverter {
 public:
  UrdfConverter(const UrdfRobot& robot, const UrdfOverlay& overlay, int line, Document& owner,
                std::vector<std::string>* notes)
      : robot_(robot), overlay_(overlay), line_(line), make_(owner), notes_(notes) {}
  const DocumentNode* convert();

 private:
  void choose_names();
  std::string unique(std::string name, const char* ending);
  void note(std::string text) const {
    if (notes_ != nullptr) notes_->push_back(std::move(text));
  }
  void at_line(int line) { make_.line = line_ > 0 ? line_ : line; }

  Value origin(const UrdfPose& pose);
  Value origin(const Pose& pose);
  Value visual(const UrdfLink& link, const UrdfVisual& shape);
  std::string mesh_path(const UrdfLink& link, const std::string& reference);
  Value rigid_body(std::size_t link);
  void add_body(std::size_t link);
  Seat seat(std::size_t joint, const Pose* turned);
  void add_root();
  void add_joint(std::size_t joint);
  void add_mount(const FlexibleLink& link, const std::string& name, const std::string& mount);
  void add_planar(std::size_t joint, const Seat& seat, const Vector3d& axis, const std::string& child);
  void add_springs(const UrdfJoint& joint, Entries& out);
  void add_limits(const UrdfJoint& joint, Entries& out);
  void add(const Entries& joint) { joints_.push_back(make_.map(joint)); }

  const UrdfRobot& robot_;
  const UrdfOverlay& overlay_;
  int line_;
  DocumentBuilder make_;
  std::vector<std::string>* notes_;
  std::unordered_set<std::string> taken_;
  std::vector<std::string> link_names_, joint_names_;
  std::vector<std::optional<FlexibleLink>> flexible_;  // (links)
  std::vector<Value> bodies_, joints_;
};

// A new name that is unused, without '.' and '/', and not reserved.
std::string UrdfConverter::unique(std::string name, const char* ending) {
  constexpr std::size_t kLongest = 180;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c == '.' || c == '/' || c < 0x20; }, '_');
  if (name.size() > kLongest) name.resize(name.find_last_not_of('\x80', kLongest));
  if (find_bad_utf8(name) != std::string_view::npos) name.resize(find_bad_utf8(name));
  if (!reserved_fault(name).empty() || taken_.count(name) > 0) name += ending;
  std::string out = name;
  for (int k = 2; !taken_.insert(out).second; ++k) out = name + std::to_string(k);
  return out;
}

void UrdfConverter::choose_names() {
  const auto choose = [&](const auto& items, const char* what, const char* ending, std::vector<std::string>& out) {
    for (const auto& item : items) {
      const bool world = &out == &link_names_ && item.name == "world" && static_cast<int>(out.size()) == robot_.root;
      out.push_back(world ? item.name : unique(item.name, ending));
      if (out.back() != item.name)
        note(fmt::format("{} {} is called {} here", what, show(item.name), show(out.back())));
    }
  };
  choose(robot_.links, "link", "_link", link_names_);
  choose(robot_.joints, "joint", "_joint", joint_names_);
}

// ---- bodies -----------------------------------------------------------------------------------------

Value UrdfConverter::origin(const UrdfPose& pose) {
  Entries entries;
  if (!pose.xyz.isZero(0)) entries.emplace_back("xyz", make_.numbers(pose.xyz));
  if (!pose.rpy.isZero(0)) entries.emplace_back("rpy", make_.numbers(pose.rpy));
  return entries.empty() ? nullptr : make_.map(entries);
}

Value UrdfConverter::origin(const Pose& pose) { return origin(UrdfPose{pose.p, rpy_of(pose.R)}); }

// Path of a mesh relative to the folder of the model.  A missing mesh keeps its written path: it is not drawn.
std::string UrdfConverter::mesh_path(const UrdfLink& link, const std::string& reference) {
  namespace fs = std::filesystem;
  const std::string folder = fs::path(robot_.file).parent_path().string(), path = find_mesh(reference, folder);
  std::error_code ignored;
  if (!is_mesh_name(reference))
    note(fmt::format("link {}: mesh {} is not drawn: neither STL nor OBJ", show(link.name), show(reference)));
  else if (path.empty() || !fs::is_regular_file(fs::path(folder) / path, ignored))
    note(fmt::format("link {}: mesh {} is not drawn: no such file", show(link.name), show(reference)));
  if (path.empty()) return reference;
  return (fs::path(overlay_.folder) / path).string();
}

Value UrdfConverter::visual(const UrdfLink& link, const UrdfVisual& given) {
  const Vector3d& size = given.shape.size;
  Entries out;
  switch (given.shape.kind) {
    case VisualKind::box:
      out.emplace_back("box", make_.numbers(size));
      break;
    case VisualKind::cylinder:
      out.emplace_back("cylinder", make_.map({{"radius", make_.number(size[0])}, {"length", make_.number(size[1])}}));
      break;
    case VisualKind::sphere:
      out.emplace_back("sphere", make_.map({{"radius", make_.number(size[0])}}));
      break;
    case VisualKind::mesh:
      out.emplace_back("mesh", make_.text(mesh_path(link, given.shape.file)));
      if (size != Vector3d::Ones()) out.emplace_back("scale", make_.numbers(size));
  }
  if (const Value place = origin(given.origin)) out.emplace_back("origin", place);
  return make_.map(out);
}

Value UrdfConverter::rigid_body(std::size_t index) {
  const UrdfLink& link = robot_.links[index];
  const Matrix3d& J = link.inertia;
  Entries rigid = {{"mass", make_.number(link.mass)}};
  if (!link.com.isZero(0)) rigid.emplace_back("com", make_.numbers(link.com));
  if (!J.isZero(0))
    rigid.emplace_back("inertia", make_.numbers(Vector6{{J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)}}));
  Entries body = {{"name", make_.text(link_names_[index])}, {"rigid", make_.map(rigid)}};
  std::vector<Value> visuals;
  for (const UrdfVisual& shape : link.visuals) visuals.push_back(visual(link, shape));
  if (!visuals.empty()) body.emplace_back("visual", make_.list(visuals));
  return make_.map(body);
}

void UrdfConverter::add_body(std::size_t link) {
  if (link_names_[link] == "world") return;
  at_line(robot_.links[link].line);
  bodies_.push_back(flexible_[link] ? flexible_[link]->make_body(link_names_[link], make_) : rigid_body(link));
}

// ---- joints -----------------------------------------------------------------------------------------

// `turned`: the rotation of the frame on the child relative to its link.
Seat UrdfConverter::seat(std::size_t index, const Pose* turned) {
  const UrdfJoint& joint = robot_.joints[index];
  auto& carrier = flexible_[static_cast<std::size_t>(joint.parent)];
  Seat out{link_names_[static_cast<std::size_t>(joint.parent)], nullptr};
  if (!carrier && turned == nullptr) {
    out.origin = origin(joint.origin);
    return out;
  }
  Pose place{rpy_rotation(joint.origin.rpy), joint.origin.xyz};
  if (carrier) std::tie(out.parent, place) = carrier->attach(out.parent, joint_names_[index], place, make_);
  if (turned != nullptr) place = place * *turned;
  out.origin = origin(place);
  return out;
}

void UrdfConverter::add_limits(const UrdfJoint& joint, Entries& out) {
  if (!joint.limits) return;
  const UrdfLimits& limits = *joint.limits;
  Entries entries;
  if (limits.effort > 0) entries.emplace_back("effort", make_.number(limits.effort));
  if (limits.velocity > 0) entries.emplace_back("velocity", make_.number(limits.velocity));
  const bool one = joint.type == UrdfJointType::revolute || joint.type == UrdfJointType::prismatic;
  if (one && limits.lower == limits.upper)
    note(fmt::format("joint {}: lower and upper limit are both {}; its travel is not limited", show(joint.name),
                     limits.lower));
  if (one && limits.lower < limits.upper) {
    // Compliance of a joint limit: 0.01 (rad or m) under the effort limit; URDF does not specify it.
    constexpr double kGive = 0.01, kUnknown = 100, kSettle = 0.01;
    const double stiffness = (limits.effort > 0 ? limits.effort : kUnknown) / kGive;
    entries.emplace_back("lower", make_.number(limits.lower));
    entries.emplace_back("upper", make_.number(limits.upper));
    entries.emplace_back("stiffness", make_.number(stiffness));
    entries.emplace_back("damping", make_.number(kSettle * stiffness));
  }
  if (!entries.empty()) out.emplace_back("limits", make_.map(entries));
}

void UrdfConverter::add_springs(const UrdfJoint& joint, Entries& out) {
  if (joint.type == UrdfJointType::fixed) return;
  if (joint.damping > 0) out.emplace_back("damping", make_.number(joint.damping));
  const bool one_coordinate = joint.type == UrdfJointType::revolute || joint.type == UrdfJointType::continuous ||
                              joint.type == UrdfJointType::prismatic;
  if (joint.friction > 0 && one_coordinate) {
    out.emplace_back("friction", make_.map({{"coulomb", make_.number(joint.friction)}}));
  } else if (joint.friction > 0 && notes_ == nullptr) {
    throw InputError(
        fmt::format("{}:{}: joint {}: friction {}: only joints with one coordinate have dry friction; set it to 0, or "
                    "use `limber import`, which leaves it out",
                    robot_.file, joint.line, show(joint.name), joint.friction));
  } else if (joint.friction > 0) {
    note(fmt::format("joint {}: friction {} is omitted: only joints with one coordinate have dry friction",
                     show(joint.name), joint.friction));
  }
  add_limits(joint, out);
}

// Two sliders across the axis and a rotation about it, connected by massless links.
void UrdfConverter::add_planar(std::size_t index, const Seat& seat, const Vector3d& axis, const std::string& child) {
  const UrdfJoint& joint = robot_.joints[index];
  const std::string& name = joint_names_[index];
  const Vector3d n = axis.normalized();
  const Vector3d x = std::abs(n.x()) < 0.9 ? (Vector3d::UnitX() - n.x() * n).normalized() : perpendicular(n);
  const Vector3d axes[] = {x, n.cross(x), n};
  const std::string names[] = {unique(name + "_x", "_joint"), unique(name + "_y", "_joint"), name};
  const std::string links[] = {unique(name + "_x_slide", ""), unique(name + "_y_slide", ""), child};
  if (joint.limits) note(fmt::format("joint {}: limits of a planar joint are omitted", show(joint.name)));
  if (joint.friction > 0 && notes_ == nullptr) {
    Entries refused;
    add_springs(joint, refused);
  }
  for (int k = 0; k < 3; ++k) {
    Entries out = {{"name", make_.text(names[k])},
                   {"type", make_.word(k < 2 ? "prismatic" : "revolute")},
                   {"axis", make_.numbers(axes[k])},
                   {"parent", make_.text(k == 0 ? seat.parent : links[k - 1])},
                   {"child", make_.text(links[k])}};
    if (k == 0 && seat.origin != nullptr) out.emplace_back("origin", seat.origin);
    if (joint.damping > 0) out.emplace_back("damping", make_.number(joint.damping));
    add(out);
    if (k < 2)
      bodies_.push_back(make_.map({{"name", make_.text(links[k])}, {"rigid", make_.map({{"mass", make_.number(0)}})}}));
  }
}

// A body frame away from the origin of its link is attached to a massless link.
void UrdfConverter::add_mount(const FlexibleLink& link, const std::string& name, const std::string& mount) {
  bodies_.push_back(make_.map({{"name", make_.text(mount)}, {"rigid", make_.map({{"mass", make_.number(0)}})}}));
  Entries out = {{"name", make_.text(unique(name + "_fixed", ""))},
                 {"type", make_.word("fixed")},
                 {"parent", make_.text(mount)},
                 {"child", make_.text(link.inboard(name))}};
  if (const Value place = origin(link.pose)) out.emplace_back("origin", place);
  add(out);
}

void UrdfConverter::add_joint(std::size_t index) {
  static constexpr const char* kTypes[] = {"fixed", "revolute", "revolute", "prismatic", "", "free"};
  const UrdfJoint& joint = robot_.joints[index];
  const auto child = static_cast<std::size_t>(joint.child);
  at_line(joint.line);
  const auto& flexible = flexible_[child];
  // The frame of a flexible body is rotated relative to the link, and the joint with it.
  const bool turned = flexible && !flexible->mounted && !flexible->pose.R.isIdentity(0);
  const Seat at = seat(index, turned ? &flexible->pose : nullptr);
  const Vector3d axis = turned ? Vector3d(flexible->pose.R.transpose() * joint.axis) : joint.axis;
  const std::string body = !flexible           ? link_names_[child]
                           : flexible->mounted ? unique(link_names_[child] + "_mount", "")
                                               : flexible->inboard(link_names_[child]);
  if (joint.type == UrdfJointType::planar) {
    add_planar(index, at, axis, body);
  } else {
    Entries out = {{"name", make_.text(joint_names_[index])},
                   {"type", make_.word(kTypes[static_cast<std::size_t>(joint.type)])}};
    if (joint.type != UrdfJointType::fixed && joint.type != UrdfJointType::floating)
      out.emplace_back("axis", make_.numbers(axis));
    out.emplace_back("parent", make_.text(at.parent));
    out.emplace_back("child", make_.text(body));
    if (at.origin != nullptr) out.emplace_back("origin", at.origin);
    add_springs(joint, out);
    add(out);
  }
  if (flexible && flexible->mounted) add_mount(*flexible, link_names_[child], body);
}

void UrdfConverter::add_root() {
  const auto root = static_cast<std::size_t>(robot_.root);
  if (link_names_[root] == "world") return;
  at_line(robot_.links[root].line);
  Entries out = {
      {"name", make_.text(unique(link_names_[root] + "_base", ""))},
      {"type", make_.word("fixed")},
      {"parent", make_.word("world")},
      {"child", make_.text(flexible_[root] ? flexible_[root]->inboard(link_names_[root]) : link_names_[root])}};
  if (flexible_[root])
    if (const Value place = origin(flexible_[root]->pose)) out.emplace_back("origin", place);
  add(out);
}

const DocumentNode* UrdfConverter::convert() {
  choose_names();
  at_line(1);
  flexible_ = find_flexible_links(robot_, link_names_, overlay_, make_);
  add_root();
  for (std::size_t i = 0; i < robot_.joints.size(); ++i) add_joint(i);
  const std::vector<Value> between = std::move(bodies_);
  bodies_.clear();
  for (std::size_t i = 0; i < robot_.links.size(); ++i) add_body(i);
  bodies_.insert(bodies_.end(), between.begin(), between.end());
  at_line(1);
  Entries root = {{"limber", make_.word("1")}};
  const auto share = [&](const char* key, const std::optional<Reader>& given, Value otherwise) {
    if (const Value value = given ? &given->node() : otherwise) root.emplace_back(key, value);
  };
  share("name", overlay_.name, make_.text(robot_.name));
  share("gravity", overlay_.gravity, make_.list({make_.word("0"), make_.word("0"), make_.word("-9.81")}));
  share("fidelity", overlay_.fidelity, nullptr);
  root.emplace_back("bodies", make_.list(bodies_));
  root.emplace_back("joints", make_.list(joints_));
  share("closures", overlay_.closures, nullptr);
  share("elements", overlay_.elements, nullptr);
  share("contacts", overlay_.contacts, nullptr);
  return make_.map(root);
}

}  // namespace

const DocumentNode* make_urdf_document(const UrdfRobot& robot, const UrdfOverlay& overlay, int line, Document& owner,
                                       std::vector<std::string>* notes) {
  return UrdfConverter(robot, overlay, line, owner, notes).convert();
}

}  // namespace limber
