// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// The joints that a controller drives.  Their coordinates, in order, are the driven coordinates.
struct DrivenJoints {
  std::vector<int> joints;                                 // index of the body each carries
  std::vector<std::uint8_t> mask;                          // (body) 1 for these joints: `prescribed` of hybrid dynamics
  std::vector<int> q, v;                                   // (coordinate) index into q and v
  std::vector<std::string> names;                          // (coordinate) as in Model::speeds
  int size() const { return static_cast<int>(v.size()); }  // number of driven joints

  VectorXd positions(const State& x) const { return x.q(q); }  // (joint)
  VectorXd speeds(const State& x) const { return x.v(v); }     // (joint)
};

// By name; empty: every joint that can be driven.  Throws InputError for an unknown or duplicate name and for a joint
// that cannot be driven (fixed, spherical, free).
DrivenJoints find_driven_joints(const Model& model, const std::vector<std::string>& joints);

// (coordinate) with position_units, speed_units or force_units.
std::vector<std::string> units_of(const Model& model, const DrivenJoints& joints,
                                  std::vector<std::string> (*units)(JointKind));

}  // namespace limber
