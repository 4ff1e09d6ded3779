// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "derivative_steps.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

// k (q - q_m / n) at the joint, -1/n times that at the motor.
void add_transmission_slope(const Link& link, double k, Eigen::Ref<MatrixXd> by) {
  const int m = link.v + link.motor.v;
  const double per_turn = link.motor.per_turn;
  by(link.v, link.v) += k;
  by(link.v, m) -= k * per_turn;
  by(m, link.v) -= k * per_turn;
  by(m, m) += k * per_turn * per_turn;
}

// d/dq and d/dv of the forces required by the springs and dampers of a joint.  theory §3, Springs.
void add_passive_slope(const Link& link, const double* q, const double* v, Eigen::Ref<MatrixXd> by_q,
                       Eigen::Ref<MatrixXd> by_v) {
  for (int k = 0; k < link.nr; ++k) by_v(link.v + k, link.v + k) += link.damping[k];
  if (!link.quaternion) {
    for (int k = 0; k < link.nr; ++k) by_q(link.v + k, link.v + k) += link.stiffness[k];
    if (link.motor.v != 0 && link.motor.touches(q, v)) {
      add_transmission_slope(link, link.motor.stiffness, by_q);
      add_transmission_slope(link, link.motor.damping, by_v);
    }
    return;
  }
  const Vector3d phi = quaternion_log(q);
  for (int k = 0; k < 3; ++k) {
    by_q.block<3, 1>(link.v, link.v + k) += link.stiffness[k] * inverse_right_jacobian(phi, Vector3d::Unit(k));
  }
  if (link.nr == 3) return;  // spherical
  // Derivative of R^T k p; rotations and displacements are in the axes of the child frame.
  const Matrix3d R = quaternion_rotation(q);
  const Vector3d k(link.stiffness[3], link.stiffness[4], link.stiffness[5]), p(q[4], q[5], q[6]);
  by_q.block<3, 3>(link.v + 3, link.v) += skew(R.transpose() * k.cwiseProduct(p));
  by_q.block<3, 3>(link.v + 3, link.v + 3) += R.transpose() * k.asDiagonal() * R;
}

}  // namespace

void add_elastic_slopes(const Model& model, const Kinematics& kin, Eigen::Ref<MatrixXd> by_q,
                        Eigen::Ref<MatrixXd> by_v) {
  const auto& links = model.layout->links;
  for (std::size_t i = 1; i < links.size(); ++i) {
    const Link& link = links[i];
    const BodyConstants& constants = *link.constants;
    for (int a = 0; a < link.n; ++a) {
      for (int b = 0; b < link.n; ++b) {
        if (constants.elastic_diagonal && a != b) continue;
        const std::size_t at = constants.elastic_diagonal ? a : static_cast<std::size_t>(a) * link.n + b;
        by_q(link.vm + a, link.vm + b) += constants.K[at];
        by_v(link.vm + a, link.vm + b) += constants.D[at];
      }
    }
    if (link.passive) add_passive_slope(link, &kin.q[link.q], &kin.v[link.v], by_q, by_v);
  }
}

}  // namespace limber
