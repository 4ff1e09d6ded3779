// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/model.hpp"

#include <algorithm>
#include <cmath>

namespace limber {

const char* to_string(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return "fixed";
    case JointKind::revolute:
      return "revolute";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::cylindrical:
      return "cylindrical";
    case JointKind::universal:
      return "universal";
    case JointKind::spherical:
      return "spherical";
    case JointKind::free:
      return "free";
  }
  return "unknown";
}

const char* to_string(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::ruthless:
      return "ruthless";
    case Fidelity::full:
      return "full";
    case Fidelity::stiffened:
      return "stiffened";
  }
  return "unknown";
}

int speed_count(JointKind kind) {
  constexpr int kCounts[] = {0, 1, 1, 2, 2, 3, 6};
  return kCounts[static_cast<int>(kind)];
}

int position_count(JointKind kind) {
  const bool quaternion = kind == JointKind::spherical || kind == JointKind::free;
  return speed_count(kind) + (quaternion ? 1 : 0);
}

int Model::find_body(const std::string& body_name) const {
  const auto found = std::find(body_names.begin() + 1, body_names.end(), body_name);
  return found == body_names.end() ? -1 : static_cast<int>(found - body_names.begin());
}

int Model::find_joint(const std::string& joint_name) const {
  for (int i = 1; i < body_count(); ++i) {
    if (joints[i].name == joint_name) return i;
  }
  return -1;
}

State make_zero_state(const Model& model) {
  State x{0, VectorX::Zero(model.nq), VectorX::Zero(model.nv)};
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (position_count(joint.kind) != speed_count(joint.kind)) x.q[joint.q] = 1;
  }
  return x;
}

void check_state(const Model& model, const State& x) {
  const auto check = [](const VectorX& given, int wanted, const char* what, const std::vector<std::string>& names) {
    if (given.size() != wanted) {
      throw InputError(std::string(what) + " has " + std::to_string(given.size()) + " numbers; the model has " +
                       std::to_string(wanted));
    }
    for (int k = 0; k < wanted; ++k) {
      if (!std::isfinite(given[k])) {
        throw InputError(std::string(what) + "[" + std::to_string(k) + "] ('" + names[k] +
                         "') is not finite; write a number");
      }
    }
  };
  check(x.q, model.nq, "q", model.coordinates);
  check(x.v, model.nv, "v", model.speeds);
  constexpr double kUnitTolerance = 1e-6;  // what survives printing with seven digits
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (position_count(joint.kind) == speed_count(joint.kind)) continue;
    const double length = x.q.segment<4>(joint.q).norm();
    if (std::abs(length - 1) > kUnitTolerance) {
      throw InputError("joint '" + joint.name + "': its quaternion q[" + std::to_string(joint.q) + "..." +
                       std::to_string(joint.q + 3) + "] (w, x, y, z) has length " + std::to_string(length) +
                       "; write one of length 1");
    }
  }
}

}  // namespace limber
