// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "limber/control/driven_joints.hpp"
#include "limber/simulate/detail/element_forces.hpp"

namespace limber {

// Force elements and contacts in one step of the implicit midpoint rule over a period, theory §5.  Period 0: no step,
// forces at the state alone.
struct ElementStep {
  ElementStep(const Model& model, double period);
  // nullptr: the model has none.
  static std::unique_ptr<ElementStep> make(const Model& model, double period);

  // Sets the phases of ropes and contacts from x.
  void update(const State& x);
  // Forces at a state, with the implicit part of ws and the accelerations (nv) of the previous pass: adds those on
  // joints to tau (nv), and returns those on nodes.
  std::span<const NodeWrench> compute(const State& x, ConstVec a, AbaWorkspace& ws, Vec tau);

  ElementForces forces;

 private:
  void place(const State& x);

  const Model& model_;
  double period_;
  bool on_joints_ = false;  // some elements act on joints
  KinematicsWorkspace kin_;
  VectorXd by_q_, by_v_;
  std::vector<NodeWrench> none_;
};

}  // namespace limber
