// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "element_terms.hpp"

namespace limber {

ElementTerms::ElementTerms(const Model& model, const State& x, const VectorXd& given,
                           const std::vector<NodeWrench>& acting)
    : kin(model), tau(given), wrenches(acting), model_(model) {
  if (!has_elements(model)) return;
  loads = std::make_unique<ElementLoads>(model);
  compute_kinematics(model, x, kin);
  compute_world_poses(model, kin);
  loads->update(x, kin);
  loads->compute(x, kin, {});
  tau += loads->torques();
  wrenches.insert(wrenches.end(), loads->wrenches().begin(), loads->wrenches().end());
}

void ElementTerms::compute(const State& x, const MatrixXd& velocity_q) {
  by_q = by_v = MatrixXd::Zero(model_.nv, model_.nv);
  if (any()) loads->add_derivatives(x, kin, velocity_q, by_q, by_v);
}

// d(J^T w)/dq: the wrenches w vary with q, and J varies under constant w, a term in which rnea is linear.
MatrixXd ElementTerms::compute_stiffness(const State& x) {
  const int nv = model_.nv;
  compute(x, MatrixXd::Zero(static_cast<Eigen::Index>(6 * node_count()), nv));
  DerivativesWorkspace ws(model_);
  const VectorXd still = VectorXd::Zero(nv);
  MatrixXd loaded(nv, nv), bare(nv, nv), by_speed(nv, nv);
  rnea_derivatives(model_, x, still, wrenches, ws, loaded, by_speed);
  rnea_derivatives(model_, x, still, {}, ws, bare, by_speed);
  const MatrixXd K = loaded - bare - by_q;
  return 0.5 * (K + K.transpose());
}

}  // namespace limber
