// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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

struct FrictionContact;

// Finds, on the polynomial of a step, the time at which a stop or backlash flank is met, recoils or is left, a joint or
// brake sticks or slides, or a phase of ropes and contacts ends.
class StopEvents {
 public:
  explicit StopEvents(System& system);
  // Whether there are any events.
  bool any() const { return !watched_.empty() || elements_ > 0; }
  // First time in the last step, which began at `before`, of a change of phase; infinity: none.
  double first(const Motion& before, const Stepper& stepper);

 private:
  struct Curve {
    Bernstein position, rate;
  };
  void sample(const Motion& before, const Stepper& stepper);
  Curve curve(Eigen::Index column) const;
  double first_of_friction(Eigen::Index contact, const Curve& curve, const Eigen::Vector2d& gap) const;
  double first_of_backlash(Eigen::Index column) const;
  void sample_levels(const State& x, int k);
  Bernstein level_curve(Eigen::Index column, int degree) const;
  double first_prescribed(const StopContact& stop, double from, double to, int depth) const;
  void sample_elements(const State& x, int k, bool begins, const State& before);
  double first_of_elements() const;
  using Vector2d = Eigen::Vector2d;
  double first_of(const StopContact& stop, const Curve& curve, double from, double to, const Vector2d& gap) const;

  System& system_;
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
