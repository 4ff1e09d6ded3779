// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Residual vibration of slews, as in participation.cpp, one rotation at a time.  If the body follows the desired motion
// (hybrid feed-forward), mode phi of unit modal mass of the rest obeys y'' + 2 zeta w y' + w^2 y = -phi^T M_t axis
// a(t).  Otherwise torques S axis a(t) act on the free machine, from its wheels or from outside.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "limber/control/attitude.hpp"
#include "limber/linear/facts.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr int kPointsPerPeriod = 40, kFewestPoints = 400;
constexpr double kMaxSlewPoints = 100000;
constexpr double kLeastShare = 1e-6;   // of the amplitude of the most excited mode
constexpr double kStandsStill = 1e-6;  // of the highest frequency: below it a mode does not vibrate

// Residual amplitude of a unit force per acceleration of the slew; [Craig, Kurdila 2006] §5.4, integrated by parts.
double slew_amplitude(const Slew& slew, double w, double ratio) {
  const double damped = w * std::sqrt(1 - ratio * ratio), T = slew.end - slew.begin;
  const auto count = static_cast<int>(
      std::clamp(kPointsPerPeriod * w * T / (2 * std::numbers::pi), double{kFewestPoints}, kMaxSlewPoints));
  std::complex<double> sum = 0;
  for (int i = 0; i < count; ++i) {
    const double t = T * (i + 0.5) / count;
    sum += slew.turned.at(slew.begin + t).rate * std::exp(std::complex<double>(ratio * w * (t - T), damped * t));
  }
  return w / damped * std::abs(sum) * T / count;
}

// The node with the largest displacement by a shape, and that displacement; each body is represented by its last node.
void find_moved_node(const Model& model, const Kinematics& kin, const VectorXd& shape, double amplitude,
                     ShapedVibration& found) {
  Matrix6X J(6, model.nv);
  for (int i = 1; i < model.body_count(); ++i) {
    const int nodes = static_cast<int>(model.body(i).nodes.size());
    const NodeRef at{i, nodes > 0 ? nodes - 1 : kBodyFrame};
    compute_node_jacobian(model, kin, at, J);
    const double moved = amplitude * (J.bottomRows<3>() * shape).norm();
    if (!(moved > found.residual)) continue;
    found.residual = moved;
    found.node = node_name(model, at);
  }
}

// (nv x 3) forces on the speeds for an angular acceleration of 1 about each axis.
MatrixXd slew_forces(const AttitudeOptions& options, const LinearSystem& machine, const State& x, int body, bool held) {
  const Model& model = *options.model;
  const int turn = model.joints[body].v;
  if (held) return machine.M.middleCols(turn, 3);
  const std::vector<int> wheels = find_wheels(model, options.wheels.joints);
  const AttitudeInertia inertia = compute_attitude_inertia(model, x, body, wheels);
  MatrixXd out = MatrixXd::Zero(model.nv, 3);
  if (wheels.empty()) {
    out.middleRows(turn, 3) = inertia.S;
    return out;
  }
  const MatrixXd efforts = Wheels(options.wheels, inertia, 1).inverse() * inertia.S;
  for (std::size_t k = 0; k < wheels.size(); ++k)
    out.row(model.joints[wheels[k]].v) = efforts.row(static_cast<Eigen::Index>(k));
  return out;
}

}  // namespace

std::vector<ShapedVibration> choose_slew_vibrations(const AttitudeOptions& options, const State& x,
                                                    const AttitudePath& path) {
  const Model& model = *options.model;
  const int body = find_attitude_body(model, options.body);
  const bool held = options.feed_forward == FeedForward::hybrid;
  const int turn = model.joints[body].v;
  const LinearSystem machine = linearize_at_rest(model, x, {});
  if (machine.coordinates() != model.nv)
    throw InputError("the vibrations of this machine cannot be chosen; give them: shaping: {frequencies: [0.3]}");
  std::vector<int> kept;
  for (int k = 0; k < model.nv; ++k) {
    if (!held || k < turn || k >= turn + 3) kept.push_back(k);
  }
  for (const MotionInput& motion : options.motions) {  // held
    const Joint& joint = model.joints[motion.joint];
    std::erase_if(kept, [&](int k) { return k >= joint.v && k < joint.v + speed_count(joint.kind); });
  }
  const MatrixXd force = slew_forces(options, machine, x, body, held);
  KinematicsWorkspace kin(model);
  compute_kinematics(model, x, kin);
  compute_world_poses(model, kin);
  const SymmetricEigen modes = eigen_generalized(machine.stiffness(kept, kept), machine.M(kept, kept));
  const double highest = std::sqrt(std::max(modes.values.maxCoeff(), 0.0));
  std::vector<ShapedVibration> out;
  for (Eigen::Index m = 0; m < modes.values.size(); ++m) {
    const double w = std::sqrt(std::max(modes.values[m], 0.0));
    VectorXd shape = VectorXd::Zero(model.nv);
    for (std::size_t k = 0; k < kept.size(); ++k) shape[kept[k]] = modes.vectors(static_cast<Eigen::Index>(k), m);
    const double ratio = w > 0 ? shape.dot(machine.damping * shape) / (2 * w) : 0;
    if (!(w > kStandsStill * highest) || ratio >= 1) continue;
    double amplitude = 0;
    for (const Slew& slew : path.slews()) {
      if (slew.angle != 0)
        amplitude = std::max(amplitude, std::abs(shape.dot(force * slew.axis)) * slew_amplitude(slew, w, ratio));
    }
    ShapedVibration found{w / (2 * std::numbers::pi), ratio, 0, ""};
    find_moved_node(model, kin, shape, amplitude, found);
    if (!found.node.empty()) out.push_back(std::move(found));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.residual > b.residual; });
  const double most = out.empty() ? 0 : out.front().residual;
  std::erase_if(out, [&](const ShapedVibration& one) { return one.residual < kLeastShare * most; });
  if (std::ssize(out) > options.shaping->vibrations) out.resize(static_cast<std::size_t>(options.shaping->vibrations));
  return out;
}

}  // namespace limber
