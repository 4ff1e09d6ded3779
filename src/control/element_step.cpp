// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "control/element_step.hpp"

namespace limber {

ElementStep::ElementStep(const Model& model, double period)
    : forces(model, std::vector<std::uint8_t>(model.bodies.size(), 0)), model_(model), period_(period), kin_(model) {
  by_q_.setZero(model.nv);
  by_v_ = by_q_;
  for (std::size_t k = 0; model.elements && k < model.elements->list.size(); ++k)
    on_joints_ = on_joints_ || model.elements->list[k].joint >= 0;
}

std::unique_ptr<ElementStep> ElementStep::make(const Model& model, double period) {
  return has_elements(model) ? std::make_unique<ElementStep>(model, period) : nullptr;
}

void ElementStep::place(const State& x) {
  compute_kinematics(model_, x, kin_);
  compute_world_poses(model_, kin_);
}

void ElementStep::update(const State& x) {
  place(x);
  forces.loads.update(x, kin_);
}

std::span<const NodeWrench> ElementStep::compute(const State& x, ConstVec a, AbaWorkspace& ws, Vec tau) {
  place(x);
  forces.compute(x, kin_);
  tau += forces.loads.torques();
  if (period_ > 0) {
    const double c_D = 0.5 * period_, c_K = 0.25 * period_ * period_;
    if (on_joints_) {
      forces.loads.joint_slopes(by_q_, by_v_);
      by_q_ = (-c_K * by_q_ - c_D * by_v_).cwiseMax(0);
      set_implicit(model_, c_D, c_K, by_q_, ws);
    }
    forces.add_implicit(kin_, c_D, c_K, a);
  }
  return forces.with(none_);
}

}  // namespace limber
