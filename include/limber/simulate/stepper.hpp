// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "limber/simulate/system.hpp"

namespace limber {

struct SolverOptions {
  std::string method = "dopri5";    // see stepper_names()
  std::string algorithm = "aba";    // forward dynamics, see forward_dynamics_names()
  double step = 1e-3;               // rk4, implicit: the step; slightly shorter where a step must end at a given time
  double rtol = 1e-6, atol = 1e-9;  // dopri5, cvode: local error per step
  double max_step = std::numeric_limits<double>::infinity();  // dopri5, cvode
  double rho_inf = 1;           // implicit: spectral radius at infinite frequency; 1: no numerical damping
  int passes = 3;               // implicit: evaluations per step
  std::string formula = "bdf";  // cvode: bdf or adams
};

struct StepCounts {
  long steps = 0, rejected = 0, evaluations = 0;
};

// Integrates a System over a smooth interval.  Low-level: it does not handle breaks of signals
// (System::select_interval), stops (update_contacts), closures (assemble, project) or a controller; Simulation and
// simulate() do, and are the usual interface.  One per run; only make_stepper and start allocate.
class Stepper {
 public:
  virtual ~Stepper() = default;
  // Starts from this state, without memory of the past.  Must be called before the first step and after every
  // discontinuity. Throws InputError: a state of another model; closed chains without System::assemble.
  [[nodiscard]] Status start(const Motion& from);
  // The state was projected onto the closures: a small change, after which the method continues unchanged.
  virtual Status adjust(const Motion& m) = 0;
  // The held torques have changed: the state is continuous, its derivative jumps.
  virtual Status release(const Motion& m) { return adjust(m); }
  // One step, at most to `limit`, which is met exactly when it is near.  Throws InputError before start, and for a
  // limit in the past.
  [[nodiscard]] Status step(double limit);
  // The end of the last step.
  virtual const Motion& now() const = 0;
  // Between the beginning and the end of the last step.  Throws InputError before the first step, and if not dense().
  void at(double t, Motion& out) const;
  bool dense() const { return degree() > 0; }
  // Degree of the polynomial in time that `at` evaluates; 0: none.
  virtual int degree() const = 0;
  // Repeats the last step up to t inside it; `at` remains valid before t.  Throws InputError if step was not the last
  // call that moved the state, and for a t outside the step.
  [[nodiscard]] Status cut(double t);
  // Everything that later steps depend on.  If the method is not resumable(), reading restarts it at now().
  void transfer(Archive& archive);
  virtual bool resumable() const { return true; }
  const StepCounts& counts() const { return counts_; }

 protected:
  explicit Stepper(const System& system) : system_(system) {}
  virtual Status do_start(const Motion& from) = 0;      // what start does
  virtual Status do_step(double limit) = 0;             // what step does
  virtual Status do_cut(double t) = 0;                  // what cut does
  virtual void do_at(double t, Motion& out) const = 0;  // what at does
  virtual void do_transfer(Archive& archive) = 0;       // what transfer does
  StepCounts counts_;

 private:
  const System& system_;
  bool started_ = false;
  double from_ = 0, to_ = 0;  // of the last step; equal: none since start
};

// "rk4", "dopri5", "implicit", "cvode".
std::vector<std::string> stepper_names();
// Throws InputError: unknown name, an option out of range, a method that this build does not have.
std::unique_ptr<Stepper> make_stepper(System& system, const SolverOptions& options);

}  // namespace limber
