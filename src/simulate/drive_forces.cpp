// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Forces of drives and friction in a system: motor commands, brakes, and friction with loads that depend on the
// friction itself.  theory §3, Drives, Friction.
#include <algorithm>
#include <cmath>

#include "limber/dynamics/detail/rnea.hpp"
#include "limber/model/detail/layout.hpp"
#include "limber/model/drive.hpp"
#include "limber/simulate/detail/element_forces.hpp"
#include "limber/simulate/system.hpp"
#include "limber/spatial/detail/text.hpp"
#include "simulate/backlash.hpp"
#include "simulate/friction_forces.hpp"

namespace limber {
namespace {

constexpr int kLoadPasses = 60;

// Of a joint with a fixed axis, in world.
Vector3d joint_axis(const Model& model, const Kinematics& kin, const Joint& joint) {
  const Vector3d axis = joint.origin.R * joint.axis;
  return joint.parent.body == kGround ? axis : Vector3d(node_pose(model, kin, joint.parent).R * axis);
}

}  // namespace

// ---- brakes ------------------------------------------------------------------------------------------

double System::brake_command(int joint, double t) const {
  double command = 0;
  for (const BrakeInput& input : inputs_.brakes)
    if (input.joint == joint) command += input.command.at(t, inside_).value;
  return std::clamp(command, 0.0, 1.0);
}

// In the whole interval up to the next break of the inputs.
bool System::brake_is_released(int joint, double t) const {
  constexpr int kSamples = 64;
  const double length = std::max(0.0, 2 * (inside_ - t));
  for (int k = 0; k <= kSamples; ++k)
    if (brake_command(joint, t + length * k / kSamples) > 0) return false;
  return true;
}

// Sets the loads known from the state: brake commands, torques in elastic transmissions.
void System::set_drive_loads(const State& x) {
  for (FrictionContact& contact : friction_->contacts) {
    if (contact.kind == FrictionContact::Kind::brake) contact.load = brake_command(contact.joint, x.t);
    if (contact.kind != FrictionContact::Kind::gear || contact.measured) continue;
    const Backlash* gap = gaps_ ? gaps_->find(contact.joint) : nullptr;
    const Link& link = model_.layout->links[contact.joint];
    contact.load = gap != nullptr ? gap->torque(x) : link.motor.torque(&x.q[link.q], &x.v[link.v]);
  }
}

// ---- loads -------------------------------------------------------------------------------------------

// Writes the loads found by the last solve, in the workspace `solved`, into friction_->found.
void System::measure_loads(const State& x, AbaWorkspace& solved) {
  const RneaData& found = rnea_;
  Kinematics* kin = nullptr;
  for (std::size_t k = 0; k < friction_->contacts.size(); ++k) {
    const FrictionContact& contact = friction_->contacts[k];
    double& load = friction_->found[static_cast<Eigen::Index>(k)];
    load = contact.load;
    if (!contact.measured) continue;
    const Joint& joint = model_.joints[contact.joint];
    if (contact.kind == FrictionContact::Kind::gear) {
      const double n = joint.drive->ratio;
      load = torque_[contact.v] - n * n * joint.drive->inertia * last_[contact.v];
      continue;
    }
    if (kin == nullptr) {
      kin = &compute_held_forces(x, solved);
      compute_world_poses(model_, *kin);
    }
    const Vector3d axis = joint_axis(model_, *kin, joint);
    const Vector3d force = body_pose(*kin, contact.joint).R * to_vector(found.sweep.f[contact.joint].lin);
    load = (force - axis * axis.dot(force)).norm();
  }
}

// Solves for accelerations consistent with the loads that friction depends on.
Status System::solve_loaded(const State& x, AbaWorkspace& ws, Vec vdot, Powers* powers) {
  if (!friction_ || !friction_->couples()) return solve(x, ws, vdot, powers);
  FrictionForces& friction = *friction_;
  friction.balance.restart();
  for (int pass = 0; pass < kLoadPasses; ++pass) {
    if (const Status status = solve(x, ws, vdot, powers); status != Status::ok) return status;
    measure_loads(x, ws);
    for (std::size_t k = 0; k < friction.contacts.size(); ++k)
      friction.used[static_cast<Eigen::Index>(k)] = friction.contacts[k].load;
    if (friction.balance.improve(friction.used, friction.found)) return Status::ok;
    for (std::size_t k = 0; k < friction.contacts.size(); ++k) {
      FrictionContact& contact = friction.contacts[k];
      if (contact.measured) contact.load = friction.used[static_cast<Eigen::Index>(k)];
    }
    total_ -= dry_;
    dry_.setZero();
    friction.add(x, dry_, friction_shown_);
    total_ += dry_;
  }
  failure_ = "the friction that depends on the load has no solution at t = " + text(x.t) +
             " s; use smaller coefficients of load-dependent friction, or a larger efficiency";
  return Status::no_convergence;
}

Status System::compute_friction_loads(const State& x) {
  if (!friction_->measures()) {
    set_drive_loads(x);
    return Status::ok;
  }
  if (const Status status = accelerate(x, spare_); status != Status::ok) return status;
  measure_loads(x, aba_);
  for (std::size_t k = 0; k < friction_->contacts.size(); ++k) {
    FrictionContact& contact = friction_->contacts[k];
    if (contact.measured) contact.load = friction_->found[static_cast<Eigen::Index>(k)];
  }
  return Status::ok;
}

// ---- phases ------------------------------------------------------------------------------------------

bool System::update_friction(const State& x) {
  using Phase = FrictionContact::Phase;
  const bool starts = !friction_->started;
  bool changed = false;
  for (FrictionContact& contact : friction_->contacts) {
    if (contact.kind != FrictionContact::Kind::brake) continue;
    contact.load = brake_command(contact.joint, x.t);
    const bool released = brake_is_released(contact.joint, x.t);
    if (released == (contact.phase == Phase::free)) continue;
    changed = true;
    const double position = x.q[contact.q];
    if (released) {
      friction_->released += starts ? 0 : contact.energy(position);
      contact.phase = Phase::free;
    } else {
      contact.start(position, x.v[contact.v]);
      contact.dragged = 0;
    }
  }
  if (friction_->measures() && !starts && compute_friction_loads(x) != Status::ok)
    return changed;  // the next step reports it
  if (!friction_->measures()) set_drive_loads(x);
  changed = friction_->update(x) || changed;
  if (starts && !closures_) hold_at_start(x);
  return changed;
}

// Joints at rest at the start are held without a transient, within static friction: hybrid dynamics gives the holding
// force; that on a motor is known.
void System::hold_at_start(const State& x) {
  std::vector<std::uint8_t> held = prescribed_;
  const auto sticks = [](const FrictionContact& contact) {
    return !contact.prescribed && contact.phase == FrictionContact::Phase::stick;
  };
  const auto on_joint = [&](const FrictionContact& contact) { return contact.v == model_.joints[contact.joint].v; };
  for (const FrictionContact& contact : friction_->contacts) {
    if (sticks(contact) && on_joint(contact)) held[static_cast<std::size_t>(contact.joint)] = 1;
  }
  if (gather(x) != Status::ok) return;  // the first step reports it
  VectorXd vdot = VectorXd::Zero(model_.nv), left = VectorXd::Zero(model_.nv);
  for (const MotionInput& input : inputs_.motions) {
    for (std::size_t k = 0; k < input.motion.size(); ++k)
      vdot[model_.joints[input.joint].v + static_cast<int>(k)] = motion(input, k, x.t).acceleration;
  }
  const std::span<const NodeWrench> acting =
      elements_ ? elements_->with(wrenches_) : std::span<const NodeWrench>(wrenches_);
  if (hybrid(model_, x, {total_, acting}, held, aba_, vdot, needed_) != Status::ok) return;
  left = needed_ - tau_ - stop_;
  if (elements_) left -= elements_->loads.torques();
  for_motors(*model_.layout,
             [&](const Link& link, int, int m) { left[m] = -tau_[m] - motor_reaction(link, x.q.data(), x.v.data()); });
  last_ = vdot;
  torque_ = tau_;
  if (friction_->measures()) measure_loads(x, aba_);
  for (std::size_t k = 0; k < friction_->contacts.size(); ++k) {
    FrictionContact& contact = friction_->contacts[k];
    if (contact.measured) contact.load = friction_->found[static_cast<Eigen::Index>(k)];
    if (!sticks(contact)) continue;
    const double force = std::clamp(left[contact.v], -contact.static_level(1), contact.static_level(-1));
    contact.anchor = x.q[contact.q] + force / contact.stiffness;
    left[contact.v] -= force;
  }
}

}  // namespace limber
