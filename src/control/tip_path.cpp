// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/tip_path.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "control/tip_follower.hpp"
#include "limber/control/element_rnea.hpp"
#include "limber/model/manifold.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr int kMaxSettling = 100;
// Each pass takes accelerations from the motion of the previous one: the error decreases by the square of (rate of the
// path / slowest vibration), while rounding between samples grows by the square of (sampling rate / slowest vibration).
constexpr int kPasses = 3;
constexpr double kSettled = 1e-12;  // of the modes

std::vector<int> modal_speeds_of(const Model& model) {
  std::vector<int> out;
  for (int i = 1; i < model.body_count(); ++i)
    for (int a = 0; a < model.body(i).modes; ++a) out.push_back(model.first_mode(i) + a);
  return out;
}

// K of all modes plus that of elements at x; kin: of x, with poses in world if there are elements.
MatrixXd modal_stiffness(const Model& model, const std::vector<int>& modes, const State& x, const Kinematics& kin) {
  MatrixXd K = MatrixXd::Zero(model.nv, model.nv);
  for (int i = 1; i < model.body_count(); ++i) {
    const int at = model.first_mode(i), n = model.body(i).modes;
    if (n > 0) K.block(at, at, n, n) = model.body(i).stiffness;
  }
  if (has_elements(model)) {
    ElementLoads loads(model);
    loads.update(x, kin);
    loads.compute(x, kin, {});
    const auto rows = static_cast<Eigen::Index>(6 * loads.nodes().size());
    MatrixXd by_pose(rows, rows), by_velocity(rows, rows), J(rows, model.nv);
    loads.tangent(by_pose, by_velocity);
    for (std::size_t k = 0; k < loads.nodes().size(); ++k)
      compute_node_jacobian(model, kin, loads.nodes()[k], J.middleRows<6>(6 * static_cast<Eigen::Index>(k)));
    K -= J.transpose() * by_pose * J;
  }
  return K(modes, modes);
}

}  // namespace

bool settle_modes(const Model& model, const DrivenJoints& driven, ConstVec a, State& x) {
  ElementRnea inverse_dynamics(model);
  VectorXd vdot = VectorXd::Zero(model.nv), tau(model.nv);
  for (int k = 0; k < driven.size(); ++k) vdot[driven.v[k]] = a[k];
  const std::vector<int> modes = modal_speeds_of(model);
  if (modes.empty()) return true;
  x.v(modes).setZero();
  VectorXd step = VectorXd::Zero(model.nv);
  for (int count = 0; count < kMaxSettling; ++count) {
    inverse_dynamics(x, vdot, tau);
    if (!tau.allFinite()) return false;
    const VectorXd force = tau(modes);
    const MatrixXd K = modal_stiffness(model, modes, x, inverse_dynamics.workspace().kinematics());
    step(modes) = Lu(K).solve(VectorXd(-force));
    move(model, x.q, step, x.q);
    double size = 0;
    for (int i = 1; i < model.body_count(); ++i)
      size += x.q.segment(model.first_mode_q(i), model.body(i).modes).squaredNorm();
    if (step.squaredNorm() <= kSettled * kSettled * size) return true;
  }
  return false;
}

void check_tip_path(const TipPath& path) {
  if (!(path.end > 0 && std::isfinite(path.end)))
    throw InputError("the path of the node ends at " + text(path.end) + " s; the end must be finite and above 0");
  if (path.samples < kMinPathSamples || path.samples > kMaxPathSamples)
    throw InputError("the path of the node has " + std::to_string(path.samples) + " samples; it must have " +
                     std::to_string(kMinPathSamples) + " ... " + std::to_string(kMaxPathSamples));
}

std::vector<Signal> follow_tip_path(const Model& model, const DrivenJoints& driven, const TipPath& path,
                                    const State& start, bool flexible) {
  check_tip_path(path);
  const int n = driven.size(), count = path.samples;
  TipFollower follower(model, driven, path, start, flexible);
  const VectorXd t = VectorXd::LinSpaced(count + 1, 0, path.end);
  MatrixXd q(count + 1, n);
  std::vector<Signal> out(static_cast<std::size_t>(n), Signal(0.0));
  // The deflection depends on the unknown speeds and accelerations: use those of the previous pass, zero at first.
  VectorXd v = VectorXd::Zero(n), a = v;
  for (int pass = 0; pass < (flexible ? kPasses : 1); ++pass) {
    follower.back_to(start);
    for (int k = 0; k <= count; ++k) {
      for (int j = 0; j < n && pass > 0; ++j) {
        const Jet jet = out[static_cast<std::size_t>(j)].at(t[k], std::min(t[k] + 1e-9, path.end * (1 - 1e-9)));
        v[j] = jet.rate;
        a[j] = jet.acceleration;
      }
      follower.solve(t[k], v, a);
      for (int j = 0; j < n; ++j) q(k, j) = follower.state().q[driven.q[j]];
    }
    for (int j = 0; j < n; ++j) out[static_cast<std::size_t>(j)] = Signal::table(t, q.col(j), Interpolation::quintic);
  }
  return out;
}

}  // namespace limber
