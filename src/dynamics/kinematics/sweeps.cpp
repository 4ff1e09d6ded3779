// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "sweeps.hpp"

namespace limber {

void check_sizes(const Model& model, const State& x, ConstVec in, ConstVec out) {
  if (x.q.size() != model.nq || x.v.size() != model.nv || in.size() != model.nv || out.size() != model.nv) {
    throw InputError("sizes do not fit the model: q must have " + std::to_string(model.nq) +
                     " numbers, speeds, forces and accelerations " + std::to_string(model.nv));
  }
}

void check_speeds(const Model& model, ConstVec v) {
  if (v.size() == model.nv) return;
  throw InputError("sizes do not fit the model: speeds, forces and accelerations must have " +
                   std::to_string(model.nv) + " numbers");
}

void refuse_rotors(const Model& model, const char* algorithm) {
  if (model.layout->rotors.empty()) return;
  throw InputError(std::string(algorithm) + ": the drive of joint '" + model.joints[model.layout->rotors[0]].name +
                   "' has an axis, and rotor spin is not supported; choose aba or crba, or remove the axis");
}

void throw_other_model() { throw InputError("the workspace was made for another model; make one workspace per model"); }

void throw_not_posed() {
  throw InputError("the poses in world are not those of the state; call compute_kinematics and compute_world_poses");
}

void compute_bias(const Model& model, const State& x, std::span<const NodeWrench> wrenches, Kinematics& kin) {
  compute_kinematics(model, x, kin);
  if (wrenches.empty()) return;
  compute_world_poses(model, kin);
  apply_wrenches(model, wrenches, kin);
}

}  // namespace limber
