// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/actuation.hpp"

#include <algorithm>
#include <cmath>

#include "limber/model/elements.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kLeastLever = 1e-9;  // of the largest one

bool has_actuators(const DrivenJoints& driven) {
  return std::any_of(driven.actuators.begin(), driven.actuators.end(), [](int element) { return element >= 0; });
}

}  // namespace

Actuation::Actuation(const Model& model, const DrivenJoints& driven)
    : model_(model), driven_(driven), kin_(model), lu_(driven.size()) {
  const int h = driven.size();
  G_.setZero(model.nv, h);
  G_J_.setZero(h, h);
  for (int k = 0; k < h; ++k) G_(driven.v[static_cast<std::size_t>(k)], k) = G_J_(k, k) = 1;
  if (!has_actuators(driven)) return;
  loads_ = std::make_unique<ElementLoads>(model);
  commands_.assign(model.elements->list.size(), 0);
  J_.setZero(6, model.nv);
  without_.setZero(static_cast<Eigen::Index>(6 * loads_->nodes().size() + static_cast<std::size_t>(model.nv)));
  scratch_.setZero(h);
}

// Forces are linear in the commands: the difference between unit and zero commands gives the lever arms.
Status Actuation::set(const State& x) {
  if (!any()) return Status::ok;
  compute_kinematics(model_, x, kin_);
  compute_world_poses(model_, kin_);
  const std::vector<NodeRef>& nodes = loads_->nodes();
  const auto count = static_cast<Eigen::Index>(nodes.size());
  loads_->compute(x, kin_, commands_);
  for (Eigen::Index i = 0; i < count; ++i)
    without_.segment<6>(6 * i) = loads_->wrenches()[static_cast<std::size_t>(i)].wrench;
  without_.tail(model_.nv) = loads_->torques();
  for (int k = 0; k < driven_.size(); ++k) {
    const int element = driven_.actuator(k);
    if (element < 0) continue;
    commands_[static_cast<std::size_t>(element)] = 1;
    loads_->compute(x, kin_, commands_);
    commands_[static_cast<std::size_t>(element)] = 0;
    G_.col(k) = loads_->torques() - without_.tail(model_.nv);
    for (Eigen::Index i = 0; i < count; ++i) {
      const NodeWrench& at = loads_->wrenches()[static_cast<std::size_t>(i)];
      const Vector6 unit = at.wrench - without_.segment<6>(6 * i);
      if (unit.isZero(0)) continue;
      compute_node_jacobian(model_, kin_, nodes[static_cast<std::size_t>(i)], J_);
      G_.col(k).noalias() += J_.transpose() * unit;
    }
  }
  for (int i = 0; i < driven_.size(); ++i) G_J_.row(i) = G_.row(driven_.v[static_cast<std::size_t>(i)]);
  if (!G_J_.allFinite()) return Status::not_finite;
  lu_.compute(G_J_);
  const double least = lu_.matrixLU().diagonal().cwiseAbs().minCoeff();
  return least > kLeastLever * G_J_.cwiseAbs().maxCoeff() ? Status::ok : Status::singular_mass;
}

void Actuation::to_inputs(ConstVec torques, Vec inputs) {
  if (!any()) {
    inputs = torques;
    return;
  }
  scratch_ = lu_.solve(torques);
  inputs = scratch_;
}

void Actuation::to_torques(ConstVec inputs, Vec torques) {
  if (!any()) {
    torques = inputs;
    return;
  }
  scratch_.noalias() = G_J_ * inputs;
  torques = scratch_;
}

MatrixXd Actuation::spread() const {
  if (!any()) return G_;
  const MatrixXd rows = G_.transpose();
  const MatrixXd out = lu_.transpose().solve(rows);
  return out.transpose();
}

MatrixXd compute_spread(const Model& model, const DrivenJoints& driven, const State& x) {
  Actuation actuation(model, driven);
  if (actuation.set(x) == Status::ok) return actuation.spread();
  std::string names;
  for (int k = 0; k < driven.size(); ++k) {
    const int element = driven.actuator(k);
    if (element < 0) continue;
    names += (names.empty() ? "'" : ", '") + model.elements->list[static_cast<std::size_t>(element)].name + "'";
  }
  throw InputError("the actuators (" + names + ") have no lever arm on their joints at " + text(x.t, 4) +
                   " s of the desired motion: a dead centre; avoid it, or move an attachment");
}

}  // namespace limber
