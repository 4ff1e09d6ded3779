// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/wheels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "limber/dynamics/crba.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kFlat = 1e-6;    // relative to the largest singular value: smaller for coplanar wheels
constexpr double kAcross = 0.01;  // part of the bias along the null motion

}  // namespace

int find_attitude_body(const Model& model, const std::string& body) {
  const int i = model.body_index(body);
  const Joint& joint = model.joints[i];
  const bool turns = joint.kind == JointKind::free || joint.kind == JointKind::spherical;
  if (i == kGround || !turns || joint.parent.body != kGround || joint.child_node != kBodyFrame)
    throw InputError("the attitude of body '" + body +
                     "' cannot be controlled: it needs a free or spherical joint from the world to its own frame");
  return i;
}

std::vector<int> find_wheels(const Model& model, const std::vector<std::string>& wheels) {
  std::vector<int> out;
  for (const std::string& name : wheels) {
    const int i = model.joint_index(name);
    if (model.joints[i].kind != JointKind::revolute)
      throw InputError("wheel '" + name + "' is " + to_string(model.joints[i].kind) +
                       "; a wheel needs a revolute joint");
    if (std::find(out.begin(), out.end(), i) != out.end()) throw InputError("wheel '" + name + "' is a duplicate");
    out.push_back(i);
  }
  return out;
}

AttitudeInertia compute_attitude_inertia(const Model& model, const State& x, int body, const std::vector<int>& wheels) {
  MatrixXd M(model.nv, model.nv);
  CrbaWorkspace ws(model);
  crba(model, x, ws, M);
  const Joint& joint = model.joints[body];
  const std::vector<int> turn = {joint.v, joint.v + 1, joint.v + 2};
  std::vector<int> shift, wheel;
  for (int k = 3; k < speed_count(joint.kind); ++k) shift.push_back(joint.v + k);
  for (const int i : wheels) wheel.push_back(model.joints[i].v);
  std::vector<int> free = shift;
  free.insert(free.end(), wheel.begin(), wheel.end());
  const auto n = static_cast<Eigen::Index>(wheel.size()), m = static_cast<Eigen::Index>(free.size());
  AttitudeInertia out;
  MatrixXd J = M(turn, turn), S = J, H = M(turn, wheel), B(3, n);
  if (!shift.empty()) {  // eliminates the translation
    const MatrixXd gain = solve_full_pivoting(M(shift, shift), M(shift, turn));
    J -= M(turn, shift) * gain;
    H -= gain.transpose() * M(shift, wheel);
  }
  if (m > 0) {
    const MatrixXd gain = solve_full_pivoting(M(free, free), M(free, turn));
    S -= M(turn, free) * gain;
    B = gain.bottomRows(n).transpose();
  }
  out.S = 0.5 * (S + S.transpose());
  out.J = 0.5 * (J + J.transpose());
  out.B = B;
  out.H = H;
  out.axial = M.diagonal()(wheel);
  return out;
}

Wheels::Wheels(const WheelOptions& options, const AttitudeInertia& inertia, double period)
    : options_(options), B_(inertia.B), axial_(inertia.axial), period_(period) {
  const Eigen::Index n = B_.cols();
  const Svd parts = svd(B_, SvdParts::both);
  if (parts.values.size() < 3 || !(parts.values[2] > kFlat * parts.values[0]))
    throw InputError("the wheels cannot turn the body about every axis: their axes must not lie in a plane");
  inverse_ = B_.transpose() * solve_full_pivoting(B_ * B_.transpose(), Matrix3d::Identity());
  null_ = MatrixXd::Identity(n, n) - inverse_ * B_;
  u_.setZero(n);
  wish_ = u_;
  if (options_.bias.size() == 0) options_.bias.setZero(n);
  const VectorXd momentum = axial_.cwiseProduct(options_.bias);
  if (n == 4 && (null_ * momentum).norm() < kAcross * momentum.norm()) {
    Eigen::Index along = 0;
    null_.colwise().norm().maxCoeff(&along);
    VectorXd speeds = null_.col(along).cwiseQuotient(axial_);
    speeds /= speeds.cwiseAbs().maxCoeff();
    std::string ratio;
    for (const double speed : speeds) ratio += (ratio.empty() ? "" : " : ") + text(speed, 3);
    throw InputError("the wheels cannot keep these bias speeds: speeds without net momentum have the ratio " + ratio +
                     "; give one per wheel with these signs");
  }
}

bool Wheels::allocate(const Vector3d& T, ConstVec feed_forward, ConstVec speeds) {
  u_ = feed_forward;
  u_.noalias() -= inverse_ * T;
  if (size() > 3) {
    wish_ = axial_.cwiseProduct(options_.bias - speeds) / options_.bias_time;
    u_.noalias() += null_ * wish_;
  }
  bool within = true;
  if (options_.max_torque.size() > 0) {
    double most = 1;
    for (int k = 0; k < size(); ++k) most = std::max(most, std::abs(u_[k]) / options_.max_torque[k]);
    within = most == 1;
    u_ /= most;
  }
  for (int k = 0; options_.max_speed.size() > 0 && k < size(); ++k) {
    const double up = (options_.max_speed[k] - speeds[k]) * axial_[k] / period_;
    const double down = (-options_.max_speed[k] - speeds[k]) * axial_[k] / period_;
    const double kept = std::clamp(u_[k], std::min(down, 0.0), std::max(up, 0.0));
    within = within && kept == u_[k];
    u_[k] = kept;
  }
  return within;
}

}  // namespace limber
