// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "control/attitude_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "limber/linear/facts.hpp"
#include "limber/spatial/detail/text.hpp"

namespace limber {

AttitudeWatch::AttitudeWatch(const Model& plant, int body, const AttitudeOptions& options, const AttitudePath& path)
    : plant_(&plant), body_(body) {
  double most = 0;
  for (const Slew& slew : path.slews()) most = std::max(most, std::abs(slew.angle));
  for (const char* axis : {" about x", " about y", " about z"}) tracking.names.push_back(options.body + axis);
  tracking.units.assign(3, "rad");
  tracking.end = path.end();
  tracking.squares.setZero(3);
  tracking.largest = tracking.last = tracking.saturated = tracking.squares;
  tracking.band.setConstant(3, kSettlingBand * most);
  tracking.outside.setConstant(3, -1);
  const std::vector<int> wheels = find_wheels(plant, options.wheels.joints);
  for (int i = 1; i < plant.body_count(); ++i) {
    if (i == body || std::find(wheels.begin(), wheels.end(), i) != wheels.end()) continue;
    const int nodes = static_cast<int>(plant.body(i).nodes.size());
    tips_.push_back({i, nodes > 0 ? nodes - 1 : kBodyFrame});
  }
  low_.setConstant(3 * static_cast<Eigen::Index>(tips_.size()), std::numeric_limits<double>::infinity());
  high_ = -low_;
}

void AttitudeWatch::add(double t, const Attitude& desired, const Kinematics& kin) {
  const Vector3d error = attitude_error(desired.turn, Eigen::Quaterniond(body_pose(kin, body_).R));
  tracking.t = t;
  ++tracking.samples;
  for (int k = 0; k < 3; ++k) {
    tracking.squares[k] += error[k] * error[k];
    tracking.largest[k] = std::max(tracking.largest[k], std::abs(error[k]));
    if (std::abs(error[k]) > tracking.band[k]) tracking.outside[k] = t;
    tracking.saturated[k] += limited ? 1 : 0;
  }
  tracking.last = error;
  if (t > tracking.end) add_motion(kin);
}

void AttitudeWatch::add_motion(const Kinematics& kin) {
  const Pose at = inverse(body_pose(kin, body_));
  for (std::size_t i = 0; i < tips_.size(); ++i) {
    const Vector3d p = (at * node_pose(*plant_, kin, tips_[i])).p;
    auto low = low_.segment<3>(3 * static_cast<Eigen::Index>(i)),
         high = high_.segment<3>(3 * static_cast<Eigen::Index>(i));
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
    const double moved = 0.5 * (high - low).norm();
    if (!(moved > tracking.residual)) continue;
    tracking.residual = moved;
    if (std::exchange(most_, static_cast<int>(i)) != static_cast<int>(i))
      tracking.moving = node_name(*plant_, tips_[i]);
  }
}

void AttitudeWatch::transfer(Archive& archive) {
  archive(tracking.t, tracking.samples, tracking.squares, tracking.largest, tracking.last, tracking.outside,
          tracking.saturated, tracking.moving, tracking.residual, limited, most_, low_, high_);
}

}  // namespace limber
