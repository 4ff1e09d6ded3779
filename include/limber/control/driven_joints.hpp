// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// The joints that a controller drives.  Their coordinates, in order, are the driven coordinates.
struct DrivenJoints {
  std::vector<int> joints;         // index of the body each carries
  std::vector<std::uint8_t> mask;  // (body) 1 for these joints: `prescribed` of hybrid dynamics
  std::vector<int> q, v;           // (coordinate) index into q and v
  std::vector<std::string> names;  // (coordinate) as in Model::speeds
  std::vector<int> actuators;  // (coordinate) the force element that moves it, -1: a torque at the joint; empty: none
  int size() const { return static_cast<int>(v.size()); }  // number of driven joints

  int actuator(int k) const { return actuators.empty() ? -1 : actuators[static_cast<std::size_t>(k)]; }

  VectorXd positions(const State& x) const { return x.q(q); }  // (joint)
  VectorXd speeds(const State& x) const { return x.v(v); }     // (joint)
};

// Finds joints by name; empty: every joint that can be driven.  Throws InputError for an unknown or duplicate name and
// for a joint that cannot be driven (fixed, spherical, free).
DrivenJoints find_driven_joints(const Model& model, const std::vector<std::string>& joints);

// Assigns actuators to joints: (joint, actuator) by name.  Throws InputError: a joint that is not driven
// or has several coordinates, an element that does not exist, is not an actuator or already moves another joint.
void set_actuators(const Model& model, const std::vector<std::pair<std::string, std::string>>& actuators,
                   DrivenJoints& driven);

// The joints of the same names in another model, with actuators of the same names.  Throws InputError.
DrivenJoints find_same_joints(const Model& from, const DrivenJoints& driven, const Model& to);

// (coordinate) with position_units, speed_units or force_units.
std::vector<std::string> units_of(const Model& model, const DrivenJoints& joints,
                                  std::vector<std::string> (*units)(JointKind));
// (coordinate) units of the commands: torques and forces at joints, forces of actuators.
std::vector<std::string> input_units(const Model& model, const DrivenJoints& joints);

}  // namespace limber
