// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/control/two_loops.hpp"
#include "limber/scenario/run.hpp"
#include "limber/simulate/time_loop.hpp"
#include "scenario/attitude_reader.hpp"
#include "scenario/simulation_parts.hpp"

namespace limber {

inline constexpr int kSavedFormat = 3;
inline constexpr double kSamePosition = 1e-9;  // rad or m, between a prescribed motion and the joint position

struct Simulation::Impl {
  Scenario scenario;
  const Model& model;
  std::unique_ptr<ControlLoop> own_controller;
  std::unique_ptr<Sampler> sampler;
  std::unique_ptr<AttitudeLoop> attitude;
  std::unique_ptr<TwoLoops> both;
  System system;
  std::optional<Equilibrium> equilibrium;
  std::unique_ptr<TimeLoop> loop;
  State first;                          // state at the start of the loop
  bool same_driver = true;              // it still has the driver it started with
  bool lost = false;                    // it had failed, and a restore() after that did, too
  double step_from = 0, step_size = 0;  // equal steps: time = from + count size
  long step_count = 0;
  SavedState initial;
  bool evaluated = false;
  NameIndex coordinates, speeds, port_index;
  std::vector<Port> ports;
  std::vector<Channel> channels;  // by Port::channel
  std::vector<std::string> port_names;
  std::vector<int> slot;          // (port) of a node: index of its wrench
  std::vector<Vector6> wrenches;  // given, in world
  VectorXd torques;               // (nv) given
  VectorXd holding;               // (nv) initial torques of the controller; empty: none

  Impl(Scenario scenario_, std::unique_ptr<Sampler> sampler_)
      : scenario(complete_scenario(std::move(scenario_))),
        model(*scenario.model),
        sampler(std::move(sampler_)),
        attitude(sampler ? nullptr : make_attitude(scenario)),
        system(in_scenario(scenario, [&] { return System(model, all_inputs(), scenario.solver.algorithm); })),
        coordinates(make_index(model.coordinates)),
        speeds(make_index(model.speeds)) {
    if (!sampler && scenario.control) {
      own_controller = in_scenario(scenario, [&] {
        return std::make_unique<ControlLoop>(model, scenario.control->sensors, scenario.control->options);
      });
    }
    join_loops();
    list_ports();
    torques.setZero(model.nv);
    const State x = start_state(scenario, &equilibrium, &holding);
    if (own_controller && holding.size() > 0) {
      const Status status = in_scenario(scenario, [&] { return own_controller->hold(x, holding); });
      if (status != Status::ok) throw NumericalError(own_controller->failure());
    }
    system.keep(kept_joints(scenario));
    make_loop(scenario.equilibrium ? x : scenario.initial);  // keeps the notes on changes made by assembly
    holding.resize(0);                                       // valid for this start only
  }

  // Adds thrusters and actuators.
  Inputs all_inputs() {
    Inputs out = with_thrusters(scenario.inputs, attitude.get());
    if (!scenario.control) return out;
    return with_actuators(std::move(out), driven_joints(scenario),
                          [this] { return dynamic_cast<const ActuatorForces*>(driver()); });
  }

  void list_ports() {
    std::vector<bool> prescribed;
    for (int i = 0; i < model.body_count(); ++i) prescribed.push_back(system.is_prescribed(i));
    ports = limber::list_ports(model, prescribed);
    channels = port_channels(model);
    for (const Port& port : ports) {
      port_names.push_back(port.name);
      slot.push_back(port.kind == PortKind::node_force ? static_cast<int>(wrenches.size()) : -1);
      if (slot.back() >= 0) wrenches.push_back(Vector6::Zero());
    }
    port_index = make_index(port_names);
  }

  // Connects attitude and joint control.
  void join_loops() {
    both.reset();
    if (!attitude || !own_controller) return;
    both = in_scenario(scenario, [&] { return std::make_unique<TwoLoops>(model, *attitude, *own_controller); });
  }

  Sampler* own() {
    if (both) return both.get();
    return attitude ? static_cast<Sampler*>(attitude.get()) : own_controller.get();
  }
  Sampler* driver() { return sampler ? sampler.get() : own(); }
  // nullptr: none, or replaced by set_controller.
  const AttitudeLoop* own_attitude() const { return sampler ? nullptr : attitude.get(); }

  void make_loop(const State& x) {
    loop = std::make_unique<TimeLoop>(system, scenario.solver, scenario.run.duration, driver());
    loop->set_torques(torques);
    if (driver() != nullptr && holding.size() > 0) {  // until its first sample
      VectorXd at_joints = torques + holding;
      const DrivenJoints driven = scenario.control ? driven_joints(scenario) : DrivenJoints();
      for (int k = 0; k < driven.size(); ++k) {
        if (driven.actuator(k) >= 0) at_joints[driven.v[k]] = 0;
      }
      system.set_control_torques(at_joints);
    }
    first = x;
    same_driver = true;
    if (!loop->start(x)) return;  // reported by the first step
    observe();
    initial = save();
  }

  void observe() {
    loop->observe();
    evaluated = false;
  }

  [[noreturn]] void fail() {
    const RunResult& result = loop->result();
    const std::string why = result.failure.empty() ? to_string(result.status) : result.failure;
    throw NumericalError(scenario.file.empty() ? why : scenario.file + ": " + why);
  }
  bool failed() const { return lost || loop->status() != Status::ok; }

  void evaluate() {
    if (failed() || (!evaluated && !loop->evaluate())) fail();
    evaluated = true;
  }

  double end_of_step(double dt);
  // In the order in which they are read back.
  void transfer(Archive& archive) {
    archive(*loop, torques, first, step_from, step_size, step_count);
    for (Vector6& wrench : wrenches) {
      for (double& x : wrench) archive(x);
    }
  }

  // Checks that a saved state belongs to this simulation.
  void check(Archive& archive) {
    int format = kSavedFormat, nq = model.nq, nv = model.nv;
    std::string name = model.name, method = scenario.solver.method;
    double period = driver() != nullptr ? driver()->period() : 0;
    const auto own = std::make_tuple(format, nq, nv, name, method, period);
    archive(format, nq, nv, name, method, period);
    if (own != std::make_tuple(format, nq, nv, name, method, period))
      throw InputError("the saved state is of another simulation: model, method or controller differ");
  }

  SavedState save() {
    if (failed()) fail();
    Archive archive;
    check(archive);
    transfer(archive);
    return {archive.bytes()};
  }

  // A state that does not fit is found while it is read: then back to the state before, if there is one.
  void restore(const SavedState& saved) {
    Archive archive(saved.bytes), before;
    check(archive);
    if (!failed()) transfer(before);
    try {
      transfer(archive);
      if (!archive.at_end()) throw InputError("the saved state is of another simulation: it is longer");
      lost = false;
    } catch (const Error&) {
      lost = failed();
      Archive back(before.bytes());
      if (!lost) transfer(back);
      if (!lost) observe();
      throw;
    }
    observe();
  }

  // As those of Model, without a search.
  int coordinate(const std::string& name) const {
    const auto at = coordinates.find(name);
    return at != coordinates.end() ? at->second : model.coordinate(name);
  }
  int speed(const std::string& name) const {
    const auto at = speeds.find(name);
    return at != speeds.end() ? at->second : model.speed(name);
  }

  void set_torques() {
    loop->set_torques(torques);
    evaluated = false;
  }

  void set_wrench(NodeRef at, Frame frame, const Vector6& wrench) {
    if (!wrench.allFinite()) throw InputError("the force and torque on a node must be finite");
    system.set_control_wrench(at, frame, wrench);
    loop->inputs_changed();
    evaluated = false;
  }

  void set_motion(int joint, int k, const Jet& motion) {
    const double there = loop->now().x.q[model.joints[joint].q + k];
    if (!(std::abs(motion.value - there) <= kSamePosition * std::max(1.0, std::abs(there))) ||
        !std::isfinite(motion.rate) || !std::isfinite(motion.acceleration))
      throw InputError(fmt::format(
          "the motion of '{}' jumps from {} to {} at t = {} s; a joint cannot jump; start from its present position",
          model.speeds[model.joints[joint].v + k], there, motion.value, loop->now().x.t));
    system.set_control_motion(joint, k, loop->now().x.t, motion);
    loop->inputs_changed();
    evaluated = false;
  }

  const Port& checked_port(int port) const {
    if (port < 0 || port >= static_cast<int>(ports.size()))
      throw InputError(fmt::format("there is no port {}; there are {}, counted from 0", port, ports.size()));
    return ports[static_cast<std::size_t>(port)];
  }
  void read(const Port& port, Vec out);
  void write(std::size_t index, ConstVec values);
};

}  // namespace limber
