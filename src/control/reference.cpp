// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/reference.hpp"

#include "control/one_step.hpp"
#include "limber/model/friction.hpp"

namespace limber {
namespace {

Inputs prescribe(const Model& model, const DrivenJoints& driven, const std::vector<Signal>& desired) {
  Inputs inputs;
  std::size_t next = 0;
  for (const int joint : driven.joints) {
    MotionInput input{joint, {}, "the desired motion of '" + model.joints[joint].name + "'"};
    for (int k = 0; k < speed_count(model.joints[joint].kind); ++k) input.motion.push_back(desired[next++]);
    inputs.motions.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace

Reference::Reference(const Model& model, const DrivenJoints& driven, const std::vector<Signal>& desired, double period,
                     FeedForward kind)
    : model_(model),
      driven_(driven),
      period_(period),
      kind_(kind),
      system_(model, prescribe(model, driven, desired)),
      stepper_(make_one_step(system_, period)),
      rnea_(model),
      x_(make_zero_state(model)),
      middle_(x_) {
  torque_.setZero(driven.size());
  a_ = friction_ = torque_;
  vdot_.setZero(model.nv);
  tau_ = vdot_;
}

Status Reference::start(const State& x) {
  x_ = x;
  system_.select_interval(x.t + 0.5 * period_);
  system_.prescribe(x_);
  torque_.setZero();
  if (kind_ != FeedForward::hybrid) return Status::ok;
  system_.update_contacts(x_);
  const Status status = stepper_->start({x_});
  failure_ = system_.failure();
  return status;
}

// Updates the phases of ropes, contacts, stops and friction of other joints after a step.
Status Reference::update_contacts() {
  if (!system_.update_contacts(x_)) return Status::ok;
  const Status status = stepper_->start({x_});
  failure_ = system_.failure();
  return status;
}

Status Reference::step() {
  const double t = x_.t, next = t + period_;
  system_.select_interval(t + 0.5 * period_);
  if (kind_ == FeedForward::hybrid) {
    const Status status = stepper_->step(next);
    failure_ = system_.failure();
    if (status != Status::ok) return status;
    for (int k = 0; k < driven_.size(); ++k) torque_[k] = system_.torques()[driven_.v[k]];
    x_ = stepper_->now().x;
    if (const Status touched = update_contacts(); touched != Status::ok) return touched;
  }
  if (const Status status = compute_rigid(); status != Status::ok) return status;
  if (kind_ != FeedForward::hybrid) {
    x_.t = next;
    system_.prescribe(x_);
  }
  return Status::ok;
}

// Joint accelerations in the middle of a step that ends or begins at x_.t, and the torques of a rigid machine.
Status Reference::compute_rigid() {
  middle_.t = kind_ == FeedForward::hybrid ? x_.t - 0.5 * period_ : x_.t + 0.5 * period_;
  for (std::size_t j = 0, k = 0; j < system_.inputs().motions.size(); ++j) {
    for (const Signal& signal : system_.inputs().motions[j].motion) {
      const Jet jet = signal.at(middle_.t, middle_.t);
      middle_.q[driven_.q[k]] = jet.value;
      middle_.v[driven_.v[k]] = jet.rate;
      a_[k] = vdot_[driven_.v[k]] = jet.acceleration;
      ++k;
    }
  }
  int k = 0;
  for (const int joint : driven_.joints) {
    const auto& friction = model_.joints[joint].friction;
    if (friction && friction->dry()) friction_[k] = sliding_friction(*friction, middle_.v[driven_.v[k]]);
    k += speed_count(model_.joints[joint].kind);
  }
  if (kind_ != FeedForward::rigid) return Status::ok;
  rnea_(middle_, vdot_, tau_);
  torque_ = friction_;  // as in hybrid dynamics
  for (int i = 0; i < driven_.size(); ++i) torque_[i] += tau_[driven_.v[i]];
  return torque_.allFinite() ? Status::ok : Status::not_finite;
}

}  // namespace limber
