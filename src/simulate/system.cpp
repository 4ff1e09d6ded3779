// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "limber/dynamics/detail/aba.hpp"
#include "limber/model/detail/layout.hpp"
#include "limber/model/drive.hpp"
#include "limber/simulate/detail/element_forces.hpp"
#include "limber/spatial/detail/text.hpp"
#include "simulate/backlash.hpp"
#include "simulate/drive_limits.hpp"
#include "simulate/friction_forces.hpp"

namespace limber {
namespace {

// Weight of the stiffness, s^2, in the metric of projections onto closures: modes above some rad/s yield less than
// joints do.
constexpr double kStiffMetric = 1;

// A speed above which a singular mass matrix is a consequence of divergence, not its cause.
constexpr double kRunAway = 1e6;

std::string at_time(double t) { return " at t = " + text(t) + " s"; }

// Damping power of joints, transmissions and modes.
double damping_power(const Layout& layout, const double* v) {
  double sum = 0;
  for (std::size_t i = 1; i < layout.links.size(); ++i) {
    const Link& link = layout.links[i];
    for (int k = 0; k < link.nr; ++k) sum += link.damping[k] * v[link.v + k] * v[link.v + k];
    if (link.motor.v != 0 && link.motor.gap == 0) {
      const double rate = link.motor.rate(v + link.v);
      sum += link.motor.damping * rate * rate;
    }
    if (link.n == 0) continue;
    const double *D = link.constants->D.data(), *rate = v + link.vm;
    if (link.constants->elastic_diagonal) {
      for (int a = 0; a < link.n; ++a) sum += D[a] * rate[a] * rate[a];
    } else {
      const Eigen::Map<const VectorXd> rates(rate, link.n);
      sum += rates.dot(Eigen::Map<const MatrixXd>(D, link.n, link.n).lazyProduct(rates));
    }
  }
  return sum;
}

// When a stop is met: sets the damping for its coefficient of restitution, for the inertia at that instant.
void set_restitution(const State& x, const std::vector<std::uint8_t>& prescribed, AbaWorkspace& ws, VectorXd& unit,
                     const Model& model, StopContact& stop) {
  if (!model.contacts) return;
  for (const StopRestitution& given : model.contacts->stops) {
    if (given.joint != stop.joint || prescribed[static_cast<std::size_t>(stop.joint)] != 0) continue;
    if (factor_mass(model, x, ws, prescribed) != Status::ok) return;
    unit.setZero();
    unit[stop.v] = 1;
    const double compliance = compute_quadratic_inverse(model, unit, ws);
    if (compliance > 0) stop.damping = damping_of_restitution(given.coefficient, stop.stiffness, 1 / compliance);
  }
}

}  // namespace

System::System(System&&) noexcept = default;
System::~System() = default;

System::System(const Model& model, Inputs inputs, const std::string& algorithm)
    : model_(model), inputs_(std::move(inputs)), aba_(model), rnea_(model) {
  check_inputs(model, inputs_);
  if (algorithm != "aba") {
    other_ = make_tree_dynamics(model, algorithm);
    if (!inputs_.motions.empty() || !inputs_.gravities.empty()) {
      throw InputError("algorithm '" + algorithm +
                       "' does not support prescribed motions or gravity inputs; choose aba");
    }
  }
  breaks_ = limber::breaks(inputs_);
  prescribed_.assign(model.bodies.size(), 0);
  for (const MotionInput& input : inputs_.motions) prescribed_[input.joint] = 1;
  kept_ = prescribed_;
  for (const WrenchInput& input : inputs_.wrenches) wrenches_.push_back({input.at, Vector6::Zero(), input.frame});
  for (const WrenchLaw& law : inputs_.laws) wrenches_.push_back({law.at, Vector6::Zero(), law.frame});
  control_motions_.resize(static_cast<std::size_t>(model.nv));
  after_ = make_zero_state(model);
  tau_.setZero(model.nv);
  control_torques_ = stop_ = dry_ = spare_ = total_ = torque_ = needed_ = last_ = tau_;
  axial_.setZero(model.body_count());
  add_stops();
  friction_ = FrictionForces::make(model, inputs_, prescribed_);
  friction_shown_.setZero(model.nv + 2 * model.body_count());
  gaps_ = BacklashForces::make(model);
  limits_ = DriveLimits::make(model, prescribed_);
  if (has_elements(model)) elements_ = std::make_unique<ElementForces>(model, prescribed_);
  if (!model.closures.empty()) {
    closures_ = std::make_unique<ClosureWorkspace>(model);
    stiff_ = std::make_unique<AbaWorkspace>(model);
    limber::set_implicit(model, 0, kStiffMetric, tau_, *stiff_);
    closure_force_ = closures_->forces();
    closure_error_ = VectorXd::Zero(model.closures.size());
  }
  const std::size_t held = elements_ ? elements_->loads.nodes().size() : 0;
  outer_.reserve(wrenches_.size() + 2 * model.closures.size() + held);
}

void System::add_stops() {
  for (int i = 1; i < model_.body_count(); ++i) {
    const Joint& joint = model_.joints[i];
    if (!joint.stop) continue;
    const JointStop& stop = *joint.stop;
    int motion = static_cast<int>(inputs_.motions.size()) - 1;
    while (motion >= 0 && inputs_.motions[motion].joint != i) --motion;
    const auto add = [&](double bound, double sign) {
      if (!std::isfinite(bound)) return;
      stops_.push_back({i, joint.q, joint.v, bound, sign, stop.stiffness, stop.damping, motion});
    };
    add(stop.upper, 1);
    add(stop.lower, -1);
  }
}

void System::set_control_torques(ConstVec torques) {
  if (torques.size() != model_.nv) {
    throw InputError("control torques: " + std::to_string(torques.size()) + " are given, but the model has " +
                     std::to_string(model_.nv) + " speeds; give one for each");
  }
  control_torques_ = torques;
}

void System::set_control_wrench(NodeRef at, Frame frame, const Vector6& wrench) {
  for (ControlWrench& own : control_wrenches_) {
    if (own.at.body != at.body || own.at.node != at.node || own.frame != frame) continue;
    Eigen::Map<Vector6>(own.wrench.data()) = wrench;
    return;
  }
  check_inputs(model_, {{}, {}, {{at, frame, {}, "control wrench"}}, {}, {}, {}});
  control_wrenches_.push_back({at, frame});
  Eigen::Map<Vector6>(control_wrenches_.back().wrench.data()) = wrench;
  wrenches_.push_back({at, wrench, frame});
}

void System::set_control_motion(int joint, int coordinate, double t, const Jet& motion) {
  if (joint <= kGround || joint >= model_.body_count() || !is_prescribed(joint) || coordinate < 0 ||
      coordinate >= speed_count(model_.joints[joint].kind)) {
    const bool known = joint > kGround && joint < model_.body_count();
    throw InputError("joint '" + (known ? model_.joints[joint].name : std::to_string(joint)) +
                     "' has no prescribed motion; give it one among the inputs first");
  }
  control_motions_[static_cast<std::size_t>(model_.joints[joint].v + coordinate)] = {true, t, motion.value, motion.rate,
                                                                                     motion.acceleration};
}

void System::set_control_force(int element, double force) {
  check_inputs(model_, {{}, {}, {}, {}, {}, {{element, Signal(), "control force"}}});
  elements_->control[static_cast<std::size_t>(element)] = force;
}

const VectorXd& System::element_values() const {
  static const VectorXd none;
  return elements_ ? elements_->values : none;
}

void System::clear_control() {
  control_torques_.setZero();
  for (ControlWrench& own : control_wrenches_) own.wrench = {};
  for (ControlMotion& own : control_motions_) own = {};
  if (elements_) std::fill(elements_->control.begin(), elements_->control.end(), 0.0);
}

Jet System::motion(const MotionInput& input, std::size_t k, double t) const {
  const ControlMotion& own = control_motions_[static_cast<std::size_t>(model_.joints[input.joint].v) + k];
  return own.active ? own.at(t) : input.motion[k].at(t, inside_);
}

void System::transfer(Archive& archive) {
  archive(inside_, rank_, control_torques_, control_motions_, control_wrenches_, implicit_c_D_, implicit_c_K_);
  for (StopContact& stop : stops_) archive(stop.phase, stop.damping);
  if (friction_) friction_->transfer(archive);
  if (gaps_) gaps_->transfer(archive);
  if (limits_) limits_->transfer(archive);
  if (elements_) elements_->transfer(archive);
  if (!archive.reads()) return;
  wrenches_.resize(inputs_.wrenches.size() + inputs_.laws.size());
  for (const ControlWrench& own : control_wrenches_) wrenches_.push_back({own.at, own.vector(), own.frame});
  if (implicit_c_D_ > 0) set_implicit(implicit_c_D_, implicit_c_K_);
}

void System::prescribe(State& x) const {
  for (const MotionInput& input : inputs_.motions) {
    const Joint& joint = model_.joints[input.joint];
    for (std::size_t k = 0; k < input.motion.size(); ++k) {
      const Jet jet = motion(input, k, x.t);
      x.q[joint.q + k] = jet.value;
      x.v[joint.v + k] = jet.rate;
    }
  }
}

Status System::apply_jump(Motion& m) {
  constexpr double kSame = 1e-12;
  State& after = after_;
  after = m.x;
  prescribe(after);
  VectorXd& dv = total_;
  dv = after.v - m.x.v;
  if (dv.lpNorm<Eigen::Infinity>() <= kSame * std::max(1.0, after.v.lpNorm<Eigen::Infinity>())) return Status::ok;
  const double before = compute_energy(model_, m.x, rnea_).kinetic;
  const Status status = hybrid_impulse(model_, m.x, prescribed_, aba_, dv);
  if (status != Status::ok) return explain(status, m.x, dv, aba_.failure());
  m.x.v += dv;
  prescribe(m.x);
  if (closures_) {
    // M dv = impulse + J_c^T Lambda with J_c (v + dv) = 0: the impulses of the closures leave prescribed speeds
    // unchanged.
    const Status closed = project_velocity(model_, m.x, prescribed_, aba_, *closures_);
    if (closed == Status::no_convergence) {
      failure_ = "the closures cannot be satisfied after the jump of a prescribed speed" + at_time(m.x.t) +
                 ": prescribed motions work against them";
      return closed;
    }
    if (closed != Status::ok) return explain(closed, m.x, m.x.v, aba_.failure());
  }
  m.work += compute_energy(model_, m.x, rnea_).kinetic - before;
  return Status::ok;
}

// Evaluates the inputs at a state.
Status System::gather(const State& x) {
  const auto value = [&](const Signal& signal, const std::string& label) {
    const double y = signal.value(x.t, inside_);
    if (!std::isfinite(y)) failure_ = label + " is not finite" + at_time(x.t);
    return y;
  };
  failure_.clear();
  tau_ = control_torques_;
  if (limits_) limits_->apply(false, x, tau_);
  for (const SpeedInput& input : inputs_.speeds)
    tau_[input.speed] += force_of_command(model_, input, value(input.force, input.label), x.v[input.speed]);
  for (std::size_t i = 0; i < inputs_.wrenches.size(); ++i) {
    const WrenchInput& input = inputs_.wrenches[i];
    for (int k = 0; k < 6; ++k) wrenches_[i].wrench[k] = value(input.wrench[k], input.label);
  }
  if (!inputs_.laws.empty() || !control_wrenches_.empty()) gather_wrenches(x);
  gravity_.setZero();
  for (const GravityInput& input : inputs_.gravities) {
    for (int k = 0; k < 3; ++k) gravity_[k] += value(input.gravity[k], input.label);
  }
  if (!stops_.empty()) stop_.setZero();
  for (const StopContact& stop : stops_) {
    if (stop.phase != StopContact::Phase::pushing) continue;
    stop_[stop.v] -= stop.sign * stop.stiffness * stop.push(x.q[stop.q], x.v[stop.v]);
  }
  if (limits_) limits_->apply(true, x, tau_);
  total_ = tau_ + stop_;
  if (gaps_) gaps_->add(x, total_);
  if (friction_) {
    set_drive_loads(x);
    dry_.setZero();
    friction_->add(x, dry_, friction_shown_);
    total_ += dry_;
  }
  if (elements_) {
    std::vector<double>& commands = elements_->commands;
    std::copy(elements_->control.begin(), elements_->control.end(), commands.begin());
    for (const ElementInput& input : inputs_.elements)
      commands[static_cast<std::size_t>(input.element)] += value(input.force, input.label);
    elements_->compute(x, compute_kinematics(x));
    total_ += elements_->loads.torques();
    if (!elements_->loads.finite()) failure_ = "the force of an element or a contact is not finite" + at_time(x.t);
  }
  return failure_.empty() ? Status::ok : Status::not_finite;
}

// Wrenches of laws and of set_control_wrench.
void System::gather_wrenches(const State& x) {
  std::size_t next = inputs_.wrenches.size();
  if (!inputs_.laws.empty()) compute_kinematics(x);
  for (const WrenchLaw& law : inputs_.laws) {
    wrenches_[next].wrench = law.wrench(x, rnea_.kinematics());
    if (!wrenches_[next++].wrench.allFinite()) failure_ = law.label + " is not finite" + at_time(x.t);
  }
  for (const ControlWrench& own : control_wrenches_) wrenches_[next++].wrench = own.vector();
}

Status System::solve(const State& x, AbaWorkspace& ws, Vec vdot, Powers* powers) {
  if (!inputs_.gravities.empty()) set_gravity(model_.gravity + gravity_, ws->kin);
  const std::span<const NodeWrench> acting =
      elements_ ? elements_->with(wrenches_) : std::span<const NodeWrench>(wrenches_);
  Status status;
  if (inputs_.motions.empty()) {
    status = other_ ? (*other_)(x, {total_, acting}, vdot) : aba(model_, x, {total_, acting}, ws, vdot);
    torque_ = tau_;
  } else {
    for (const MotionInput& input : inputs_.motions) {
      const int v = model_.joints[input.joint].v;
      for (std::size_t k = 0; k < input.motion.size(); ++k) {
        const double a = motion(input, k, x.t).acceleration;
        vdot[v + k] = a;
        if (std::isfinite(a)) continue;
        failure_ = input.label + ": its second derivative is not finite" + at_time(x.t);
        return Status::not_finite;
      }
    }
    status = hybrid(model_, x, {total_, acting}, prescribed_, ws, vdot, needed_);
  }
  if (status != Status::ok) return explain(status, x, vdot, other_ ? other_->failure() : ws.failure());
  const bool implicit = &ws == implicit_.get();
  if (elements_ && implicit && !closures_) elements_->correct(ws, vdot);
  if (!inputs_.motions.empty()) {
    if (elements_ && implicit && !closures_) elements_->correct_needed(ws, needed_);
    torque_ = tau_;
    take_needed_torques();
  }
  if (closures_) {
    if (status = close(x, ws, vdot); status != Status::ok) return status;
    if (elements_ && implicit) {
      status = elements_->correct_closed(ws, *closures_, vdot, closure_force_);
      if (status != Status::ok) return explain(status, x, vdot, -1);
      elements_->correct_needed(ws, needed_);
      take_needed_torques();
    }
  }
  if (powers != nullptr) *powers = compute_powers(x, ws);
  last_ = vdot;
  return Status::ok;
}

std::vector<Saturation> System::saturation() const {
  std::vector<Saturation> out = limits_ ? limits_->saturation(model_) : std::vector<Saturation>{};
  const std::vector<Saturation> slips = friction_ ? friction_->slips(model_) : std::vector<Saturation>{};
  out.insert(out.end(), slips.begin(), slips.end());
  return out;
}

Status System::count_limits(const State& x, double span) {
  if (friction_) friction_->count(span);
  if (!limits_) return Status::ok;
  const Status status = gather(x);
  limits_->count(span);
  return status;
}

double System::take_released() {
  const double of_friction = friction_ ? std::exchange(friction_->released, 0.0) : 0;
  return of_friction + (elements_ ? elements_->loads.take_heat() : 0);
}

void System::take_needed_torques() {
  for (const MotionInput& input : inputs_.motions) {
    const int v = model_.joints[input.joint].v;
    for (std::size_t k = 0; k < input.motion.size(); ++k) {
      torque_[v + k] = needed_[v + k] - stop_[v + k] - dry_[v + k];
      if (elements_) torque_[v + k] -= elements_->loads.torques()[v + k];
    }
    if (gaps_) torque_[v] -= gaps_->extra(input.joint);
  }
}

Status System::accelerate(const State& x, Vec vdot, Powers* powers) {
  if (const Status status = gather(x); status != Status::ok) return status;
  return solve_loaded(x, aba_, vdot, powers);
}

void System::set_implicit(double c_D, double c_K) {
  if (!implicit_) implicit_ = std::make_unique<AbaWorkspace>(model_);
  implicit_c_D_ = c_D;
  implicit_c_K_ = c_K;
  total_.setZero();
  for (const StopContact& stop : stops_) {
    if (stop.phase == StopContact::Phase::pushing) total_[stop.v] += c_D * stop.damping + c_K * stop.stiffness;
  }
  if (friction_) friction_->add_implicit(c_D, c_K, total_);
  add_back_emf(model_, inputs_, c_D, total_);
  if (elements_) {
    elements_->loads.joint_slopes(needed_, torque_);
    total_ += (-c_K * needed_ - c_D * torque_).cwiseMax(0);
  }
  limber::set_implicit(model_, c_D, c_K, total_, *implicit_,
                       gaps_ ? std::span<const std::uint8_t>(gaps_->open) : std::span<const std::uint8_t>{});
}

Status System::accelerate_implicit(const State& x, Vec a, Powers* powers) {
  if (const Status status = gather(x); status != Status::ok) return status;
  add_implicit_force(model_, *implicit_, a, total_);
  if (elements_) elements_->add_implicit(rnea_.kinematics(), implicit_c_D_, implicit_c_K_, a);
  return solve_loaded(x, *implicit_, a, powers);
}

// Power of the inputs on the speeds, and dissipation in modes, joints and stops.
Powers System::compute_powers(const State& x, AbaWorkspace& ws) {
  Powers powers;
  powers.dissipated = damping_power(*model_.layout, x.v.data());
  for (const StopContact& stop : stops_) powers.dissipated += stop.dissipation(x.q[stop.q], x.v[stop.v]);
  if (gaps_) powers.dissipated += gaps_->dissipation(x);
  if (friction_) powers.dissipated += friction_->dissipation(x);
  powers.work = torque_.dot(x.v);
  if (elements_) {
    powers.work += elements_->loads.work();
    powers.dissipated += elements_->loads.dissipated();
  }
  if (!wrenches_.empty()) {
    // The workspace of another algorithm is not accessible here.
    const Kinematics& kin = other_ ? compute_kinematics(x) : ws.kinematics();
    for (const NodeWrench& input : wrenches_) {
      Vector6 wrench = input.wrench;
      if (input.frame == Frame::node) {
        const Matrix3d R = node_pose(model_, kin, input.at).R;
        wrench << R * wrench.head<3>(), R * wrench.tail<3>();
      }
      powers.work += wrench.dot(node_velocity(model_, kin, input.at, x.v));
    }
  }
  if (!inputs_.gravities.empty()) powers.work += gravity_.dot(momentum(x).linear);
  return powers;
}

bool System::update_contacts(const State& x) {
  using Phase = StopContact::Phase;
  bool changed = false;
  for (StopContact& stop : stops_) {
    const bool beyond = stop.depth(x.q[stop.q]) > 0;
    if (beyond && stop.phase == Phase::open) set_restitution(x, prescribed_, aba_, total_, model_, stop);
    const Phase phase = stop.phase_at(x.q[stop.q], x.v[stop.v]);
    changed = changed || phase != stop.phase;
    stop.phase = phase;
  }
  if (elements_ && elements_->loads.update(x, compute_kinematics(x))) changed = true;
  if (gaps_) changed = gaps_->update(x) || changed;
  if (friction_) changed = update_friction(x) || changed;
  return changed;
}

Jet System::stop_motion(const StopContact& stop, double t) const { return motion(inputs_.motions[stop.motion], 0, t); }

Energy System::energy(const State& x) {
  Energy energy = compute_energy(model_, x, rnea_);
  for (const StopContact& stop : stops_) energy.springs += stop.energy(x.q[stop.q]);
  if (friction_) energy.springs += friction_->energy(x);
  if (elements_) energy.springs += elements_->loads.energy(x, rnea_.kinematics());
  return energy;
}

const Kinematics& System::compute_kinematics(const State& x) {
  update_kinematics(model_, x, rnea_.kinematics());
  return rnea_.kinematics();
}

Status System::explain(Status status, const State& x, ConstVec vdot, int speed) {
  const auto bad = [](ConstVec values) {
    for (int k = 0; k < values.size(); ++k) {
      if (!std::isfinite(values[k])) return k;
    }
    return -1;
  };
  int fastest = 0;
  const double speed_there = x.v.size() > 0 ? x.v.cwiseAbs().maxCoeff(&fastest) : 0;
  if (status == Status::singular_mass && speed_there > kRunAway) {
    failure_ = "'" + model_.speeds[fastest] + "' ran away, at " + text(speed_there, 3) + " per second" + at_time(x.t) +
               "; use a shorter step";
  } else if (status == Status::singular_mass) {
    failure_ = (speed < 0 ? "a coordinate" : "'" + model_.speeds[speed] + "'") + " has no inertia" + at_time(x.t);
  } else if (const int q = bad(x.q); q >= 0) {
    failure_ = "'" + model_.coordinates[q] + "' is not finite" + at_time(x.t);
  } else if (const int v = bad(x.v); v >= 0) {
    failure_ = "the speed of '" + model_.speeds[v] + "' is not finite" + at_time(x.t);
  } else if (const int a = bad(vdot); a >= 0) {
    failure_ = "the acceleration of '" + model_.speeds[a] + "' is not finite" + at_time(x.t);
  } else {
    failure_ = std::string(to_string(status)) + at_time(x.t);
  }
  return status;
}

}  // namespace limber
