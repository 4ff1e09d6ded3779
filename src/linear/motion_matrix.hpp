// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/crba.hpp"
#include "limber/linear/steady.hpp"
#include "linear_terms.hpp"

namespace limber {

// A of small deviations x = (dq, dv) from a motion, evaluated at states along it.  Open chains.
class MotionMatrix {
 public:
  MotionMatrix(const Model& model, const RotorOptions& options);

  // Throws InputError where a coordinate has no inertia.
  void compute(const State& x, double rotor_torque, MatrixXd& A);
  MatrixXd mass(const State& x);                            // of the free speeds
  const VectorXd& acceleration() const { return vdot_; }    // (nv) of the last compute
  VectorXd by_torque() const;                               // of the rotor; on the free speeds, at the last compute
  const std::vector<int>& free() const { return free_; }    // speeds that make up x
  const std::vector<int>& place() const { return place_; }  // (nv) index of each among them; -1: held
  int coordinates() const { return static_cast<int>(free_.size()); }

 private:
  const Model& model_;
  const RotorOptions& options_;
  int rotor_speed_;
  std::vector<std::uint8_t> held_;
  std::vector<int> free_, place_;
  DerivativesWorkspace ws_;
  CrbaWorkspace crba_;
  MatrixXd by_q_, by_v_, by_tau_, M_;
  VectorXd tau_, vdot_;
};

// Requires a joint with unlimited rotation.
void check_rotor(const Model& model, const State& start, const RotorOptions& options);

}  // namespace limber
