// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scenario/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "limber/control/two_loops.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/model/segments.hpp"
#include "limber/scenario/run.hpp"
#include "limber/simulate/time_loop.hpp"
#include "scenario/attitude_reader.hpp"
#include "scenario/simulation_parts.hpp"

namespace limber {
namespace {

constexpr int kSavedFormat = 2;
constexpr double kSamePosition = 1e-9;             // rad or m, between a prescribed motion and the joint position
constexpr double kSlowest = 1e-3, kFastest = 1e7;  // Hz, of a controller

std::unordered_map<std::string, int> index(const std::vector<std::string>& names) {
  std::unordered_map<std::string, int> out;
  for (std::size_t k = 0; k < names.size(); ++k) out.emplace(names[k], static_cast<int>(k));
  return out;
}

int find(const std::unordered_map<std::string, int>& places, const std::vector<std::string>& names,
         const std::string& name, const char* what) {
  if (const auto at = places.find(name); at != places.end()) return at->second;
  throw InputError(fmt::format("there is no {} {};{} there are {}", what, show(name), suggest(name, views(names)),
                               join(views(names), 12)));
}

}  // namespace

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
  double step_from = 0, step_size = 0;  // equal steps: time = from + count size
  long step_count = 0;
  SavedState initial;
  bool evaluated = false;
  std::unordered_map<std::string, int> coordinates, speeds, port_index;
  std::vector<Port> ports;
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
        coordinates(index(model.coordinates)),
        speeds(index(model.speeds)) {
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
    for (const Port& port : ports) {
      port_names.push_back(port.name);
      slot.push_back(port.kind == PortKind::node_force ? static_cast<int>(wrenches.size()) : -1);
      if (slot.back() >= 0) wrenches.push_back(Vector6::Zero());
    }
    port_index = index(port_names);
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
  bool failed() const { return loop->status() != Status::ok; }

  void evaluate() {
    if (failed() || (!evaluated && !loop->evaluate())) fail();
    evaluated = true;
  }

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

  void restore(const SavedState& saved) {
    Archive archive(saved.bytes);
    check(archive);
    transfer(archive);
    if (!archive.at_end()) throw InputError("the saved state is of another simulation: it is longer");
    observe();
  }

  void set_torques() {
    loop->set_torques(torques);
    evaluated = false;
  }

  void set_wrench(NodeRef at, Frame frame, const Vector6& wrench) {
    if (!wrench.allFinite()) throw InputError("the force on a node must be finite");
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

void Simulation::Impl::read(const Port& port, Vec out) {
  const Joint& joint = model.joints[port.at.body];
  const State& x = loop->now().x;
  const Kinematics& kin = system.kinematics();
  switch (port.kind) {
    case PortKind::joint_position:
      out = x.q.segment(port.q, port.size());
      return;
    case PortKind::joint_velocity:
      out = x.v.segment(port.v, port.size());
      return;
    case PortKind::joint_effort:
      out = torques.segment(port.v, port.size());
      return;
    case PortKind::joint_torque:
      evaluate();
      out = system.torques().segment(port.v, port.size());
      return;
    case PortKind::joint_motion:
      evaluate();
      for (int k = 0; k < speed_count(joint.kind); ++k)
        out.segment<3>(3 * k) << x.q[joint.q + k], x.v[joint.v + k], loop->accelerations()[joint.v + k];
      return;
    case PortKind::node_pose: {
      const Pose pose = node_pose(model, kin, port.at);
      const Eigen::Quaterniond turn(pose.R);
      out << pose.p, turn.w(), turn.vec();
      return;
    }
    case PortKind::node_velocity:
      out = node_velocity(model, kin, port.at, x.v);
      return;
    case PortKind::node_force:
      out = wrenches[static_cast<std::size_t>(slot[static_cast<std::size_t>(&port - ports.data())])];
      return;
    case PortKind::body_modes:
      out = x.q.segment(modes_of(model, port.at.body).q, port.size());
      return;
    case PortKind::body_rates:
      out = x.v.segment(modes_of(model, port.at.body).v, port.size());
      return;
  }
}

void Simulation::Impl::write(std::size_t index, ConstVec values) {
  const Port& port = ports[index];
  const Joint& joint = model.joints[port.at.body];
  if (port.direction != PortDirection::input)
    throw InputError(fmt::format("port {} is an output; it can only be read", show(port.name)));
  if (values.size() != port.size() || !values.allFinite())
    throw InputError(fmt::format("port {} takes {} finite numbers", show(port.name), port.size()));
  if (port.kind == PortKind::joint_effort) {
    torques.segment(port.v, port.size()) = values;
    set_torques();
  } else if (port.kind == PortKind::node_force) {
    wrenches[static_cast<std::size_t>(slot[index])] = values;
    set_wrench(port.at, Frame::world, values);
  } else {
    for (int k = 0; k < speed_count(joint.kind); ++k)
      set_motion(port.at.body, k, {values[3 * k], values[3 * k + 1], values[3 * k + 2]});
  }
}

// ---- public interface --------------------------------------------------------------------------------

Simulation::Simulation(Scenario scenario) : Simulation(std::move(scenario), nullptr) {}
Simulation::Simulation(Scenario scenario, std::unique_ptr<Sampler> controller)
    : impl_(std::make_unique<Impl>(std::move(scenario), std::move(controller))) {}
Simulation::Simulation(std::shared_ptr<const Model> model, SolverOptions solver, Inputs inputs)
    : Simulation(make_scenario(std::move(model), std::move(solver), std::move(inputs))) {}
Simulation::Simulation(Model model, SolverOptions solver, Inputs inputs)
    : Simulation(std::make_shared<const Model>(std::move(model)), std::move(solver), std::move(inputs)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const Model& Simulation::model() const { return impl_->model; }
const Scenario& Simulation::scenario() const { return impl_->scenario; }
double Simulation::time() const { return state().t; }
const State& Simulation::state() const { return impl_->loop->now().x; }

void Simulation::set_state(const State& x) {
  Impl& own = *impl_;
  in_scenario(own.scenario, [&] { check_state(own.model, x); });
  State start = x;
  in_scenario(own.scenario, [&] {
    own.system.select_interval(start.t);
    own.system.assemble(start);
  });
  if (own.own_controller)  // starts again
    own.own_controller =
        std::make_unique<ControlLoop>(own.model, own.scenario.control->sensors, own.scenario.control->options);
  if (own.attitude) own.attitude->restart(start);
  own.join_loops();
  own.make_loop(start);
}

void Simulation::step(double dt) {
  if (!(dt > 0)) throw InputError("a step must be above 0 s");
  // A thousand steps of 1 ms are one second, without rounding on the way.
  Impl& own = *impl_;
  const bool again = dt == own.step_size && time() == own.step_from + static_cast<double>(own.step_count) * dt;
  if (!again) {
    own.step_from = time();
    own.step_size = dt;
    own.step_count = 0;
  }
  ++own.step_count;
  advance_to(own.step_from + static_cast<double>(own.step_count) * dt);
}

void Simulation::advance_to(double t) {
  if (!std::isfinite(t)) throw InputError("advance_to needs a finite time");
  if (impl_->loop->advance_to(t) != TimeLoop::Outcome::reached) impl_->fail();
  impl_->observe();
}

bool Simulation::advance_to(double t, RunListener& listener) {
  struct Watch : RunListener {
    explicit Watch(RunListener& of) : told(of) {}
    bool go_on(double now, const StepCounts& counts) override {
      reached = now;
      return told.go_on(now, counts);
    }
    RunListener& told;
    double reached = 0;
  } watch(listener);
  if (!std::isfinite(t)) throw InputError("advance_to needs a finite time");
  TimeLoop& loop = *impl_->loop;
  TimeLoop::Outcome outcome = loop.advance_to(t, &watch);
  const bool all = outcome == TimeLoop::Outcome::reached;
  if (outcome == TimeLoop::Outcome::interrupted) outcome = loop.advance_to(watch.reached);  // shows the time reached
  if (outcome != TimeLoop::Outcome::reached) impl_->fail();
  impl_->observe();
  return all;
}

RunResult Simulation::run(RunListener& listener) {
  const RunOptions& options = impl_->scenario.run;
  in_scenario(impl_->scenario, [&] { check_run(options); });
  const double start = impl_->first.t, done = time() - start;
  const long first = done <= 0 ? 0 : static_cast<long>(std::ceil(done / options.record_every * (1 - 1e-12)));
  if (!impl_->failed()) run_records(*impl_->loop, options, start, first, listener);
  impl_->evaluated = false;
  return impl_->loop->result();
}

void Simulation::set_torque(const std::string& speed, double torque) {
  if (!std::isfinite(torque)) throw InputError(fmt::format("the torque on {} must be finite", show(speed)));
  impl_->torques[find(impl_->speeds, model().speeds, speed, "speed")] = torque;
  impl_->set_torques();
}

void Simulation::set_torques(ConstVec torques) {
  if (torques.size() != model().nv || !torques.allFinite())
    throw InputError(fmt::format("torques: {} finite numbers are needed, one for each speed", model().nv));
  impl_->torques = torques;
  impl_->set_torques();
}

void Simulation::set_force(const std::string& node, const Vector3d& force, Frame frame) {
  Vector6 wrench = Vector6::Zero();
  wrench.tail<3>() = force;
  set_wrench(node, wrench, frame);
}

void Simulation::set_wrench(const std::string& node, const Vector6& wrench, Frame frame) {
  const NodeRef at = find_node(model(), node);
  impl_->set_wrench(at, frame, wrench);
  const auto port = impl_->port_index.find(node + "/force");
  if (frame == Frame::world && port != impl_->port_index.end())
    impl_->wrenches[static_cast<std::size_t>(impl_->slot[static_cast<std::size_t>(port->second)])] = wrench;
}

void Simulation::set_motion(const std::string& coordinate, double position, double velocity, double acceleration) {
  const int q = find(impl_->coordinates, model().coordinates, coordinate, "coordinate");
  int joint = model().body_count() - 1;
  while (model().joints[joint].q > q) --joint;
  const int k = q - model().joints[joint].q;
  if (k >= speed_count(model().joints[joint].kind) || !impl_->system.is_prescribed(joint))
    throw InputError(
        fmt::format("the motion of {} is not prescribed; give it one among the inputs first", show(coordinate)));
  impl_->set_motion(joint, k, {position, velocity, acceleration});
}

void Simulation::set_controller(double rate, std::function<void(const State& x, Vec torques)> law) {
  if (!(rate >= kSlowest && rate <= kFastest))
    throw InputError("the rate of a controller must lie between 0.001 and 1e7 Hz");
  if (!law) throw InputError("the law of the controller is empty; give it a function");
  impl_->sampler = std::make_unique<LawSampler>(rate, std::move(law));
  impl_->both.reset();
  impl_->own_controller.reset();
  impl_->same_driver = false;
  if (!impl_->loop->set_sampler(impl_->sampler.get())) impl_->fail();
  impl_->observe();
}

double Simulation::q(const std::string& coordinate) const {
  return state().q[find(impl_->coordinates, model().coordinates, coordinate, "coordinate")];
}
double Simulation::v(const std::string& speed) const {
  return state().v[find(impl_->speeds, model().speeds, speed, "speed")];
}
Pose Simulation::pose(const std::string& node) const {
  return node_pose(model(), impl_->system.kinematics(), find_node(model(), node));
}
Vector3d Simulation::position(const std::string& node) const { return pose(node).p; }
Vector6 Simulation::velocity(const std::string& node) const {
  return node_velocity(model(), impl_->system.kinematics(), find_node(model(), node), state().v);
}
Energy Simulation::energy() const { return impl_->loop->record().energy; }
double Simulation::balance() const { return impl_->loop->record().balance; }
const VectorXd& Simulation::accelerations() {
  impl_->evaluate();
  return impl_->loop->accelerations();
}
Record Simulation::record() {
  impl_->evaluate();
  return impl_->loop->record();
}
RunResult Simulation::result() const { return impl_->loop->result(); }
std::vector<std::string> Simulation::warnings() const {
  return limber::warnings(model(), impl_->loop->result().validity);
}
const std::optional<Equilibrium>& Simulation::equilibrium() const { return impl_->equilibrium; }
const ControlLoop* Simulation::controller() const { return impl_->own_controller.get(); }
const AttitudeLoop* Simulation::attitude() const { return impl_->attitude.get(); }
Tracking Simulation::tracking() const {
  if (impl_->both) return impl_->both->tracking();
  if (impl_->attitude) return impl_->attitude->tracking();
  return impl_->own_controller ? impl_->own_controller->tracking() : Tracking();
}
std::vector<ExternalChannel> Simulation::control_channels() const {
  if (impl_->both) return impl_->both->channels();
  if (impl_->attitude) return impl_->attitude->channels();
  return impl_->own_controller ? impl_->own_controller->controller().channels() : std::vector<ExternalChannel>();
}

const std::vector<Port>& Simulation::ports() const { return impl_->ports; }
int Simulation::port(const std::string& name) const { return find(impl_->port_index, impl_->port_names, name, "port"); }
void Simulation::read(int port, Vec values) {
  const Port& one = impl_->checked_port(port);
  if (values.size() != one.size()) throw InputError(fmt::format("port {} has {} numbers", show(one.name), one.size()));
  impl_->read(one, values);
}
void Simulation::write(int port, ConstVec values) {
  impl_->checked_port(port);
  impl_->write(static_cast<std::size_t>(port), values);
}
VectorXd Simulation::read(const std::string& name) {
  const int at = port(name);
  VectorXd out(impl_->ports[static_cast<std::size_t>(at)].size());
  read(at, out);
  return out;
}
void Simulation::write(const std::string& name, ConstVec values) { write(port(name), values); }

SavedState Simulation::save() { return impl_->save(); }
void Simulation::restore(const SavedState& saved) { impl_->restore(saved); }
void Simulation::reset() {
  Impl& own = *impl_;
  if (own.initial.bytes.empty()) own.fail();  // it was never started
  if (own.same_driver) return own.restore(own.initial);
  // With another controller than at the start.
  own.torques.setZero();
  for (Vector6& wrench : own.wrenches) wrench.setZero();
  own.system.clear_control();
  own.make_loop(own.first);
}

}  // namespace limber
