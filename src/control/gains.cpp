// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/gains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "control/hidden_motion.hpp"
#include "control/readings.hpp"
#include "limber/control/actuation.hpp"
#include "limber/control/shaping.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/rnea.hpp"
#include "limber/linear/riccati.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kUsualPosition = 1e-3;  // rad
constexpr double kUsualFrequency = 0.5;  // Hz
constexpr double kUsualSpeeds = 20;      // times position and frequency
constexpr double kUsualShare = 0.1;      // of the torque limits
constexpr double kMostUsual = 1e4;       // times the torques without limits, those for errors of kUsualPosition
constexpr double kSight = 1e-6;
constexpr double kUsualSteps = 10;  // times the default torques: their phase is unknown

// Linearised specific force R^T (a - g) at rest: a = J vdot, and R^T f rotates with the node by R^T (f x turn).
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

// (driven coordinate) Torque limit of servo or joint; infinite: none.  Forces of actuators times their lever arms at x.
VectorXd torque_limits(const Model& model, const DrivenJoints& driven, const State& x,
                       const std::vector<ServoOptions>& servos) {
  VectorXd out(driven.size());
  Actuation actuation(model, driven);
  const bool levers = actuation.any() && actuation.set(x) == Status::ok;
  for (std::size_t j = 0, k = 0; j < driven.joints.size(); ++j) {
    const Joint& joint = model.joints[driven.joints[j]];
    for (int i = 0; i < speed_count(joint.kind); ++i, ++k) {
      double limit = joint.effort_limit > 0 ? joint.effort_limit : std::numeric_limits<double>::infinity();
      const int row = driven.v[k], column = static_cast<int>(k);
      const double lever = levers ? std::abs(actuation.forces()(row, column)) : 1;
      if (!servos.empty()) limit = std::min(limit, lever * servos[k].max_torque);
      out[static_cast<Eigen::Index>(k)] = limit > 0 ? limit : std::numeric_limits<double>::infinity();
    }
  }
  return out;
}

// (driven x driven) with all other joints locked.
MatrixXd driven_inertia(const Model& model, const DrivenJoints& driven, const State& x) {
  CrbaWorkspace ws(model);
  MatrixXd M(model.nv, model.nv);
  crba(model, x, ws, M);
  return M(driven.v, driven.v);
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
    const double step = encoder(k).resolution;  // quantisation: variance step^2/12
    out.noise[row] = square(encoder(k).noise, options.min_position) + step * step / 12;
  }
  for (int k = 0; k < h; ++k) {
    if (!tachometer(k)) continue;
    out.C(row, n + driven.v[k]) = 1;
    out.noise[row++] = square(encoder(k).speed_noise, options.min_speed);
  }
  for (const StrainGauge& gauge : sensors.strains) {
    out.C.row(row).segment(model.first_mode(gauge.body), gauge.row.size()) = gauge.row.transpose();
    out.noise[row++] = square(gauge.noise, options.min_strain);
  }
  RneaWorkspace ws(model);
  compute_kinematics(model, x, ws.kinematics());
  compute_world_poses(model, ws.kinematics());
  for (const Accelerometer& sensor : sensors.accelerometers) {
    add_specific_force(model, ws.kinematics(), sensor, machine, out.C.middleRows(row, 3), out.D.middleRows(row, 3));
    out.noise.segment(row, 3).setConstant(square(sensor.noise, options.min_acceleration));
    row += 3;
  }
  out.noise *= options.distrust * options.distrust;
  return out;
}

VectorXd usual_torques(const Model& model, const DrivenJoints& driven, const State& x,
                       const std::vector<ServoOptions>& servos) {
  constexpr double kFrequency = 2 * std::numbers::pi * kUsualFrequency;
  const VectorXd limits = torque_limits(model, driven, x, servos);
  const VectorXd inertia = driven_inertia(model, driven, x).diagonal();
  VectorXd out = kUsualShare * limits;
  for (Eigen::Index k = 0; k < out.size(); ++k) {
    const double gentle = inertia[k] * kFrequency * kFrequency * kUsualPosition;
    out[k] = std::isfinite(limits[k]) ? std::min(out[k], kMostUsual * gentle) : gentle;
  }
  return out;
}

double usual_frequency(const Model& model, const DrivenJoints& driven, const State& x,
                       const std::vector<ServoOptions>& servos, double position, double rate) {
  constexpr double kOfRate = 1.0 / 30, kOfVibration = 0.5;
  const VectorXd sums = driven_inertia(model, driven, x).cwiseAbs().rowwise().sum();
  const double w =
      std::sqrt((kUsualShare * torque_limits(model, driven, x, servos).cwiseQuotient(sums)).minCoeff() / position);
  double out = kUsualFrequency;
  if (std::isfinite(w)) {
    const std::vector<Vibration> modes = compute_vibrations(model, x, driven.mask);
    const double most = modes.empty() ? w : std::max(2 * std::numbers::pi * out, kOfVibration * modes[0].frequency);
    out = std::min(w, most) / (2 * std::numbers::pi);
  }
  return std::min(out, kOfRate * rate);
}

namespace {

// Vibrations without damping that no sensor sees, or that no torque moves, stay as they are and do no harm.  Riccati
// equations have no stabilising solution then; the gains are those of a machine damped by this factor per sample: at
// 5 kHz by 5e-3 per second, half of the growth that is refused.
constexpr double kNearlyUndamped = 1 - 1e-6;

// Throws if a motion without stiffness is not observed.
void refuse_hidden_motion(const Model& model, const Predictor& predictor, const MatrixXd& C) {
  const auto hidden = find_hidden_motion(predictor, C);
  if (!hidden || hidden->vibrates) return;
  const std::string pid = "write feedback: {pid: {frequency: 0.5}}, which needs no observer";
  int i = model.body_count() - 1;
  while (i > 1 && model.joints[i].v > hidden->speed) --i;
  if (joint_traits(model.joints[i].kind).quaternion)
    throw InputError("the observer cannot estimate the attitude and position of body '" + model.body_names[i] +
                     "': it floats (joint '" + model.joints[i].name + "'), and joint sensors do not observe them; " +
                     pid + ", or give the controller a model with a fixed base (control: {model: FILE} with a fixed " +
                     "joint there)");
  throw InputError("the observer cannot estimate '" + model.speeds[static_cast<std::size_t>(hidden->speed)] +
                   "': it moves freely, and no sensor observes it; control the joint, give it a spring, or " + pid);
}

}  // namespace

MatrixXd compute_kalman_gain(const Model& model, const DrivenJoints& driven, const SensorOptions& sensors,
                             const Predictor& predictor, const KalmanOptions& options) {
  check_readings(driven, sensors, options);
  const State& x = predictor.machine.point;
  const Readings readings = make_readings(model, driven, sensors, x, options, predictor.machine);
  const MatrixXd noise = compute_process_noise(predictor, options.acceleration * options.acceleration);
  MatrixXd A = predictor.A, Q = noise;
  for (int k = 1; k < sensors.every; ++k) {  // between two readings
    Q = (noise + predictor.A * Q * predictor.A.transpose()).eval();
    A = (predictor.A * A).eval();
  }
  const VectorXd steps =
      options.torque_steps.size() > 0 ? options.torque_steps : kUsualSteps * usual_torques(model, driven, x);
  MatrixXd R = readings.C * compute_ringing(predictor, steps) * readings.C.transpose();
  R.diagonal() += readings.noise;
  const MatrixXd At = A.transpose(), Ct = readings.C.transpose();
  auto P = solve_riccati(At, Ct, Q, R);
  if (!P) {
    refuse_hidden_motion(model, predictor, readings.C);
    P = solve_riccati(kNearlyUndamped * At, Ct, Q, R);
  }
  if (!P)
    throw InputError("the gains of the observer cannot be computed at " + text(1 / predictor.period, 4) +
                     " Hz: the limits of torques, the noise of sensors and the stiffness of the machine differ too " +
                     "much; change the rate, lower the torque limits to what the drives give, or write feedback: " +
                     "{pid: {frequency: 0.5}}, which needs no observer");
  const MatrixXd S = readings.C * *P * readings.C.transpose() + R;
  MatrixXd gain = Cholesky(S).solve(MatrixXd(readings.C * *P)).transpose();  // at the time of the reading
  if (sensors.delay == 0) return gain;
  // A reading delayed by `delay` samples corrects all later estimates: A^j gain after j samples.
  const Eigen::Index size = gain.rows(), rows = readings.C.rows();
  MatrixXd out(size + (sensors.delay - 1) * rows, rows);
  for (int j = 1; j <= sensors.delay; ++j) {
    gain = (predictor.A * gain).eval();
    if (j < sensors.delay) out.middleRows(size + (j - 1) * rows, rows) = readings.C * gain;
  }
  out.topRows(size) = gain;
  return out;
}

MatrixXd compute_kalman_gain(const Model& model, const DrivenJoints& driven, const SensorOptions& sensors,
                             const State& x, const KalmanOptions& options, double period) {
  return compute_kalman_gain(model, driven, sensors, make_predictor(model, driven, x, period), options);
}

// With u = S u', scaled so that a unit of u' has the weight of the other deviations.
MatrixXd compute_lqr_gain(const Model& model, const DrivenJoints& driven, const Predictor& predictor,
                          const LqrOptions& options) {
  const int n = model.nv, h = driven.size();
  const MatrixXd inertia = predictor.machine.M(driven.v, driven.v);
  const double position = options.position > 0 ? options.position : kUsualPosition;
  const double frequency = options.frequency > 0 ? options.frequency : kUsualFrequency;
  const double speed = options.speed > 0 ? options.speed : kUsualSpeeds * frequency * position;
  const double w = 2 * std::numbers::pi * frequency, energy = 0.5 * w * w * position * position * inertia.trace() / h;
  const double vibration = options.vibration > 0 ? options.vibration : energy;
  MatrixXd Q = MatrixXd::Zero(2 * n, 2 * n);
  for (int i = 1; i < model.body_count(); ++i) {
    const int modes = model.body(i).modes, m = model.first_mode(i);
    Q.block(m, m, modes, modes) = 0.5 / vibration * model.body(i).stiffness;
    Q.block(n + m, n + m, modes, modes) = 0.5 / vibration * predictor.machine.M.block(m, m, modes, modes);
  }
  for (int k = 0; k < h; ++k) {
    Q(driven.v[k], driven.v[k]) = 1 / (position * position);
    Q(n + driven.v[k], n + driven.v[k]) = 1 / (speed * speed);
  }
  const MatrixXd one = MatrixXd::Identity(h, h);
  const MatrixXd S = options.torque > 0 ? MatrixXd(options.torque * one) : MatrixXd(w * w * position * inertia);
  const MatrixXd B = predictor.B * S;
  auto X = solve_riccati(predictor.A, B, Q, one);
  if (!X) X = solve_riccati(kNearlyUndamped * predictor.A, B, Q, one);
  if (!X) throw InputError("some free motions are not stabilisable by the regulator; control the free joints");
  return S * Cholesky(one + B.transpose() * *X * B).solve(MatrixXd(B.transpose() * *X * predictor.A));
}

MatrixXd compute_lqr_gain(const Model& model, const DrivenJoints& driven, const State& x, const LqrOptions& options,
                          double period) {
  return compute_lqr_gain(model, driven, make_predictor(model, driven, x, period), options);
}

// e = H x + G u, with J x the accelerations without torques.  With e as the input, u = G^-1 (e - H x), minimising the
// sum of |e|^2 + kRegularisation^2 |J (A - 1)^2 x|^2 is the regulator problem of (A - B G^-1 H, B G^-1).  Its open-loop
// poles are zeros of the plant; the additional cost kSight^2 |H x|^2 makes all of them observable that are not poles,
// so that those outside the unit circle are stabilised.
MatrixXd compute_tracking_gain(const Model& model, const DrivenJoints& driven, const Predictor& predictor,
                               const TrackingOptions& options) {
  const int n = model.nv, h = driven.size();
  const double T = predictor.period, w = 2 * std::numbers::pi * options.frequency;
  MatrixXd positions = MatrixXd::Zero(h, 2 * n), speeds = positions;
  for (int k = 0; k < h; ++k) positions(k, driven.v[k]) = speeds(k, n + driven.v[k]) = 1;
  const MatrixXd wanted = (2 * options.ratio * w + w * w * T / 2) * speeds + w * w * positions;
  if (!(options.modal_share > 0)) return wanted;
  const MatrixXd J = (speeds * predictor.A - speeds) / T, G = speeds * predictor.B / T;
  const MatrixXd H = J + wanted, one = MatrixXd::Identity(h, h);
  const Lu inverse(G);
  const MatrixXd B = predictor.B * inverse.solve(one), A = predictor.A - B * H;
  const MatrixXd change = J * predictor.A - J, yielded = kRegularisation * (change * predictor.A - change);
  const MatrixXd Q = yielded.transpose() * yielded + kSight * kSight * H.transpose() * H;
  const auto X = solve_riccati(A, B, Q, one);
  if (!X) throw InputError("some free motions are not stabilisable by feedback; control the free joints");
  const MatrixXd left = Cholesky(one + B.transpose() * *X * B).solve(MatrixXd(B.transpose() * *X * A));  // e = -left x
  const MatrixXd K = inverse.solve(MatrixXd(H + left));
  // The accelerations of the midpoint rule under u = -K x.
  const MatrixXd b = predictor.machine.B * predictor.spread;
  const MatrixXd full = -speeds * predictor.midpoint * (predictor.machine.A - b * K) / T;
  return wanted + options.modal_share * (full - wanted);
}

MatrixXd compute_joint_gain(const DrivenJoints& driven, const Predictor& predictor, const TrackingOptions& options) {
  const Eigen::Index n = predictor.machine.M.rows(), h = driven.size();
  const double T = predictor.period, w = 2 * std::numbers::pi * options.frequency;
  const LinearSystem& own = predictor.machine;
  const MatrixXd Me = own.M + T / 2 * own.damping + T * T / 4 * own.stiffness;
  const MatrixXd one = MatrixXd::Identity(n, n), joints = one(Eigen::all, driven.v);
  const MatrixXd yielding = joints.transpose() * Lu(Me).solve(joints);
  const MatrixXd N =
      Cholesky(MatrixXd(0.5 * (yielding + yielding.transpose()))).solve(MatrixXd(MatrixXd::Identity(h, h)));
  const SymmetricEigen parts = eigen_generalized(own.M(driven.v, driven.v), N);
  const MatrixXd directions = N * parts.vectors;  // N = directions directions^T
  const double filter = options.ratio * kRateFilter * w;
  const VectorXd most = options.stiffest / (T * T) * parts.values.cwiseInverse();
  const VectorXd slowed = ((filter * filter + most.array()).sqrt() - filter).cwiseMin(w);
  const VectorXd rates = 2 * options.ratio * slowed.cwiseProduct(parts.values);
  const VectorXd stiffness = slowed.cwiseAbs2().cwiseProduct(parts.values);
  MatrixXd out(h, 3 * h);
  out << directions * stiffness.asDiagonal() * directions.transpose(),
      directions * rates.asDiagonal() * directions.transpose(), kDirectShare / T * N;
  return out;
}

double compute_rate_share(const TrackingOptions& options, double period) {
  return 1 - std::exp(-2 * std::numbers::pi * kRateFilter * options.frequency * period);
}

void Schedule::add(double t, MatrixXd gain) {
  times_.push_back(t);
  now_ = gain;
  scratch_.setZero(gain.rows());
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

void Schedule::multiply(double t, ConstVec x, Vec y) {
  const auto after = static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), t) - times_.begin());
  const std::size_t below = after == 0 ? 0 : after - 1, above = std::min(after, times_.size() - 1);
  y.noalias() = gains_[below] * x;
  if (above == below) return;
  const double s = (t - times_[below]) / (times_[above] - times_[below]);
  scratch_.noalias() = gains_[above] * x;
  y += s * (scratch_ - y);
}

}  // namespace limber
