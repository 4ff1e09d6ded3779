// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/closures.hpp"

namespace limber {
namespace {

// Change of the wrenches of one row on its nodes due to displacements da, db of the nodes, theory §6, Closed chains:
//   place  (-r x d, -d), (0, d)        d rotates with a, r = p_b - p_a
//   align  (-s x u, 0), (s x u, 0)     u rotates with a, s with b
void row_slope(const ClosureRow& row, const Pose& a, const Pose& b, const Vector6& da, const Vector6& db, Vector6& on_a,
               Vector6& on_b) {
  const Vector3d u = a.R * row.u, du = da.head<3>().cross(u), none = Vector3d::Zero();
  if (row.align) {
    const Vector3d s = b.R * row.s, turn = db.head<3>().cross(s).cross(u) + s.cross(du);
    on_a << -turn, none;
    on_b << turn, none;
    return;
  }
  const Vector3d r = b.p - a.p, dr = db.tail<3>() - da.tail<3>();
  on_a << -dr.cross(u) - r.cross(du), -du;
  on_b << none, du;
}

}  // namespace

void subtract_closure_stiffness(const Model& model, const Kinematics& kin, const ClosureData& cw,
                                const VectorXd& lambda, Eigen::Ref<MatrixXd> tau_q) {
  Matrix6X Ja(6, model.nv), Jb(6, model.nv);
  for (int i = 0; i < cw.count(); ++i) {
    const Closure& closure = model.closures[static_cast<std::size_t>(cw.rows[i].closure)];
    const Pose a = node_pose(model, kin, closure.a), b = node_pose(model, kin, closure.b);
    compute_node_jacobian(model, kin, closure.a, Ja);
    compute_node_jacobian(model, kin, closure.b, Jb);
    for (int j = 0; j < model.nv; ++j) {
      Vector6 on_a, on_b;
      row_slope(cw.rows[i], a, b, Ja.col(j), Jb.col(j), on_a, on_b);
      tau_q.col(j) -= lambda[i] * (Ja.transpose() * on_a + Jb.transpose() * on_b);
    }
  }
}

}  // namespace limber
