// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "limber/dynamics/kinematics.hpp"

namespace limber {

// Forces of the elements and contacts of a model.  The phase of a rope (slack, taut) or a contact (open, pushing,
// sticking, slipping) changes only in `update`, so that forces are smooth within a step.  docs/theory.md, Force
// elements.
class ElementLoads {  // one per thread
 public:
  // The model must outlive it.  Throws InputError (check_elements, check_contacts).
  explicit ElementLoads(const Model& model);
  explicit ElementLoads(const Model&&) = delete;
  ~ElementLoads();
  ElementLoads(ElementLoads&&) noexcept;

  // Sets the phases from the state; kin: of x, with poses in world.  Returns whether a phase changed.
  bool update(const State& x, const Kinematics& kin);
  // Elastic energy dissipated by phase changes since the last call.
  double take_heat();
  // Joints (a flag per body) whose motion is prescribed: the effective inertia of a contact with restitution excludes
  // them.
  void set_prescribed(std::vector<std::uint8_t> joints);

  // Disables friction of contacts: for statics, where friction makes the equilibrium non-unique.
  void set_frictionless();

  // At x, with the commanded forces of actuators (one per element, or none; other sizes throw InputError).  kin as
  // above.  No allocation.
  void compute(const State& x, const Kinematics& kin, std::span<const double> commands);
  // Of the last compute:
  std::span<const NodeWrench> wrenches() const;  // on nodes, in world
  const VectorXd& torques() const;               // (nv) on joints
  double work() const;                           // power of laws without potential and of commands, W
  double dissipated() const;                     // power of dampers and friction, W
  bool finite() const;                           // whether all forces are finite
  // Per element, then per contact, in the order of make_channels (simulate/channels.hpp).
  const VectorXd& values() const;

  // Energy of the springs: a function of the state, except for the springs of sticking contacts.
  double energy(const State& x, const Kinematics& kin) const;

  // Event functions, which rise above zero when a phase ends, and their scales, for rounding errors.
  int event_count() const;
  void events(const State& x, const Kinematics& kin, Vec values, Vec scales) const;

  // Nodes on which elements and contacts act, each once.
  const std::vector<NodeRef>& nodes() const;
  // After compute: derivatives of the wrenches (6 per node, angular first, in world) by rotations and displacements of
  // the nodes in world at constant velocities, and by their velocities; exact, except for channels of other parts.
  void tangent(MatrixXd& by_pose, MatrixXd& by_velocity);
  // After compute: slopes (nv) of torques() by the coordinate and by the speed of the joint.
  void joint_slopes(Vec by_q, Vec by_v) const;
  // After compute: adds the derivatives of all forces on speeds (nv x nv) by q, along the directions of the speeds,
  // except for wrenches constant in world, which rnea_derivatives covers; and by v.  velocity_q (6 per node):
  // derivatives of the nodes' velocities by q.  Exact.
  void add_derivatives(const State& x, const Kinematics& kin, const MatrixXd& velocity_q, MatrixXd& by_q,
                       MatrixXd& by_v);

  // Phases and their internal variables, for an archive.
  std::vector<double> memory() const;
  void set_memory(std::span<const double> memory);

  struct Data;

 private:
  std::unique_ptr<Data> data_;
};

// Whether a model has elements or contacts.
bool has_elements(const Model& model);

}  // namespace limber
