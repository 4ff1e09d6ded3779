// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/controller.hpp"

#include <cmath>
#include <numbers>

#include "limber/control/prepare.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/model/manifold.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kComeBack = 0.1;  // of the vibration's frequency: how slowly hinges that yielded come back

// The desired configuration at a time; modes and other joints at zero.
State configuration(const ControlOptions& options, double t) {
  State x = make_zero_state(*options.model);
  x.t = t;
  for (int k = 0; k < options.hinges.size(); ++k) x.q[options.hinges.q[k]] = options.desired[k].at(t).value;
  return x;
}

// Torques that feed speeds back are held for a period, in which a hinge feels no more than its natural inertia N: with
// kd period > N its speed changes sign at every sample, and grows beyond 2 N.
void check_sampled(const ControlOptions& options) {
  if (!options.pid) return;
  NaturalGain gain(*options.model, options.hinges, 1 / options.rate);
  if (gain.set(configuration(options, 0)) != Status::ok) return;  // told elsewhere
  VectorX unit = VectorX::Zero(options.hinges.size()), felt = unit;
  for (int k = 0; k < options.hinges.size(); ++k) {
    unit[k] = 1;
    felt.setZero();
    gain.add(unit, felt);
    unit[k] = 0;
    const double most = felt[k] * options.rate;
    if (options.pid->kd[k] <= most) continue;
    throw InputError("kd of '" + options.hinges.names[k] + "' is " + text(options.pid->kd[k], 4) + ", but sampled at " +
                     text(options.rate, 6) + " Hz it must stay below " + text(most, 4) +
                     ": the inertia that the joint feels at once times the rate; lower kd (or frequency), raise" +
                     " the rate, or give the joint its armature");
  }
}

// Gains along the motion.
template <class Gain>
Schedule make_schedule(const ControlOptions& options, Gain gain) {
  Schedule out;
  const int count = options.end > 0 ? options.schedule : 1;
  for (int k = 0; k < count; ++k) {
    const double t = count == 1 ? 0 : options.end * k / (count - 1);
    out.add(t, gain(configuration(options, t)));
  }
  return out;
}

std::unique_ptr<Estimator> make_estimator(const ControlOptions& options) {
  if (!options.estimates()) return nullptr;
  const double period = 1 / options.rate;
  Schedule gains;
  if (options.embodiment == Embodiment::sensed) {
    gains = make_schedule(options, [&](const State& x) {
      return compute_kalman_gain(*options.model, options.hinges, options.sensors, x, options.kalman, period);
    });
  }
  return std::make_unique<Estimator>(*options.model, options.hinges, options.sensors, std::move(gains), period);
}

}  // namespace

ControlOptions prepare_control(ControlOptions options) {
  check_control(options);
  const std::size_t n = options.hinges.v.size();
  if (options.servos.empty()) options.servos.resize(n);
  if (options.sensors.encoders.empty()) options.sensors.encoders.resize(n);
  if (!options.shaping) return options;
  const State end = configuration(options, options.end);
  const auto vibrations = compute_vibrations(*options.model, end, options.hinges.held);
  std::vector<Signal::Impulse> shaper = {{0, 1}};
  for (std::size_t k = 0; k < vibrations.size() && static_cast<int>(k) < options.shaping->vibrations; ++k) {
    shaper = convolve(shaper, make_shaper(options.shaping->kind, vibrations[k].frequency, vibrations[k].ratio));
  }
  for (Signal& signal : options.desired) signal = Signal::shaped(signal, shaper);
  options.end += shaper.back().delay;
  return options;
}

PidOptions make_pid(const Model& model, const DrivenJoints& hinges, const State& x, const TrackingOptions& wanted) {
  CrbaWorkspace ws(model);
  MatrixX M(model.nv, model.nv);
  crba(model, x, ws, M);
  const double w = 2 * std::numbers::pi * wanted.frequency;
  const VectorX inertia = M.diagonal()(hinges.v);
  return {w * w * inertia, 2 * wanted.ratio * w * inertia, VectorX::Zero(hinges.size()), false};
}

Controller::Controller(ControlOptions options)
    : options_(prepare_control(std::move(options))),
      reference_(*options_.model, options_.hinges, options_.desired, period(), options_.feed_forward),
      estimator_(make_estimator(options_)),
      servos_(options_.servos, period()),
      rnea_(*options_.model) {
  const Model& model = *options_.model;
  const DrivenJoints& hinges = options_.hinges;
  check_sampled(options_);
  desired_.setZero(hinges.size());
  desired_rate_ = wanted_ = measured_ = measured_rate_ = error_ = error_rate_ = integral_ = desired_;
  yield_ = yield_rate_ = yield_acceleration_ = feed_forward_ = feedback_ = command_ = torque_ = desired_;
  full_.setZero(model.nv);
  full2_ = full_;
  dx_.setZero(2 * model.nv);
  static_ = static_before_ = full_;
  discrepancy_.setZero(3);
  ref_ = x_ = make_zero_state(model);
  for (int i = 1; i < model.body_count(); ++i) {
    for (int k = 0; k < model.body(i).modes; ++k) {
      mode_names_.push_back(model.speeds[model.first_mode(i) + k]);
      mode_indices_.push_back(model.first_mode_q(i) + k);
    }
  }
  modes_.setZero(static_cast<Eigen::Index>(mode_indices_.size()));
  if (options_.correction) {
    correction_ = std::make_unique<ForceCorrection>(model, hinges, period(), options_.correcting);
  }
  if (options_.computed_torque) mean_ = std::make_unique<MeanAccelerations>(model, hinges, period());
  if (options_.lqr) {
    lqr_ = make_schedule(options_,
                         [&](const State& x) { return compute_lqr_gain(model, hinges, x, *options_.lqr, period()); });
  }
  if (!options_.damping) return;
  stiffness_.resize(model.bodies.size());
  for (int i = 1; i < model.body_count(); ++i) {
    if (model.body(i).modes > 0) stiffness_[i].compute(model.body(i).stiffness);
  }
  const State end = configuration(options_, options_.end);
  const auto vibrations = compute_vibrations(model, end, hinges.held);
  if (vibrations.empty()) return;
  multiply_mass(model, end, vibrations[0].shape, rnea_, full_);
  double square = 0;
  for (const int v : hinges.v) square += full_[v] * full_[v];
  if (square > 0) damping_ = 2 * options_.damping->ratio * vibrations[0].frequency / square;
  leak_ = kComeBack * vibrations[0].frequency;
}

Status Controller::start(const State& x) {
  integral_.setZero();
  yield_.setZero();
  yield_rate_.setZero();
  torque_.setZero();
  command_.setZero();
  servos_.reset();
  ready_ = false;
  if (const Status status = reference_.start(x); status != Status::ok) return fail(status, reference_.failure());
  for (int k = 0; k < options_.latency; ++k) {
    if (const Status status = reference_.step(); status != Status::ok) return fail(status, reference_.failure());
  }
  if (estimator_ && estimator_->start(x) != Status::ok) return fail(Status::not_finite, "the observer failed");
  if (mean_) mean_->forget();
  if (correction_) correction_->accelerations().forget();
  if (correction_) return fail(correction_->gain().set(x), "the inertia of the hinges is singular");
  return Status::ok;
}

Status Controller::fail(Status status, std::string_view what) {
  if (status != Status::ok) failure_ = "controller: " + std::string(what.empty() ? to_string(status) : what);
  return status;
}

Status Controller::update(const Measurement& y, Vec torques) {
  if (!y.q.allFinite() || !y.v.allFinite()) return fail(Status::not_finite, "a sensor reads no number");
  if (estimator_) {
    if (const Status s = estimator_->correct(y); s != Status::ok) return fail(s, "the observer diverged");
    // Until the coming torques act, the last ones do.
    if (options_.latency > 0 && estimator_->propagate(torque_) != Status::ok) {
      return fail(Status::not_finite, "the observer diverged");
    }
  }
  ref_ = reference_.state();
  if (const Status s = reference_.step(); s != Status::ok) return fail(s, reference_.failure());
  feed_forward_ = reference_.torque();
  feedback_.setZero();
  read_joints(y);
  if (options_.damping) yield_to_vibration();
  if (options_.pid) add_pid(y);
  if (options_.lqr) add_lqr();
  if (const auto& tracking = options_.correction ? options_.correction : options_.computed_torque) {
    if (const Status s = add_tracking(*tracking); s != Status::ok) return fail(s, "the dynamics failed");
  }
  command_ = feed_forward_ + feedback_;
  if (!command_.allFinite()) return fail(Status::not_finite, "the command is not a number");
  servos_.drive(command_, torque_);
  torques = torque_;
  if (!estimator_) return Status::ok;
  for (std::size_t k = 0; k < mode_indices_.size(); ++k) {
    modes_[static_cast<Eigen::Index>(k)] = estimator_->state().q[mode_indices_[k]];
  }
  if (options_.latency > 0) return Status::ok;
  return fail(estimator_->propagate(torque_), "the observer diverged");
}

// Where the hinges should be and where they are.
void Controller::read_joints(const Measurement& y) {
  const DrivenJoints& hinges = options_.hinges;
  measured_ = y.q;
  measured_rate_ = y.v;
  const double ahead = options_.latency * period();
  for (int k = 0; k < hinges.size(); ++k) {
    desired_[k] = ref_.q[hinges.q[k]] + yield_[k];
    desired_rate_[k] = ref_.v[hinges.v[k]] + yield_rate_[k];
    const bool believed = options_.correction || options_.computed_torque;
    error_[k] = desired_[k] - (believed ? estimator_->state().q[hinges.q[k]] : y.q[k] + ahead * y.v[k]);
    error_rate_[k] = desired_rate_[k] - (believed ? estimator_->state().v[hinges.v[k]] : y.v[k]);
  }
}

void Controller::add_pid(const Measurement& y) {
  const PidOptions& pid = *options_.pid;
  for (int k = 0; k < options_.hinges.size(); ++k) {
    feedback_[k] += pid.kp[k] * error_[k] + pid.kd[k] * error_rate_[k] + pid.ki[k] * integral_[k];
    // No more integral while the drive gives all it can, unless it would shrink.
    if (!servos_.saturated(k) || error_[k] * integral_[k] < 0) integral_[k] += period() * error_[k];
  }
  if (!pid.gravity) return;
  x_ = estimate();
  x_.v.setZero();
  for (int k = 0; k < options_.hinges.size(); ++k) x_.q[options_.hinges.q[k]] = y.q[k];
  full_.setZero();
  rnea(*options_.model, x_, full_, {}, rnea_, full2_);
  for (int k = 0; k < options_.hinges.size(); ++k) feedback_[k] += full2_[options_.hinges.v[k]];
}

// K (x_reference - x).
void Controller::add_lqr() {
  const int n = options_.model->nv;
  chart_coordinates(*options_.model, estimator_->state().q, ref_.q, full_);
  dx_.head(n) = full_;
  dx_.tail(n) = ref_.v - estimator_->state().v;
  feedback_.noalias() += lqr_.at(ref_.t) * dx_;
}

// Torques for the hinge accelerations that are wanted on the mean over the coming period: by the correction of forces,
// or at once by hybrid dynamics.
Status Controller::add_tracking(const TrackingOptions& tracking) {
  constexpr int kPasses = 2;  // of the midpoint rule
  const double w = 2 * std::numbers::pi * tracking.frequency, half = 0.5 * period();
  wanted_ = reference_.acceleration() + yield_acceleration_ + 2 * tracking.ratio * w * error_rate_ +
            w * w * (error_ + half * error_rate_);
  const State& x = estimator_->state();
  command_ = torque_;  // the forces of the last step are the guess
  Status status = Status::ok;
  if (options_.correction) {
    NaturalGain& gain = correction_->gain();
    const bool sensed = options_.embodiment == Embodiment::sensed;
    if (sensed) status = gain.set(x);
    if (status == Status::ok) correction_result_ = (*correction_)(x, wanted_, command_);
    if (status == Status::ok) status = correction_result_.status;
    discrepancy_ << correction_result_.first, correction_result_.last, correction_result_.count;
    // Without sensors the articulated inertias of this step serve in the next: [Pat] claim 6.
    if (status == Status::ok && !sensed) status = gain.set(x);
  } else {
    for (int pass = 0; pass < kPasses && status == Status::ok; ++pass) status = mean_->hybrid(x, wanted_, command_);
  }
  feedback_ += command_ - feed_forward_;
  return status;
}

// full_: modal rates less those of K eta = -(inertial forces and weight of the desired motion when nothing vibrates).
void Controller::find_vibration() {
  const Model& model = *options_.model;
  x_ = ref_;
  full_.setZero();
  for (int i = 1; i < model.body_count(); ++i) {
    x_.q.segment(model.first_mode_q(i), model.body(i).modes).setZero();
    x_.v.segment(model.first_mode(i), model.body(i).modes).setZero();
  }
  for (int k = 0; k < options_.hinges.size(); ++k) full_[options_.hinges.v[k]] = reference_.acceleration()[k];
  rnea(model, x_, full_, {}, rnea_, full2_);
  static_before_.swap(static_);
  full_.setZero();
  for (int i = 1; i < model.body_count(); ++i) {
    if (model.body(i).modes == 0) continue;
    const int v = model.first_mode(i), n = model.body(i).modes;
    auto eta = static_.segment(v, n);
    eta = -full2_.segment(v, n);
    stiffness_[i].solveInPlace(eta);
    full_.segment(v, n) = estimator_->state().v.segment(v, n);
    if (ready_) full_.segment(v, n) -= options_.rate * (eta - static_before_.segment(v, n));
  }
  ready_ = true;
}

// Accelerations of the hinges along M_JF times the modal rates, with a slow way back; the desired motion takes them in.
void Controller::yield_to_vibration() {
  const DrivenJoints& hinges = options_.hinges;
  const State& x = estimator_->state();
  find_vibration();
  multiply_mass(*options_.model, x, full_, rnea_, full2_);
  for (int k = 0; k < hinges.size(); ++k) {
    const double a = damping_ * full2_[hinges.v[k]] - 2 * leak_ * yield_rate_[k] - leak_ * leak_ * yield_[k];
    yield_acceleration_[k] = a;
    yield_[k] += period() * (yield_rate_[k] + 0.5 * period() * a);
    yield_rate_[k] += period() * a;
  }
}

std::vector<ControlChannel> Controller::channels() const {
  const std::vector<std::string>& names = options_.hinges.names;
  std::vector<std::string> angle, rate, effort, modal;
  for (const int joint : options_.hinges.joints) {
    const JointKind kind = options_.model->joints[joint].kind;
    for (int k = 0; k < speed_count(kind); ++k) {
      const bool slides = kind == JointKind::prismatic || (kind == JointKind::cylindrical && k == 1);
      angle.push_back(slides ? "m" : "rad");
      rate.push_back(slides ? "m/s" : "rad/s");
      effort.push_back(slides ? "N" : "N m");
    }
  }
  std::vector<ControlChannel> out = {
      {"control/desired", names, angle, &desired_},
      {"control/desired_rate", names, rate, &desired_rate_},
      {"control/measured", names, angle, &measured_},
      {"control/measured_rate", names, rate, &measured_rate_},
      {"control/error", names, angle, &error_},
      {"control/feed_forward", names, effort, &feed_forward_},
      {"control/feedback", names, effort, &feedback_},
      {"control/command", names, effort, &command_},
      {"control/torque", names, effort, &torque_},
      {"control/current", names, std::vector<std::string>(names.size(), "A"), &servos_.currents()}};
  if (estimator_) {
    out.push_back({"control/modes", mode_names_, std::vector<std::string>(mode_names_.size(), "1"), &modes_});
  }
  if (correction_) {
    out.push_back({"control/correction", {"first", "last", "count"}, {"rad/s^2", "rad/s^2", "1"}, &discrepancy_});
  }
  return out;
}

}  // namespace limber
