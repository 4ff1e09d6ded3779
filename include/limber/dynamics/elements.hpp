// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "limber/dynamics/kinematics.hpp"

namespace limber {

// Forces of the elements and contacts of a model.  What a rope or a contact does (slack, taut; open, pushing, sticking,
// slipping) is a phase that only `update` changes, so that forces are smooth in a step.  docs/theory.md, Force
// elements.
class ElementLoads {  // one per thread
 public:
  // The model must outlive it, and have elements or contacts.  Throws InputError (check_elements, check_contacts).
  explicit ElementLoads(const Model& model);
  ~ElementLoads();
  ElementLoads(ElementLoads&&) noexcept;

  // Phases as the state says; kin: of x, with poses in world.  True: something changed.
  bool update(const State& x, const Kinematics& kin);
  // Elastic energy that changes of phases have turned into heat since the last call.
  double take_heat();
  // Joints (a flag per body) whose motion is prescribed: the inertia that a contact with restitution meets is without
  // them.
  void set_prescribed(std::vector<std::uint8_t> joints);

  // From now on points do not stick or slip: statics, where friction could hold anything.
  void set_frictionless();

  // At x, with the forces that actuators are told (one per element, or none).  kin as above.  No allocation.
  void compute(const State& x, const Kinematics& kin, std::span<const double> commands);
  // Of the last compute:
  std::span<const NodeWrench> wrenches() const;  // on nodes, in world
  const VectorXd& torques() const;               // (nv) on joints
  double work() const;                           // power of laws without potential and of commands, W
  double dissipated() const;                     // power of dampers and friction, W
  bool finite() const;                           // all forces are
  // Per element, then per contact; make_channels (simulate/channels.hpp) has the order.
  const VectorXd& values() const;

  // Energy of the springs: a function of the state, but for the springs of contacts that stick.
  double energy(const State& x, const Kinematics& kin) const;

  // Functions that rise above zero where a phase ends, and their scales: rounding is a multiple of these.
  int event_count() const;
  void events(const State& x, const Kinematics& kin, Vec values, Vec scales) const;

  // Nodes that elements and contacts hold, each once.
  const std::vector<NodeRef>& nodes() const;
  // After compute: d wrenches (6 per node, angular first, in world) by turns and displacements of the nodes in world at
  // constant velocities, and by their velocities; exact, but for channels of other parts.
  void tangent(MatrixXd& by_pose, MatrixXd& by_velocity);
  // After compute: slopes (nv) of torques() by the coordinate and by the speed of the joint.
  void joint_slopes(Vec by_q, Vec by_v) const;
  // After compute: adds the derivatives of all forces on speeds (nv x nv) by q, along the speeds' directions, but for
  // wrenches that are constant in world, which rnea_derivatives has; and by v.  velocity_q (6 per node): derivatives of
  // the nodes' velocities by q.  Exact.
  void add_derivatives(const State& x, const Kinematics& kin, const MatrixXd& velocity_q, MatrixXd& by_q,
                       MatrixXd& by_v);

  // Phases with their memory, one after the other, for an archive.
  std::vector<double> memory() const;
  void set_memory(std::span<const double> memory);

  struct Data;

 private:
  std::unique_ptr<Data> data_;
};

// Whether a model has any of them.
bool has_elements(const Model& model);

}  // namespace limber
