// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/closed_inverse.hpp"
#include "limber/dynamics/detail/closures.hpp"
#include "limber/dynamics/detail/rnea.hpp"

namespace limber {

struct ClosedInverseData {
  // actuated (nv): speeds on which an actuator can act; at all others, including modes, forces are zero.
  ClosedInverseData(const Model& model, std::span<const std::uint8_t> actuated);
  std::vector<int> active, passive;  // speeds
  RneaData rnea;
  ClosureData closures;  // lambda and forces of the closures; error and rate of the state
  MatrixXd C;            // (rows x nv) constraint Jacobian: the rates are C v
  Matrix6X node;         // (6 x nv) scratch
  VectorXd needed;       // (nv) required forces, of actuators and closures together
  // By inverse_closed:
  VectorXd residual;              // (nv) the part that neither can supply
  VectorXd closure_acceleration;  // (rows) second derivatives of the constraint violations
};

}  // namespace limber
