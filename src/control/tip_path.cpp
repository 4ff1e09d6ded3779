// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/tip_path.hpp"

#include <algorithm>

#include "control/tip_follower.hpp"
#include "limber/control/element_rnea.hpp"

namespace limber {
namespace {

constexpr int kMaxSettling = 100;
// Each pass takes accelerations from the motion of the last one: the error shrinks by the square of (rate of the path /
// slowest vibration), while rounding between samples grows by the square of (rate of the samples / slowest vibration).
constexpr int kPasses = 3;
constexpr double kSettled = 1e-12;  // of the modal forces

}  // namespace

bool settle_modes(const Model& model, const DrivenJoints& driven, ConstVec a, State& x) {
  ElementRnea inverse_dynamics(model);
  VectorXd vdot = VectorXd::Zero(model.nv), tau(model.nv);
  for (int k = 0; k < driven.size(); ++k) vdot[driven.v[k]] = a[k];
  for (int i = 1; i < model.body_count(); ++i) x.v.segment(model.first_mode(i), model.body(i).modes).setZero();
  for (int step = 0; step < kMaxSettling; ++step) {
    inverse_dynamics(x, vdot, tau);
    if (!tau.allFinite()) return false;
    double left = 0, acting = 0;
    for (int i = 1; i < model.body_count(); ++i) {
      const Body& body = model.body(i);
      if (body.modes == 0) continue;
      const auto force = tau.segment(model.first_mode(i), body.modes);
      auto eta = x.q.segment(model.first_mode_q(i), body.modes);
      left += force.squaredNorm();
      acting += (body.stiffness * eta).squaredNorm();
      eta -= Cholesky(body.stiffness).solve(VectorXd(force));
    }
    if (left <= kSettled * kSettled * acting || left == 0) return true;
  }
  return false;
}

std::vector<Signal> follow_tip_path(const Model& model, const DrivenJoints& driven, const TipPath& path,
                                    const State& start, bool flexible) {
  const int n = driven.size(), count = path.samples;
  TipFollower follower(model, driven, path, start, flexible);
  const VectorXd t = VectorXd::LinSpaced(count + 1, 0, path.end);
  MatrixXd q(count + 1, n);
  std::vector<Signal> out(static_cast<std::size_t>(n), Signal(0.0));
  // The deflection depends on the speeds and accelerations of the motion that is looked for: from those of the last
  // pass, at first none.
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
