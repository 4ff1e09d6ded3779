// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/stepper.hpp"
#include "limber/simulate/validity.hpp"

namespace limber {

struct RunOptions {
  double duration = 1;
  double record_every = 0.01;  // recorded times: multiples of it, and the end
};

// The data of a record.
struct Record {
  const Motion& motion;
  ConstVec torques;         // (nv) applied, or required by a prescribed motion
  ConstVec stops;           // (nv) of joint stops
  ConstVec friction;        // System::friction_torques: of joints, brakes and gears
  ConstVec closure_forces;  // (6 per closure) [torque; force] on node b, about its origin, in world
  ConstVec closure_errors;  // (closure) m or rad
  Energy energy;
  Momentum momentum;
  double balance = 0;        // energy now - energy at the start - work + dissipated
  const Kinematics& kin;     // with poses in world
  const VectorXd& elements;  // System::element_values: of force elements and contacts
};

// Watches a run.
class RunListener {
 public:
  virtual ~RunListener() = default;
  virtual void record(const Record&) {}  // at every record time
  // Called after every step; false: stop the run.
  virtual bool go_on(double /*t*/, const StepCounts&) { return true; }
};

// A digital controller: at fixed times it reads the machine and sets torques, which are held until the next sample.
class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual double period() const = 0;                          // s
  virtual bool wants_accelerations() const { return false; }  // vdot in sample
  // At k period(), k = 0, 1, ...; kin: of x, with poses in world.  vdot: just before the sample, or empty if not
  // wanted. torques (nv): on entry, those held until now.
  virtual Status sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) = 0;
  // Saves or restores its state; a sampler without state does nothing.
  virtual void transfer(Archive&) {}
  // After a failure: its cause.
  virtual std::string failure() const { return ""; }
};

// How a run ended.
struct RunResult {
  Status status = Status::ok;
  bool interrupted = false;
  double t = 0;                    // reached; after a failure, that of the last record
  std::string failure;             // cause of a failure, as text; empty: none
  std::vector<std::string> notes;  // remarks: redundant closures, a start beyond a joint limit
  StepCounts counts;
  double energy_error = 0;             // largest |balance|
  double energy_scale = 0;             // largest energy or work, for comparison
  VectorXd largest;                    // (nq) largest |q|
  std::vector<Saturation> saturation;  // coordinates whose efforts were limited
  Validity validity;
};

// Number of records of a whole run: times 0, every, 2 every, ..., and the end, after its start.
long record_count(const RunOptions& options);
double record_time(const RunOptions& options, long k);

// Throws InputError for a duration or an interval that is not positive.
void check_run(const RunOptions& options);

// From `start`, at its time, over the duration; closed chains are assembled first (System::assemble) and projected onto
// their closures after every step.  Steps end at breaks of signals and where a stop is reached or left.  Numerical
// failure ends the run and is reported in the result; the records up to that time are kept.  At a break the record
// holds the values before it, at a sample those after it.  `sampler` may be null.
RunResult simulate(System& system, const SolverOptions& solver, const RunOptions& options, const State& start,
                   RunListener& listener, Sampler* sampler = nullptr);

}  // namespace limber
