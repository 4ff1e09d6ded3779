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
  double step = 1e-3;               // rk4, implicit: the step, made a little shorter where a time must be met
  double rtol = 1e-6, atol = 1e-9;  // dopri5, cvode: local error per step
  double max_step = std::numeric_limits<double>::infinity();  // dopri5, cvode
  double rho_inf = 1;           // implicit: spectral radius at infinite frequency; 1: no numerical damping
  int passes = 3;               // implicit: evaluations per step
  std::string formula = "bdf";  // cvode: bdf or adams
};

struct StepCounts {
  long steps = 0, rejected = 0, evaluations = 0;
};

// Moves a System in time, on a smooth interval.  Low-level: it knows no breaks of signals (System::select_interval), no
// stops (update_contacts), no closures (assemble, project) and no controller; Simulation and simulate() do, and are
// what one wants.  One per run; no allocation but in make_stepper and start.
class Stepper {
 public:
  virtual ~Stepper() = default;
  // From here; what was before is forgotten.  Must be called before the first step and after every discontinuity.
  // Throws InputError: a state of another model.
  [[nodiscard]] Status start(const Motion& from);
  // The state was put back on the closures: a small change, after which the method continues unchanged.
  virtual Status adjust(const Motion& m) = 0;
  // Torques held over the sample have changed: the state is continuous, its derivative jumps.
  virtual Status release(const Motion& m) { return adjust(m); }
  // One step, at most to `limit`, which is met exactly when it is near.  Throws InputError before start, and for a
  // limit that is not ahead.
  [[nodiscard]] Status step(double limit);
  // Where the last step ended.
  virtual const Motion& now() const = 0;
  // Between the beginning and the end of the last step.  Only when dense().
  virtual void at(double t, Motion& out) const = 0;
  bool dense() const { return degree() > 0; }
  // Of the polynomial in time that `at` evaluates; 0: none.
  virtual int degree() const = 0;
  // The last step once more, now up to t inside of it.  Right after step; what is before t stays for `at`.
  [[nodiscard]] virtual Status cut(double t) = 0;
  // All that the next steps depend on.  Where it is not resumable(), reading starts the method anew at now().
  void transfer(Archive& archive);
  virtual bool resumable() const { return true; }
  const StepCounts& counts() const { return counts_; }

 protected:
  explicit Stepper(const System& system) : nq_(system.model().nq), nv_(system.model().nv) {}
  virtual Status do_start(const Motion& from) = 0;  // what start does
  virtual Status do_step(double limit) = 0;         // what step does
  virtual void do_transfer(Archive& archive) = 0;   // what transfer does
  StepCounts counts_;

 private:
  int nq_, nv_;
  bool started_ = false;
};

// "rk4", "dopri5", "implicit", "cvode".
std::vector<std::string> stepper_names();
// Throws InputError: unknown name, an option out of range, a method that this build does not have.
std::unique_ptr<Stepper> make_stepper(System& system, const SolverOptions& options);

}  // namespace limber
