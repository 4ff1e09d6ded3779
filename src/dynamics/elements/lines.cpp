// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Springs, ropes and actuators: a force F along one coordinate l, the length of a line through points P_j or a joint
// coordinate.  With the gradient g_j = dl/dP_j the force on a point is F g_j, and the power F dl/dt.
#include <algorithm>
#include <cmath>

#include "parts.hpp"

namespace limber {
namespace {

using Kind = ForceElement::Kind;
constexpr double kPoint = 1e-14;  // m: shorter lines have no direction

double stretch(const LinePart& line) { return line.length - line.of->length; }

// F / length; for a segment of length zero, that of a linear spring without rest length.
double force_per_length(const LinePart& line, double length) {
  if (length > kPoint) return line.force / length;
  return line.of->law || line.of->length != 0 ? 0 : -line.of->stiffness;
}

void set_rope_force(LinePart& line) {
  const ForceElement& e = *line.of;
  line.force = line.by_length = line.by_rate = 0;
  if (line.phase != PushPhase::pushing) return;
  line.force = -e.stiffness * stretch(line) - e.damping * line.rate;
  line.by_length = -e.stiffness;
  line.by_rate = -e.damping;
}

}  // namespace

void measure_line(const ElementLoads::Data& data, const State& x, LinePart& line) {
  if (line.points.empty()) {
    line.length = x.q[line.q];
    line.rate = x.v[line.v];
    return;
  }
  const std::size_t count = line.points.size();
  for (std::size_t j = 0; j < count; ++j) {
    const HeldEnd& end = line.points[j];
    const Vector6 V = data.velocity(end);
    line.r[j] = end.slot < 0 ? Vector3d::Zero() : Vector3d(data.node_of(end).R * end.at.p);
    line.P[j] = data.pose(end).p;
    line.velocity[j] = V.tail<3>() + V.head<3>().cross(line.r[j]);
    line.g[j].setZero();
  }
  line.length = line.rate = 0;
  for (std::size_t j = 0; j + 1 < count; ++j) {
    const Vector3d apart = line.P[j + 1] - line.P[j];
    const double length = apart.norm();
    line.length += length;
    if (!(length > kPoint)) continue;
    const Vector3d n = apart / length;
    line.g[j] -= n;
    line.g[j + 1] += n;
    line.rate += n.dot(line.velocity[j + 1] - line.velocity[j]);
  }
}

double channel_value(const ElementLoads::Data& data, const State& x, const Kinematics& kin, const StateChannel& c) {
  switch (c.kind) {
    case StateChannel::Kind::coordinate:
      return x.q[c.index];
    case StateChannel::Kind::rate:
      return x.v[c.index];
    case StateChannel::Kind::position:
      return node_pose(data.model, kin, c.node).p[c.component];
    case StateChannel::Kind::velocity:
      return node_velocity(data.model, kin, c.node, x.v)[3 + c.component];
    default:
      break;
  }
  for (const LinePart& line : data.lines) {
    if (line.element == c.index) return c.kind == StateChannel::Kind::length ? line.length : line.rate;
  }
  return 0;
}

void compute_line(ElementLoads::Data& data, const State& x, const Kinematics& kin, double command, LinePart& line) {
  const ForceElement& e = *line.of;
  line.law_force = 0;
  if (e.kind == Kind::rope) {
    set_rope_force(line);
    if (line.phase == PushPhase::pushing) data.dissipated += e.damping * line.rate * line.rate;
    if (line.phase == PushPhase::recoiling) data.dissipated -= e.stiffness * stretch(line) * line.rate;
  } else {
    line.force = -e.damping * line.rate;
    line.by_rate = -e.damping;
    line.by_length = -e.stiffness;
    line.force -= e.stiffness * stretch(line);
    if (e.law) {
      line.values[0] = line.length;
      line.values[1] = line.rate;
      for (std::size_t k = 0; k < e.channels.size(); ++k)
        line.values[2 + k] = channel_value(data, x, kin, e.channels[k]);
      const double force = e.law->force(x.t, line.values, line.slopes);
      line.force += force;
      line.by_length += line.slopes[0];
      line.by_rate += line.slopes[1];
      if (!e.law->energy(line.length)) line.law_force = force;
    }
    line.force += command;
    line.law_force += command;
    data.dissipated += e.damping * line.rate * line.rate;
    data.work += line.law_force * line.rate;
  }
  if (line.points.empty()) {
    data.torques[line.v] += line.force;
    return;
  }
  for (std::size_t j = 0; j < line.points.size(); ++j) {
    const int slot = line.points[j].slot;
    if (slot < 0) continue;
    const Vector3d f = line.force * line.g[j];
    data.held[static_cast<std::size_t>(slot)].wrench.head<3>() += line.r[j].cross(f);
    data.held[static_cast<std::size_t>(slot)].wrench.tail<3>() += f;
  }
}

double line_energy(const LinePart& line) {
  const ForceElement& e = *line.of;
  const double by = stretch(line);
  if (e.kind == Kind::rope) return by > 0 ? 0.5 * e.stiffness * by * by : 0;
  return 0.5 * e.stiffness * by * by + (e.law ? e.law->energy(line.length).value_or(0) : 0);
}

// With u_j = (r_j x g_j, g_j), the wrench of a unit force, and H the second derivative of l by the points:
//   d wrench = u dF + F (T^T H T dX + rotation of the arms),   dF = F_l u . dX + F_v (h . dX + u . dV)
//   h = d(dl/dt)/dX = T^T H P' + rotation of the arms
void add_line_tangent(const ElementLoads::Data& data, const LinePart& line, MatrixXd& by_pose, MatrixXd& by_velocity) {
  if (line.points.empty()) return;
  const auto count = static_cast<Eigen::Index>(line.points.size());
  VectorXd &u = line.u, &h = line.h;  // allocated at the first call
  MatrixXd& local = line.local;
  u.setZero(6 * count);
  h.setZero(6 * count);
  local.setZero(6 * count, 6 * count);
  for (Eigen::Index j = 0; j < count; ++j) {
    const std::size_t at = static_cast<std::size_t>(j);
    const Vector3d &r = line.r[at], &g = line.g[at];
    u.segment<6>(6 * j) << r.cross(g), g;
    const Vector3d w = data.velocity(line.points[at]).head<3>();
    h.segment<3>(6 * j) += r.cross(g.cross(w));
    local.block<3, 3>(6 * j, 6 * j) += line.force * (r * g.transpose() - g.dot(r) * Matrix3d::Identity());
  }
  for (Eigen::Index j = 0; j + 1 < count; ++j) {
    const std::size_t at = static_cast<std::size_t>(j);
    const Vector3d apart = line.P[at + 1] - line.P[at];
    const double length = apart.norm();
    const Vector3d n = length > kPoint ? Vector3d(apart / length) : Vector3d::Zero();
    const Matrix3d across = Matrix3d::Identity() - n * n.transpose();
    Eigen::Matrix<double, 6, 3> T[2];  // (arm x f, f)
    for (int k = 0; k < 2; ++k) T[k] << skew(line.r[at + static_cast<std::size_t>(k)]), Matrix3d::Identity();
    const double ratio = force_per_length(line, length);
    const Vector3d turning =
        length > kPoint ? Vector3d(across * (line.velocity[at + 1] - line.velocity[at]) / length) : Vector3d::Zero();
    for (int a = 0; a < 2; ++a) {
      h.segment<6>(6 * (j + a)) += (a == 0 ? -1.0 : 1.0) * T[a] * turning;
      for (int b = 0; b < 2; ++b)
        local.block<6, 6>(6 * (j + a), 6 * (j + b)) += (a == b ? ratio : -ratio) * T[a] * across * T[b].transpose();
    }
  }
  h = line.by_length * u + line.by_rate * h;
  local.noalias() += u * h.transpose();
  for (Eigen::Index i = 0; i < count; ++i) {
    const int row = line.points[static_cast<std::size_t>(i)].slot;
    for (Eigen::Index j = 0; j < count && row >= 0; ++j) {
      const int col = line.points[static_cast<std::size_t>(j)].slot;
      if (col < 0) continue;
      by_pose.block<6, 6>(6 * row, 6 * col) += local.block<6, 6>(6 * i, 6 * j);
      by_velocity.block<6, 6>(6 * row, 6 * col) += line.by_rate * u.segment<6>(6 * i) * u.segment<6>(6 * j).transpose();
    }
  }
}

}  // namespace limber
