// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "limber/simulate/archive.hpp"

namespace limber {

// The parameters of a controller's model that are adapted while it runs: payload and stiffness.  Factors multiply the
// values of the model, and stay in their ranges whatever the sensors report.  docs/control.md, Adaptation.
struct AdaptationOptions {
  using Range = std::array<double, 2>;  // around 1
  std::string payload;                  // rigid body whose mass and inertia are adapted; empty: none
  Range payload_range = {0.5, 1.5};
  bool stiffness = false;  // of all modes
  Range stiffness_range = {0.7, 1.3};
  double time = 5;  // s: time constant of the weight of a reading
};

// Throws InputError: nothing to adapt, a range that does not contain 1 or is not positive, no such body.
void check_adaptation(const AdaptationOptions& options, const Model& model);

// The additional models of a controller with adaptation, each with one parameter at the upper (mass) or lower
// (stiffness) end of its range.
std::vector<Model> make_adapted_models(const AdaptationOptions& options, const Model& model);

// The combination of these models: with innovations e_0 of the nominal observer and e_i of the others, d_i = e_i - e_0,
// the c_i of
//   least sum over time of exp(-age/time) |e_0 + sum c_i d_i|^2 + |c|^2
// within the ranges: the combination that predicts best.  Innovations are in units of their noise.  [Han, Narendra
// 2012].  Only the constructor allocates.
class Adaptation {
 public:
  Adaptation(const AdaptationOptions& options, double period, VectorXd noise);  // noise: variances of the readings
  void reset();
  // Innovations of the nominal observer, and of the others.
  void update(ConstVec own, const std::vector<const VectorXd*>& others);
  const VectorXd& weights() const { return c_; }  // (other model)
  // Current factors of payload and stiffness; 1 if not adapted.
  const VectorXd& factors() const { return factors_; }
  void transfer(Archive& archive) { archive(A_, b_, c_, factors_); }

 private:
  void solve();

  bool payload_, stiffness_;
  std::vector<double> low_, high_;  // (other model) of its weight
  std::vector<double> end_;         // (other model) its factor
  double keep_;                     // per period
  VectorXd scale_;                  // (reading) 1 / standard deviation
  VectorXd A_, b_, c_;              // (2 x 2 by columns); (other model)
  VectorXd d_[2], factors_;
};

}  // namespace limber
