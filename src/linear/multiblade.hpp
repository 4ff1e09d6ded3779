// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "limber/linear/steady.hpp"

namespace limber {

// Multi-blade coordinates of rotors with three and more equal blades (Coleman & Feingold, NACA Report 1351, 1958; Bir,
// Multiblade coordinate transformation, NREL/CP-500-42553, 2008), here orthonormal:
//   z_0 = sum_b q_b / sqrt(B),  z_kc, z_ks = sqrt(2/B) sum_b cos, sin(k psi_b) q_b,  z_d = sum_b (-1)^b q_b / sqrt(B)
// with psi_b = psi + 2 pi b / B and z_d for even B.  q = T z.
class MultiBlade {
 public:
  MultiBlade(const Model& model, const RotorOptions& options, const std::vector<int>& place);

  bool empty() const { return groups_.empty(); }
  // T of all coordinates (n x n) at a rotor angle, and its first and second derivatives in the angle.
  void transformation(double angle, MatrixXd& T, MatrixXd& T1, MatrixXd& T2) const;
  // Transforms A and M to multi-blade coordinates, at a rotor angle and speed.
  void transform(double angle, double speed, MatrixXd& A) const;
  void transform_mass(double angle, MatrixXd& M) const;
  // "blade1.bending_y1 collective", "... cos 1", "... sin 1", "... differential".
  void rename(std::vector<std::string>& names) const;
  bool holds(int coordinate) const;  // belongs to a blade

 private:
  std::vector<std::vector<int>> groups_;  // (group of equal coordinates) indices, blade by blade in order of angle
  int n_ = 0;
};

}  // namespace limber
