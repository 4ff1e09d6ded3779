// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/thrusters.hpp"

#include <algorithm>
#include <cmath>

#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kForceWeight =
    1e-3;  // of a force relative to a torque: prefers couples where thrusters can produce them
constexpr double kWrongTorque = 1e-3;  // permitted relative error of a torque

// Non-negative least squares: the x >= 0 of least |A x - b|, by the active-set method of [Lawson, Hanson 1974], chapter
// 23.
VectorXd solve_not_negative(const MatrixXd& A, const VectorXd& b) {
  const Eigen::Index n = A.cols();
  VectorXd x = VectorXd::Zero(n), s = x;
  std::vector<int> passive;
  const double small = 1e-12 * A.norm() * b.norm();
  for (int round = 0; round < 10 * n; ++round) {
    const VectorXd w = A.transpose() * (b - A * x);
    int best = -1;
    for (int k = 0; k < n; ++k) {
      const bool in = std::find(passive.begin(), passive.end(), k) != passive.end();
      if (!in && w[k] > small && (best < 0 || w[k] > w[best])) best = k;
    }
    if (best < 0) break;
    passive.push_back(best);
    while (!passive.empty()) {
      s.setZero();
      s(passive) = solve_least_norm(A(Eigen::all, passive), b);
      double step = 1;
      for (const int k : passive) {
        if (s[k] <= 0) step = std::min(step, x[k] / std::max(x[k] - s[k], 1e-300));
      }
      if (step >= 1) break;
      x += step * (s - x);
      std::erase_if(passive, [&](int k) { return s[k] <= 0 && x[k] <= 1e-15 * (1 + std::abs(s[k])); });
    }
    x = s;
  }
  return x;
}

}  // namespace

Thrusters::Thrusters(const ThrusterSetOptions& options, const Eigen::Ref<const Matrix6X>& wrench, double period)
    : options_(options), wrench_(wrench) {
  const Eigen::Index n = wrench_.cols();
  cycle_ = std::max(1, static_cast<int>(std::lround(options.period / period)));
  least_ = std::max(1, static_cast<int>(std::ceil(options.minimum_pulse / period - 1e-9)));
  const double torque = wrench_.topRows<3>().colwise().norm().maxCoeff(),
               force = wrench_.bottomRows<3>().colwise().norm().maxCoeff();
  MatrixXd A(6, n);
  A.topRows(3) = wrench_.topRows<3>() / torque;
  A.bottomRows(3) = kForceWeight / force * wrench_.bottomRows<3>();
  table_.setZero(n, 6);
  constexpr const char* kAxes[] = {"+x", "-x", "+y", "-y", "+z", "-z"};
  for (int k = 0; k < 6; ++k) {
    VectorXd wanted = VectorXd::Zero(6);
    wanted[k / 2] = k % 2 == 0 ? 1 : -1;
    const VectorXd duty = torque > 0 ? solve_not_negative(A, wanted) : VectorXd::Zero(n);
    if (!((wrench_.topRows<3>() / torque * duty - wanted.head(3)).norm() < kWrongTorque))
      throw InputError(std::string("the thrusters cannot turn the body about ") + kAxes[k] +
                       " alone; give them other places or directions");
    table_.col(k) = duty / torque;
  }
  force_.setZero(n);
  duty_ = force_;
  restart();
}

void Thrusters::restart() {
  sample_ = pulses_ = 0;
  on_.assign(static_cast<std::size_t>(size()), 0);
  axis_.assign(3, 0);
  on_for_.assign(3, 0);
  force_.setZero();
}

bool Thrusters::fire(const Vector3d& T, const Vector3d& error) {
  bool within = true;
  if (options_.modulation == Modulation::deadband) {
    trigger(error);
  } else {
    within = modulate(T);
  }
  ++sample_;
  return within;
}

// One pulse at the beginning of each modulation period.
bool Thrusters::modulate(const Vector3d& T) {
  bool within = true;
  if (sample_ % cycle_ == 0) {
    duty_.setZero();
    for (int k = 0; k < 3; ++k) duty_ += std::abs(T[k]) * table_.col(2 * k + (T[k] < 0 ? 1 : 0));
    const double most = duty_.maxCoeff();
    within = most <= 1;
    if (!within) duty_ /= most;
    for (std::size_t i = 0; i < on_.size(); ++i) {
      const int samples = static_cast<int>(std::lround(duty_[static_cast<Eigen::Index>(i)] * cycle_));
      on_[i] = samples < least_ ? 0 : samples;
      pulses_ += on_[i] > 0 ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < on_.size(); ++i) {
    force_[static_cast<Eigen::Index>(i)] = on_[i] > 0 ? options_.thrusters[i].force : 0;
    on_[i] = std::max(0, on_[i] - 1);
  }
  return within;
}

// Full thrust about an axis from where its error leaves the dead zone until it is back inside.
void Thrusters::trigger(const Vector3d& error) {
  duty_.setZero();
  for (std::size_t k = 0; k < 3; ++k) {
    const double s = error[static_cast<Eigen::Index>(k)];
    if (axis_[k] != 0 && ++on_for_[k] >= least_ && axis_[k] * s < options_.deadband - options_.hysteresis) axis_[k] = 0;
    if (axis_[k] == 0 && std::abs(s) > options_.deadband) {
      axis_[k] = s > 0 ? 1 : -1;
      on_for_[k] = 0;
    }
    if (axis_[k] == 0) continue;
    const auto column = table_.col(static_cast<Eigen::Index>(2 * k) + (axis_[k] < 0 ? 1 : 0));
    duty_ += column / column.maxCoeff();
  }
  for (std::size_t i = 0; i < on_.size(); ++i) {
    const bool fires = duty_[static_cast<Eigen::Index>(i)] >= 0.5;
    pulses_ += fires && on_[i] == 0 ? 1 : 0;
    on_[i] = fires ? 1 : 0;
    force_[static_cast<Eigen::Index>(i)] = fires ? options_.thrusters[i].force : 0;
  }
}

Vector3d Thrusters::delivered() const {
  Vector3d out = Vector3d::Zero();
  for (int i = 0; i < size(); ++i)
    out += force_[i] / options_.thrusters[static_cast<std::size_t>(i)].force * wrench_.col(i).head<3>();
  return out;
}

}  // namespace limber
