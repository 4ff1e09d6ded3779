// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/attitude_path.hpp"

#include <cmath>
#include <string>

#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/rotation.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

// The axis and the angle of the slew to a waypoint.
void aim_slew(const AttitudeWaypoint& waypoint, Slew& slew) {
  slew.axis = waypoint.axis.normalized();
  if (waypoint.axis_in_world) slew.axis = slew.from.conjugate() * slew.axis;
  slew.angle = waypoint.angle;
  if (!waypoint.quaternion) return;
  const Vector3d turn = attitude_error(slew.from, waypoint.quaternion->normalized());
  slew.angle = turn.norm();
  slew.axis = slew.angle > 0 ? Vector3d(turn / slew.angle) : Vector3d::UnitZ();
}

void check_waypoint(const AttitudeWaypoint& waypoint, std::size_t k) {
  const std::string slew = "slew " + std::to_string(k + 1);
  if (waypoint.quaternion && !(waypoint.quaternion->coeffs().allFinite() && waypoint.quaternion->norm() > 0))
    throw InputError(slew + ": the quaternion must be finite and of length 1");
  if (!waypoint.quaternion && !(std::isfinite(waypoint.angle) && waypoint.axis.allFinite() && waypoint.axis.norm() > 0))
    throw InputError(slew + ": the angle must be finite and the axis of a length above 0");
  if (!(waypoint.duration >= 0 && std::isfinite(waypoint.duration) && waypoint.dwell >= 0 &&
        std::isfinite(waypoint.dwell)))
    throw InputError(slew + ": duration and dwell must be finite and not negative");
}

VectorXd limit_vector(double value) {
  VectorXd out;
  if (std::isfinite(value)) out.setConstant(1, value);
  return out;
}

}  // namespace

Vector3d attitude_error(const Eigen::Quaterniond& from, const Eigen::Quaterniond& to) {
  const Eigen::Quaterniond turn = from.conjugate() * to;
  const double q[] = {turn.w(), turn.x(), turn.y(), turn.z()};
  return quaternion_log(q);
}

AttitudePath::AttitudePath(Profile profile, const Eigen::Quaterniond& start, double begin,
                           const std::vector<AttitudeWaypoint>& waypoints, const SlewLimits& limits,
                           const std::vector<Signal::Impulse>& shaper)
    : start_(start) {
  if (shaper.empty()) throw InputError("AttitudePath: the shaper has no impulses; give at least one of weight 1");
  if (!std::isfinite(begin) || !start.coeffs().allFinite())
    throw InputError("AttitudePath: the start and its time must be finite");
  const MoveLimits move{limit_vector(limits.speed), limit_vector(limits.acceleration)};
  Eigen::Quaterniond from = start;
  for (std::size_t k = 0; k < waypoints.size(); ++k) {
    check_waypoint(waypoints[k], k);
    Slew slew;
    slew.begin = slew.end = begin;
    slew.from = from;
    aim_slew(waypoints[k], slew);
    if (slew.angle != 0) {
      if (!(waypoints[k].duration > 0) && (!std::isfinite(limits.acceleration) && !std::isfinite(limits.speed)))
        throw InputError("slew " + std::to_string(k + 1) + " needs a duration, or limits: {speed, acceleration}");
      const double least = shortest_path_duration(profile, std::abs(slew.angle), limits.speed, limits.acceleration);
      if (waypoints[k].duration > 0 && waypoints[k].duration < least * (1 - 1e-12))
        throw InputError("slew " + std::to_string(k + 1) + " is to take " + text(waypoints[k].duration, 4) +
                         " s, but the limits allow " + text(least, 4) + " s at best; write a longer duration or none");
      VectorXd to(1);
      to << slew.angle;
      const JointPath path = make_path(profile, VectorXd::Zero(1), begin, {{to, waypoints[k].duration, 0}}, move);
      slew.turned = Signal::shaped(path.joints[0], shaper);
      slew.end = path.end + shaper.back().delay;
    }
    from = (from * Eigen::Quaterniond(Eigen::AngleAxisd(slew.angle, slew.axis))).normalized();
    begin = slew.end + waypoints[k].dwell;
    slews_.push_back(std::move(slew));
  }
}

Attitude AttitudePath::at(double t) const {
  const Slew* slew = nullptr;
  for (const Slew& one : slews_) {
    if (one.begin <= t) slew = &one;
  }
  if (slew == nullptr) return {start_, Vector3d::Zero(), Vector3d::Zero()};
  const Jet turned = slew->angle != 0 ? slew->turned.at(t) : Jet{};
  return {slew->from * Eigen::Quaterniond(Eigen::AngleAxisd(turned.value, slew->axis)), turned.rate * slew->axis,
          turned.acceleration * slew->axis};
}

}  // namespace limber
