// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/simulate.hpp"

namespace limber {

class EventWatch;
class SingularWatch;
class StopEvents;

// Advances a System in time, for simulate() and Simulation: steps end at breaks of signals and at samples of a
// controller, contacts of stops are detected, closed chains stay closed.  Adaptive methods choose their steps
// independently of the requested times and interpolate; fixed steps end at the requested times.  Only
// the constructor, start and save allocate, and cvode anywhere.
class TimeLoop {
 public:
  enum class Outcome { reached, interrupted, failed };

  // Its arguments must outlive it; the sampler may be null.  A step ends at start + duration, which may be
  // infinite.
  TimeLoop(System& system, const SolverOptions& solver, double duration, Sampler* sampler);
  ~TimeLoop();
  TimeLoop(const TimeLoop&) = delete;
  TimeLoop& operator=(const TimeLoop&) = delete;

  // Starts from x, at its own time; assembles closed chains first (System::assemble, which throws).  False: failed.
  [[nodiscard]] bool start(const State& x);
  // Advances to t.  listener: called after every step, decides whether to continue; may be null.
  [[nodiscard]] Outcome advance_to(double t, RunListener* listener = nullptr);
  // Completes a step that advance_to leaves for the next call: projects closed chains, calls the listener.
  [[nodiscard]] Outcome complete_step(RunListener* listener);
  // The present state, with closed chains closed.
  const Motion& now() const { return shown_; }

  // Replaces the sampler from now on.  Samples are at now + k period.  If the first throws, advance_to takes it again.
  [[nodiscard]] bool set_sampler(Sampler* sampler);
  // Torques (nv) added to those of the sampler, until the next call.
  void set_torques(ConstVec torques);
  const VectorXd& given_torques() const { return given_; }
  // Wrenches or motions of the system were changed: the next step restarts the method.
  void inputs_changed() { changed_ = true; }

  // The branches of signals of the present interval, after the system was used for another time.
  void select_again() { select_interval(interval_); }

  // Computes the energies now; System::kinematics then holds the kinematics.
  void observe();
  // Also computes accelerations, forces and momentum for a record.  False: failed.
  [[nodiscard]] bool evaluate();
  Record record() const;
  const VectorXd& accelerations() const { return vdot_; }  // of the last evaluate
  Status status() const { return result_.status; }
  // The result over all steps up to now; `t` is that of the last observe.
  const RunResult& result();

  // Everything that the future depends on.  A method that is not resumable restarts here, both in the saved state and
  // in this run.
  void transfer(Archive& archive);

 private:
  enum class Phase : int { ready, stepped, sampled };  // next: a step; a sample that is due; the end of the step

  void set_intervals(double start);
  void select_interval(std::size_t interval);
  bool begin(Motion& m);
  bool apply_changes(RunListener* listener);
  bool take_step(double t);
  bool meet_stops();
  bool switch_contacts();
  bool update_contacts(Motion& m);
  bool watch_closures();
  bool end_step();
  bool show(double t, bool inside);
  double sample_time() const;
  bool sample_due();
  bool take_missing_sample();
  bool sample(const Motion& m);
  bool good(Status status, const Motion& m);
  bool diverged(const State& x);
  void watch_step(const Motion& end);
  void watch_state(const Motion& m);
  bool turns_inside(const State& end, double length) const;
  double balance(const Energy& energy, const Motion& m) const;
  bool tell_singular(double t);
  bool tell_stall(double t);
  double tolerance() const;

  System& system_;
  double duration_;
  Sampler* sampler_;
  std::unique_ptr<Stepper> stepper_;
  std::unique_ptr<StopEvents> events_;
  std::unique_ptr<EventWatch> pace_;
  std::unique_ptr<SingularWatch> watch_;
  ValidityMonitor monitor_;
  RunResult result_;
  std::vector<double> stops_;  // ends of smooth intervals
  double start_ = 0;
  std::size_t interval_ = 0;
  Phase phase_ = Phase::ready;
  bool changed_ = false;
  bool contact_ = false;              // the last step ends where the contact of a stop changes
  double singular_time_ = 0;          // infinite: none
  double first_sample_ = 0;           // time
  long samples_ = 0;                  // taken
  double initial_ = 0, gravity_ = 0;  // energies at the start
  double watched_ = 0;                // up to this time the run is in the result
  Motion shown_, before_, closed_, motion_;
  Energy energy_;
  Momentum momentum_;
  double balance_ = 0;
  VectorXd vdot_, held_, given_, sum_, none_;
  VectorXd watched_v_;  // speeds at watched_
};

// The records of a run from the one with index `first` on; `start`: the time of that with index 0.
void run_records(TimeLoop& loop, const RunOptions& options, double start, long first, RunListener& listener);

}  // namespace limber
