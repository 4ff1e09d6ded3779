// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "support/small_motion.hpp"

#include <algorithm>
#include <functional>

#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/kinematics.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

// Five-point difference along speed j; quaternions are multiplied from the right.
VectorXd slope(const Model& model, const State& x, int j, const std::function<VectorXd(const State&)>& f) {
  constexpr double h = 1e-3;
  const auto at = [&](double step) {
    State y = x;
    y.q = moved(model, x.q, step * VectorXd::Unit(model.nv, j));
    return f(y);
  };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

VectorXd force(const Model& model, const State& x, RneaWorkspace& ws) {
  VectorXd tau(model.nv);
  rnea(model, x, VectorXd::Zero(model.nv), {}, ws, tau);
  return tau;
}

std::vector<int> modal_speeds(const Model& model) {
  std::vector<int> speeds;
  for (int i = 1; i < model.body_count(); ++i) {
    for (int k = 0; k < model.body(i).modes; ++k) speeds.push_back(model.first_mode(i) + k);
  }
  return speeds;
}

// d force / d q on the chosen speeds.
MatrixXd stiffness(const Model& model, const State& x, const std::vector<int>& speeds, RneaWorkspace& ws) {
  MatrixXd K(speeds.size(), speeds.size());
  for (std::size_t j = 0; j < speeds.size(); ++j) {
    K.col(j) = slope(model, x, speeds[j], [&](const State& y) { return force(model, y, ws); })(speeds);
  }
  return K;
}

// Force is quadratic in v: a central difference is exact.
MatrixXd damping(const Model& model, const State& x, const std::vector<int>& speeds, RneaWorkspace& ws) {
  MatrixXd D(speeds.size(), speeds.size());
  for (std::size_t j = 0; j < speeds.size(); ++j) {
    State plus = x, minus = x;
    plus.v[speeds[j]] += 1;
    minus.v[speeds[j]] -= 1;
    D.col(j) = (0.5 * (force(model, plus, ws) - force(model, minus, ws)))(speeds);
  }
  return D;
}

}  // namespace

State find_steady_state(const Model& model, State x) {
  RneaWorkspace ws(model);
  const std::vector<int> modes = modal_speeds(model);
  for (int pass = 0; pass < 50 && !modes.empty(); ++pass) {
    const VectorXd missing = force(model, x, ws)(modes);
    VectorXd step = VectorXd::Zero(model.nv);
    step(modes) = -Lu(stiffness(model, x, modes, ws)).solve(missing);
    x.q = moved(model, x.q, step);
    if (step.norm() < 1e-14 * (1 + x.q.norm())) break;
  }
  return x;
}

SmallMotion linearise(const Model& model, const State& x, const std::vector<int>& held) {
  SmallMotion motion;
  motion.x = x;
  for (int i = 1; i < model.body_count(); ++i) {
    const bool is_held = std::find(held.begin(), held.end(), i) != held.end();
    for (int k = model.joints[i].v; k < model.first_mode(i) && !is_held; ++k) motion.free.push_back(k);
    for (int k = 0; k < model.body(i).modes; ++k) motion.free.push_back(model.first_mode(i) + k);
  }
  RneaWorkspace rw(model);
  CrbaWorkspace cw(model);
  MatrixXd M(model.nv, model.nv);
  crba(model, x, cw, M);
  motion.M = M(motion.free, motion.free);
  motion.K = stiffness(model, x, motion.free, rw);
  motion.D = MatrixXd::Zero(motion.M.rows(), motion.M.cols());
  if (!x.v.isZero(0)) motion.D = damping(model, x, motion.free, rw);
  return motion;
}

std::vector<double> frequencies(const SmallMotion& motion) {
  std::vector<double> omegas;
  const Eigen::Index n = motion.M.rows();
  if (motion.x.v.isZero(0)) {
    const MatrixXd K = 0.5 * (motion.K + motion.K.transpose());
    for (const double square : eigenvalues_generalized(K, motion.M)) omegas.push_back(std::sqrt(std::max(square, 0.0)));
    return omegas;
  }
  // (x, xdot)' = [0 1; -M^-1 K, -M^-1 D] (x, xdot).
  MatrixXd A = MatrixXd::Zero(2 * n, 2 * n);
  const Lu inverse(motion.M);
  A.topRightCorner(n, n).setIdentity();
  A.bottomLeftCorner(n, n) = -inverse.solve(motion.K);
  A.bottomRightCorner(n, n) = -inverse.solve(motion.D);
  for (const auto& lambda : eigenvalues_general(A)) {
    if (lambda.imag() > 0) omegas.push_back(lambda.imag());
  }
  std::sort(omegas.begin(), omegas.end());
  return omegas;
}

std::vector<double> zeros(const Model& model, const SmallMotion& motion, int input, NodeRef node, int component) {
  const Eigen::Index n = motion.M.rows();
  // [K -b; c 0] z = -s^2 [M 0; 0 0] z
  MatrixXd A = MatrixXd::Zero(n + 1, n + 1), B = A;
  A.topLeftCorner(n, n) = motion.K;
  B.topLeftCorner(n, n) = -motion.M;
  KinematicsWorkspace kin(model);
  for (Eigen::Index j = 0; j < n; ++j) {
    if (motion.free[j] == input) A(j, n) = -1;
    A(n, j) = slope(model, motion.x, motion.free[j], [&](const State& y) {
      compute_kinematics(model, y, kin);
      compute_world_poses(model, kin);
      return VectorXd(node_pose(model, kin, node).p);
    })[component];
  }
  std::vector<double> found;
  const Eigen::VectorXcd inverses = eigenvalues_general(Lu(A).solve(B));  // 1/s^2; zero where s is at infinity
  for (const std::complex<double>& inverse : inverses) {
    if (std::abs(inverse) <= 1e-12 * inverses.cwiseAbs().maxCoeff()) continue;
    const std::complex<double> square = 1.0 / inverse;
    if (square.real() > 0 && std::abs(square.imag()) < 1e-9 * square.real()) found.push_back(std::sqrt(square.real()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace limber::test
