// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/body/body.hpp"

namespace limber {

enum class UrdfJointType { fixed, revolute, continuous, prismatic, planar, floating };

// x, y, z and roll, pitch, yaw as given, in radians.
struct UrdfPose {
  Vector3d xyz = Vector3d::Zero(), rpy = Vector3d::Zero();
};

struct UrdfVisual {
  Visual shape;  // its pose is `origin`
  UrdfPose origin;
};

struct UrdfLink {
  std::string name;
  int line = 0;
  double mass = 0;
  Vector3d com = Vector3d::Zero();
  Matrix3d inertia = Matrix3d::Zero();  // about com, axes of the link
  std::vector<UrdfVisual> visuals;
};

struct UrdfLimits {
  double effort = 0, velocity = 0, lower = 0, upper = 0;
};

struct UrdfJoint {
  std::string name;
  int line = 0;
  UrdfJointType type = UrdfJointType::fixed;
  Vector3d axis = Vector3d::UnitX();
  int parent = -1, child = -1;  // links
  UrdfPose origin;              // in the frame of the parent
  std::optional<UrdfLimits> limits;
  double damping = 0, friction = 0;
};

// A tree of links: checked for names, numbers, one root, no loops and physical inertia.
struct UrdfRobot {
  std::string name, file;
  std::vector<UrdfLink> links;    // as in the file
  std::vector<UrdfJoint> joints;  // parents first; otherwise in the order of the file
  int root = 0;                   // link
};

// Throws InputError "FILE:LINE: ...".
UrdfRobot parse_urdf(std::string_view text, const std::string& file);

}  // namespace limber
