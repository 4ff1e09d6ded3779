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
#include "limber/spatial/owned.hpp"

namespace limber {

class AttitudeLoop;  // control/attitude.hpp

// A saved state of a simulation, with everything its future depends on.  Valid for this machine and this version.
struct SavedState {
  std::vector<std::byte> bytes;
};

// A simulation: model, state, method, inputs, controller, energy balance and validity monitor.  Steps end
// at breaks of signals, at samples of the controller and where stops are reached; closed chains stay closed.  run()
// does what `limber run` does; advance_to() at the times of its records gives the same numbers, bit for bit.
//   Bad input is an InputError; a failure during the run a NumericalError, which persists until
// restore() or reset().  step, advance_to and functions that read or write values by index do not allocate, except in
// cvode and for the first force on a node.
class Simulation {
 public:
  // Starts from the initial state of the scenario, at equilibrium if the scenario says so.
  explicit Simulation(Scenario scenario);
  // With this controller instead of that of the scenario.
  Simulation(Scenario scenario, std::unique_ptr<Sampler> controller);
  // A model alone, without end: from `start`, at its time; by default from the zero state at t = 0, which the chains of
  // a model with closures must be able to close from.
  explicit Simulation(std::shared_ptr<const Model> model, SolverOptions solver = {}, Inputs inputs = {},
                      State start = {});
  explicit Simulation(Model model, SolverOptions solver = {}, Inputs inputs = {}, State start = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  const Model& model() const;        // shared, const
  const Scenario& scenario() const;  // for a model alone: an equivalent one
  double time() const;               // s
  const State& state() const;        // closed chains closed
  // Starts from another state, at its time; closed chains are assembled first.  Inputs that were set remain.
  // Throws InputError for a state that is not of the model or a chain that cannot be closed; nothing has changed then.
  void set_state(const State& x);

  // ---- time ----
  // Advances by dt, or to t, with as many steps of the method as needed.
  void step(double dt);
  void advance_to(double t);
  // The same, calling the listener after every step; false: the listener stopped the run here.
  bool step(double dt, RunListener& listener);
  bool advance_to(double t, RunListener& listener);
  // Runs to the end of the scenario, with the remaining records.  Failures are reported in the result, not thrown.
  RunResult run(RunListener& listener);

  // ---- inputs, which hold until they are set again ----
  // On a speed by name: "elbow", "base.wx", a mode "boom.bending_y1"; added to inputs and controller.
  void set_torque(const std::string& speed, double torque);
  void set_torques(ConstVec torques);  // (nv) all of them
  void set_force(const std::string& node, const Vector3d& force, Frame frame = Frame::world);
  void set_wrench(const std::string& node, const Vector6& wrench, Frame frame = Frame::world);  // torque, force
  // Replaces the signal of a coordinate with prescribed motion, from now on with constant acceleration.  Throws
  // InputError: it is not prescribed; the position jumps.
  void set_motion(const std::string& coordinate, double position, double velocity = 0, double acceleration = 0);
  // Installs a torque law at `rate` Hz from now on: torques (nv) of the coming period, zero on entry, from the state.
  // It replaces the previous controller, joints and attitude.  save() does not include its own state.
  void set_controller(double rate, std::function<void(const State& x, Vec torques)> law);

  // ---- results ----
  double q(const std::string& coordinate) const;     // now
  double v(const std::string& speed) const;          // now
  Pose pose(const std::string& node) const;          // in world
  Vector3d position(const std::string& node) const;  // in world
  Vector6 velocity(const std::string& node) const;   // angular, linear; in world
  Energy energy() const;                             // now
  double balance() const;                            // energy now - energy at the start - work + dissipated
  const VectorXd& accelerations();                   // (nv)
  Record record();                            // with forces and momentum; refers to this object, until the next change
  RunResult result() const;                   // steps, largest errors, validity up to now
  std::vector<std::string> warnings() const;  // assumptions of the model that did not hold
  const std::optional<Equilibrium>& equilibrium() const;  // the initial equilibrium, if the scenario requests it
  const ControlLoop* controller() const;                  // of the scenario; null: none
  const AttitudeLoop* attitude() const;                   // the scenario's attitude controller; null: none
  Tracking tracking() const;                              // of either; empty without one
  std::vector<ExternalChannel> control_channels() const;  // of either, for recordings

  // ---- ports: access by name, for other programs ----
  const std::vector<Port>& ports() const;                // all there are
  int port(const std::string& name) const;               // index.  Throws InputError for an unknown name
  void read(int port, Vec values);                       // its values now
  void write(int port, ConstVec values);                 // Throws InputError: an output, a wrong size, not finite
  VectorXd read(const std::string& port);                // the same by name
  void write(const std::string& port, ConstVec values);  // the same by name

  // ---- save and restore ----
  // Everything that the future depends on: after restore() the run continues bit for bit as after save(), also in
  // another Simulation of the same scenario.  cvode does not expose its history, so save() restarts it.
  SavedState save();
  void restore(const SavedState& saved);  // Throws InputError: of another simulation; this one is then unchanged
  void reset();                           // to the state after construction or set_state

 private:
  struct Impl;
  Owned<Impl> impl_;
};

// (body) those of Scenario::kept.
std::vector<std::uint8_t> kept_joints(const Scenario& scenario);

// The start state of a scenario: initial, or at equilibrium if requested, with closed chains closed.
//   holding (nv): torques that hold its held joints there; empty: it does not start in equilibrium.
// Throws InputError "FILE: ...".
State start_state(const Scenario& scenario, std::optional<Equilibrium>* equilibrium = nullptr,
                  VectorXd* holding = nullptr);

// Runs an action; adds the file of the scenario to an InputError.
template <class Action>
auto in_scenario(const Scenario& scenario, Action action) {
  try {
    return action();
  } catch (const InputError& e) {
    throw InputError(scenario.file.empty() ? e.what() : scenario.file + ": " + e.what());
  }
}

}  // namespace limber
