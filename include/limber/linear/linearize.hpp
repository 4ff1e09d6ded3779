// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/dynamics/forces.hpp"

namespace limber {

// One number that is measured on a machine.
struct LinearOutput {
  enum class Kind {
    coordinate,    // a joint or modal coordinate: its displacement along speed `speed`
    rate,          // that speed
    place,         // of a node in world: a small turn about the world's axes, its position
    velocity,      // of a node in world
    acceleration,  // of a node in world, without gravity
    curvature,     // of a body between two of its nodes: difference of their turns over their distance, body frame
    strain,        // of a body between two of its nodes: change of their distance over it
  };
  Kind kind = Kind::coordinate;
  int speed = 0;        // coordinate, rate
  NodeRef node, other;  // other: the second node of curvature and strain
  int component = 0;    // of nodes: 0 ... 5, angular first; of curvature 0 ... 2 (0: twist)
  std::string name;     // for tables
};

struct LinearizeOptions {
  std::vector<int> inputs;  // speeds on which the inputs act, as torques or modal forces
  std::vector<LinearOutput> outputs;
  std::vector<std::uint8_t> held;    // (body) joints that keep the speed of the point whatever acts; empty: none
  VectorXd tau;                      // (nv) forces at the point; empty: none
  std::vector<NodeWrench> wrenches;  // constant in their frames
};

// A machine near a point: dx/dt = A x + B u, y = C x + D u for deviations from the motion through the point, with
// x = (dq, dv).  dq are displacements along the speeds' directions (turns of quaternions about the body's own axes).
// The same in second order, where the speeds of quaternions do not matter: M ddq + damping ddq + stiffness dq = B u.
// theory §8.
struct LinearSystem {
  State point;
  std::vector<int> free;  // speeds that x is made of
  MatrixXd basis;         // (nv x coordinates) how all speeds follow them: ones, but for closed chains
  MatrixXd A, B, C, D;
  MatrixXd M, damping, stiffness;
  VectorXd acceleration;  // (nv) at the point: zero at an equilibrium
  std::vector<std::string> states, inputs, outputs;

  int coordinates() const { return static_cast<int>(free.size()); }  // half the number of states
  bool at_rest() const { return point.v.isZero(0); }                 // no speeds at the point
};

// Exact derivatives (forward_derivatives), O(nv^2) for a chain, and the products of outputs.  Joint stops have no part
// in it.  Closed chains: at an equilibrium that meets the closures, in as many independent speeds as these leave;
// dense, O(nv^3).  Throws InputError: sizes, an input or output at a held joint, a coordinate without inertia, a point
// of a closed chain that is none.
LinearSystem linearize(const Model& model, const State& point, const LinearizeOptions& options);

// The usual inputs and outputs: torques and coordinates of all joints but fixed, spherical, free and held ones.
LinearizeOptions make_joint_options(const Model& model, std::vector<std::uint8_t> held = {});

// A word for a quantity, as in names of outputs: "position.x", "curvature.z", ...
std::string quantity_name(LinearOutput::Kind kind, int component);

}  // namespace limber
