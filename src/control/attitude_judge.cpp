// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// The sampled loop of quaternion feedback, linearised at rest: the plant over a period with held torques is
//   x' = exp(A T) x + int_0^T exp(A s) ds E t,    t = -S (w0^2 dq + 2 ratio w0 dv) of the body's rotation,
// E: input matrix of a torque on the body by the actuators.  Readings are taken as exact and without delay, thrust as
// its mean.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/control/attitude.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

// Index of a speed in the linearised plant.
int index_of(const LinearSystem& machine, int speed) {
  return static_cast<int>(std::find(machine.free.begin(), machine.free.end(), speed) - machine.free.begin());
}

// (2 coordinates x 3) accelerations for torques on the body.
MatrixXd torque_input(const AttitudeOptions& options, const AttitudeInertia& inertia, const Model& plant,
                      const LinearSystem& machine) {
  const std::vector<int> wheels = find_wheels(plant, options.wheels.joints);
  const int turn = index_of(machine, plant.joints[find_attitude_body(plant, options.body)].v);
  if (wheels.empty()) return machine.B.middleCols(turn, 3);
  MatrixXd out = MatrixXd::Zero(machine.B.rows(), 3);
  const MatrixXd inverse = Wheels(options.wheels, inertia, 1 / options.rate).inverse();
  for (std::size_t k = 0; k < wheels.size(); ++k)
    out -= machine.B.col(index_of(machine, plant.joints[wheels[k]].v)) * inverse.row(static_cast<Eigen::Index>(k));
  return out;
}

}  // namespace

AttitudeVerdict judge_attitude(const Model& plant, const State& x, const AttitudeOptions& options,
                               const AttitudeInertia& inertia) {
  AttitudeVerdict out;
  if (!options.feedback || !plant.closures.empty() || plant.nv > kMaxAttitudeSpeeds) return out;
  std::vector<std::uint8_t> locked(plant.bodies.get().size(), 0);
  int stands = 0;
  for (const MotionInput& motion : options.motions) {
    const int i = plant.joint_index(options.model->joints[motion.joint].name);
    locked[static_cast<std::size_t>(i)] = 1;
    stands += speed_count(plant.joints[i].kind);
  }
  const LinearSystem machine = linearize_at_rest(plant, x, stands > 0 ? locked : std::vector<std::uint8_t>());
  const Eigen::Index n = machine.A.rows(), nv = machine.coordinates();
  if (machine.coordinates() != plant.nv - stands) return out;
  const double T = 1 / options.rate, w = 2 * std::numbers::pi * options.feedback->frequency;
  const int turn = index_of(machine, plant.joints[find_attitude_body(plant, options.body)].v);
  MatrixXd held = MatrixXd::Zero(n + 3, n + 3);
  held.topLeftCorner(n, n) = T * machine.A;
  held.topRightCorner(n, 3) = T * torque_input(options, inertia, plant, machine);
  const MatrixXd period = matrix_exponential(held);
  MatrixXd K = MatrixXd::Zero(3, n);
  K.middleCols(turn, 3) = w * w * inertia.S;
  K.middleCols(nv + turn, 3) = 2 * options.feedback->ratio * w * inertia.S;
  const Eigen::VectorXcd poles = eigenvalues_general(period.topLeftCorner(n, n) - period.topRightCorner(n, 3) * K);
  out.judged = true;
  for (const std::complex<double>& pole : poles) {
    const double growth = std::log(std::abs(pole)) / T;
    if (!(growth > out.growth)) continue;
    out.growth = growth;
    out.frequency = std::abs(std::arg(pole)) / (2 * std::numbers::pi * T);
  }
  return out;
}

}  // namespace limber
