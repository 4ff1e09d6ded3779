// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include "limber/control/controller.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kSlowest = 1, kFastest = 1e5;  // Hz

void check_size(const VectorXd& gains, int n, const char* name) {
  if (gains.size() != n) {
    throw InputError(std::string(name) + " needs one number per joint coordinate, " + std::to_string(n) + ", but has " +
                     std::to_string(gains.size()));
  }
  if (!gains.allFinite()) throw InputError(std::string(name) + " must be numbers");
}

void check_tracking(const TrackingOptions& tracking, double rate, const char* name) {
  if (!(tracking.frequency > 0) || tracking.frequency > rate / 10) {
    throw InputError(std::string(name) + " needs a frequency above 0 and at most a tenth of the rate");
  }
  if (!(tracking.ratio > 0)) throw InputError(std::string(name) + " needs a damping ratio above 0");
}

}  // namespace

void check_control(const ControlOptions& options) {
  const int n = options.driven.size();
  if (!(options.rate >= kSlowest && options.rate <= kFastest)) {
    throw InputError("the rate must be between 1 and 100000 Hz");
  }
  if (options.latency != 0 && options.latency != 1) throw InputError("the latency must be 0 or 1 periods");
  if (!options.model) throw InputError("a controller needs a model");
  if (!options.model->closures.empty()) {
    throw InputError("the model of a controller cannot have closures; give it one without");
  }
  if (static_cast<int>(options.desired.size()) != n) {
    throw InputError("a desired motion is needed for each of the " + std::to_string(n) + " joint coordinates");
  }
  if (options.pid) {
    check_size(options.pid->kp, n, "kp");
    check_size(options.pid->kd, n, "kd");
    check_size(options.pid->ki, n, "ki");
  }
  if (options.correction) check_tracking(*options.correction, options.rate, "the correction");
  if (options.computed_torque) check_tracking(*options.computed_torque, options.rate, "computed torque");
  if (options.correction && options.computed_torque) {
    throw InputError("the correction of forces and computed torque do the same; choose one");
  }
  if (options.lqr && (options.correction || options.computed_torque || options.pid || options.damping)) {
    throw InputError("a regulator (lqr) feeds everything back; leave out the other feedback and the damping");
  }
  if (options.lqr && options.embodiment == Embodiment::propagated) {
    throw InputError("a regulator (lqr) needs the sensors; write embodiment: sensed");
  }
  if (options.damping && !options.correction && !options.computed_torque) {
    throw InputError("damping needs feedback that follows accelerations; write feedback: {correction: {}} beside it");
  }
  if (options.schedule < 1) throw InputError("the schedule needs at least one configuration");
}

}  // namespace limber
