// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "multiblade.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/dynamics/kinematics.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

constexpr double kSamePlace = 1e-9;  // rad; for positions relative to the distance from the axis

std::vector<int> children_of(const Model& model, int body) {
  std::vector<int> out;
  for (int i = body + 1; i < model.body_count(); ++i)
    if (model.joints[i].parent.body == body) out.push_back(i);
  return out;
}

bool same_place(const Pose& a, const Pose& b) {
  return (a.R - b.R).norm() < kSamePlace && (a.p - b.p).norm() < kSamePlace * (1 + a.p.norm());
}

// Equality of joints, bodies and their subtrees; `place`: including the positions where they are attached.
bool equal_trees(const Model& model, const RotorOptions& options, int a, int b, bool place) {
  const Joint &x = model.joints[a], &y = model.joints[b];
  const auto held = [&](int i) { return !options.held.empty() && options.held[static_cast<std::size_t>(i)] != 0; };
  if (x.kind != y.kind || x.child_node != y.child_node || held(a) != held(b)) return false;
  if (x.axis != y.axis || x.axis2 != y.axis2 || x.stiffness != y.stiffness || x.damping != y.damping ||
      x.armature != y.armature)
    return false;
  if (place && (x.parent.node != y.parent.node || !same_place(x.origin, y.origin))) return false;
  if (model.bodies[a] != model.bodies[b]) return false;  // equal bodies share their data
  const std::vector<int> of_a = children_of(model, a), of_b = children_of(model, b);
  if (of_a.size() != of_b.size()) return false;
  for (std::size_t k = 0; k < of_a.size(); ++k)
    if (!equal_trees(model, options, of_a[k], of_b[k], true)) return false;
  return true;
}

// The axis of a rotor in world, at the zero state.
struct Axis {
  Vector3d direction, point;
  // The rotation angle about it from one pose to another, 0 ... 2 pi; negative: not a rotation about it.
  double angle(const Pose& from, const Pose& to) const {
    const Vector3d turn = log_rotation(to.R * from.R.transpose());
    double angle = turn.dot(direction);
    const double half = std::numbers::pi;
    if (turn.norm() > half - 1e-7) angle = half;  // the logarithm of half a turn is not unique
    const Pose turned{exp_rotation(direction * angle), Vector3d::Zero()};
    const Pose there{turned.R * from.R, point + turned.R * (from.p - point)};
    if (!same_place(there, to)) return -1;
    return angle < -kSamePlace ? angle + 2 * half : std::abs(angle);
  }
};

// Blades among these bodies that equal the first, in order of their angles; empty if none.
std::vector<int> equal_blades(const Model& model, const RotorOptions& options, const Kinematics& kin, const Axis& axis,
                              const std::vector<int>& bodies) {
  std::vector<std::pair<double, int>> found;
  for (const int i : bodies) {
    if (!equal_trees(model, options, bodies.front(), i, false)) continue;
    const auto pose = [&](int body) { return node_pose(model, kin, {body, kBodyFrame}); };
    const double angle = axis.angle(pose(bodies.front()), pose(i));
    if (angle >= 0) found.emplace_back(angle, i);
  }
  std::sort(found.begin(), found.end());
  std::vector<int> blades;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const double wanted = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(found.size());
    if (std::abs(found[k].first - wanted) > 1e-6) return {};
    blades.push_back(found[k].second);
  }
  return blades;
}

// Speeds of a body and of its subtree.
void list_speeds(const Model& model, int body, std::vector<int>& out) {
  for (int k = model.joints[body].v; k < model.first_mode(body) + model.body(body).modes; ++k) out.push_back(k);
  for (const int child : children_of(model, body)) list_speeds(model, child, out);
}

Axis rotor_axis(const Model& model, const Kinematics& kin, int rotor) {
  const Joint& joint = model.joints[rotor];
  const Pose inboard = node_pose(model, kin, joint.parent) * joint.origin;
  return {inboard.R * joint.axis, inboard.p};
}

}  // namespace

MultiBlade::MultiBlade(const Model& model, const RotorOptions& options, const std::vector<int>& place)
    : n_(static_cast<int>(std::count_if(place.begin(), place.end(), [](int at) { return at >= 0; }))) {
  KinematicsWorkspace kin(model);
  compute_kinematics(model, make_zero_state(model), kin);
  compute_world_poses(model, kin);
  const Axis axis = rotor_axis(model, kin, options.rotor);
  std::vector<int> turning = {options.rotor};  // rotating bodies other than blades
  for (std::size_t at = 0; at < turning.size(); ++at) {
    std::vector<int> left = children_of(model, turning[at]);
    while (!left.empty()) {
      const std::vector<int> blades = equal_blades(model, options, kin, axis, left);
      if (blades.size() < 3) {
        turning.push_back(left.front());
        left.erase(left.begin());
        continue;
      }
      std::vector<std::vector<int>> speeds(blades.size());
      for (std::size_t b = 0; b < blades.size(); ++b) list_speeds(model, blades[b], speeds[b]);
      for (std::size_t k = 0; k < speeds[0].size(); ++k) {
        if (place[static_cast<std::size_t>(speeds[0][k])] < 0) continue;
        std::vector<int>& group = groups_.emplace_back();
        for (const std::vector<int>& blade : speeds) group.push_back(place[static_cast<std::size_t>(blade[k])]);
      }
      std::erase_if(left, [&](int i) { return std::find(blades.begin(), blades.end(), i) != blades.end(); });
    }
  }
}

void MultiBlade::transformation(double angle, MatrixXd& T, MatrixXd& T1, MatrixXd& T2) const {
  T = MatrixXd::Identity(n_, n_);
  T1 = T2 = MatrixXd::Zero(n_, n_);
  for (const std::vector<int>& group : groups_) {
    const auto B = static_cast<int>(group.size());
    for (int b = 0; b < B; ++b) {
      const int row = group[static_cast<std::size_t>(b)];
      const double psi = angle + 2 * std::numbers::pi * b / B, size = std::sqrt(2.0 / B);
      T(row, group[0]) = 1 / std::sqrt(B);
      for (int k = 1; 2 * k < B; ++k) {
        const int c = group[static_cast<std::size_t>(2 * k - 1)], s = group[static_cast<std::size_t>(2 * k)];
        const double cosine = size * std::cos(k * psi), sine = size * std::sin(k * psi);
        T(row, c) = cosine, T1(row, c) = -k * sine, T2(row, c) = -k * k * cosine;
        T(row, s) = sine, T1(row, s) = k * cosine, T2(row, s) = -k * k * sine;
      }
      if (B % 2 == 0) T(row, group.back()) = (b % 2 == 0 ? 1 : -1) / std::sqrt(B);
    }
  }
}

// x = L xi, L = [T 0; T' T]:  xi' = L^-1 (A L - L') xi.
void MultiBlade::transform(double angle, double speed, MatrixXd& A) const {
  if (empty()) return;
  MatrixXd T, T1, T2;
  transformation(angle, T, T1, T2);
  MatrixXd L = MatrixXd::Zero(2 * n_, 2 * n_), rate = L, inverse = L;
  L.topLeftCorner(n_, n_) = L.bottomRightCorner(n_, n_) = T;
  L.bottomLeftCorner(n_, n_) = rate.topLeftCorner(n_, n_) = rate.bottomRightCorner(n_, n_) = speed * T1;
  rate.bottomLeftCorner(n_, n_) = speed * speed * T2;
  inverse.topLeftCorner(n_, n_) = inverse.bottomRightCorner(n_, n_) = T.transpose();
  inverse.bottomLeftCorner(n_, n_) = -speed * T.transpose() * T1 * T.transpose();
  A = (inverse * (A * L - rate)).eval();
}

void MultiBlade::transform_mass(double angle, MatrixXd& M) const {
  if (empty()) return;
  MatrixXd T, T1, T2;
  transformation(angle, T, T1, T2);
  M = (T.transpose() * M * T).eval();
}

void MultiBlade::rename(std::vector<std::string>& names) const {
  for (const std::vector<int>& group : groups_) {
    const std::string first = names[static_cast<std::size_t>(group[0])];
    const std::size_t B = group.size();
    for (std::size_t k = 0; k < B; ++k) {
      std::string& name = names[static_cast<std::size_t>(group[k])];
      name = first + (k % 2 == 1 ? " cos " : " sin ") + std::to_string((k + 1) / 2);
      if (k == 0) name = first + " collective";
      if (k > 0 && k + 1 == B && B % 2 == 0) name = first + " differential";
    }
  }
}

bool MultiBlade::holds(int coordinate) const {
  return std::any_of(groups_.begin(), groups_.end(), [&](const std::vector<int>& group) {
    return std::find(group.begin(), group.end(), coordinate) != group.end();
  });
}

}  // namespace limber
