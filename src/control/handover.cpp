// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/handover.hpp"

#include <cmath>
#include <numbers>

#include "control/model_bank.hpp"
#include "limber/control/element_rnea.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

// Quasi-static modal deflection under the torques (nv) that act: accelerations of the joints with rigid bodies, M_JJ a
// = tau - h, then K eta = -(forces of a and h on the modes), both at the undeformed shape.
void bend_modes(const Model& model, const VectorXd& tau, State& x) {
  VectorXd turns = VectorXd::Zero(model.nv);  // 1: speed of a joint
  for (int i = 1; i < model.body_count(); ++i) {
    x.q.segment(model.first_mode_q(i), model.body(i).modes).setZero();
    x.v.segment(model.first_mode(i), model.body(i).modes).setZero();
    turns.segment(model.joints[i].v, model.first_mode(i) - model.joints[i].v).setOnes();
  }
  MatrixXd M(model.nv, model.nv);
  CrbaWorkspace inertia(model);
  crba(model, x, inertia, M);
  ElementRnea inverse_dynamics(model);
  VectorXd a = VectorXd::Zero(model.nv), force = a;
  inverse_dynamics(x, a, force);
  M = turns.asDiagonal() * M * turns.asDiagonal();
  M.diagonal() += VectorXd::Ones(model.nv) - turns;  // modes are fixed
  const Cholesky rigid(M);
  if (!rigid.positive_definite()) return;
  a = rigid.solve(VectorXd(turns.cwiseProduct(tau - force)));
  inverse_dynamics(x, a, force);
  for (int i = 1; i < model.body_count(); ++i) {
    const int n = model.body(i).modes;
    const Cholesky stiffness(n > 0 ? model.body(i).stiffness : MatrixXd());
    if (n == 0 || !stiffness.positive_definite()) continue;
    x.q.segment(model.first_mode_q(i), n) = -stiffness.solve(VectorXd(force.segment(model.first_mode(i), n)));
  }
}

}  // namespace

Handover::Handover(int size) {
  offset_.setZero(size);
  rate_ = fading_ = offset_;
}

void Handover::begin(double t, ConstVec offset, ConstVec rate, ConstVec torques, double join, double fade) {
  begun_ = first_ = true;
  from_ = t;
  join_ = join;
  fade_ = fade;
  offset_ = offset;
  rate_ = rate;
  fading_ = torques;
}

void Handover::add_motion(const DrivenJoints& driven, State& x) const {
  const double T = join_, s = (x.t - from_) / T;
  if (!begun_ || s >= 1) return;
  const double s2 = s * s, s3 = s2 * s, s4 = s2 * s2, s5 = s4 * s;
  for (int k = 0; k < driven.size(); ++k) {
    const double e = offset_[k], r = rate_[k];
    x.q[driven.q[k]] += e * (1 - 10 * s3 + 15 * s4 - 6 * s5) + r * T * (s - 6 * s3 + 8 * s4 - 3 * s5);
    x.v[driven.v[k]] += e / T * (-30 * s2 + 60 * s3 - 30 * s4) + r * (1 - 18 * s2 + 32 * s3 - 15 * s4);
  }
}

void Handover::add_accelerations(double t, Vec accelerations) const {
  const double T = join_, s = (t - from_) / T;
  if (!begun_ || s < 0 || s >= 1) return;
  const double s2 = s * s, s3 = s2 * s;
  accelerations += offset_ / (T * T) * (-60 * s + 180 * s2 - 120 * s3) + rate_ / T * (-36 * s + 96 * s2 - 60 * s3);
}

bool Handover::add_torques(double t, Vec torques) {
  if (!begun_) return false;
  if (first_) {
    first_ = false;
    fading_ -= torques;
    torques += fading_;
    return true;
  }
  const double s = (t - from_) / fade_;
  if (s < 1) torques += 0.5 * (1 + std::cos(std::numbers::pi * s)) * fading_;
  return false;
}

// ---- the controller --------------------------------------------------------------------------------

Status Controller::listen(const Measurement& y, double t, ConstVec torques, bool anew) {
  constexpr int kCatchUp = 20;  // steps of the reference per sample
  for (std::size_t i = 0; bank_ && i < bank_->others.size(); ++i) {
    Controller& other = *bank_->others[i];
    if (const Status s = other.listen(y, t, torques, anew); s != Status::ok) return fail(s, other.failure());
  }
  const double next = t + (options_.latency + 0.5) * period();
  for (int k = 0; k < kCatchUp && reference_.state().t < next; ++k) {
    if (const Status s = reference_.step(); s != Status::ok) return fail(s, reference_.failure());
  }
  if (!estimator_) return Status::ok;
  sample_.friction = reference_.friction();
  if (const Status s = set_actuation(y); s != Status::ok) return fail(s, "an actuator has no lever arm on its joint");
  set_believed(torques);
  if (anew) {
    put_readings(y, 0);
    sample_.reference.t = t;
    const VectorXd tau = actuation_.forces() * believed_;
    bend_modes(*options_.model, tau, sample_.reference);
    if (const Status s = estimator_->start(sample_.reference, believed_); s != Status::ok)
      return fail(s, "the observer failed");
  } else if (const Status s = estimator_->correct(y); s != Status::ok) {
    return fail(s, "the observer diverged");
  }
  return fail(estimator_->propagate(believed_), "the observer diverged");
}

bool Controller::caught_up(double t) const { return reference_.state().t > t + (options_.latency - 0.5) * period(); }

// The desired state with the joints at their readings, extrapolated by `ahead` s.
void Controller::put_readings(const Measurement& y, double ahead) {
  State& x = sample_.reference;
  x = reference_.state();
  for (int k = 0; k < options_.driven.size(); ++k) {
    x.q[options_.driven.q[k]] = y.q[k] + ahead * y.v[k];
    x.v[options_.driven.v[k]] = y.v[k];
  }
}

Status Controller::take_over(const Measurement& y, ConstVec torques, double join, double fade) {
  for (std::size_t i = 0; bank_ && i < bank_->others.size(); ++i) {
    Controller& other = *bank_->others[i];
    if (const Status s = other.take_over(y, torques, join, fade); s != Status::ok) return fail(s, other.failure());
  }
  const DrivenJoints& driven = options_.driven;
  sample_.offset.setZero();
  sample_.offset_rate.setZero();
  command_ = applied_ = torques;
  servos_.start(torques);
  put_readings(y, options_.latency * period());
  if (const Status s = set_actuation(y); s != Status::ok) return fail(s, "an actuator has no lever arm on its joint");
  actuation_.to_torques(torques, sample_.torque);
  const State& x = sample_.reference;
  for (int k = 0; k < driven.size(); ++k) {
    sample_.error[k] = x.q[driven.q[k]] - reference_.state().q[driven.q[k]];
    sample_.error_rate[k] = x.v[driven.v[k]] - reference_.state().v[driven.v[k]];
  }
  handover_.begin(reference_.state().t, sample_.error, sample_.error_rate, sample_.torque, join, fade);
  const State& here = estimator_ ? estimator_->state() : x;
  set_believed(torques);
  actuation_.to_torques(believed_, believed_);
  for (const auto& law : laws_) {
    if (const Status s = law->start(here); s != Status::ok) return fail(s, law->failure());
    if (const Status s = law->prepare(here, believed_); s != Status::ok) return fail(s, law->failure());
  }
  return Status::ok;
}

// Blends out the torques that acted at takeover; integrators take them over permanently.
void Controller::hand_over() {
  if (!handover_.begun()) return;
  believed_ = sample_.feed_forward + sample_.feedback;
  command_ = believed_;
  const bool first = handover_.add_torques(sample_.reference.t, command_);
  sample_.feed_forward += command_ - believed_;
  if (!first) return;
  for (const auto& law : laws_) law->take_over(handover_.rest());
}

}  // namespace limber
