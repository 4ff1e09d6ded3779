// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulate/friction_forces.hpp"

#include <cmath>

#include "limber/dynamics/aba.hpp"
#include "limber/model/friction.hpp"

namespace limber {

double FrictionContact::level(double rate) const {
  if (stribeck == 0) return coulomb;
  const double ratio = rate / stribeck;
  return coulomb + (breakaway - coulomb) * std::exp(-ratio * ratio);
}

double FrictionContact::force(double position, double rate) const {
  if (prescribed) return rate == 0 ? 0 : -std::copysign(level(rate), rate);
  return phase == Phase::stick ? -hold(position, rate) : -sign() * level(rate);
}

double FrictionContact::dissipation(double rate) const {
  if (prescribed) return level(rate) * std::abs(rate);
  return phase == Phase::stick ? damping * rate * rate : sign() * level(rate) * rate;
}

double FrictionContact::energy(double position) const {
  if (prescribed) return 0;
  const double deflection = phase == Phase::stick ? position - anchor : level(0) / stiffness;
  return 0.5 * stiffness * deflection * deflection;
}

bool FrictionContact::update(double position, double rate) {
  const Phase before = phase;
  if (phase == Phase::stick) {
    const double held = hold(position, rate);
    if (held > breakaway) phase = Phase::forward;
    if (held < -breakaway) phase = Phase::backward;
  } else if (sign() * rate <= 0) {
    anchor = position - sign() * level(0) / stiffness;  // the force goes on as it is
    phase = Phase::stick;
  }
  return phase != before;
}

namespace {

// The inertia that a force on one speed feels at the zero state.
double inertia_at_rest(const Model& model, int speed) {
  AbaWorkspace ws(model);
  VectorXd x = VectorXd::Zero(model.nv);
  x[speed] = 1;
  if (solve_mass(model, make_zero_state(model), x, ws, x) != Status::ok || !(x[speed] > 0)) return 0;
  return 1 / x[speed];
}

}  // namespace

std::unique_ptr<FrictionForces> FrictionForces::make(const Model& model, const std::vector<std::uint8_t>& prescribed) {
  auto out = std::make_unique<FrictionForces>();
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (!joint.friction || !joint.friction->dry()) continue;
    const JointFriction& friction = *joint.friction;
    FrictionContact contact{i, joint.q, joint.v, prescribed[static_cast<std::size_t>(i)] != 0};
    contact.coulomb = friction.coulomb;
    contact.breakaway = friction.breakaway;
    contact.stribeck = friction.stribeck;
    contact.stiffness = friction.breakaway / friction.presliding;
    contact.damping =
        friction.damping >= 0 ? friction.damping : 2 * std::sqrt(contact.stiffness * inertia_at_rest(model, joint.v));
    out->contacts.push_back(contact);
  }
  if (out->contacts.empty()) return nullptr;
  return out;
}

bool FrictionForces::update(const State& x) {
  bool changed = false;
  for (FrictionContact& contact : contacts) {
    const double position = x.q[contact.q], rate = x.v[contact.v];
    if (contact.prescribed) continue;
    if (!started) {
      contact.anchor = position;
      contact.phase = rate > 0   ? FrictionContact::Phase::forward
                      : rate < 0 ? FrictionContact::Phase::backward
                                 : FrictionContact::Phase::stick;
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

void FrictionForces::add(const State& x, VectorXd& force) const {
  for (const FrictionContact& contact : contacts) force[contact.v] += contact.force(x.q[contact.q], x.v[contact.v]);
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

void FrictionForces::transfer(Archive& archive) {
  archive(started, released);
  for (FrictionContact& contact : contacts) archive(contact.phase, contact.anchor);
}

}  // namespace limber
