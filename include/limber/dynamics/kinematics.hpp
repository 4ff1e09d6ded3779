// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "limber/dynamics/forces.hpp"
#include "limber/dynamics/workspace.hpp"

namespace limber {

// The part of the dynamics that is not linear in forces and accelerations: the outward pass with zero hinge and modal
// accelerations.  The algorithms are linear sweeps over it.  theory §2, §3, §5.
struct Kinematics;
extern template class Workspace<Kinematics>;
class KinematicsWorkspace : public Workspace<Kinematics> {  // one per thread
 public:
  explicit KinematicsWorkspace(const Model& model);
};

// Accelerations outward and wrenches inward: the linear sweeps of inverse dynamics.
struct LinearSweep;
extern template class Workspace<LinearSweep>;
class SweepWorkspace : public Workspace<LinearSweep> {  // one per thread
 public:
  explicit SweepWorkspace(const Model& model);
};

// Sets gravity; initially it is the model's.
void set_gravity(const Vector3d& gravity, Kinematics& kin);

// Computes kin from the state.  O(N).  Throws InputError for wrong sizes and for a workspace of another model.
void compute_kinematics(const Model& model, const State& x, Kinematics& kin);
// Then computes the poses in world.  O(N).
void compute_world_poses(const Model& model, Kinematics& kin);
// Both, unless kin is that of x already.
void update_kinematics(const Model& model, const State& x, Kinematics& kin);

// ---- any frame, in world ---------------------------------------------------------------------------
// These require compute_kinematics and then compute_world_poses, and throw InputError if the latter is missing;
// [angular; linear] at the node's origin, world components.

// Of the frame of a body.
const Pose& body_pose(const Kinematics& kin, int body);
// Of a node.
Pose node_pose(const Model& model, const Kinematics& kin, NodeRef node);
// J (6 x nv): the node's velocity is J v.  O(depth x modes).
void compute_node_jacobian(const Model& model, const Kinematics& kin, NodeRef node, Eigen::Ref<Matrix6X> J);
// dJ/dt v: the node's (classical) acceleration is J vdot + this.
Vector6 node_bias_acceleration(const Model& model, const Kinematics& kin, NodeRef node);
// J v and J vdot + dJ/dt v.  O(depth x modes).
Vector6 node_velocity(const Model& model, const Kinematics& kin, NodeRef node, ConstVec v);
Vector6 node_acceleration(const Model& model, const Kinematics& kin, NodeRef node, ConstVec vdot);

}  // namespace limber
