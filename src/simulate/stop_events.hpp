// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "limber/simulate/stepper.hpp"

namespace limber {

// A polynomial on an interval by its Bernstein coefficients, whose minimum and maximum bound it.
// [Farin] Curves and Surfaces for CAGD, §5 and §6.
struct Bernstein {
  static constexpr int kMaxDegree = 12;  // Adams' methods
  int degree = 0;
  std::array<double, kMaxDegree + 1> c = {};
};

// First time in [from, to] at which p is above `level`; infinity: never.  By subdivision, which misses no root.
double first_rise(const Bernstein& p, double from, double to, double level);

// First time at which a and b are above their levels; infinity: never.
double first_rise_of_both(Bernstein a, double level_a, Bernstein b, double level_b, double from, double to);

// Velocity of Hermite's cubic on a step of length h, in Bernstein form.  Where its deviation from a linear velocity is
// below the rounding of the positions, the velocity is linear: on a very short step that rounding, divided by h, would
// exceed the velocity itself.
Bernstein hermite_rate(double h, double q0, double q1, double v0, double v1);

// Notices events that no longer advance time.
class EventWatch {
 public:
  // A stall goes on for as many steps as rounding of the time allows, 10^7 and more; the events of a machine come in
  // bursts of one per joint and contact.
  static constexpr int kMost = 4000;
  static constexpr double kWindow = 1e-9;  // of the duration

  void start(double window) {
    window_ = window;
    count_ = 0;
  }
  // An event at t; true: more than kMost events within the window.
  bool stalls(double t);
  double window() const { return window_; }

 private:
  double window_ = 0, since_ = 0;
  int count_ = 0;
};

struct FrictionContact;
struct Backlash;

// Finds, on the polynomial of a step, the time at which a stop or backlash flank is met, recoils or is left, a joint or
// brake sticks or slides, or a phase of ropes and contacts ends.
class StopEvents {
 public:
  explicit StopEvents(System& system);
  // Whether there are any events.
  bool any() const { return !watched_.empty() || elements_ > 0; }
  // Before the first search in a step.
  void start_step();
  // First time in the last step, which began at `before`, of a change of phase; infinity: none.
  double first(const Motion& before, const Stepper& stepper);
  // What changes at the last time found, for messages.
  std::string name_cause() const;

 private:
  struct Curve {
    Bernstein position, rate;
  };
  void sample(const Motion& before, const Stepper& stepper);
  Curve curve(Eigen::Index column) const;
  double first_stick(Eigen::Index contact, const Curve& curve, const Eigen::Vector2d& gap);
  double first_slide(Eigen::Index contact, const Curve& curve, const Eigen::Vector2d& gap) const;
  double first_of_backlash(const Backlash& gap, Eigen::Index column) const;
  void sample_levels(const State& x, int k);
  Bernstein level_curve(Eigen::Index column, int degree) const;
  double first_prescribed(const StopContact& stop, double from, double to, int depth) const;
  void sample_elements(const State& x, int k, bool begins, const State& before);
  double first_of_elements() const;
  using Vector2d = Eigen::Vector2d;
  double first_of(const StopContact& stop, const Curve& curve, double from, double to, const Vector2d& gap) const;

  enum class Cause { stop, friction, backlash, element };

  System& system_;
  Cause cause_ = Cause::stop;
  int cause_joint_ = 0;
  double slack_ = 0;                  // of positions: tolerance of closures in closed chains
  double from_ = 0, to_ = 0;          // of the step
  int degree_ = 0;                    // of the method's polynomial
  std::vector<MatrixXd> from_nodes_;  // (degree) values at the nodes to coefficients
  struct Watched {
    int q, v;
  };
  std::vector<Watched> watched_;  // (column) stops, then friction, then joints and motors with backlash
  MatrixXd levels_;               // (node, 2 per contact) static friction, forward and backward
  MatrixXd positions_, rates_;    // (node, column)
  MatrixXd gaps_;                 // (2, column) difference between state and polynomial at the start of the step: cvode
  Motion motion_;
  Eigen::Index elements_ = 0;                 // event functions of ropes and contacts
  std::unique_ptr<KinematicsWorkspace> kin_;  // for element events
  MatrixXd element_values_;                   // (node, function)
  VectorXd element_scales_, element_gaps_, scratch_, scratch_scales_;
};

}  // namespace limber
