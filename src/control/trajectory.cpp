// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kRamp =
    1.0 / 3;                     // acceleration time of a trapezoid, relative to its duration, if the limits permit it
constexpr double kSlack = 1e-9;  // of a limit

// The pieces of a move over the distance d in the time T; a trapezoid accelerates for `ramp`.
std::vector<Signal::Piece> pieces_of(Profile profile, double from, double d, double begin, double T, double ramp) {
  const double end = begin + T;
  if (profile == Profile::quintic) {
    const double c[6] = {from, 0, 0, 10 * d / std::pow(T, 3), -15 * d / std::pow(T, 4), 6 * d / std::pow(T, 5)};
    return {{end, Signal::polynomial(begin, c)}};
  }
  if (profile == Profile::cycloid) return {{end, Signal::cycloid(from, d, begin, T)}};
  const double speed = d / (T - ramp), a = speed / ramp;
  const double up[3] = {from, 0, a / 2}, even[2] = {from + a * ramp * ramp / 2, speed}, down[3] = {from + d, 0, -a / 2};
  std::vector<Signal::Piece> out = {{begin + ramp, Signal::polynomial(begin, up)}};
  if (end - ramp > begin + ramp) out.push_back({end - ramp, Signal::polynomial(begin + ramp, even)});
  out.push_back({end, Signal::polynomial(end, down)});
  return out;
}

// Acceleration time of a trapezoid over the distance d in the time T: a third of T, or the nearest value within the
// limits.
double ramp_of(double d, double T, double speed, double acceleration) {
  const double inside = std::max(0.0, T * T - 4 * d / acceleration);
  const double least = 0.5 * (T - std::sqrt(inside)), most = std::min(0.5 * T, T - d / speed);
  return std::max(std::min(std::max(kRamp * T, least), most), std::min(least, most));
}

void append_move(Profile profile, double from, double to, double begin, double T, double ramp,
                 std::vector<Signal::Piece>& out) {
  if (begin > (out.empty() ? -std::numeric_limits<double>::infinity() : out.back().until)) {
    out.push_back({begin, Signal(from)});
  }
  if (from == to) {
    out.push_back({begin + T, Signal(from)});
    return;
  }
  for (Signal::Piece& piece : pieces_of(profile, from, to - from, begin, T, ramp)) out.push_back(std::move(piece));
}

double limit_of(const VectorXd& limits, Eigen::Index k) {
  return limits.size() == 0 ? std::numeric_limits<double>::infinity() : limits[k];
}

void check_limits(double distance, double speed, double acceleration) {
  if (!std::isfinite(distance)) throw InputError("the distance of a move must be finite");
  if (!(speed > 0 && acceleration > 0))
    throw InputError("a move has the limits speed " + text(speed) + " and acceleration " + text(acceleration) +
                     "; each must be above 0; infinite: no limit");
}

// Duration of the move to waypoint w.
double duration_of(Profile profile, const VectorXd& distance, const Waypoint& waypoint, const MoveLimits& limits,
                   std::size_t w) {
  const std::string name = "waypoint " + std::to_string(w + 1);
  double shortest = 0;
  for (Eigen::Index k = 0; k < distance.size(); ++k) {
    shortest = std::max(shortest, shortest_path_duration(profile, distance[k], limit_of(limits.speed, k),
                                                         limit_of(limits.acceleration, k)));
  }
  if (waypoint.duration == 0) {
    if (shortest > 0) return shortest;
    if (distance.isZero(0)) return 0;
    throw InputError(name + " has no duration; write one, or limits on speed or acceleration");
  }
  if (waypoint.duration < shortest * (1 - kSlack)) {
    throw InputError(name + " is to be reached in " + text(waypoint.duration) + " s, but the limits allow " +
                     text(shortest) + " s at best; write a longer duration or none");
  }
  return waypoint.duration;
}

}  // namespace

ProfilePeaks peaks(Profile profile) {
  switch (profile) {
    case Profile::trapezoid:
      return {1 / (1 - kRamp), 1 / (kRamp * (1 - kRamp))};
    case Profile::quintic:
      return {15.0 / 8, 10 / std::sqrt(3.0)};
    case Profile::cycloid:
      break;
  }
  return {2, 2 * std::numbers::pi};
}

double shortest_duration(Profile profile, double distance, double speed_limit, double acceleration_limit) {
  check_limits(distance, speed_limit, acceleration_limit);
  const double d = std::abs(distance);
  const ProfilePeaks peak = peaks(profile);
  return std::max(d * peak.speed / speed_limit, std::sqrt(d * peak.acceleration / acceleration_limit));
}

double shortest_path_duration(Profile profile, double distance, double speed_limit, double acceleration_limit) {
  const double d = std::abs(distance), v = speed_limit, a = acceleration_limit;
  if (profile != Profile::trapezoid || !std::isfinite(a)) return shortest_duration(profile, distance, v, a);
  check_limits(distance, v, a);
  return d * a > v * v ? d / v + v / a : 2 * std::sqrt(d / a);
}

Signal make_move(Profile profile, double from, double to, double begin, double duration) {
  if (!(duration > 0 && std::isfinite(duration))) throw InputError("a move must have a finite duration above 0");
  if (!std::isfinite(from) || !std::isfinite(to) || !std::isfinite(begin))
    throw InputError("a move must begin and end at finite values and begin at a finite time");
  std::vector<Signal::Piece> pieces;
  append_move(profile, from, to, begin, duration, kRamp * duration, pieces);
  pieces.push_back({0, Signal(to)});
  return Signal::pieces(pieces);
}

JointPath make_path(Profile profile, const VectorXd& start, double begin, const std::vector<Waypoint>& waypoints,
                    const MoveLimits& limits) {
  std::vector<std::vector<Signal::Piece>> pieces(start.size());
  VectorXd from = start;
  JointPath out;
  double t = begin;
  for (std::size_t w = 0; w < waypoints.size(); ++w) {
    const Waypoint& waypoint = waypoints[w];
    if (waypoint.q.size() != start.size()) {
      throw InputError("waypoint " + std::to_string(w + 1) + " has " + std::to_string(waypoint.q.size()) +
                       " values for " + std::to_string(start.size()) + " joint coordinates");
    }
    const double duration = duration_of(profile, waypoint.q - from, waypoint, limits, w);
    for (Eigen::Index k = 0; k < start.size() && duration > 0; ++k) {
      const double ramp = ramp_of(std::abs(waypoint.q[k] - from[k]), duration, limit_of(limits.speed, k),
                                  limit_of(limits.acceleration, k));
      append_move(profile, from[k], waypoint.q[k], t, duration, ramp, pieces[k]);
    }
    out.end = t += duration;
    t += waypoint.dwell;
    from = waypoint.q;
  }
  for (Eigen::Index k = 0; k < start.size(); ++k) {
    pieces[k].push_back({0, Signal(from[k])});
    out.joints.push_back(Signal::pieces(pieces[k]));
  }
  return out;
}

}  // namespace limber
