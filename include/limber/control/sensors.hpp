// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <vector>

#include "limber/control/driven_joints.hpp"
#include "limber/dynamics/kinematics.hpp"
#include "limber/simulate/archive.hpp"

namespace limber {

inline constexpr double kSpeedFilter = 0.2;  // weight of the newest difference in a speed without tachometer

// The encoder of one joint coordinate; exact by default.
struct EncoderOptions {
  double resolution = 0;   // rad or m per count; 0: exact
  double noise = 0;        // standard deviation of a position
  double speed_noise = 0;  // of a speed, with a tachometer
  bool tachometer = true;  // false: the speed is the filtered difference of positions
  bool on_link = false;    // for a joint with an elastic drive: at the joint, otherwise at the motor
};

// Measures a linear combination of the modal coordinates of a body.
struct StrainGauge {
  std::string name;
  int body = 0;
  VectorXd row;      // (modes): strain = row eta
  double noise = 0;  // standard deviation
};

// The curvature of a body between two of its nodes about an axis (0 ... 2) of its frame: the difference of their
// rotations over their distance, as measured by a pair of strain gauges at unit distance from the neutral axis.
StrainGauge make_curvature_gauge(const Model& model, NodeRef from, NodeRef to, int axis);

// Three axes of specific force (acceleration minus gravity) at a node, in its own axes.
struct Accelerometer {
  std::string name;
  NodeRef at;
  double noise = 0;  // m/s^2, standard deviation
};

// Exact readings.  kin: of x, with poses in world.
double compute_strain(const Model& model, const StrainGauge& gauge, const State& x);
Vector3d compute_specific_force(const Model& model, const Kinematics& kin, NodeRef at, ConstVec vdot);

struct SensorOptions {
  std::vector<EncoderOptions> encoders;  // (coordinate)
  std::vector<StrainGauge> strains;
  std::vector<Accelerometer> accelerometers;
  int delay = 0;  // samples until a reading arrives
  int every = 1;  // samples between readings, which are held in between
  unsigned seed = 1;
};
inline constexpr int kMaxDelay = 1000, kMaxEvery = 1000;

// Throws InputError: a delay outside 0 ... kMaxDelay, `every` outside 1 ... kMaxEvery, or encoders that are neither
// absent nor one per driven coordinate.
void check_sensors(const DrivenJoints& driven, const SensorOptions& options);

// Readings of all sensors.
struct Measurement {
  double t = 0;                                                                // of the measurement
  VectorXd q, v;                                                               // (coordinate) of the driven joints
  VectorXd strain;                                                             // (gauge)
  VectorXd acceleration;                                                       // (3 per accelerometer)
  void transfer(Archive& archive) { archive(t, q, v, strain, acceleration); }  // to or from an archive
};

// Simulated sensors.  Only the constructor allocates.
class Sensors {
 public:
  Sensors(const Model& model, const DrivenJoints& driven, SensorOptions options, double period);
  const SensorOptions& options() const { return options_; }                      // with all encoders
  bool wants_accelerations() const { return !options_.accelerometers.empty(); }  // accelerometers need vdot
  // kin: of x, with poses in world.
  const Measurement& read(const State& x, const Kinematics& kin, ConstVec vdot);
  // Delayed readings, filters and the noise generator.
  void transfer(Archive& archive) { archive(random_, normal_, line_, last_q_, filtered_, reads_); }

 private:
  void take(const State& x, const Kinematics& kin, ConstVec vdot, Measurement& out);
  std::pair<double, double> seen_by(const EncoderOptions& encoder, const State& x, int k) const;

  const Model& model_;
  const DrivenJoints& driven_;
  std::vector<int> owner_;  // (coordinate) its joint
  SensorOptions options_;
  double period_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::vector<Measurement> line_;  // delay line and the newest
  VectorXd last_q_, filtered_;     // of encoders without a tachometer
  long reads_ = 0;
};

}  // namespace limber
