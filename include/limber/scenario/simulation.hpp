// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/scenario/ports.hpp"
#include "limber/scenario/scenario.hpp"
#include "limber/simulate/equilibrium.hpp"

namespace limber {

class AttitudeLoop;  // control/attitude.hpp

// A state of a simulation, with all that its future depends on.  Bytes of this machine and this version.
struct SavedState {
  std::vector<std::byte> bytes;
};

// A machine that moves: model, state, method, inputs, controller, energy ledger and validity monitor in one.  Steps end
// at breaks of signals, at samples of the controller and where stops are met; closed chains stay closed.  A run() is
// what `limber run` does; advance_to() the times of its records gives the same numbers, bit by bit.
//   What is wrong with the input is an InputError; what goes wrong underway a NumericalError, from then on until
// restore() or reset().  No allocation in step, advance_to, and in what reads or writes numbers by index, but of cvode,
// and the first time that a node gets a force.
class Simulation {
 public:
  // From the scenario's initial state, at equilibrium where it wants that.
  explicit Simulation(Scenario scenario);
  // Driven by this in place of the scenario's controller.
  Simulation(Scenario scenario, std::unique_ptr<Sampler> controller);
  // A model alone: from its zero state at t = 0 (see set_state), with no end.
  explicit Simulation(std::shared_ptr<const Model> model, SolverOptions solver = {}, Inputs inputs = {});
  explicit Simulation(Model model, SolverOptions solver = {}, Inputs inputs = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  const Model& model() const;        // shared, const
  const Scenario& scenario() const;  // of a model alone: what stands for one
  double time() const;               // s
  const State& state() const;        // closed chains closed
  // Starts from another state, at its time; chains are closed first.  Inputs given stay.
  void set_state(const State& x);

  // ---- in time ----
  // By dt, or up to t; several steps of the method where it needs them.
  void step(double dt);
  void advance_to(double t);
  // The same, asking the listener after every step; false: it wanted to stop, and this is where it did.
  bool advance_to(double t, RunListener& listener);
  // To the end of the scenario, with its records; from the one that is due.  How it went is in the result: no throw.
  RunResult run(RunListener& listener);

  // ---- inputs, which hold until they are given again ----
  // On a speed by name: "elbow", "base.wx", a mode "boom.bending_y1"; beside what inputs and controller do.
  void set_torque(const std::string& speed, double torque);
  void set_torques(ConstVec torques);  // (nv) all of them
  void set_force(const std::string& node, const Vector3d& force, Frame frame = Frame::world);
  void set_wrench(const std::string& node, const Vector6& wrench, Frame frame = Frame::world);  // torque, force
  // Of a coordinate whose motion is prescribed, in place of its signal, from now on with constant acceleration.  Throws
  // InputError: it is not prescribed; the position jumps.
  void set_motion(const std::string& coordinate, double position, double velocity = 0, double acceleration = 0);
  // A torque law, from now on at `rate` Hz: torques (nv) of the coming period, zero on entry, from the state.  It
  // replaces the controller that was.  What it remembers itself is not saved.
  void set_controller(double rate, std::function<void(const State& x, Vec torques)> law);

  // ---- what there is to see ----
  double q(const std::string& coordinate) const;     // now
  double v(const std::string& speed) const;          // now
  Pose pose(const std::string& node) const;          // in world
  Vector3d position(const std::string& node) const;  // in world
  Vector6 velocity(const std::string& node) const;   // angular, linear; in world
  Energy energy() const;                             // now
  double balance() const;                            // energy now - energy at the start - work + dissipated
  const VectorXd& accelerations();                   // (nv)
  Record record();                                   // with forces and momentum; refers to this, until the next change
  RunResult result() const;                          // steps, largest errors, validity up to now
  std::vector<std::string> warnings() const;         // where the model's assumptions did not hold
  const std::optional<Equilibrium>& equilibrium() const;  // where it started from, when the scenario asks for it
  const ControlLoop* controller() const;                  // the scenario's; null: none
  const AttitudeLoop* attitude() const;                   // the scenario's attitude controller; null: none
  Tracking tracking() const;                              // of either; without one empty
  std::vector<ExternalChannel> control_channels() const;  // of either, for recordings

  // ---- ports: the same by name, for other programs ----
  const std::vector<Port>& ports() const;                // all there are
  int port(const std::string& name) const;               // index.  Throws InputError: there is none
  void read(int port, Vec values);                       // its values now
  void write(int port, ConstVec values);                 // Throws InputError: an output, a wrong size, not finite
  VectorXd read(const std::string& port);                // the same by name
  void write(const std::string& port, ConstVec values);  // the same by name

  // ---- back in time ----
  // All that the future depends on: what follows restore() is bit by bit what followed save(), also in another
  // Simulation of the same scenario.  With cvode, which keeps its past to itself, save() starts the method anew.
  SavedState save();
  void restore(const SavedState& saved);  // Throws InputError: of another simulation
  void reset();                           // as it was after construction or set_state

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// (body) those of Scenario::kept.
std::vector<std::uint8_t> kept_joints(const Scenario& scenario);

// The state that a scenario starts from: initial, at equilibrium where it wants that, closed chains closed.
//   holding (nv): torques that hold its held joints there; empty: it does not start in equilibrium.
// Throws InputError "FILE: ...".
State start_state(const Scenario& scenario, std::optional<Equilibrium>* equilibrium = nullptr,
                  VectorXd* holding = nullptr);

// Runs what throws InputError without a file, and adds the scenario's where it has one.
template <class Action>
auto in_scenario(const Scenario& scenario, Action action) {
  try {
    return action();
  } catch (const InputError& e) {
    throw InputError(scenario.file.empty() ? e.what() : scenario.file + ": " + e.what());
  }
}

}  // namespace limber
