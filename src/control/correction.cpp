// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/correction.hpp"

#include "limber/model/manifold.hpp"

namespace limber {
namespace {

// M + h/2 D + h^2/4 K in the place of M: theory §5, Implicit step.
void set_period(const Model& model, double h, AbaWorkspace& ws) {
  if (h > 0) set_implicit(model, 0.5 * h, 0.25 * h * h, VectorXd::Zero(model.nv), ws);
}

}  // namespace

NaturalGain::NaturalGain(const Model& model, const DrivenJoints& driven, double period)
    : model_(model), driven_(driven), ws_(model), sweep_(model), at_(make_zero_state(model)) {
  dv_.setZero(model.nv);
  f_ = dv_;
  set_period(model, period, ws_);
}

Status NaturalGain::set(const State& x) {
  at_ = x;
  return factor_mass(model_, x, ws_, driven_.mask);
}

void NaturalGain::transfer(Archive& archive) {
  archive(at_);
  if (archive.reads() && set(at_) != Status::ok) throw NumericalError("the inertia of the saved state is singular");
}

// M (a_J, 0) = (M_JJ a_J, M_FJ a_J); the rest yields by -M_FF^-1 of the second part; M times both has the torques.
void NaturalGain::add(ConstVec accelerations, Vec torques) {
  dv_.setZero();
  for (int k = 0; k < driven_.size(); ++k) dv_[driven_.v[k]] = accelerations[k];
  multiply_mass(model_, ws_.kinematics(), dv_, sweep_, f_);
  solve_factored(model_, f_, ws_, f_);
  dv_ -= f_;
  multiply_mass(model_, ws_.kinematics(), dv_, sweep_, f_);
  for (int k = 0; k < driven_.size(); ++k) torques[k] += f_[driven_.v[k]];
}

MeanAccelerations::MeanAccelerations(const Model& model, const DrivenJoints& driven, double period)
    : model_(model), driven_(driven), period_(period), ws_(model), middle_(make_zero_state(model)) {
  a_.setZero(model.nv);
  tau_ = dq_ = a_;
  set_period(model, period, ws_);
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
  for (int k = 0; k < driven_.size(); ++k) tau_[driven_.v[k]] = torques[k];
  if (period_ > 0) add_implicit_force(model_, ws_, a_, tau_);
  return aba(model_, middle(x), {tau_}, ws_, a_);
}

Status MeanAccelerations::hybrid(const State& x, ConstVec accelerations, Vec torques) {
  for (int k = 0; k < driven_.size(); ++k) a_[driven_.v[k]] = accelerations[k];
  tau_.setZero();
  if (period_ > 0) add_implicit_force(model_, ws_, a_, tau_);
  const Status status = limber::hybrid(model_, middle(x), {tau_}, driven_.mask, ws_, a_, dq_);
  for (int k = 0; k < driven_.size(); ++k) torques[k] = dq_[driven_.v[k]];
  return status;
}

ForceCorrection::ForceCorrection(const Model& model, const DrivenJoints& driven, double period,
                                 const CorrectionOptions& options)
    : driven_(driven), options_(options), gain_(model, driven, period), predicted_(model, driven, period) {
  error_.setZero(driven.size());
}

Correction ForceCorrection::operator()(const State& x, ConstVec desired, Vec torques) {
  Correction out;
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

}  // namespace limber
