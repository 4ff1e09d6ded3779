// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/gains.hpp"

#include <algorithm>

#include "control/readings.hpp"
#include "limber/control/shaping.hpp"
#include "limber/dynamics/rnea.hpp"
#include "limber/linear/riccati.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

// theory of the specific force R^T (a - g) at rest: a = J vdot, and R^T f turns with the node by R^T (f x turn).
void add_specific_force(const Model& model, const Kinematics& kin, const Accelerometer& sensor,
                        const LinearSystem& machine, Eigen::Ref<MatrixXd> C, Eigen::Ref<MatrixXd> D) {
  const int n = model.nv;
  Matrix6X J(6, n);
  compute_node_jacobian(model, kin, sensor.at, J);
  const Matrix3d Rt = node_pose(model, kin, sensor.at).R.transpose();
  C = Rt * J.bottomRows<3>() * machine.A.bottomRows(n);
  D = Rt * J.bottomRows<3>() * machine.B.bottomRows(n);
  const Vector3d f = -model.gravity;
  for (int k = 0; k < n; ++k) C.col(k) += Rt * f.cross(Vector3d(J.col(k).head<3>()));
}

}  // namespace

Readings make_readings(const Model& model, const DrivenJoints& driven, const SensorOptions& sensors, const State& x,
                       const KalmanOptions& options, const LinearSystem& machine) {
  const int n = model.nv, h = driven.size();
  const auto tachometer = [&](int k) {
    return sensors.encoders.empty() || sensors.encoders[static_cast<std::size_t>(k)].tachometer;
  };
  const auto encoder = [&](int k) {
    return sensors.encoders.empty() ? EncoderOptions{} : sensors.encoders[static_cast<std::size_t>(k)];
  };
  int count = h + static_cast<int>(sensors.strains.size() + 3 * sensors.accelerometers.size());
  for (int k = 0; k < h; ++k) count += tachometer(k) ? 1 : 0;
  Readings out{MatrixXd::Zero(count, 2 * n), MatrixXd::Zero(count, machine.B.cols()), VectorXd::Zero(count)};
  const auto square = [](double a, double least) { return std::max(a * a, least * least); };
  int row = 0;
  for (int k = 0; k < h; ++k, ++row) {
    out.C(row, driven.v[k]) = 1;
    const double step = encoder(k).resolution;  // rounding: variance step^2/12
    out.noise[row] = square(encoder(k).noise, options.least_position) + step * step / 12;
  }
  for (int k = 0; k < h; ++k) {
    if (!tachometer(k)) continue;
    out.C(row, n + driven.v[k]) = 1;
    out.noise[row++] = square(encoder(k).speed_noise, options.least_speed);
  }
  for (const StrainGauge& gauge : sensors.strains) {
    out.C.row(row).segment(model.first_mode(gauge.body), gauge.row.size()) = gauge.row.transpose();
    out.noise[row++] = square(gauge.noise, options.least_strain);
  }
  RneaWorkspace ws(model);
  compute_kinematics(model, x, ws.kinematics());
  compute_world_poses(model, ws.kinematics());
  for (const Accelerometer& sensor : sensors.accelerometers) {
    add_specific_force(model, ws.kinematics(), sensor, machine, out.C.middleRows(row, 3), out.D.middleRows(row, 3));
    out.noise.segment(row, 3).setConstant(square(sensor.noise, options.least_acceleration));
    row += 3;
  }
  return out;
}

MatrixXd compute_kalman_gain(const Model& model, const DrivenJoints& driven, const SensorOptions& sensors,
                             const State& x, const KalmanOptions& options, double period) {
  const int n = model.nv;
  const LinearSystem machine = linearize_at_rest(model, x, {});
  const Readings readings = make_readings(model, driven, sensors, x, options, machine);
  const MatrixXd A = sample(machine.A, machine.B, period).A;
  // Noise enters the speeds all through a period: the trapezoidal rule over it.
  MatrixXd Q = MatrixXd::Zero(2 * n, 2 * n);
  Q.bottomRightCorner(n, n).setIdentity();
  Q *= options.acceleration * options.acceleration * period;
  Q = (0.5 * (Q + A * Q * A.transpose())).eval();
  const MatrixXd R = readings.noise.asDiagonal();
  const auto P = solve_riccati(A.transpose(), readings.C.transpose(), Q, R);
  if (!P) {
    throw InputError(
        "the observer cannot see everything that moves by itself; add sensors, or control the joints that are free");
  }
  const MatrixXd S = readings.C * *P * readings.C.transpose() + R;
  return Cholesky(S).solve(MatrixXd(readings.C * *P)).transpose();
}

MatrixXd compute_lqr_gain(const Model& model, const DrivenJoints& driven, const State& x, const LqrOptions& options,
                          double period) {
  const int n = model.nv, h = driven.size();
  const LinearSystem machine = linearize_at_rest(model, x, {});
  MatrixXd B(2 * n, h);
  for (int k = 0; k < h; ++k) B.col(k) = machine.B.col(driven.v[k]);
  const Sampled sampled = sample(machine.A, B, period);
  MatrixXd Q = MatrixXd::Zero(2 * n, 2 * n);
  for (int i = 1; i < model.body_count(); ++i) {
    const int modes = model.body(i).modes, m = model.first_mode(i);
    Q.block(m, m, modes, modes) = 0.5 / options.vibration * model.body(i).stiffness;
    Q.block(n + m, n + m, modes, modes) = 0.5 / options.vibration * machine.M.block(m, m, modes, modes);
  }
  for (int k = 0; k < h; ++k) {
    Q(driven.v[k], driven.v[k]) = 1 / (options.position * options.position);
    Q(n + driven.v[k], n + driven.v[k]) = 1 / (options.speed * options.speed);
  }
  const MatrixXd R = MatrixXd::Identity(h, h) / (options.torque * options.torque);
  const auto X = solve_riccati(sampled.A, sampled.B, Q, R);
  if (!X) throw InputError("the regulator cannot bring everything to rest; control the joints that are free");
  const MatrixXd S = R + sampled.B.transpose() * *X * sampled.B;
  return Cholesky(S).solve(MatrixXd(sampled.B.transpose() * *X * sampled.A));
}

void Schedule::add(double t, MatrixXd gain) {
  times_.push_back(t);
  now_ = gain;
  gains_.push_back(std::move(gain));
}

const MatrixXd& Schedule::at(double t) {
  const auto after = static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), t) - times_.begin());
  if (after == 0) return gains_.front();
  if (after == times_.size()) return gains_.back();
  const double s = (t - times_[after - 1]) / (times_[after] - times_[after - 1]);
  now_ = (1 - s) * gains_[after - 1] + s * gains_[after];
  return now_;
}

}  // namespace limber
