// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/rpy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

double steps_from(double x, int ulps) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  for (; ulps > 0; --ulps) x = std::nextafter(x, kFar);
  for (; ulps < 0; ++ulps) x = std::nextafter(x, -kFar);
  return x;
}

// Angles near `start` whose rotation is bitwise equal to R.
bool find_near(const Matrix3d& R, const Vector3d& start, Vector3d& found) {
  constexpr int kOffsets[] = {0, 1, -1, 2, -2, 3, -3, 4, -4};
  for (const int yaw : kOffsets) {
    for (const int pitch : kOffsets) {
      for (const int roll : kOffsets) {
        found = {steps_from(start[0], roll), steps_from(start[1], pitch), steps_from(start[2], yaw)};
        if (rpy_rotation(found) == R) return true;
      }
    }
  }
  return false;
}

}  // namespace

// Near pitch = +-pi/2 only roll +- yaw is determined.
Vector3d rpy_of(const Matrix3d& R) {
  constexpr double kTurn = 6.283185307179586;
  const double pitch = std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
  const Vector3d first(std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0)));
  std::vector<Vector3d> starts = {
      first,
      {std::atan2(-R(1, 2), R(1, 1)), pitch, 0},
      {0, pitch, std::atan2(-R(0, 1), R(1, 1))},
      {first[0] - std::copysign(kTurn / 2, first[0]), std::copysign(kTurn / 2, pitch) - pitch,
       first[2] - std::copysign(kTurn / 2, first[2])}};
  for (const int k : {0, 2}) {
    for (const double turn : {kTurn, -kTurn}) {
      starts.push_back(first);
      starts.back()[k] += turn;
    }
  }
  Vector3d found;
  for (const Vector3d& start : starts) {
    if (find_near(R, start, found)) return found;
  }
  const auto off = [&](const Vector3d& rpy) { return (rpy_rotation(rpy) - R).norm(); };
  return *std::min_element(starts.begin(), starts.end(),
                           [&](const Vector3d& a, const Vector3d& b) { return off(a) < off(b); });
}

}  // namespace limber
