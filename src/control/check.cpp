// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <vector>

#include "control/readings.hpp"
#include "limber/control/controller.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kSlowest = 1, kFastest = 1e5;  // Hz

void check_gains(const VectorXd& gains, const DrivenJoints& driven, const std::string& name) {
  const int n = driven.size();
  if (gains.size() != n) {
    throw InputError(name + " needs one number per joint coordinate, " + std::to_string(n) + ", but has " +
                     std::to_string(gains.size()));
  }
  if (!gains.allFinite()) throw InputError(name + " must be numbers");
  for (int k = 0; k < n; ++k) {
    if (gains[k] >= 0) continue;
    throw InputError(name + " of '" + driven.names[k] + "' is " + text(gains[k]) +
                     ": a negative gain drives the joint away from where it should be; write 0 or more");
  }
}

void check_tracking(const TrackingOptions& tracking, double rate, const char* name) {
  if (!(tracking.frequency > 0) || tracking.frequency > rate / 10) {
    throw InputError(std::string(name) + " needs a frequency above 0 and at most a tenth of the rate");
  }
  if (!(tracking.ratio > 0)) throw InputError(std::string(name) + " needs a damping ratio above 0");
  if (!(tracking.modal_share >= 0 && tracking.modal_share <= 1))
    throw InputError(std::string(name) + " needs a modal share of 0 to 1");
  if (!(tracking.stiffest > 0)) throw InputError(std::string(name) + " needs a stiffness limit above 0");
}

// A law that acts on the joints, and the terms it includes.
struct Contribution {
  const char* name;
  bool weight;  // gravity compensation, alone or within inverse dynamics
  bool error;   // feedback of position and rate errors
};

std::vector<Contribution> contributions(const ControlOptions& options) {
  std::vector<Contribution> out;
  const bool tracking = options.correction || options.computed_torque;
  // Tracking laws replace the feed-forward by torques of their own dynamics.
  if (options.feed_forward == FeedForward::rigid && !tracking) out.push_back({"feed_forward: rigid", true, false});
  if (options.feed_forward == FeedForward::hybrid && !tracking) out.push_back({"feed_forward: hybrid", true, false});
  if (options.pid && options.pid->gravity) out.push_back({"pid: {gravity: true}", true, false});
  if (options.pid && !(options.pid->kp.isZero(0) && options.pid->kd.isZero(0)))
    out.push_back({"pid (kp, kd)", false, true});
  if (options.correction) out.push_back({"correction", true, true});
  if (options.computed_torque) out.push_back({"computed_torque", true, true});
  return out;
}

// No term may be included twice.  The only check of which laws may be combined, besides the exclusions of lqr.
void check_overlap(const ControlOptions& options) {
  const auto refuse_two = [&](bool Contribution::*quantity, const char* what, const char* cure) {
    const char* first = nullptr;
    for (const Contribution& part : contributions(options)) {
      if (!(part.*quantity)) continue;
      if (first != nullptr)
        throw InputError(std::string(what) + " twice, by " + first + " and by " + part.name + "; " + cure);
      first = part.name;
    }
  };
  refuse_two(&Contribution::weight, "gravity is compensated", "leave out one of them");
  refuse_two(&Contribution::error, "position and rate errors are fed back", "leave out one of them (ki may stay)");
}

}  // namespace

void check_readings(const DrivenJoints& driven, const SensorOptions& sensors, const KalmanOptions& options) {
  check_sensors(driven, sensors);
  const Eigen::Index steps = options.torque_steps.size();
  if (steps != 0 && steps != driven.size())
    throw InputError("torque_steps has " + std::to_string(steps) + " numbers; give none, or " +
                     std::to_string(driven.size()) + ", one for each driven coordinate");
}

void check_control(const ControlOptions& options) {
  const int n = options.driven.size();
  if (!(options.rate >= kSlowest && options.rate <= kFastest)) {
    throw InputError("the rate must be between 1 and 100000 Hz");
  }
  if (options.latency != 0 && options.latency != 1) throw InputError("the latency must be 0 or 1 periods");
  if (!options.model) throw InputError("a controller needs a model");
  if (n == 0 || static_cast<int>(options.driven.mask.size()) != options.model->body_count())
    throw InputError("a controller needs driven joints of its model; find_driven_joints(model, {}) gives all of them");
  if (!options.model->closures.empty()) {
    throw InputError("the model of a controller cannot have closures; give it one without");
  }
  if (static_cast<int>(options.desired.size()) != n) {
    throw InputError("a desired motion is needed for each of the " + std::to_string(n) + " joint coordinates");
  }
  if (options.pid) {
    check_gains(options.pid->kp, options.driven, "kp");
    check_gains(options.pid->kd, options.driven, "kd");
    check_gains(options.pid->ki, options.driven, "ki");
  }
  if (options.correction) check_tracking(*options.correction, options.rate, "the correction");
  if (options.computed_torque) check_tracking(*options.computed_torque, options.rate, "computed torque");
  if (options.correction && options.computed_torque) {
    throw InputError("correction and computed_torque have the same purpose; choose one");
  }
  if (options.lqr && (options.correction || options.computed_torque || options.pid || options.damping)) {
    throw InputError("a regulator (lqr) feeds the whole state back; leave out the other feedback and the damping");
  }
  if (options.lqr && options.embodiment == Embodiment::propagated) {
    throw InputError("a regulator (lqr) needs the sensors; write embodiment: sensed");
  }
  if (options.collocated() && !options.senses()) {
    throw InputError(
        "collocated feeds the readings of the joints back, which embodiment: propagated ignores; leave out "
        "one of them");
  }
  if (options.damping && !options.correction && !options.computed_torque) {
    throw InputError("damping needs feedback that follows accelerations; write feedback: {correction: {}} beside it");
  }
  if (!(options.correcting.modes >= 0 && std::isfinite(options.correcting.modes)))
    throw InputError("the weight of the modes in the correction must be 0 or more");
  if (options.correcting.modes > 0 && options.damping)
    throw InputError("vibration is damped twice, by damping and by the modes of the correction; leave out one of them");
  if (options.correcting.modes > 0 && !(options.correcting.modal_ratio > 0 && options.correcting.modal_ratio < 1))
    throw InputError("the modal_ratio of the correction must be above 0 and below 1");
  if (options.adaptation) {
    check_adaptation(*options.adaptation, *options.model);
    if (!options.estimates() || !options.senses()) {
      throw InputError(
          "an adaptation needs a law with an observer and sensors; write feedback: {correction: {}} beside it");
    }
  }
  if (!options.learned.empty() && static_cast<int>(options.learned.size()) != n)
    throw InputError("learned offsets need one number per joint coordinate, " + std::to_string(n));
  check_overlap(options);
  if (options.schedule < 1) throw InputError("the schedule needs at least one configuration");
}

}  // namespace limber
