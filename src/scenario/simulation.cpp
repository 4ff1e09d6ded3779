// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scenario/simulation.hpp"

#include "scenario/simulation_impl.hpp"

namespace limber {
namespace {

constexpr double kSlowest = 1e-3, kFastest = 1e7;  // Hz, of a controller

void check_time(double t) {
  if (!std::isfinite(t)) throw InputError(fmt::format("advance_to({}): the time must be finite", t));
}

}  // namespace

void Simulation::Impl::read(const Port& port, Vec out) {
  const Joint& joint = model.joints[port.at.body];
  const State& x = loop->now().x;
  const Kinematics& kin = system.kinematics();
  switch (port.kind) {
    case PortKind::joint_torque:
    case PortKind::channel:
      evaluate();
      [[fallthrough]];
    case PortKind::joint_position:
    case PortKind::joint_velocity:
    case PortKind::body_modes:
    case PortKind::body_rates:
      channels[static_cast<std::size_t>(port.channel)].get(loop->record(), out.data());
      return;
    case PortKind::joint_effort:
      out = torques.segment(port.v, port.size());
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
  }
}

void Simulation::Impl::write(std::size_t index, ConstVec values) {
  const Port& port = ports[index];
  const Joint& joint = model.joints[port.at.body];
  if (port.direction != PortDirection::input)
    throw InputError(fmt::format("port {} is an output; it can only be read", show(port.name)));
  if (values.size() != port.size() || !values.allFinite())
    throw InputError(fmt::format("port {} takes a vector of {} finite numbers: {}", show(port.name), port.size(),
                                 fmt::join(port.components, ", ")));
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
Simulation::Simulation(std::shared_ptr<const Model> model, SolverOptions solver, Inputs inputs, State start)
    : Simulation(make_scenario(std::move(model), std::move(solver), std::move(inputs), std::move(start))) {}
Simulation::Simulation(Model model, SolverOptions solver, Inputs inputs, State start)
    : Simulation(std::make_shared<const Model>(std::move(model)), std::move(solver), std::move(inputs),
                 std::move(start)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const Model& Simulation::model() const { return impl_->model; }
const Scenario& Simulation::scenario() const { return impl_->scenario; }
double Simulation::time() const { return state().t; }
const State& Simulation::state() const { return impl_->loop->now().x; }

void Simulation::set_state(const State& x) {
  Impl& own = *impl_;
  State start = x;
  try {
    check_state(own.model, x);
    own.system.select_interval(start.t);
    own.system.assemble(start);
  } catch (const InputError& e) {
    own.loop->select_again();
    throw InputError(std::string("set_state: ") + e.what());
  }
  if (own.own_controller)  // starts again
    own.own_controller =
        std::make_unique<ControlLoop>(own.model, own.scenario.control->sensors, own.scenario.control->options);
  if (own.attitude) own.attitude->restart(start);
  own.join_loops();
  own.make_loop(start);
}

// The end of a step from now.  A thousand steps of 1 ms are one second, without rounding on the way.
double Simulation::Impl::end_of_step(double dt) {
  if (!(dt > 0) || !std::isfinite(dt))
    throw InputError(fmt::format("step({}): a step must be above 0 s and finite", dt));
  const double now = loop->now().x.t;
  const bool again = dt == step_size && now == step_from + static_cast<double>(step_count) * dt;
  if (!again) {
    step_from = now;
    step_size = dt;
    step_count = 0;
  }
  ++step_count;
  return step_from + static_cast<double>(step_count) * dt;
}

void Simulation::step(double dt) { advance_to(impl_->end_of_step(dt)); }
bool Simulation::step(double dt, RunListener& listener) { return advance_to(impl_->end_of_step(dt), listener); }

void Simulation::advance_to(double t) {
  check_time(t);
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
  check_time(t);
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
  if (std::isinf(options.duration))
    throw InputError("a simulation of a model alone has no end; call advance_to, or give a scenario with a duration");
  in_scenario(impl_->scenario, [&] { check_run(options); });
  const double start = impl_->first.t, done = time() - start;
  const long first = done <= 0 ? 0 : static_cast<long>(std::ceil(done / options.record_every * (1 - 1e-12)));
  if (!impl_->failed()) run_records(*impl_->loop, options, start, first, listener);
  impl_->evaluated = false;
  return impl_->loop->result();
}

void Simulation::set_torque(const std::string& speed, double torque) {
  if (!std::isfinite(torque)) throw InputError(fmt::format("set_torque: the torque on {} must be finite", show(speed)));
  impl_->torques[impl_->speed(speed)] = torque;
  impl_->set_torques();
}

void Simulation::set_torques(ConstVec torques) {
  if (torques.size() != model().nv || !torques.allFinite())
    throw InputError(fmt::format("set_torques: give {} finite numbers, one for each speed", model().nv));
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
  const int q = impl_->coordinate(coordinate);
  int joint = model().body_count() - 1;
  while (model().joints[joint].q > q) --joint;
  const int k = q - model().joints[joint].q;
  if (k >= speed_count(model().joints[joint].kind) || !impl_->system.is_prescribed(joint))
    throw InputError(fmt::format("the motion of {} is not prescribed; give its joint a motion among the inputs first",
                                 show(coordinate)));
  impl_->set_motion(joint, k, {position, velocity, acceleration});
}

void Simulation::set_controller(double rate, std::function<void(const State& x, Vec torques)> law) {
  if (!(rate >= kSlowest && rate <= kFastest))
    throw InputError(fmt::format("set_controller: the rate is {} Hz; it must lie between 0.001 and 1e7 Hz", rate));
  if (!law) throw InputError("set_controller: the torque law is empty; give it a function");
  impl_->sampler = std::make_unique<LawSampler>(rate, std::move(law));
  impl_->both.reset();
  impl_->own_controller.reset();
  if (impl_->attitude) impl_->attitude->restart(state());  // its thrusters fire no more
  impl_->same_driver = false;
  if (!impl_->loop->set_sampler(impl_->sampler.get())) impl_->fail();
  impl_->observe();
}

double Simulation::q(const std::string& coordinate) const { return state().q[impl_->coordinate(coordinate)]; }
double Simulation::v(const std::string& speed) const { return state().v[impl_->speed(speed)]; }
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
const AttitudeLoop* Simulation::attitude() const { return impl_->own_attitude(); }
Tracking Simulation::tracking() const {
  if (impl_->both) return impl_->both->tracking();
  if (const AttitudeLoop* attitude = impl_->own_attitude()) return attitude->tracking();
  return impl_->own_controller ? impl_->own_controller->tracking() : Tracking();
}
std::vector<ExternalChannel> Simulation::control_channels() const {
  if (impl_->both) return impl_->both->channels();
  if (const AttitudeLoop* attitude = impl_->own_attitude()) return attitude->channels();
  return impl_->own_controller ? impl_->own_controller->controller().channels() : std::vector<ExternalChannel>();
}

const std::vector<Port>& Simulation::ports() const { return impl_->ports; }
int Simulation::port(const std::string& name) const { return find_port(impl_->port_index, impl_->port_names, name); }
void Simulation::read(int port, Vec values) {
  const Port& one = impl_->checked_port(port);
  if (values.size() != one.size())
    throw InputError(
        fmt::format("port {}: the size of the vector must be {}, not {}", show(one.name), one.size(), values.size()));
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
