// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "limber/spatial/detail/text.hpp"
#include "singular.hpp"

namespace limber {
namespace {

constexpr double kDiverged = 1e15;   // of any coordinate or speed, in its unit
constexpr double kSameTime = 1e-12;  // relative to the duration
constexpr int kSamples = 4;          // of a step in which contacts are looked for
constexpr int kBisections = 60;

class Run {
 public:
  Run(System& system, const SolverOptions& solver, const RunOptions& options, RunListener& listener, Sampler* sampler)
      : system_(system),
        options_(options),
        listener_(listener),
        sampler_(sampler),
        stepper_(make_stepper(system, solver)),
        watch_(system),
        monitor_(system.model()) {
    const Model& model = system.model();
    shown_.x = make_zero_state(model);
    before_ = recorded_ = shown_;
    vdot_.setZero(model.nv);
    held_ = vdot_;
    result_.largest.setZero(model.nq);
    for (const double t : system.breaks()) {
      if (t > 0 && t < options.duration * (1 - kSameTime)) stops_.push_back(t);
    }
    stops_.push_back(options.duration);
    records_ = record_count(options);
  }

  RunResult operator()(const State& start) {
    Motion m{start};
    m.x.t = 0;
    select_interval(0);
    system_.prescribe(m.x);
    system_.assemble(m.x);
    const Energy first = system_.energy(m.x);
    initial_ = first.kinetic + first.potential();
    gravity_ = first.gravity;
    if (system_.has_closures() && system_.project(m.x) == Status::ok) watch_.start(m.x);
    if (sample(m) && begin(m) && record(m)) go();
    result_.counts = stepper_->counts();
    result_.note = system_.closure_note();
    result_.validity = monitor_.validity();
    return result_;
  }

 private:
  void select_interval(std::size_t interval) {
    interval_ = interval;
    system_.select_interval(0.5 * ((interval == 0 ? 0 : stops_[interval - 1]) + stops_[interval]));
  }

  // From m on a smooth way.
  bool begin(Motion& m) {
    if (!good(system_.apply_jump(m), m)) return false;
    system_.update_contacts(m);
    return good(stepper_->start(m), m);
  }

  void go() {
    while (stepper_->now().x.t < options_.duration) {
      double limit = stops_[interval_];
      if (!stepper_->dense()) limit = std::min(limit, record_time(options_, next_));
      if (sampler_ != nullptr) limit = std::min(limit, sample_time());
      if (system_.stop_count() > 0) before_ = stepper_->now();
      if (!good(stepper_->step(limit), stepper_->now())) return;
      if (system_.stop_count() > 0 && !meet_stops()) return;
      if (system_.has_closures() && !watch_closures()) return;
      if (!sample_passed() || !record_passed(true) || !close_chains()) return;
      if (stepper_->now().x.t >= stops_[interval_] && interval_ + 1 < stops_.size()) {
        select_interval(interval_ + 1);
        Motion m = stepper_->now();
        if (!begin(m)) return;
      }
      if (!listener_.go_on(stepper_->now().x.t, stepper_->counts())) {
        result_.interrupted = true;
        return;
      }
    }
  }

  // Ends the run where the machine goes through a singular configuration.
  bool watch_closures() {
    closed_ = stepper_->now();
    if (!good(system_.project(closed_.x), closed_)) return false;
    if (!watch_.passed(closed_.x)) return true;
    while (stepper_->dense() && next_ < records_ && record_time(options_, next_) < watch_.at()) {
      stepper_->at(record_time(options_, next_), shown_);
      if (!record(shown_)) break;
    }
    tell_singular(watch_.at());
    return false;
  }
  void tell_singular(double t) {
    result_.status = Status::singular_closure;
    result_.failure = "the machine came to a singular configuration of its closures at t = " + text(t, 6) +
                      " s: the way it goes on from there is not determined";
  }

  // Puts the machine back on its closures, where watch_closures has it.
  bool close_chains() { return !system_.has_closures() || good(stepper_->adjust(closed_), closed_); }

  // Ends the last step where a stop is met or left, if one is.
  bool meet_stops() {
    if (!stepper_->dense()) {
      Motion m = stepper_->now();
      return !system_.update_contacts(m) || good(stepper_->start(m), m);
    }
    double t = 0;
    const int stop = find_contact(t);
    if (stop < 0) return true;
    // The step again, up to there.
    if (!good(stepper_->start(before_), before_)) return false;
    while (stepper_->now().x.t < t) {
      if (!good(stepper_->step(t), stepper_->now())) return false;
    }
    Motion m = stepper_->now();
    system_.switch_contact(stop, m);
    return good(stepper_->start(m), m);
  }

  // The first stop that switches in the last step, and when; -1: none.
  int find_contact(double& t) {
    const double begin = before_.x.t, length = stepper_->now().x.t - begin;
    double low = begin;
    for (int s = 1; s <= kSamples; ++s) {
      double high = s == kSamples ? stepper_->now().x.t : begin + length * s / kSamples;
      int found = switching(high);
      if (found >= 0) {
        for (int k = 0; k < kBisections && high - low > 4 * std::numeric_limits<double>::epsilon() * std::abs(high);
             ++k) {
          const double middle = 0.5 * (low + high);
          const int stop = switching(middle);
          (stop >= 0 ? high : low) = middle;
          if (stop >= 0) found = stop;
        }
        t = high;
        return found;
      }
      low = high;
    }
    return -1;
  }
  int switching(double t) {
    stepper_->at(t, shown_);
    for (int i = 0; i < system_.stop_count(); ++i) {
      if (system_.in_contact(i) != (system_.stop_guard(i, shown_.x) > 0)) return i;
    }
    return -1;
  }

  // Up to now; `all`: with now itself.
  bool record_passed(bool all) {
    const double now = stepper_->now().x.t;
    const double last = now + (all ? 1 : -1) * kSameTime * options_.duration;
    while (next_ < records_) {
      const double t = record_time(options_, next_);
      if (t > last) return true;
      if (stepper_->dense() && t < now) {
        stepper_->at(t, shown_);
        if (!record(shown_)) return false;
      } else if (!record(stepper_->now())) {
        return false;
      }
    }
    return true;
  }

  // ---- the controller ------------------------------------------------------------------------------

  double sample_time() const { return static_cast<double>(samples_) * sampler_->period(); }

  // Records what was before a sample that is due, then takes it.
  bool sample_passed() {
    if (sampler_ == nullptr || stepper_->now().x.t < sample_time() - kSameTime * options_.duration) return true;
    if (!record_passed(false)) return false;
    Motion m = stepper_->now();
    if (!sample(m)) return false;
    return good(stepper_->release(m), m);
  }
  bool sample(const Motion& m) {
    if (sampler_ == nullptr) return true;
    const bool wants = sampler_->wants_accelerations();
    if (wants && !good(system_.accelerate(m.x, vdot_), m)) return false;
    const Status status =
        sampler_->sample(m.x, system_.compute_kinematics(m.x), wants ? ConstVec(vdot_) : ConstVec(none_), held_);
    system_.set_control_torques(held_);
    ++samples_;
    if (status == Status::ok) return true;
    result_.status = status;
    result_.failure = sampler_->failure();
    return false;
  }

  bool record(const Motion& at) {
    Motion& m = recorded_;
    m = at;
    if (system_.has_closures() && !good(system_.project(m.x), m)) return false;
    if (!good(system_.accelerate(m.x, vdot_), m)) return false;
    const Energy energy = system_.energy(m.x);
    const Momentum momentum = system_.momentum(m.x);
    const double balance = energy.kinetic + energy.potential() - initial_ - m.work + m.dissipated;
    result_.energy_error = std::max(result_.energy_error, std::abs(balance));
    result_.energy_scale = std::max({result_.energy_scale, energy.kinetic, energy.elastic + energy.springs,
                                     std::abs(energy.gravity - gravity_), std::abs(m.work), m.dissipated});
    result_.largest = result_.largest.cwiseMax(m.x.q.cwiseAbs());
    monitor_.watch(system_.kinematics(), m.x.t);
    listener_.record({m, system_.torques(), system_.stop_torques(), system_.closure_forces(), system_.closure_errors(),
                      energy, momentum, balance, system_.kinematics()});
    result_.t = m.x.t;
    ++next_;
    return true;
  }

  // Notes what went wrong.
  bool good(Status status, const Motion& m) {
    if (status == Status::ok) {
      if (!diverged(m.x)) return true;
      result_.status = Status::not_finite;
      if (system_.has_closures() && watch_.near()) tell_singular(m.x.t);
      return false;
    }
    result_.status = status;
    result_.failure = system_.failure();
    if (status == Status::no_convergence) {
      int fastest = 0;
      if (m.x.v.size() > 0) m.x.v.cwiseAbs().maxCoeff(&fastest);
      result_.failure = "the step became too small at t = " + text(m.x.t) + " s, where '" +
                        (m.x.v.size() > 0 ? system_.model().speeds[fastest] : "?") +
                        "' moves fastest; use a larger rtol and atol, or the method implicit";
    }
    return false;
  }
  bool diverged(const State& x) {
    const auto tell = [&](const VectorX& values, const std::vector<std::string>& names, const char* what) {
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

  System& system_;
  const RunOptions& options_;
  RunListener& listener_;
  Sampler* sampler_;
  std::unique_ptr<Stepper> stepper_;
  SingularWatch watch_;
  ValidityMonitor monitor_;
  RunResult result_;
  std::vector<double> stops_;  // ends of smooth intervals
  std::size_t interval_ = 0;
  long next_ = 0, records_ = 0;
  long samples_ = 0;  // taken
  double initial_ = 0, gravity_ = 0;
  Motion shown_, before_, recorded_, closed_;
  VectorX vdot_, held_, none_;
};

}  // namespace

long record_count(const RunOptions& options) {
  return static_cast<long>(std::ceil(options.duration / options.record_every * (1 - kSameTime))) + 1;
}

double record_time(const RunOptions& options, long k) {
  return k + 1 >= record_count(options) ? options.duration : static_cast<double>(k) * options.record_every;
}

RunResult simulate(System& system, const SolverOptions& solver, const RunOptions& options, const State& start,
                   RunListener& listener, Sampler* sampler) {
  if (!(options.duration > 0) || !std::isfinite(options.duration) || !(options.record_every > 0)) {
    throw InputError("duration and the time between records must be above 0");
  }
  return Run(system, solver, options, listener, sampler)(start);
}

}  // namespace limber
