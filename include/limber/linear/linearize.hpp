// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/dynamics/forces.hpp"

namespace limber {

// One output of a machine.
struct LinearOutput {
  enum class Kind {
    coordinate,    // a joint or modal coordinate: displacement along speed `speed`
    rate,          // that speed
    place,         // of a node in world: a small rotation about the world axes, and its position
    velocity,      // of a node in world
    acceleration,  // of a node in world, without gravity
    curvature,     // of a body between two of its nodes: difference of rotations over distance, body frame
    strain,        // of a body between two of its nodes: relative change of distance
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
  std::vector<std::uint8_t> held;    // (body) joints that keep their speed whatever forces act; empty: none
  VectorXd tau;                      // (nv) forces at the point; empty: none
  std::vector<NodeWrench> wrenches;  // constant in their frames
};

// A machine linearised at a point: dx/dt = A x + B u, y = C x + D u for deviations from the motion through it, with
// x = (dq, dv).  dq are displacements along the directions of the speeds (rotations of quaternions about the body
// axes). The same in second order, if the speeds of quaternions do not matter: M ddq + damping ddq + stiffness dq = B
// u. theory §8.
struct LinearSystem {
  State point;
  std::vector<int> free;  // speeds that form x
  MatrixXd basis;         // (nv x coordinates) all speeds as functions of these: ones, except for closed chains
  MatrixXd A, B, C, D;
  MatrixXd M, damping, stiffness;
  VectorXd acceleration;  // (nv) at the point: zero at an equilibrium
  std::vector<std::string> states, inputs, outputs;

  int coordinates() const { return static_cast<int>(free.size()); }  // half the number of states
  bool at_rest() const { return point.v.isZero(0); }                 // no speeds at the point
};

// Exact derivatives (forward_derivatives), O(nv^2) for a chain, and the products of outputs.  Joint stops are
// ignored.  Closed chains: at an equilibrium that satisfies the closures, in the remaining independent speeds;
// dense, O(nv^3).  Throws InputError: sizes, an input or output at a held joint, a coordinate without inertia, a closed
// chain that is not in equilibrium.
LinearSystem linearize(const Model& model, const State& point, const LinearizeOptions& options);

// The default inputs and outputs: torques and coordinates of all joints except fixed, spherical, free and held ones.
LinearizeOptions make_joint_options(const Model& model, std::vector<std::uint8_t> held = {});

// The name of a quantity, as in names of outputs: "position.x", "curvature.z", ...
std::string quantity_name(LinearOutput::Kind kind, int component);

}  // namespace limber
