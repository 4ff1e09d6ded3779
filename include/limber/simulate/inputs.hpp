// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "limber/dynamics/kinematics.hpp"
#include "limber/simulate/signal.hpp"

namespace limber {

// The quantity that a signal commands: the force on a speed (N m or N), or the current (A) or voltage (V) of a motor.
enum class DriveCommand { force, current, voltage };

// A force on one speed: a joint torque, or a force on a mode.
struct SpeedInput {
  int speed = 0;  // index into v
  Signal force = {};
  std::string label = {};                      // for messages: "inputs[2].torque"
  DriveCommand command = DriveCommand::force;  // otherwise `speed` is of a motor, or of a joint with a rigid gear
};

// Engages the brake of a drive: 0 released, 1 full torque.
struct BrakeInput {
  int joint = 0;  // index of the body it carries
  Signal command = {};
  std::string label = {};
};

// The motion of a joint, prescribed: one signal per coordinate.  Not for spherical and free joints.
struct MotionInput {
  int joint = 0;  // index of the body it carries
  std::vector<Signal> motion = {};
  std::string label = {};
};

// A wrench on a node, in world or in node components (a follower).
struct WrenchInput {
  NodeRef at = {};
  Frame frame = Frame::world;
  std::array<Signal, 6> wrench = {};  // torque, force
  std::string label = {};
};

// Gravity added to that of the model.
struct GravityInput {
  std::array<Signal, 3> gravity = {};
  std::string label = {};
};

// A wrench on a node that depends on the state, such as drag, or a spring to a point of the world.  Called at every
// evaluation, several times per step; kin: of x, with poses in world.  Static equilibrium ignores it.
struct WrenchLaw {
  NodeRef at = {};
  Frame frame = Frame::world;
  std::function<Vector6(const State& x, const Kinematics& kin)> wrench = {};  // torque, force
  std::string label = {};
};

// The force of a force element (N, or N m on a revolute joint), added to its own law.
struct ElementInput {
  int element = 0;  // index into ForceElements
  Signal force = {};
  std::string label = {};
};

// The inputs of a machine.  Inputs of one kind at the same place add up, but a joint has only one motion.
struct Inputs {
  std::vector<SpeedInput> speeds = {};
  std::vector<MotionInput> motions = {};
  std::vector<WrenchInput> wrenches = {};
  std::vector<GravityInput> gravities = {};
  std::vector<WrenchLaw> laws = {};
  std::vector<ElementInput> elements = {};
  std::vector<BrakeInput> brakes = {};
};

// Throws InputError "LABEL: ..." for inputs that do not match the model: indices, numbers of signals, a motion of a
// spherical or free joint, two motions of one joint, a motion whose value jumps.
void check_inputs(const Model& model, const Inputs& inputs);

// The force on its speed of an input with this value, at a rate of the speed.
double force_of_command(const Model& model, const SpeedInput& input, double value, double rate);

// The breaks of all signals, increasing, each once.
std::vector<double> breaks(const Inputs& inputs);

}  // namespace limber
