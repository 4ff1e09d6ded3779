// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "control/attitude_reference.hpp"

#include "control/one_step.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

constexpr int kCorrections = 6;
constexpr double kSameRate = 1e-13;  // rad/s

}  // namespace

AttitudeReference::AttitudeReference(const Model& model, int body, std::vector<int> actuators, const AttitudePath& path,
                                     double period, Inputs motions)
    : joint_(model.joints[body]),
      actuators_(std::move(actuators)),
      path_(path),
      period_(period),
      system_(model, std::move(motions)),
      stepper_(make_one_step(system_, period)) {
  u_.setZero(static_cast<Eigen::Index>(actuators_.size()));
  trial_ = u_;
  torques_.setZero(model.nv);
  from_.x = make_zero_state(model);
}

// Sets attitude and rate of the body to the desired ones.
void AttitudeReference::put(const Attitude& desired) {
  const Eigen::Quaterniond turn = Eigen::Quaterniond(joint_.origin.R).conjugate() * desired.turn;
  from_.x.q.segment<4>(joint_.q) << turn.w(), turn.x(), turn.y(), turn.z();
  from_.x.v.segment<3>(joint_.v) = desired.rate;
}

// The rate at the end of a period with these efforts.
Status AttitudeReference::attempt(const VectorXd& u, Vector3d& rate) {
  for (std::size_t k = 0; k < actuators_.size(); ++k) torques_[actuators_[k]] = u[static_cast<Eigen::Index>(k)];
  system_.set_control_torques(torques_);
  Status status = stepper_->release(from_);
  if (status == Status::ok) status = stepper_->step(from_.x.t + period_);
  rate = stepper_->now().x.v.segment<3>(joint_.v);
  if (status == Status::ok && !rate.allFinite()) status = Status::not_finite;
  if (status != Status::ok) failure_ = "the desired attitude cannot be followed: " + system_.failure();
  return status;
}

Status AttitudeReference::compute_gain() {
  const auto n = u_.size();
  MatrixXd gain(3, n);
  Vector3d at, moved;
  if (const Status s = attempt(u_, at); s != Status::ok) return s;
  for (Eigen::Index k = 0; k < n; ++k) {
    trial_ = u_;
    trial_[k] += 1;
    if (const Status s = attempt(trial_, moved); s != Status::ok) return s;
    gain.col(k) = moved - at;
  }
  inverse_ = gain.transpose() * solve_full_pivoting(gain * gain.transpose(), Matrix3d::Identity());
  return Status::ok;
}

Status AttitudeReference::start(const State& x) {
  from_ = {x, 0, 0};
  system_.select_interval(x.t + 0.5 * period_);
  system_.prescribe(from_.x);
  put(path_.at(x.t));
  u_.setZero();
  if (const Status s = stepper_->start(from_); s != Status::ok) return s;
  return compute_gain();
}

Status AttitudeReference::step() {
  system_.select_interval(from_.x.t + 0.5 * period_);
  const Attitude desired = path_.at(from_.x.t + period_);
  Vector3d rate;
  for (int k = 0; k < kCorrections; ++k) {
    if (const Status s = attempt(u_, rate); s != Status::ok) return s;
    const Vector3d missing = desired.rate - rate;
    if (missing.norm() <= kSameRate) break;
    u_.noalias() += inverse_ * missing;
  }
  from_ = stepper_->now();
  put(desired);
  return Status::ok;
}

void AttitudeReference::transfer(Archive& archive) {
  archive(system_, *stepper_, from_, u_);
  for (Eigen::Index k = 0; k < inverse_.size(); ++k) archive(inverse_.data()[k]);
}

}  // namespace limber
