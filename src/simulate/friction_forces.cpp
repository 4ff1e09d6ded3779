// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulate/friction_forces.hpp"

#include <algorithm>
#include <cmath>

#include "limber/dynamics/aba.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/friction.hpp"

namespace limber {

// A gear transmits eta T of a torque T to a joint that it drives, T sign(v) > 0, and requires T / eta of a joint that
// drives it.
double FrictionContact::gear_level(double direction) const {
  return std::abs(load) * (direction * load > 0 ? driving : driven);
}

// The lower bound keeps an unloaded contact from switching between sliding and sticking by rounding of the position.
double FrictionContact::static_level(double direction) const {
  constexpr double kNothing = 1e-9;  // rad or m
  double most = breakaway + breakaway_of_load * load;
  if (kind == Kind::gear) most = gear_level(direction);
  if (kind == Kind::brake) most = load * breakaway;
  return std::max(most, kNothing * stiffness);
}

double FrictionContact::level(double direction, double rate) const {
  if (kind == Kind::gear) return gear_level(direction);
  if (kind == Kind::brake) return load * coulomb;
  const double C = coulomb + coulomb_of_load * load;
  if (stribeck == 0) return C;
  const double ratio = rate / stribeck;
  return C + (static_level(direction) - C) * std::exp(-ratio * ratio);
}

double FrictionContact::force(double position, double rate) const {
  if (phase == Phase::free) return 0;
  if (prescribed) return rate == 0 ? 0 : -std::copysign(level(rate, rate), rate);
  return phase == Phase::stick ? -hold(position, rate) : -sign() * level(sign(), rate);
}

double FrictionContact::dissipation(double rate) const {
  if (phase == Phase::free) return 0;
  if (prescribed) return level(rate, rate) * std::abs(rate);
  return phase == Phase::stick ? damping * rate * rate : sign() * level(sign(), rate) * rate;
}

double FrictionContact::energy(double position) const {
  if (prescribed || phase == Phase::free) return 0;
  const double deflection = phase == Phase::stick ? position - anchor : dragged;
  return 0.5 * stiffness * deflection * deflection;
}

void FrictionContact::start(double position, double rate) {
  anchor = position;
  phase = rate > 0 ? Phase::forward : rate < 0 ? Phase::backward : Phase::stick;
  dragged = slides() ? level(sign(), 0) / stiffness : 0;
}

bool FrictionContact::update(double position, double rate) {
  const Phase before = phase;
  if (phase == Phase::stick) {
    const double held = hold(position, rate);
    if (held > static_level(1)) phase = Phase::forward;
    if (held < -static_level(-1)) phase = Phase::backward;
    if (slides()) dragged = level(sign(), 0) / stiffness;
    yields = slides() && varies();
  } else if (slides() && sign() * rate <= 0 && !yields) {
    anchor = position - sign() * level(sign(), 0) / stiffness;  // keeps the force continuous
    phase = Phase::stick;
  }
  return phase != before;
}

// ---- loads -------------------------------------------------------------------------------------------

void LoadBalance::resize(Eigen::Index count) {
  residual_.setZero(count);
  last_residual_ = step_ = image_ = residual_;
  inverse_.setIdentity(count, count);
}

// With r(load) = measured(load) - load and H the inverse of -dr/dload:
//   step = H r      H += (step - H y) (step^T H) / (step^T H y), y = r_before - r
bool LoadBalance::improve(VectorXd& used, const VectorXd& measured) {
  constexpr double kBalanced = 1e-13;
  residual_ = measured - used;
  const double size = std::max(measured.lpNorm<Eigen::Infinity>(), used.lpNorm<Eigen::Infinity>());
  if (residual_.lpNorm<Eigen::Infinity>() <= kBalanced * size) return true;
  if (known_) {
    last_residual_ -= residual_;
    image_.noalias() = inverse_ * last_residual_;
    const double along = step_.dot(image_);
    if (std::abs(along) > 1e-12 * step_.squaredNorm()) {
      image_ = step_ - image_;
      last_residual_.noalias() = inverse_.transpose() * step_;
      last_residual_ /= along;
      inverse_.noalias() += image_ * last_residual_.transpose();
    }
  } else {
    inverse_.setIdentity();
  }
  known_ = true;
  step_.noalias() = inverse_ * residual_;
  last_residual_ = residual_;
  used += step_;
  return false;
}

// ---- of all joints -----------------------------------------------------------------------------------

namespace {

constexpr double kPresliding = 1e-4;       // rad or m
constexpr double kReferenceWeight = 9.81;  // m/s^2: of the load for which presliding is defined

// The inertia seen by a force on one speed at the zero state.
double inertia_at_rest(const Model& model, int speed) {
  AbaWorkspace ws(model);
  VectorXd x = VectorXd::Zero(model.nv);
  x[speed] = 1;
  if (solve_mass(model, make_zero_state(model), x, ws, x) != Status::ok || !(x[speed] > 0)) return 0;
  return 1 / x[speed];
}

double carried_mass(const Model& model, int joint) {
  double mass = 0;
  std::vector<std::uint8_t> carried(model.bodies.get().size());
  for (int i = joint; i < model.body_count(); ++i) {
    carried[static_cast<std::size_t>(i)] =
        i == joint || carried[static_cast<std::size_t>(model.joints[i].parent.body)] != 0 ? 1 : 0;
    if (carried[static_cast<std::size_t>(i)] != 0) mass += model.body(i).mass;
  }
  return mass > 0 ? mass : 1;
}

FrictionContact make_joint_friction(const Model& model, int i) {
  const Joint& joint = model.joints[i];
  const JointFriction& friction = *joint.friction;
  FrictionContact out;
  out.joint = i;
  out.q = joint.q;
  out.v = joint.v;
  out.coulomb = friction.coulomb;
  out.breakaway = friction.breakaway;
  out.stribeck = friction.stribeck;
  double reference = friction.breakaway;
  if (friction.load) {
    const double arm = friction.load->radius > 0 ? friction.load->radius : 1;
    out.coulomb_of_load = friction.load->coefficient * arm;
    out.breakaway_of_load = friction.load->breakaway * arm;
    out.measured = true;
    reference += out.breakaway_of_load * kReferenceWeight * carried_mass(model, i);
  }
  out.stiffness = reference / friction.presliding;
  out.damping = friction.damping;
  return out;
}

FrictionContact make_brake(const Model& model, int i) {
  const Joint& joint = model.joints[i];
  const Drive& drive = *joint.drive;
  const MotorIndex motor = motor_index(model, i);
  const bool on_motor = motor.v >= 0 && !drive.brake->at_joint;
  // Converted to the speed that it acts on.
  const double turns = !on_motor && !drive.brake->at_joint ? std::abs(drive.ratio) : 1;
  FrictionContact out;
  out.kind = FrictionContact::Kind::brake;
  out.joint = i;
  out.q = on_motor ? motor.q : joint.q;
  out.v = on_motor ? motor.v : joint.v;
  out.coulomb = turns * drive.brake->torque;
  out.breakaway = turns * drive.brake->breakaway;
  out.stiffness = out.breakaway / (drive.brake->presliding * (on_motor ? std::abs(drive.ratio) : 1));
  out.damping = -1;
  return out;
}

FrictionContact make_gear(const Model& model, int i) {
  const Joint& joint = model.joints[i];
  FrictionContact out;
  out.kind = FrictionContact::Kind::gear;
  out.joint = i;
  out.q = joint.q;
  out.v = joint.v;
  out.driving = 1 - joint.drive->efficiency;
  out.driven = 1 / joint.drive->efficiency - 1;
  out.measured = !joint.drive->elastic();
  const double inertia = inertia_at_rest(model, joint.v);
  out.stiffness = (inertia > 0 ? inertia : 1) * kReferenceWeight / kPresliding;
  out.damping = -1;
  return out;
}

}  // namespace

std::unique_ptr<FrictionForces> FrictionForces::make(const Model& model, const Inputs& inputs,
                                                     const std::vector<std::uint8_t>& prescribed) {
  auto out = std::make_unique<FrictionForces>();
  const auto add = [&](FrictionContact contact) {
    contact.prescribed =
        prescribed[static_cast<std::size_t>(contact.joint)] != 0 && contact.v == model.joints[contact.joint].v;
    if (contact.damping < 0) contact.damping = 2 * std::sqrt(contact.stiffness * inertia_at_rest(model, contact.v));
    out->contacts.push_back(contact);
  };
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (joint.friction && joint.friction->dry()) add(make_joint_friction(model, i));
    if (!joint.drive) continue;
    if (joint.drive->efficiency < 1) add(make_gear(model, i));
    const auto engages = [&](const BrakeInput& input) { return input.joint == i; };
    if (std::any_of(inputs.brakes.begin(), inputs.brakes.end(), engages)) add(make_brake(model, i));
  }
  if (out->contacts.empty()) return nullptr;
  out->used.setZero(static_cast<Eigen::Index>(out->contacts.size()));
  out->found = out->used;
  out->balance.resize(out->used.size());
  return out;
}

bool FrictionForces::update(const State& x) {
  bool changed = false;
  for (FrictionContact& contact : contacts) {
    const double position = x.q[contact.q], rate = x.v[contact.v];
    if (contact.prescribed) continue;
    if (!started) {
      if (contact.phase != FrictionContact::Phase::free) contact.start(position, rate);
      changed = true;
      continue;
    }
    const double before = contact.energy(position);
    if (!contact.update(position, rate)) continue;
    released += before - contact.energy(position);
    changed = true;
  }
  started = true;
  return changed;
}

void FrictionForces::add(const State& x, VectorXd& force, VectorXd& shown) const {
  const Eigen::Index nv = force.size(), bodies = (shown.size() - nv) / 2;
  for (const FrictionContact& contact : contacts) {
    const double own = contact.force(x.q[contact.q], x.v[contact.v]);
    force[contact.v] += own;
    if (contact.kind == FrictionContact::Kind::joint) shown[contact.v] = own;
    if (contact.kind == FrictionContact::Kind::brake) shown[nv + contact.joint] = own;
    if (contact.kind == FrictionContact::Kind::gear) shown[nv + bodies + contact.joint] = own;
  }
}

double FrictionForces::dissipation(const State& x) const {
  double power = 0;
  for (const FrictionContact& contact : contacts) power += contact.dissipation(x.v[contact.v]);
  return power;
}

double FrictionForces::energy(const State& x) const {
  double energy = 0;
  for (const FrictionContact& contact : contacts) energy += contact.energy(x.q[contact.q]);
  return energy;
}

void FrictionForces::add_implicit(double c_D, double c_K, VectorXd& added) const {
  for (const FrictionContact& contact : contacts) {
    if (contact.prescribed || contact.phase != FrictionContact::Phase::stick) continue;
    added[contact.v] += c_D * contact.damping + c_K * contact.stiffness;
  }
}

bool FrictionForces::measures() const {
  return std::any_of(contacts.begin(), contacts.end(), [](const FrictionContact& contact) { return contact.measured; });
}

bool FrictionForces::couples() const {
  return std::any_of(contacts.begin(), contacts.end(), [](const FrictionContact& contact) {
    return contact.measured && (contact.prescribed || contact.slides());
  });
}

bool FrictionForces::varies() const {
  return std::any_of(contacts.begin(), contacts.end(), [](const FrictionContact& contact) { return contact.varies(); });
}

void FrictionForces::count(double span) {
  for (FrictionContact& contact : contacts) {
    if (contact.kind != FrictionContact::Kind::brake) continue;
    const bool slips = contact.slides() && contact.load > 0;
    if (slips) {
      contact.slips += contact.slipped ? 0 : 1;
      contact.slipping += span;
    }
    contact.slipped = slips;
  }
}

std::vector<Saturation> FrictionForces::slips(const Model& model) const {
  std::vector<Saturation> out;
  for (const FrictionContact& contact : contacts)
    if (contact.slips > 0)
      out.push_back({model.joints[contact.joint].name + " brake", contact.slips, contact.slipping});
  return out;
}

void FrictionForces::transfer(Archive& archive) {
  archive(started, released);
  for (FrictionContact& contact : contacts) {
    archive(contact.phase, contact.anchor, contact.dragged, contact.load);
    archive(contact.yields, contact.slips, contact.slipping, contact.slipped);
  }
}

}  // namespace limber
