// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Excitation of vibrations by a motion.  With the driven joints locked, mode phi of unit modal mass obeys
//   y'' + 2 zeta w y' + w^2 y = -phi^T M_J a(t),
// a: the desired accelerations of the joints, M_J: their columns of M.  After a motion from rest to rest in [0, T], the
// residual amplitude is (Duhamel's integral, [Craig, Kurdila 2006] §5.4, by parts)
//   |y| = w / w_d |int_0^T phi^T M_J v(t) exp((zeta w + i w_d)(t - T)) dt|,    v: the desired speeds.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "control/configuration.hpp"
#include "limber/control/prepare.hpp"
#include "limber/dynamics/rnea.hpp"
#include "limber/linear/facts.hpp"

namespace limber {
namespace {

constexpr int kPerPeriod = 40, kLeastPoints = 400;
constexpr double kMaxPoints = 100000;
constexpr double kNotExcited = 1e-6;  // of the amplitude of the most excited mode

// forces (driven coordinate): phi^T M_J.  Trapezoidal rule; the integrand is zero at both ends, at rest.
double residual_amplitude(const ControlOptions& options, const Vibration& mode, const VectorXd& forces) {
  const double damped = mode.frequency * std::sqrt(1 - mode.ratio * mode.ratio), T = options.end;
  const double periods = mode.frequency * T / (2 * std::numbers::pi);
  const auto count = static_cast<int>(std::clamp(kPerPeriod * periods, double{kLeastPoints}, kMaxPoints));
  std::complex<double> sum = 0;
  for (int i = 0; i < count; ++i) {
    const double t = T * (i + 0.5) / count;
    double speed = 0;
    for (int k = 0; k < options.driven.size(); ++k) {
      if (forces[k] != 0) speed += forces[k] * options.desired[static_cast<std::size_t>(k)].at(t).rate;
    }
    sum += speed * std::exp(std::complex<double>(mode.ratio * mode.frequency * (t - T), damped * t));
  }
  return mode.frequency / damped * std::abs(sum) * T / count;
}

}  // namespace

std::vector<ShapedVibration> choose_vibrations(const ControlOptions& options) {
  const Model& model = *options.model;
  const State end = desired_configuration(options, options.end);
  RneaWorkspace ws(model);
  KinematicsWorkspace kin(model);
  compute_kinematics(model, end, kin);
  compute_world_poses(model, kin);
  Matrix6X J(6, model.nv);
  VectorXd product(model.nv);
  std::vector<ShapedVibration> out;
  for (const Vibration& mode : compute_vibrations(model, end, options.driven.mask)) {
    multiply_mass(model, end, mode.shape, ws, product);
    const double amplitude = residual_amplitude(options, mode, product(options.driven.v));
    ShapedVibration found{mode.frequency / (2 * std::numbers::pi), mode.ratio, 0, ""};
    for (int i = 1; i < model.body_count(); ++i) {
      const int nodes = static_cast<int>(model.body(i).nodes.size());
      const NodeRef at{i, nodes > 0 ? nodes - 1 : kBodyFrame};
      compute_node_jacobian(model, kin, at, J);
      const double moved = amplitude * (J.bottomRows<3>() * mode.shape).norm();
      if (!(moved > found.residual)) continue;
      found.residual = moved;
      found.node = node_name(model, at);
    }
    if (!found.node.empty()) out.push_back(std::move(found));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.residual > b.residual; });
  const double most = out.empty() ? 0 : out.front().residual;
  std::erase_if(out, [&](const ShapedVibration& one) { return one.residual < kNotExcited * most; });
  if (static_cast<int>(out.size()) > options.shaping->vibrations) out.resize(options.shaping->vibrations);
  return out;
}

}  // namespace limber
