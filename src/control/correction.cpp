// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/correction.hpp"

#include "control/element_step.hpp"
#include "limber/model/detail/layout.hpp"
#include "limber/model/manifold.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

// Replaces M by M + h/2 D + h^2/4 K: theory §5, Implicit step.
void set_period(const Model& model, double h, AbaWorkspace& ws) {
  if (h > 0) set_implicit(model, 0.5 * h, 0.25 * h * h, VectorXd::Zero(model.nv), ws);
}

// The same, plus weight K of all but the driven joints.
void set_weight(const Model& model, const DrivenJoints& driven, double h, double weight, AbaWorkspace& ws) {
  VectorXd less = VectorXd::Zero(model.nv);
  for (const int i : driven.joints) {
    const Joint& joint = model.joints[i];
    less.segment(joint.v, joint.stiffness.size()) = -weight * joint.stiffness;
  }
  set_implicit(model, 0.5 * h, 0.25 * h * h + weight, less, ws);
}

}  // namespace

NaturalGain::NaturalGain(const Model& model, const DrivenJoints& driven, double period, double weight)
    : model_(model),
      driven_(driven),
      period_(period),
      weight_(weight),
      ws_(model),
      sweep_(model),
      at_(make_zero_state(model)),
      elements_(ElementStep::make(model, period)) {
  dv_.setZero(model.nv);
  f_ = right_ = dv_;
  torque_.setZero(driven.size());
  set_period(model, period, ws_);
  if (weight > 0) set_weight(model, driven, period, weight, weighted_.emplace(model));
}

NaturalGain::~NaturalGain() = default;

Status NaturalGain::set(const State& x) {
  at_ = x;
  if (elements_) {
    elements_->update(x);
    elements_->compute(x, dv_, ws_, f_);  // for its derivatives
  }
  if (weighted_) {
    if (const Status status = factor_mass(model_, x, *weighted_); status != Status::ok) return status;
  }
  return factor_mass(model_, x, ws_, driven_.mask);
}

void NaturalGain::transfer(Archive& archive) {
  archive(at_);
  if (archive.reads() && set(at_) != Status::ok) throw NumericalError("the inertia of the saved state is singular");
}

// M (a_J, 0) = (M_JJ a_J, M_FJ a_J); the free coordinates respond by -M_FF^-1 of the second part; M times both gives
// the torques, including those of the driven joints' own dampers and springs over a period.
void NaturalGain::add(ConstVec accelerations, Vec torques) {
  dv_.setZero();
  for (int k = 0; k < driven_.size(); ++k) dv_[driven_.v[k]] = accelerations[k];
  multiply_mass(model_, ws_.kinematics(), dv_, sweep_, f_);
  if (elements_) elements_->forces.add_implicit_inertia(dv_, f_);
  solve_factored(model_, f_, ws_, f_);
  if (elements_) elements_->forces.correct(ws_, f_);
  dv_ -= f_;
  multiply_mass(model_, ws_.kinematics(), dv_, sweep_, f_);
  if (period_ > 0) add_implicit_force(model_, ws_, dv_, f_);
  if (elements_) elements_->forces.add_implicit_inertia(dv_, f_);
  for (int k = 0; k < driven_.size(); ++k) torques[k] += f_[driven_.v[k]];
}

// Least squares with b = b0 - B y for the change y of the driven joints, B = M_FF^-1 M_FJ:
//   (N + B^T Q B) y = N e_J - B^T Q e_F,   which for this Q are the first rows of
//   (M + weight K_FF) (y, z) = (N e_J, weight K_FF e_F).
void NaturalGain::balance(ConstVec errors, Vec changes) {
  for (int k = 0; k < driven_.size(); ++k) changes[k] = errors[driven_.v[k]];
  if (!weighted_) return;
  right_.setZero();
  add_implicit_force(model_, *weighted_, errors, right_);
  dv_ = -errors;
  if (period_ > 0) add_implicit_force(model_, ws_, dv_, right_);
  torque_.setZero();
  add(changes, torque_);
  for (int k = 0; k < driven_.size(); ++k) right_[driven_.v[k]] = torque_[k];
  solve_factored(model_, right_, *weighted_, right_);
  for (int k = 0; k < driven_.size(); ++k) changes[k] = right_[driven_.v[k]];
}

MeanAccelerations::MeanAccelerations(const Model& model, const DrivenJoints& driven, double period, DrivenBy by)
    : model_(model),
      driven_(driven),
      period_(period),
      ws_(model),
      by_(by),
      middle_(make_zero_state(model)),
      elements_(ElementStep::make(model, period)) {
  a_.setZero(model.nv);
  tau_ = dq_ = needed_ = a_;
  set_period(model, period, ws_);
}

MeanAccelerations::~MeanAccelerations() = default;

void MeanAccelerations::set_phases(const State& x) {
  if (elements_) elements_->update(x);
}

void MeanAccelerations::respond(Vec forces) {
  solve_factored(model_, forces, ws_, forces);
  if (elements_) elements_->forces.correct(ws_, forces);
}

void MeanAccelerations::add_element_forces(ConstVec dq, ConstVec dv, Vec forces) {
  if (elements_) elements_->forces.add_change(dq, dv, forces);
}

void MeanAccelerations::transfer(Archive& archive) {
  archive(a_);
  if (elements_) elements_->forces.transfer(archive);
}

const State& MeanAccelerations::middle(const State& x) {
  const double half = 0.5 * period_;
  dq_ = half * x.v + half * half * a_;
  move(model_, x.q, dq_, middle_.q);
  middle_.v = x.v + half * a_;
  middle_.t = x.t + half;
  return middle_;
}

Status MeanAccelerations::forward(const State& x, ConstVec torques) {
  tau_.setZero();
  for (int k = 0; k < driven_.size(); ++k) {
    const int element = by_ == DrivenBy::inputs ? driven_.actuator(k) : -1;
    if (element < 0) tau_[driven_.v[k]] = torques[k];
    if (element >= 0) elements_->forces.commands[static_cast<std::size_t>(element)] = torques[k];
  }
  const State& half_way = middle(x);
  std::span<const NodeWrench> wrenches;
  if (elements_) wrenches = elements_->compute(half_way, a_, ws_, tau_);
  if (period_ > 0) add_implicit_force(model_, ws_, a_, tau_);
  const Status status = aba(model_, half_way, {tau_, wrenches}, ws_, a_);
  if (elements_ && status == Status::ok) elements_->forces.correct(ws_, a_);
  return status;
}

Status MeanAccelerations::hybrid(const State& x, ConstVec accelerations, Vec torques) {
  for (int k = 0; k < driven_.size(); ++k) a_[driven_.v[k]] = accelerations[k];
  tau_.setZero();
  const State& half_way = middle(x);
  std::span<const NodeWrench> wrenches;
  if (elements_) wrenches = elements_->compute(half_way, a_, ws_, tau_);
  dq_ = -tau_;  // of elements on joints
  if (period_ > 0) add_implicit_force(model_, ws_, a_, tau_);
  const Status status = limber::hybrid(model_, half_way, {tau_, wrenches}, driven_.mask, ws_, a_, needed_);
  if (elements_ && status == Status::ok) {
    elements_->forces.correct(ws_, a_);
    elements_->forces.correct_needed(ws_, needed_);
  }
  for (int k = 0; k < driven_.size(); ++k) torques[k] = needed_[driven_.v[k]] + dq_[driven_.v[k]];
  return status;
}

ForceCorrection::ForceCorrection(const Model& model, const DrivenJoints& driven, double period,
                                 const CorrectionOptions& options, double weight)
    : model_(model),
      driven_(driven),
      period_(period),
      options_(options),
      gain_(model, driven, period, weight),
      predicted_(model, driven, period),
      expected_(make_zero_state(model)) {
  error_.setZero(driven.size());
  base_ = error_;
  dx_.setZero(model.nv);
  force_ = dv_ = guess_ = dx_;
}

Correction ForceCorrection::operator()(const State& x, ConstVec desired, Vec torques) {
  Correction out;
  predicted_.set_phases(x);
  for (;; ++out.count) {
    // [Pat] claims 2-5, 8-15: articulated-body quantities, residual forces inward, accelerations outward.
    out.status = predicted_.forward(x, torques);
    if (out.status != Status::ok) return out;
    // [Pat] claim 1: compare, and correct.
    for (int k = 0; k < driven_.size(); ++k) error_[k] = desired[k] - predicted_.now()[driven_.v[k]];
    out.last = error_.size() > 0 ? error_.cwiseAbs().maxCoeff() : 0;
    if (out.count == 0) out.first = out.last;
    out.converged = out.last <= options_.tolerance;
    if (out.converged || out.count == options_.most) return out;
    gain_.add(error_, torques);
  }
}

Status ForceCorrection::prepare(const State& expected, ConstVec torques) {
  expected_ = expected;
  base_ = torques;
  guess_ = predicted_.now();
  prepared_ = true;
  if (const Status status = gain_.set(expected); status != Status::ok) return status;
  predicted_.set_phases(expected);
  return predicted_.forward(expected, torques);
}

// Modes change much faster than their inertias: only the forces K dq + D dv are updated from the readings.
Correction ForceCorrection::correct_prepared(const State& x, ConstVec desired, Vec torques) {
  chart_coordinates(model_, expected_.q, x.q, dx_);
  force_.setZero();
  const double half = 0.5 * period_;
  for (int i = 1; i < model_.body_count(); ++i) {
    const Joint& joint = model_.joints[i];
    const bool simple = position_count(joint.kind) == speed_count(joint.kind);
    const auto& damping = model_.layout->links[static_cast<std::size_t>(i)].damping;  // includes viscous friction
    for (int k = joint.v; simple && k < joint.v + speed_count(joint.kind); ++k) {
      const double dv = x.v[k] - expected_.v[k];
      force_[k] = -joint.stiffness[k - joint.v] * (dx_[k] + half * dv) - damping[k - joint.v] * dv;
    }
    const Body& body = model_.body(i);
    const int first = model_.first_mode(i);
    for (int a = first; a < first + body.modes; ++a) {
      for (int b = first; b < first + body.modes; ++b) {
        const double dv = x.v[b] - expected_.v[b];
        force_[a] -=
            body.stiffness(a - first, b - first) * (dx_[b] + half * dv) + body.damping(a - first, b - first) * dv;
      }
    }
  }
  dv_ = x.v - expected_.v;
  dx_ += half * dv_;
  predicted_.add_element_forces(dx_, dv_, force_);
  predicted_.respond(force_);
  for (int k = 0; k < driven_.size(); ++k) {
    error_[k] = desired[k] - predicted_.now()[driven_.v[k]] - force_[driven_.v[k]];
  }
  Correction out;
  out.first = out.last = error_.size() > 0 ? error_.cwiseAbs().maxCoeff() : 0;
  out.count = 1;
  torques = base_;
  gain_.add(error_, torques);
  return out;
}

void ForceCorrection::transfer(Archive& archive) {
  archive(gain_, predicted_, expected_, base_, guess_, prepared_);
  if (!archive.reads() || !prepared_) return;
  predicted_.guess(guess_);
  if (predicted_.forward(expected_, base_) != Status::ok) throw NumericalError("the saved state has no accelerations");
}

}  // namespace limber
