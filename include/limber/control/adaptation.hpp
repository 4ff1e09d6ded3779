// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "limber/simulate/archive.hpp"

namespace limber {

// What of a controller's model is adapted while it runs: the two that are wrong in practice.  Factors are those of the
// model's own numbers, and stay in their ranges whatever the sensors say.  docs/control.md, Adaptation.
struct AdaptationOptions {
  using Range = std::array<double, 2>;  // around 1
  std::string payload;                  // rigid body whose mass and inertia are adapted; empty: none
  Range payload_range = {0.5, 1.5};
  bool stiffness = false;  // of all modes
  Range stiffness_range = {0.7, 1.3};
  double time = 5;  // s: how long a reading counts
};

// Throws InputError: nothing to adapt, a range that does not contain 1 or is not positive, no such body.
void check_adaptation(const AdaptationOptions& options, const Model& model);

// The models that a controller with adaptation runs beside its own, each with one number at the upper (mass) or lower
// (stiffness) end of its range.
std::vector<Model> make_adapted_models(const AdaptationOptions& options, const Model& model);

// How to combine them: with innovations e_0 of the own observer and e_i of the others, d_i = e_i - e_0, the c_i of
//   least sum over time of exp(-age/time) |e_0 + sum c_i d_i|^2 + |c|^2
// within the ranges: models whose combination predicts best.  Innovations are in units of their noise.  [Han, Narendra
// 2012].  No allocation but in the constructor.
class Adaptation {
 public:
  Adaptation(const AdaptationOptions& options, double period, VectorXd noise);  // noise: variances of the readings
  void reset();
  // innovation of the own observer, those of the others.
  void update(ConstVec own, const std::vector<const VectorXd*>& others);
  const VectorXd& weights() const { return c_; }  // (other model)
  // Payload and stiffness beside the model's, as they are in use: 1 where it is not adapted.
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
