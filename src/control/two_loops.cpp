// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/two_loops.hpp"

#include <algorithm>
#include <cmath>

#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {

long whole_ratio(double slower_period, double faster_period) {
  constexpr double kWhole = 1e-9;
  const double ratio = slower_period / faster_period;
  const long whole = std::lround(ratio);
  return whole >= 1 && std::abs(ratio - static_cast<double>(whole)) <= kWhole * ratio ? whole : 0;
}

TwoLoops::TwoLoops(const Model& plant, AttitudeLoop& attitude, ControlLoop& joints)
    : attitude_(attitude), joints_(joints), period_(std::min(attitude.period(), joints.period())) {
  every_attitude_ = whole_ratio(attitude.period(), period_);
  every_joints_ = whole_ratio(joints.period(), period_);
  if (every_attitude_ == 0 || every_joints_ == 0)
    throw InputError("the rates of attitude (" + text(1 / attitude.period(), 6) + " Hz) and joints (" +
                     text(1 / joints.period(), 6) + " Hz) do not match: one must be an integer multiple of the other");
  for (const std::string& wheel : attitude.options().wheels.joints) {
    if (joints.driven_joints().mask[plant.joint_index(wheel)] != 0)
      throw InputError("wheel '" + wheel + "' of the attitude is among the controlled joints; write joints: [...] " +
                       "without it");
  }
  of_attitude_.setZero(plant.nv);
  of_joints_ = of_attitude_;
}

bool TwoLoops::wants_accelerations() const { return attitude_.wants_accelerations() || joints_.wants_accelerations(); }

Status TwoLoops::sample(const State& x, const Kinematics& kin, ConstVec vdot, Vec torques) {
  const auto turn = [&](Sampler& loop, long every, VectorXd& held) {
    if (samples_ % every != 0) return Status::ok;
    const Status status = loop.sample(x, kin, vdot, held);
    if (status != Status::ok) failed_ = &loop;
    return status;
  };
  if (const Status s = turn(attitude_, every_attitude_, of_attitude_); s != Status::ok) return s;
  if (const Status s = turn(joints_, every_joints_, of_joints_); s != Status::ok) return s;
  ++samples_;
  torques = of_attitude_ + of_joints_;
  return Status::ok;
}

void TwoLoops::transfer(Archive& archive) {
  archive(samples_, of_attitude_, of_joints_);
  attitude_.transfer(archive);
  joints_.transfer(archive);
}

Tracking TwoLoops::tracking() const {
  Tracking out = joints_.tracking();
  const Tracking turns = attitude_.tracking();
  const double share =
      static_cast<double>(std::max(out.samples, 1L)) / static_cast<double>(std::max(turns.samples, 1L));
  const auto append = [](VectorXd& to, const VectorXd& more) {
    const Eigen::Index n = to.size();
    to.conservativeResize(n + more.size());
    to.tail(more.size()) = more;
  };
  out.names.insert(out.names.end(), turns.names.begin(), turns.names.end());
  out.units.insert(out.units.end(), turns.units.begin(), turns.units.end());
  append(out.squares, share * turns.squares);
  append(out.largest, turns.largest);
  append(out.last, turns.last);
  append(out.band, turns.band);
  append(out.outside, turns.outside);
  append(out.saturated, share * turns.saturated);
  out.end = std::max(out.end, turns.end);
  out.t = std::max(out.t, turns.t);
  out.growing = out.growing || turns.growing;
  return out;
}

std::vector<ExternalChannel> TwoLoops::channels() const {
  constexpr std::string_view kGroup = "control/";
  std::vector<ExternalChannel> out = joints_.controller().channels();
  for (ExternalChannel& channel : attitude_.channels()) {
    channel.path = "attitude/" + channel.path.substr(kGroup.size());
    out.push_back(std::move(channel));
  }
  return out;
}

}  // namespace limber
