// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/controller.hpp"

#include <cmath>

#include "control/configuration.hpp"
#include "control/laws/laws.hpp"
#include "control/model_bank.hpp"
#include "limber/control/linear_loop.hpp"
#include "limber/control/prepare.hpp"
#include "limber/control/static_hold.hpp"
#include "limber/model/manifold.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

std::unique_ptr<Estimator> make_estimator(const ControlOptions& options) {
  if (!options.estimates()) return nullptr;
  const Model& model = *options.model;
  Schedule phase = make_schedule(options, [](const Predictor&predictor) { return predictor.phase; }), gains;
  if (options.senses()) {
    gains = make_schedule(options, [&](const Predictor& predictor) {
      return compute_kalman_gain(model, options.driven, options.sensors, predictor, options.kalman);
    });
  }
  return std::make_unique<Estimator>(model, options.driven, options.sensors, std::move(phase), std::move(gains),
                                     1 / options.rate);
}

// Tracking replaces feed-forward, which is then not computed; if it controls the modes, or feeds back the joints alone,
// it needs the modes of the desired motion.
FeedForward reference_kind(const ControlOptions& options) {
  const TrackingOptions* tracking = options.tracking();
  if (tracking == nullptr) return options.feed_forward;
  return tracking->modal_share > 0 || tracking->collocated ? FeedForward::hybrid : FeedForward::none;
}

// The signals to follow: the desired motion plus the learned offsets.
std::vector<Signal> followed(const ControlOptions& options) {
  std::vector<Signal> out = options.desired;
  for (std::size_t k = 0; k < options.learned.size(); ++k) {
    const auto sum = [a = out[k], b = options.learned[k]](double t) {
      const Jet x = a.at(t), y = b.at(t);
      return Jet{x.value + y.value, x.rate + y.rate, x.acceleration + y.acceleration};
    };
    out[k] = Signal::callback(sum, out[k].breaks());
  }
  return out;
}

constexpr const char* kNoLever = "an actuator has no lever arm on its joint";

}  // namespace

Controller::Controller(ControlOptions options)
    : options_(settle_loop(prepare_control(std::move(options)))),
      reference_(*options_.model, options_.driven, followed(options_), period(), reference_kind(options_)),
      estimator_(make_estimator(options_)),
      laws_(make_laws(options_)),
      bank_(make_bank(options_)),
      actuation_(*options_.model, options_.driven),
      servos_(options_.servos, period()),
      sample_(*options_.model, options_.driven.size()),
      handover_(options_.driven.size()) {
  const Model& model = *options_.model;
  command_.setZero(options_.driven.size());
  bias_ = unmodelled_ = believed_ = acting_ = applied_ = command_;
  expected_ = at_ = make_zero_state(model);
  shift_ = expected_.v;
  for (int i = 1; i < model.body_count(); ++i) {
    for (int k = 0; k < model.body(i).modes; ++k) {
      mode_names_.push_back(model.speeds[model.first_mode(i) + k]);
      mode_indices_.push_back(model.first_mode_q(i) + k);
    }
  }
  modes_.setZero(static_cast<Eigen::Index>(mode_indices_.size()));
}

Controller::~Controller() = default;

Status Controller::start(const State& x) {
  bias_.setZero();
  unmodelled_.setZero();
  sample_.torque.setZero();
  command_.setZero();
  applied_.setZero();
  servos_.reset();
  for (std::size_t i = 0; bank_ && i < bank_->others.size(); ++i) {
    Controller& other = *bank_->others[i];
    if (const Status s = other.start(x); s != Status::ok) return fail(s, other.failure());
  }
  if (bank_) bank_->adaptation.reset();
  return start_parts(x, command_);
}

// Starts reference, observer and laws; own_inputs (driven coordinate): inputs acting in the model so far.
Status Controller::start_parts(const State& x, ConstVec own_inputs) {
  handover_.end();
  sample_.offset.setZero();
  sample_.offset_rate.setZero();
  if (const Status s = reference_.start(x); s != Status::ok) return fail(s, reference_.failure());
  for (int k = 0; k < options_.latency; ++k) {
    if (const Status s = reference_.step(); s != Status::ok) return fail(s, reference_.failure());
  }
  if (estimator_ && estimator_->start(x, own_inputs) != Status::ok)
    return fail(Status::not_finite, "the observer failed");
  if (const Status s = actuation_.set(x); s != Status::ok) return fail(s, kNoLever);
  actuation_.to_torques(own_inputs, believed_);
  for (const auto& law : laws_) {
    if (const Status s = law->start(x); s != Status::ok) return fail(s, law->failure());
    if (const Status s = law->prepare(x, believed_); s != Status::ok) return fail(s, law->failure());
  }
  return Status::ok;
}

Status Controller::hold(const State& x, ConstVec torques) {
  const DrivenJoints& driven = options_.driven;
  for (int k = 0; k < driven.size(); ++k) {
    const double most = options_.servos[static_cast<std::size_t>(k)].max_torque;
    if (!(std::abs(torques[k]) > most)) continue;
    throw InputError("joint '" + driven.names[k] + "' needs " + text(torques[k], 4) +
                     " to be held at its initial position," + " but its servo gives " + text(most, 4) +
                     " at most; raise max_torque or the effort limit of the joint, or start elsewhere");
  }
  const StaticHold own = find_static_hold(*options_.model, {}, x, driven.joints, driven);
  const VectorXd own_inputs = own.torques(driven.v);
  if (const Status s = actuation_.set(own.equilibrium.x); s != Status::ok) return fail(s, kNoLever);
  actuation_.to_torques(torques - own_inputs, unmodelled_);
  if (const Status s = balance_laws(own.equilibrium.x, torques); s != Status::ok) return s;
  command_ = applied_ = torques;
  servos_.start(torques);
  if (const Status s = start_parts(own.equilibrium.x, own_inputs); s != Status::ok) return s;
  actuation_.to_torques(torques, sample_.torque);
  for (const auto& law : laws_) law->take_over(bias_);
  for (std::size_t i = 0; bank_ && i < bank_->others.size(); ++i) {
    Controller& other = *bank_->others[i];
    if (const Status s = other.hold(x, torques); s != Status::ok) return fail(s, other.failure());
  }
  if (bank_) bank_->adaptation.reset();
  return Status::ok;
}

// Sets the bias that adds up to `torques` with the output of laws and feed-forward for x as a constant desired state.
Status Controller::balance_laws(const State& x, ConstVec torques) {
  const DrivenJoints& driven = options_.driven;
  VectorXd own_inputs = torques, at_joints = torques;
  actuation_.to_torques(torques, at_joints);
  actuation_.to_inputs(at_joints - unmodelled_, own_inputs);
  std::vector<Signal> stay;
  for (const int q : driven.q) stay.emplace_back(x.q[q]);
  Reference still(*options_.model, driven, stay, period(), reference_kind(options_));
  if (const Status s = still.start(x); s != Status::ok) return fail(s, still.failure());
  Measurement y;
  y.q = driven.positions(x);
  y.v.setZero(driven.size());
  sample_.torque = at_joints - unmodelled_;
  servos_.reset();
  if (const Status s = start_parts(x, own_inputs); s != Status::ok) return s;
  sample_.reference = still.state();
  if (const Status s = still.step(); s != Status::ok) return fail(s, still.failure());
  set_sample(y, still);
  if (!estimator_) sample_.estimate = &still.state();
  if (const Status s = run_laws(); s != Status::ok) return s;
  bias_ = at_joints - sample_.feed_forward - sample_.feedback;
  return Status::ok;
}

Status Controller::run_laws() {
  for (const auto& law : laws_) {
    if (const Status s = law->update(sample_); s != Status::ok) return fail(s, law->failure());
  }
  return Status::ok;
}

Status Controller::fail(Status status, std::string_view what) {
  if (status != Status::ok) failure_ = "controller: " + std::string(what.empty() ? to_string(status) : what);
  return status;
}

Status Controller::update(const Measurement& y, Vec commands) {
  const Status status = respond(y, commands);
  return status == Status::ok ? prepare() : status;
}

Status Controller::respond(const Measurement& y, Vec commands) {
  if (!y.q.allFinite() || !y.v.allFinite()) return fail(Status::not_finite, "a sensor reading is not a number");
  if (const Status s = correct_estimate(y); s != Status::ok) return fail(s, "the observer diverged");
  sample_.reference = reference_.state();
  handover_.add_motion(options_.driven, sample_.reference);
  if (const Status s = reference_.step(); s != Status::ok) return fail(s, reference_.failure());
  set_sample(y, reference_);
  handover_.add_accelerations(sample_.reference.t + 0.5 * period(), sample_.acceleration);
  if (const Status s = set_actuation(y); s != Status::ok) return fail(s, kNoLever);
  if (const Status s = run_laws(); s != Status::ok) return s;
  sample_.feed_forward += bias_;
  hand_over();
  command_ = sample_.feed_forward + sample_.feedback;
  if (bank_) {
    if (const Status s = combine(y); s != Status::ok) return s;
  }
  if (!command_.allFinite()) return fail(Status::not_finite, "the command is not a number");
  actuation_.to_inputs(command_, command_);
  servos_.drive(command_, applied_);
  actuation_.to_torques(applied_, sample_.torque);
  for (std::size_t i = 0; bank_ && i < bank_->others.size(); ++i) {
    bank_->others[i]->applied_ = applied_;
    bank_->others[i]->sample_.torque = sample_.torque;
  }
  commands = servos_.commands();
  return Status::ok;
}

Status Controller::prepare() {
  for (std::size_t i = 0; bank_ && i < bank_->others.size(); ++i) {
    if (const Status s = bank_->others[i]->prepare(); s != Status::ok) return fail(s, bank_->others[i]->failure());
  }
  if (const Status s = propagate_estimate(); s != Status::ok) return fail(s, "the observer diverged");
  if (options_.embodiment != Embodiment::pipelined || !estimator_) return Status::ok;
  const bool at_reference = options_.collocated();
  expected_ = at_reference ? reference_.state() : estimator_->state();
  if (options_.latency > 0 && !at_reference) {  // the next sample is for one period later
    shift_ = period() * expected_.v;
    move(*options_.model, expected_.q, shift_, expected_.q);
  }
  actuation_.to_torques(believed_, believed_);
  for (const auto& law : laws_) {
    if (const Status s = law->prepare(expected_, believed_); s != Status::ok) return fail(s, law->failure());
  }
  return Status::ok;
}

// Evaluated at the joint positions in the middle of the coming period: held forces then equal the varying ones to
// second order.
Status Controller::set_actuation(const Measurement& y) {
  if (!actuation_.any()) return Status::ok;
  at_ = estimate();
  if (estimator_) {
    shift_ = 0.5 * period() * at_.v;
    move(*options_.model, at_.q, shift_, at_.q);
  } else {
    for (int k = 0; k < options_.driven.size(); ++k)
      at_.q[options_.driven.q[static_cast<std::size_t>(k)]] = y.q[k] + (options_.latency + 0.5) * period() * y.v[k];
  }
  return actuation_.set(at_);
}

// Sets the inputs of the observer's model, with dry friction taken from the desired motion.
void Controller::set_believed(ConstVec inputs) {
  believed_ = unmodelled_ + sample_.friction;
  actuation_.to_inputs(believed_, believed_);
  believed_ = inputs - believed_;
}

Status Controller::correct_estimate(const Measurement& y) {
  if (!estimator_) return Status::ok;
  if (const Status s = restart_estimate(estimator_->correct(y)); s != Status::ok) return s;
  // The previous torques act until the new ones do.
  set_believed(told_ ? acting_ : applied_);
  for (std::size_t i = 0; told_ && bank_ && i < bank_->others.size(); ++i) bank_->others[i]->set_acting(acting_);
  told_ = false;
  return options_.latency > 0 ? restart_estimate(estimator_->propagate(believed_)) : Status::ok;
}

// An estimate that is not fed back may diverge without harm, for instance far from a straight machine: it then begins
// anew at the reference.
Status Controller::restart_estimate(Status status) {
  const bool needed =
      !options_.collocated() || options_.damping || options_.correcting.modes > 0 || options_.adaptation.has_value();
  return status == Status::ok || needed ? status : estimator_->start(reference_.state(), believed_);
}

Status Controller::propagate_estimate() {
  if (!estimator_) return Status::ok;
  for (std::size_t k = 0; k < mode_indices_.size(); ++k) {
    modes_[static_cast<Eigen::Index>(k)] = estimator_->state().q[mode_indices_[k]];
  }
  set_believed(applied_);
  return options_.latency > 0 ? Status::ok : restart_estimate(estimator_->propagate(believed_));
}

// Sets the input of the laws: the desired motion, readings, and errors.
void Controller::set_sample(const Measurement& y, const Reference& reference) {
  const DrivenJoints& joints = options_.driven;
  const bool estimated = options_.tracking() != nullptr && !options_.collocated();
  const double ahead = options_.latency * period();
  ControlSample& s = sample_;
  s.readings = &y;
  s.estimate = &estimate();
  s.acceleration = reference.acceleration();
  s.feed_forward = reference.torque();
  s.feedback.setZero();
  s.friction_before = s.friction;
  s.friction = reference.friction();
  s.measured = y.q;
  s.measured_rate = y.v;
  for (int k = 0; k < joints.size(); ++k) {
    s.limited[k] = servos_.saturated(k) ? 1 : 0;
    s.desired[k] = s.reference.q[joints.q[k]] + s.offset[k];
    s.desired_rate[k] = s.reference.v[joints.v[k]] + s.offset_rate[k];
    s.error[k] = s.desired[k] - (estimated ? s.estimate->q[joints.q[k]] : y.q[k] + ahead * y.v[k]);
    s.error_rate[k] = s.desired_rate[k] - (estimated ? s.estimate->v[joints.v[k]] : y.v[k]);
  }
}

void Controller::transfer(Archive& archive) {
  archive(reference_, servos_, sample_, command_, applied_, modes_, bias_, unmodelled_, handover_);
  if (estimator_) archive(*estimator_);
  for (const auto& law : laws_) law->transfer(archive);
  if (!bank_) return;
  archive(bank_->adaptation);
  for (const auto& other : bank_->others) archive(*other);
}

std::vector<ExternalChannel> Controller::channels() const {
  const std::vector<std::string>& names = options_.driven.names;
  const std::vector<std::string> angle = units_of(*options_.model, options_.driven, position_units),
                                 rate = units_of(*options_.model, options_.driven, speed_units),
                                 effort = units_of(*options_.model, options_.driven, force_units),
                                 input = input_units(*options_.model, options_.driven);
  std::vector<ExternalChannel> out = {
      {"control/desired", names, angle, &sample_.desired},
      {"control/desired_rate", names, rate, &sample_.desired_rate},
      {"control/measured", names, angle, &sample_.measured},
      {"control/measured_rate", names, rate, &sample_.measured_rate},
      {"control/error", names, angle, &sample_.error},
      {"control/feed_forward", names, effort, &sample_.feed_forward},
      {"control/feedback", names, effort, &sample_.feedback},
      {"control/command", names, input, &command_},
      {"control/torque", names, input, &applied_},
      {"control/current", names, std::vector<std::string>(names.size(), "A"), &servos_.currents()}};
  if (estimator_) {
    out.push_back({"control/modes", mode_names_, std::vector<std::string>(mode_names_.size(), "1"), &modes_});
  }
  if (bank_) out.push_back({"control/adaptation", {"payload", "stiffness"}, {"1", "1"}, &bank_->adaptation.factors()});
  for (const auto& law : laws_) {
    for (ExternalChannel& channel : law->channels()) out.push_back(std::move(channel));
  }
  return out;
}

}  // namespace limber
