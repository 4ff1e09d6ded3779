// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "files/rpy.hpp"
#include "limber/files/detail/output.hpp"
#include "limber/files/urdf.hpp"
#include "limber/model/contacts.hpp"
#include "limber/model/friction.hpp"
#include "limber/spatial/detail/text.hpp"

namespace limber {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string numbers(const Vector3d& v) { return fmt::format("{} {} {}", v.x() + 0.0, v.y() + 0.0, v.z() + 0.0); }

[[noreturn]] void refuse_urdf(std::string_view what, std::string_view name, std::string_view why) {
  throw InputError(fmt::format("{} {}: cannot be written as URDF: {}", what, show(name), why));
}

std::string origin_text(const Pose& pose, std::string_view indent) {
  return fmt::format("{}<origin xyz=\"{}\" rpy=\"{}\"/>\n", indent, numbers(pose.p), numbers(rpy_of(pose.R)));
}

std::string visual_text(const Visual& visual) {
  std::string shape;
  switch (visual.kind) {
    case VisualKind::box:
      shape = fmt::format("<box size=\"{}\"/>", numbers(visual.size));
      break;
    case VisualKind::cylinder:
      shape = fmt::format("<cylinder radius=\"{}\" length=\"{}\"/>", visual.size[0], visual.size[1]);
      break;
    case VisualKind::sphere:
      shape = fmt::format("<sphere radius=\"{}\"/>", visual.size[0]);
      break;
    case VisualKind::mesh:
      shape = fmt::format("<mesh filename=\"{}\" scale=\"{}\"/>", escaped(visual.file), numbers(visual.size));
  }
  return fmt::format("    <visual>\n{}      <geometry>{}</geometry>\n    </visual>\n",
                     origin_text(visual.pose, "      "), shape);
}

// The frame of a link is at its joint; `X_LB` is the pose of the body in it.
std::string link_text(const std::string& name, const Body& body, const Pose& X_LB) {
  std::string inside;
  if (body.mass > 0) {
    const Vector3d com = body.S.col(0) / body.mass;
    const Matrix3d C = body.C[0] - body.mass * com * com.transpose();
    Matrix3d J = body.rigid ? body.rigid->inertia : Matrix3d(C.trace() * Matrix3d::Identity() - C);
    if (!X_LB.R.isIdentity(0)) J = Matrix3d(X_LB.R * J * X_LB.R.transpose());
    const Vector3d centre = body.rigid ? body.rigid->com : com;
    inside += "    <inertial>\n" + origin_text({Matrix3d::Identity(), X_LB.R * centre + X_LB.p}, "      ");
    inside += fmt::format("      <mass value=\"{}\"/>\n", body.mass);
    inside += fmt::format("      <inertia ixx=\"{}\" ixy=\"{}\" ixz=\"{}\" iyy=\"{}\" iyz=\"{}\" izz=\"{}\"/>\n",
                          J(0, 0), J(0, 1) + 0.0, J(0, 2) + 0.0, J(1, 1), J(1, 2) + 0.0, J(2, 2));
    inside += "    </inertial>\n";
  }
  for (Visual visual : body.visuals) {
    visual.pose = X_LB * visual.pose;
    inside += visual_text(visual);
  }
  if (inside.empty()) return fmt::format("  <link name=\"{}\"/>\n", escaped(name));
  return fmt::format("  <link name=\"{}\">\n{}  </link>\n", escaped(name), inside);
}

std::string limit_text(const Joint& joint, bool needed) {
  if (!needed && joint.effort_limit == 0 && joint.velocity_limit == 0 && !joint.stop) return "";
  std::string travel;
  if (joint.stop) {
    if (!std::isfinite(joint.stop->lower) || !std::isfinite(joint.stop->upper))
      refuse_urdf("joint", joint.name, "it has one travel limit; give both, or none");
    travel = fmt::format(" lower=\"{}\" upper=\"{}\"", joint.stop->lower, joint.stop->upper);
  }
  return fmt::format("    <limit effort=\"{}\" velocity=\"{}\"{}/>\n", joint.effort_limit, joint.velocity_limit,
                     travel);
}

const char* urdf_type(const Joint& joint) {
  switch (joint.kind) {
    case JointKind::fixed:
      return "fixed";
    case JointKind::revolute:
      return joint.stop ? "revolute" : "continuous";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::free:
      return "floating";
    default:
      refuse_urdf("joint", joint.name, fmt::format("URDF has no joint of type {}", to_string(joint.kind)));
  }
}

// `X_LB`: of the parent, whose link frame may differ from the body frame.
std::string joint_text(const Model& model, int i, const Pose& X_LB) {
  const Joint& joint = model.joints[i];
  for (const auto* values : {&joint.stiffness, &joint.armature})
    if (values->size() > 0 && !values->isZero(0))
      refuse_urdf("joint", joint.name, "URDF has no joint springs and no armature");
  if (joint.drive) refuse_urdf("joint", joint.name, "URDF has no drives");
  const JointFriction friction = joint.friction ? *joint.friction : JointFriction{};
  if (friction.breakaway > friction.coulomb || friction.load)
    refuse_urdf("joint", joint.name, "URDF has only viscous and Coulomb friction");
  Pose place = X_LB;
  if (joint.parent.node != kBodyFrame) {
    const Node& node = model.body(joint.parent.body).nodes[static_cast<std::size_t>(joint.parent.node)];
    place = place * Pose{node.rotation, node.position};
  }
  place = place * joint.origin;
  const std::string parent = joint.parent.body == kGround ? "world" : model.body_names[joint.parent.body];
  std::string out = fmt::format("  <joint name=\"{}\" type=\"{}\">\n", escaped(joint.name), urdf_type(joint));
  out += origin_text(place, "    ");
  out += fmt::format("    <parent link=\"{}\"/>\n    <child link=\"{}\"/>\n", escaped(parent),
                     escaped(model.body_names[i]));
  if (joint_traits(joint.kind).axes > 0) out += fmt::format("    <axis xyz=\"{}\"/>\n", numbers(joint.axis));
  if (joint.kind != JointKind::fixed) out += limit_text(joint, joint.kind == JointKind::prismatic);
  double damping = friction.viscous;
  if (joint.damping.size() > 0 && !joint.damping.isZero(0)) {
    if (!joint.damping.isConstant(joint.damping[0]))
      refuse_urdf("joint", joint.name, "its damping differs between its speeds");
    damping += joint.damping[0];
  }
  if (friction.coulomb > 0) {
    out += fmt::format("    <dynamics damping=\"{}\" friction=\"{}\"/>\n", damping, friction.coulomb);
  } else if (damping > 0) {
    out += fmt::format("    <dynamics damping=\"{}\"/>\n", damping);
  }
  return out + "  </joint>\n";
}

}  // namespace

std::string urdf_text(const Model& model) {
  if (model.elements && !model.elements->list.empty())
    refuse_urdf("element", model.elements->list[0].name, "URDF describes only trees");
  if (model.contacts && !model.contacts->list.empty())
    refuse_urdf("contact", model.contacts->list[0].name, "URDF describes only trees");
  if (!model.closures.empty()) refuse_urdf("closure", model.closures[0].name, "URDF describes only trees");
  std::vector<Pose> X_LB(static_cast<std::size_t>(model.body_count()));
  std::string links = "  <link name=\"world\"/>\n", joints;
  for (int i = 1; i < model.body_count(); ++i) {
    const Body& body = model.body(i);
    if (body.modes > 0) refuse_urdf("body", model.body_names[i], "it is flexible, and links of a URDF are rigid");
    if (const int node = model.joints[i].child_node; node != kBodyFrame) {
      const Node& seat = body.nodes[static_cast<std::size_t>(node)];
      X_LB[static_cast<std::size_t>(i)] = inverse(Pose{seat.rotation, seat.position});
    }
    links += link_text(model.body_names[i], body, X_LB[static_cast<std::size_t>(i)]);
    joints += joint_text(model, i, X_LB[static_cast<std::size_t>(model.joints[i].parent.body)]);
  }
  return fmt::format("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n{}{}</robot>\n",
                     escaped(model.name.empty() ? "robot" : model.name), links, joints);
}

namespace {

bool is_robot(const std::string& path) { return OutputKind::starts_with(path, "<robot", 4096); }
constexpr OutputKind kRobotKind = {"a URDF", &is_robot};

}  // namespace

void write_urdf(const Model& model, const std::string& path) {
  write_whole_file(path, kRobotKind, {}, urdf_text(model));
}

}  // namespace limber
