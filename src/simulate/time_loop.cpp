// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/time_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/spatial/detail/text.hpp"
#include "singular.hpp"
#include "stop_events.hpp"

namespace limber {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kDiverged = 1e15;                                          // of any coordinate or speed, in its unit
constexpr double kSameInstant = 1e-12;                                      // relative to the duration
constexpr double kResolution = 4 * std::numeric_limits<double>::epsilon();  // of the contact times
constexpr int kCuts = 8;          // of a step; each adds some digits to the contact time
constexpr double kNoStep = 1e-3;  // of a step: shorter pieces are not taken, unless they end in a contact
constexpr int kInside = 4;  // subintervals of a step at whose ends deflections are checked, if the method interpolates

// Notes for joints that start beyond their limits.
void add_stop_notes(const System& system, const State& x, std::vector<std::string>& notes) {
  for (const StopContact& stop : system.stops()) {
    const double depth = stop.depth(x.q[stop.q]);
    if (!(depth > 0)) continue;
    const Joint& joint = system.model().joints[stop.joint];
    notes.push_back("joint '" + joint.name + "' starts " + text(depth, 4) + " " + position_units(joint.kind)[0] +
                    " beyond its " + (stop.sign > 0 ? "upper" : "lower") + " limit of " + text(stop.bound, 4) +
                    ", where its stop holds " + text(stop.energy(x.q[stop.q]), 4) +
                    " J; start inside the limits, or in equilibrium");
  }
}

}  // namespace

TimeLoop::TimeLoop(System& system, const SolverOptions& solver, double duration, Sampler* sampler)
    : system_(system),
      duration_(duration),
      sampler_(sampler),
      stepper_(make_stepper(system, solver)),
      events_(std::make_unique<StopEvents>(system)),
      pace_(std::make_unique<EventWatch>()),
      watch_(std::make_unique<SingularWatch>(system)),
      monitor_(system.model()) {
  const Model& model = system.model();
  shown_.x = make_zero_state(model);
  before_ = closed_ = motion_ = shown_;
  vdot_.setZero(model.nv);
  held_ = given_ = sum_ = watched_v_ = vdot_;
  result_.largest.setZero(model.nq);
}

TimeLoop::~TimeLoop() = default;

double TimeLoop::tolerance() const { return kSameInstant * (std::isfinite(duration_) ? duration_ : 1); }

void TimeLoop::set_intervals(double start) {
  start_ = start;
  stops_.clear();
  const double end = start + duration_;
  for (const double t : system_.breaks()) {
    if (t > start && std::abs(t - end) > tolerance()) stops_.push_back(t);
  }
  if (std::isfinite(end)) stops_.push_back(end);
  std::sort(stops_.begin(), stops_.end());
  stops_.push_back(kNever);
}

void TimeLoop::select_interval(std::size_t interval) {
  interval_ = interval;
  const double from = interval == 0 ? start_ : stops_[interval - 1], to = stops_[interval];
  system_.select_interval(std::isfinite(to) ? 0.5 * (from + to) : from + 1);
}

bool TimeLoop::start(const State& x) {
  set_intervals(x.t);
  phase_ = Phase::ready;
  contact_ = changed_ = false;
  pace_->start(EventWatch::kWindow * (std::isfinite(duration_) ? duration_ : 1));
  singular_time_ = kNever;
  first_sample_ = x.t;
  samples_ = 0;
  motion_ = {x};
  select_interval(0);
  system_.prescribe(motion_.x);
  system_.assemble(motion_.x);
  system_.update_contacts(motion_.x);
  result_.notes.clear();
  if (const std::string note = assembly_note(system_.model(), x, motion_.x); system_.has_closures() && !note.empty())
    result_.notes.push_back(note);
  if (const std::string note = system_.closure_note(); !note.empty()) result_.notes.push_back(note);
  add_stop_notes(system_, motion_.x, result_.notes);
  const Energy first = system_.energy(motion_.x);
  initial_ = first.kinetic + first.potential();
  gravity_ = first.gravity;
  watched_ = x.t;
  watch_state(motion_);
  if (system_.has_closures() && system_.project(motion_.x) == Status::ok) watch_->start(motion_.x);
  shown_ = motion_;
  if (!sample(motion_) || !begin(motion_)) return false;
  return show(x.t, false);
}

// Starts a smooth part of the motion at m.
bool TimeLoop::begin(Motion& m) {
  if (!good(system_.apply_jump(m), m)) return false;
  update_contacts(m);
  return good(stepper_->start(m), m);
}

TimeLoop::Outcome TimeLoop::advance_to(double t, RunListener* listener) {
  if (result_.status != Status::ok) return Outcome::failed;
  if (!(t >= shown_.x.t - tolerance()))
    throw InputError("advance_to: t = " + text(t) + " s is before the present time, " + text(shown_.x.t) + " s");
  result_.interrupted = false;
  if (!take_missing_sample()) return Outcome::failed;
  if (changed_ && !apply_changes(listener)) return result_.interrupted ? Outcome::interrupted : Outcome::failed;
  const auto outcome = [](bool good) { return good ? Outcome::reached : Outcome::failed; };
  for (;;) {
    const double now = stepper_->now().x.t;
    if (phase_ == Phase::stepped) {
      if (t < std::min(now - tolerance(), singular_time_)) return outcome(show(t, stepper_->dense()));
      if (singular_time_ < kNever) return outcome(tell_singular(singular_time_));
      watch_step(system_.has_closures() ? closed_ : stepper_->now());
      if (!sample_due()) return Outcome::failed;
      phase_ = Phase::sampled;
    }
    if (t <= now + tolerance()) return outcome(show(t, false));
    if (phase_ == Phase::sampled) {
      if (const Outcome ended = complete_step(listener); ended != Outcome::reached) return ended;
    }
    if (!take_step(t)) return Outcome::failed;
  }
}

// Sets shown_ to the motion at t, inside the last step or at its end.
bool TimeLoop::show(double t, bool inside) {
  if (inside) {
    stepper_->at(t, shown_);
  } else {
    shown_ = stepper_->now();
    shown_.x.t = t;
  }
  return !system_.has_closures() || good(system_.project(shown_.x), shown_);
}

// Projects the motion onto the closures, as found by watch_closures.
bool TimeLoop::end_step() { return !system_.has_closures() || good(stepper_->adjust(closed_), closed_); }

TimeLoop::Outcome TimeLoop::complete_step(RunListener* listener) {
  if (phase_ != Phase::sampled) return Outcome::reached;
  phase_ = Phase::ready;
  if (!end_step() || (contact_ && !switch_contacts())) return Outcome::failed;
  if (listener == nullptr || listener->go_on(stepper_->now().x.t, stepper_->counts())) return Outcome::reached;
  result_.interrupted = true;
  result_.t = stepper_->now().x.t;
  return Outcome::interrupted;
}

// After a change of inputs: the motion continues from where it was last shown; a step in progress ends there.
bool TimeLoop::apply_changes(RunListener* listener) {
  changed_ = false;
  if (phase_ == Phase::stepped) {
    watch_step(shown_);
    motion_ = shown_;
    contact_ = false;
    singular_time_ = kNever;
    if (system_.has_closures()) watch_->take_back();
    phase_ = Phase::ready;
  } else {
    if (complete_step(listener) != Outcome::reached) return false;
    motion_ = stepper_->now();
  }
  if (!good(system_.apply_jump(motion_), motion_)) return false;
  if (update_contacts(motion_)) return good(stepper_->start(motion_), motion_);
  return good(stepper_->dense() ? stepper_->release(motion_) : stepper_->start(motion_), motion_);
}

// One step, no further than t if the method cannot interpolate.
bool TimeLoop::take_step(double t) {
  if (stepper_->now().x.t >= stops_[interval_]) {
    select_interval(interval_ + 1);
    motion_ = stepper_->now();
    if (!begin(motion_)) return false;
  }
  double limit = stops_[interval_];
  if (!stepper_->dense()) limit = std::min(limit, t);
  if (sampler_ != nullptr) limit = std::min(limit, sample_time());
  const bool stops = events_->any();
  if (stops) before_ = stepper_->now();
  if (!good(stepper_->step(limit), stepper_->now())) return false;
  phase_ = Phase::stepped;
  if (stops && !meet_stops()) return false;
  if (contact_ && pace_->stalls(stepper_->now().x.t)) return tell_stall(stepper_->now().x.t);
  return !system_.has_closures() || watch_closures();
}

// Checks for a singular configuration, where the run ends.
bool TimeLoop::watch_closures() {
  closed_ = stepper_->now();
  if (!good(system_.project(closed_.x), closed_)) return false;
  if (watch_->passed(closed_.x)) singular_time_ = watch_->at();
  return true;
}
bool TimeLoop::tell_singular(double t) {
  result_.status = Status::singular_closure;
  result_.failure = "the machine came to a singular configuration of its closures at t = " + text(t, 6) +
                    " s: the motion is not unique beyond this point";
  return false;
}

// As a stalled step does, which would otherwise never end.
bool TimeLoop::tell_stall(double t) {
  result_.status = Status::no_convergence;
  result_.failure = "the motion does not get past t = " + text(t, 6) + " s, where " + events_->name_cause() +
                    " changed its phase more than " + std::to_string(EventWatch::kMost) + " times within " +
                    text(pace_->window(), 2) + " s; use the method dopri5, another step or more damping there";
  return false;
}

// ---- stops -------------------------------------------------------------------------------------------

// If a stop is met or left in the last step, the step is repeated and ends there.  If the event falls a little after
// that end, a short step is added.  The interpolant of a long step may put the event at the very beginning of the step:
// if the piece up to there has none, it is extended.
bool TimeLoop::meet_stops() {
  contact_ = false;
  events_->start_step();
  const double from = before_.x.t;
  double free = from, late = kNever;  // ends of the longest piece without an event, the shortest with one
  for (int k = 0; k < kCuts; ++k) {
    const double end = stepper_->now().x.t, found = events_->first(before_, *stepper_);
    double next = found;
    if (found == kNever) {
      if (end - from > kNoStep * (late - from) || late == kNever) return true;
      free = end;
    } else {
      contact_ = true;
      const double resolution = kResolution * std::max(std::abs(end), end - from);
      if (found >= end - resolution) return true;
      late = end;
      next = std::max(found, from + resolution);
    }
    if (found == kNever || next <= free) next = from + std::sqrt((free - from) * (late - from));
    if (!good(stepper_->cut(next), stepper_->now())) return false;
  }
  return true;
}

bool TimeLoop::update_contacts(Motion& m) {
  const bool changed = system_.update_contacts(m.x);
  m.dissipated += system_.take_released();
  return changed;
}

// Changes phases at the end of such a step.
bool TimeLoop::switch_contacts() {
  contact_ = false;
  motion_ = stepper_->now();
  return !update_contacts(motion_) || good(stepper_->start(motion_), motion_);
}

// ---- the controller ----------------------------------------------------------------------------------

double TimeLoop::sample_time() const { return first_sample_ + static_cast<double>(samples_) * sampler_->period(); }

bool TimeLoop::sample_due() {
  if (sampler_ == nullptr || stepper_->now().x.t < sample_time() - tolerance()) return true;
  motion_ = stepper_->now();
  if (!sample(motion_)) return false;
  return good(stepper_->release(motion_), motion_);
}

bool TimeLoop::sample(const Motion& m) {
  if (sampler_ == nullptr) return true;
  const bool wants = sampler_->wants_accelerations();
  if (wants && !good(system_.accelerate(m.x, vdot_), m)) return false;
  const Status status =
      sampler_->sample(m.x, system_.compute_kinematics(m.x), wants ? ConstVec(vdot_) : ConstVec(none_), held_);
  sum_ = held_ + given_;
  system_.set_control_torques(sum_);
  ++samples_;
  if (status == Status::ok) return true;
  result_.status = status;
  result_.failure = sampler_->failure();
  return false;
}

bool TimeLoop::set_sampler(Sampler* sampler) {
  sampler_ = sampler;
  first_sample_ = shown_.x.t;
  samples_ = 0;
  held_.setZero();
  set_torques(given_);
  return sample(shown_);
}

// The first sample of a new sampler that threw an exception.
bool TimeLoop::take_missing_sample() { return sampler_ == nullptr || samples_ > 0 || sample(shown_); }

void TimeLoop::set_torques(ConstVec torques) {
  sum_ = held_ + torques;
  system_.set_control_torques(sum_);
  given_ = torques;
  changed_ = true;
}

// ---- monitoring ----------------------------------------------------------------------------------------

// Monitors an accepted step, or its first part: from the end of the last call to `end`.
void TimeLoop::watch_step(const Motion& end) {
  const double from = watched_, length = end.x.t - from;
  if (!(length > 0)) return;
  const int parts = stepper_->dense() && turns_inside(end.x, length) ? kInside : 1;
  for (int k = 1; k < parts; ++k) {
    stepper_->at(from + length * k / parts, motion_);
    result_.largest = result_.largest.cwiseMax(motion_.x.q.cwiseAbs());
    monitor_.watch(motion_.x);
  }
  watch_state(end);
}

// Whether a mode reversed in the step, possibly beyond its largest displacement so far.
bool TimeLoop::turns_inside(const State& end, double length) const {
  const Model& model = system_.model();
  for (int i = 1; i < model.body_count(); ++i) {
    const int q = model.first_mode_q(i), v = model.first_mode(i);
    for (int k = 0; k < model.body(i).modes; ++k)
      if (watched_v_[v + k] * end.v[v + k] <= 0 &&
          std::abs(end.q[q + k]) + 0.5 * length * std::abs(end.v[v + k]) > result_.largest[q + k])
        return true;
  }
  return false;
}

// Updates the energy balance and the checks of the model's assumptions.
void TimeLoop::watch_state(const Motion& m) {
  const Energy energy = system_.energy(m.x);
  result_.energy_error = std::max(result_.energy_error, std::abs(balance(energy, m)));
  result_.energy_scale = std::max({result_.energy_scale, energy.kinetic, energy.elastic + energy.springs,
                                   std::abs(energy.gravity - gravity_), std::abs(m.work), m.dissipated});
  result_.largest = result_.largest.cwiseMax(m.x.q.cwiseAbs());
  monitor_.watch(m.x, system_.kinematics());
  if (monitor_.watches_axial() && watched_ < m.x.t) {
    const VectorXd& axial = system_.compute_axial_forces(m.x);
    for (int i = 1; i < axial.size(); ++i) monitor_.watch_axial(i, axial[i], m.x.t);
  }
  if (system_.count_limits(m.x, m.x.t - watched_) != Status::ok) return;  // the next step reports it
  watched_ = m.x.t;
  watched_v_ = m.x.v;
}

double TimeLoop::balance(const Energy& energy, const Motion& m) const {
  return energy.kinetic + energy.potential() - initial_ - m.work + m.dissipated;
}

void TimeLoop::observe() {
  energy_ = system_.energy(shown_.x);
  balance_ = balance(energy_, shown_);
  result_.t = shown_.x.t;
}

bool TimeLoop::evaluate() {
  if (!good(system_.accelerate(shown_.x, vdot_), shown_)) return false;
  momentum_ = system_.momentum(shown_.x);
  return true;
}

Record TimeLoop::record() const {
  return {shown_,
          system_.torques(),
          system_.stop_torques(),
          system_.friction_torques(),
          system_.closure_forces(),
          system_.closure_errors(),
          energy_,
          momentum_,
          balance_,
          system_.kinematics(),
          system_.element_values()};
}

const RunResult& TimeLoop::result() {
  result_.counts = stepper_->counts();
  result_.saturation = system_.saturation();
  result_.validity = monitor_.validity();
  return result_;
}

void TimeLoop::transfer(Archive& archive) {
  if (!archive.reads() && !stepper_->resumable()) {
    changed_ = true;
    if (!apply_changes(nullptr)) throw NumericalError("cannot be saved: " + result_.failure);
  }
  archive(start_, interval_, phase_, changed_, contact_, singular_time_, first_sample_, samples_);
  archive(initial_, gravity_, watched_, watched_v_, shown_, before_, closed_, held_, given_, energy_, balance_, stops_);
  archive(result_.interrupted, result_.t, result_.energy_error, result_.energy_scale, result_.largest);
  archive(monitor_, *watch_, system_, *stepper_);
  if (sampler_ != nullptr) archive(*sampler_);
  if (!archive.reads()) return;
  system_.compute_kinematics(shown_.x);  // needed by record()
  result_.status = Status::ok;
  result_.failure.clear();
}

// Records the failure, if any.
bool TimeLoop::good(Status status, const Motion& m) {
  if (status == Status::ok) {
    if (!diverged(m.x)) return true;
    result_.status = Status::not_finite;
    if (system_.has_closures() && watch_->near()) tell_singular(m.x.t);
    return false;
  }
  result_.status = status;
  result_.failure = system_.failure();
  if (status == Status::no_convergence && result_.failure.empty()) {
    int fastest = 0;
    if (m.x.v.size() > 0) m.x.v.cwiseAbs().maxCoeff(&fastest);
    result_.failure = "the step became too small at t = " + text(m.x.t) + " s, where '" +
                      (m.x.v.size() > 0 ? system_.model().speeds[fastest] : "?") +
                      "' moves fastest; use a larger rtol and atol, or the method implicit";
  }
  return false;
}
bool TimeLoop::diverged(const State& x) {
  const auto tell = [&](const VectorXd& values, const std::vector<std::string>& names, const char* what) {
    for (int k = 0; k < values.size(); ++k) {
      if (std::abs(values[k]) < kDiverged) continue;
      result_.failure = what + names[k] + "' diverged at t = " + text(x.t) +
                        " s; use a shorter step or tighter tolerances, and check stiffness and fidelity";
      return true;
    }
    return false;
  };
  return tell(x.q, system_.model().coordinates, "'") || tell(x.v, system_.model().speeds, "the speed of '");
}

}  // namespace limber
