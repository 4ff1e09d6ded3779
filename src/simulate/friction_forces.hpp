// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/model/model.hpp"
#include "limber/simulate/archive.hpp"

namespace limber {

// Dry friction of one joint.  What it does depends on its phase, not on the state, so that the right side is smooth in
// a step.  theory §3, Friction.
struct FrictionContact {
  // stick: a spring and a damper about an anchor.  Else the joint slides: the spring is dragged along with the
  // deflection at which sliding began to need no more force, so that forces and energies go over into each other.
  enum class Phase : std::uint8_t { stick, forward, backward };
  int joint = 0, q = 0, v = 0;
  bool prescribed = false;  // the joint's motion is: its direction alone decides
  double coulomb = 0, breakaway = 0, stribeck = 0, stiffness = 0, damping = 0;
  Phase phase = Phase::stick;
  double anchor = 0;

  double sign() const { return phase == Phase::forward ? 1 : phase == Phase::backward ? -1 : 0; }
  // Of sliding, without its sign.
  double level(double rate) const;
  // The force of the spring and the damper, positive where it holds the joint back.
  double hold(double position, double rate) const { return stiffness * (position - anchor) + damping * rate; }
  double force(double position, double rate) const;  // on the speed
  double dissipation(double rate) const;
  double energy(double position) const;  // of the spring
  // The phase at a state; true: it changed.
  bool update(double position, double rate);
};

// Of all joints.
struct FrictionForces {
  std::vector<FrictionContact> contacts;
  bool started = false;
  double released = 0;  // energy that left the springs with changes of phase, and is not yet in the ledger

  // Null: no joint has dry friction.  `prescribed`: (body).
  static std::unique_ptr<FrictionForces> make(const Model& model, const std::vector<std::uint8_t>& prescribed);
  bool update(const State& x);
  void add(const State& x, VectorXd& force) const;
  double dissipation(const State& x) const;
  double energy(const State& x) const;
  // c_D D + c_K K of joints that stick.
  void add_implicit(double c_D, double c_K, VectorXd& added) const;
  void transfer(Archive& archive);
};

}  // namespace limber
