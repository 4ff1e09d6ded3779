// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/control/predictor.hpp"
#include "limber/control/sensors.hpp"
#include "limber/control/servo.hpp"

namespace limber {

// Kalman filter: standard deviations of white noise.  `min_...`: lower bounds, for sensors that are exact.
struct KalmanOptions {
  double acceleration = 0.01;  // process noise on every coordinate: rad/s^2, m/s^2 or per modal unit
  double min_position = 1e-6, min_speed = 1e-5;
  double min_strain = 1e-9, min_acceleration = 1e-3;
  double distrust = 1;  // factor by which settle_loop increases the assumed noise of all sensors
  // (driven coordinate) Steps of the torques from one sample to the next: the ringing that they leave beyond the
  // bandwidth of the sampling counts as sensor noise.  Empty: 10 usual_torques.
  VectorXd torque_steps;
};

// Linear-quadratic regulator: deviations of equal weight (Bryson's rule).
//   Torques are weighted by the accelerations M_JJ^-1 u that they would give the rigid machine, relative to w^2
//   position with
// w = 2 pi frequency: every direction of the joints then has this bandwidth.  (An equal torque for each joint instead
// makes directions with little inertia, such as a folding arm, faster by the square root of the ratio of inertias.)
struct LqrOptions {
  double position = 0;   // error of a joint, rad.  0: 1e-3, or 4 counts of the encoder
  double speed = 0;      // rad/s.  0: 20 frequency position
  double frequency = 0;  // Hz.  0: usual_frequency; by prepare_control
  double torque = 0;     // N m added to the feed-forward, the same for all joints; replaces the weight by accelerations
  double vibration = 0;  // J in the modes.  0: mean energy of the joints oscillating by `position` at `frequency`
};

// Second-order error dynamics: wanted acceleration a = a_desired + 2 ratio w de/dt + w^2 e, w = 2 pi frequency.
struct TrackingOptions {
  double frequency = 0.5;   // Hz
  double ratio = 1;         // of damping
  double modal_share = 0;   // 0 to 1, share of the gain that includes the modes; by settle_loop, if the law of the
                            // joints alone is unstable
  bool collocated = false;  // joint errors are fed back as measured, compute_joint_gain, and the torques of the desired
                            // motion are those of the reference; if given, or by settle_loop before any modal share
  double stiffest = 0.5;    // of collocated feedback for fast motion, times N / T^2; settle_loop lowers it for delays
                            // of sensors and lags of servos
};

// (driven coordinate) The torque that feedback is expected to use: a tenth of the limit of servo or joint; without a
// limit, the torque that moves the joint's inertia at 0.5 Hz by 1e-3 rad.
VectorXd usual_torques(const Model& model, const DrivenJoints& driven, const State& x,
                       const std::vector<ServoOptions>& servos = {});

// The bandwidth of a regulator, Hz, that a tenth of the torque limits allows for errors of this size in all joints at
// once, up to half the slowest vibration with the joints locked; 0.5 Hz without limits, or if that is larger.  At most
// a thirtieth of the rate.
double usual_frequency(const Model& model, const DrivenJoints& driven, const State& x,
                       const std::vector<ServoOptions>& servos, double position, double rate);

// x = (dq, dv), q along the directions of speeds; the readings y = (q, v where there are tachometers, strains, specific
// forces) in this order.  All gains are for the machine at rest at the predictor's configuration, by the discrete
// Riccati equation of this very predictor.
//
// Kalman: (2 nv + (delay - 1) readings x readings).  The first 2 nv rows correct the present state by a reading of
// `delay` samples ago, the others, by blocks, the predicted delayed readings, the oldest first: the filter
// of the state augmented by these readings.  Readings are expected at every `every`-th sample
// only. Throws InputError if the machine is not detectable from the sensors.
MatrixXd compute_kalman_gain(const Model& model, const DrivenJoints& driven, const SensorOptions& sensors,
                             const Predictor& predictor, const KalmanOptions& options);
MatrixXd compute_kalman_gain(const Model& model, const DrivenJoints& driven, const SensorOptions& sensors,
                             const State& x, const KalmanOptions& options, double period);
// (driven coordinates x 2 nv) for the state at the time from which the torques act.  Throws InputError if the machine
// is not stabilisable by the driven joints.
MatrixXd compute_lqr_gain(const Model& model, const DrivenJoints& driven, const Predictor& predictor,
                          const LqrOptions& options);
MatrixXd compute_lqr_gain(const Model& model, const DrivenJoints& driven, const State& x, const LqrOptions& options,
                          double period);

// (driven coordinates x 2 nv) F: wanted mean accelerations a_desired + F (x_reference - x) over the coming period, to
// be realised by the midpoint rule (MeanAccelerations).  F = (w^2, 2 ratio w + w^2 T/2) on joints, plus modal_share of
// the difference to the gain for which the joints of the predictor follow these error dynamics as closely as stability
// allows: implicit model following (Anderson, Moore 1990, §6.3), the least sum of squares of
//   e = (v_joint(k+1) - v_joint(k)) / T + 2 ratio w v_joint(k) + w^2 (q_joint(k) + T/2 v_joint(k))
// and of kRegularisation times the second difference of the accelerations of the joints without
// torques, which makes the solution exist for undamped vibrations.
inline constexpr double kRegularisation = 1e-4;
MatrixXd compute_tracking_gain(const Model& model, const DrivenJoints& driven, const Predictor& predictor,
                               const TrackingOptions& options);

// (driven coordinates x 3 driven) [P D R]: torques P e + D f + R de/dt for measured errors e of the driven joints,
// where f is de/dt through a low-pass filter of kRateFilter times the frequency.  P and D are those of the inertia M_JJ
// of the machine with rigid bodies, R = kDirectShare N / T with its natural inertia N over a period.  In the directions
// v with M_JJ v = l N v the frequency is lowered to w' such that the stiffness for fast motion, (w'^2 + 2 ratio w'
// times the bandwidth of the filter) l, is at most stiffest / T^2.  All three are symmetric and positive semidefinite,
// so that the feedback is positive real and stable for every passive machine, but for the sampling.  (Benhabib, Iwens,
// Jackson, J. Guidance and Control 4(5), 1981.)
inline constexpr double kRateFilter = 0.5, kDirectShare = 0.2;
MatrixXd compute_joint_gain(const DrivenJoints& driven, const Predictor& predictor, const TrackingOptions& options);
// The share of a new rate that enters this filter at each sample.
double compute_rate_share(const TrackingOptions& options, double period);

// Gain schedule along a motion, linear in time between its points.
class Schedule {
 public:
  void add(double t, MatrixXd gain);             // times increase
  const MatrixXd& at(double t);                  // no allocation; must not be empty
  void multiply(double t, ConstVec x, Vec y);    // y = at(t) x, without forming it
  bool empty() const { return gains_.empty(); }  // no points

 private:
  std::vector<double> times_;
  std::vector<MatrixXd> gains_;
  MatrixXd now_;
  VectorXd scratch_;
};

}  // namespace limber
