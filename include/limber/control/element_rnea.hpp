// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "limber/dynamics/elements.hpp"
#include "limber/dynamics/rnea.hpp"

namespace limber {

// Inverse dynamics with force elements and contacts: rnea minus their forces.  Keeps a reference to the model.
class ElementRnea {
 public:
  explicit ElementRnea(const Model&&) = delete;  // it keeps a reference
  explicit ElementRnea(const Model& model) : model_(model), ws_(model) {
    if (has_elements(model)) loads_.emplace(model);
  }

  // commands: (element) of actuators; empty: none.
  void operator()(const State& x, ConstVec vdot, Vec tau, std::span<const double> commands = {}) {
    if (!loads_) return rnea(model_, x, vdot, {}, ws_, tau);
    compute_kinematics(model_, x, ws_.kinematics());
    compute_world_poses(model_, ws_.kinematics());
    loads_->update(x, ws_.kinematics());
    loads_->compute(x, ws_.kinematics(), commands);
    rnea(model_, x, vdot, loads_->wrenches(), ws_, tau);
    tau -= loads_->torques();
  }
  RneaWorkspace& workspace() { return ws_; }

 private:
  const Model& model_;
  RneaWorkspace ws_;
  std::optional<ElementLoads> loads_;
};

}  // namespace limber
