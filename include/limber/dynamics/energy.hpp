// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/rnea.hpp"

namespace limber {

// Energies at a state.
struct Energy {
  double kinetic = 0;
  double gravity = 0;                                               // zero at the world origin
  double elastic = 0;                                               // of the modes
  double springs = 0;                                               // of the joints
  double potential() const { return gravity + elastic + springs; }  // all except kinetic
};

struct Momentum {
  Vector3d linear = Vector3d::Zero();
  Vector3d angular = Vector3d::Zero();  // about the world origin
};

// Each costs one or two sweeps, O(N).
// Without the energies of force elements, contacts and travel stops, and with joint springs at rest at 0:
// Simulation::energy has them.
Energy compute_energy(const Model& model, const State& x, RneaData& ws);
Momentum compute_momentum(const Model& model, const State& x, RneaData& ws);

double total_mass(const Model& model);  // of all bodies
// In world.  Needs compute_kinematics and compute_world_poses to have been called on `kin`.
Vector3d compute_center_of_mass(const Model& model, const Kinematics& kin);

}  // namespace limber
