// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "sweeps.hpp"

namespace limber {

namespace {

[[noreturn]] void throw_size(const std::string& what, Eigen::Index given, int needed, const char* called) {
  throw InputError(what + " " + std::to_string(given) + " numbers; the model needs " + std::to_string(needed) + " (" +
                   called + ")");
}

}  // namespace

void check_sizes(const Model& model, const State& x, ConstVec in, ConstVec out) {
  if (x.q.size() != model.nq) throw_size("q has", x.q.size(), model.nq, "nq");
  if (x.v.size() != model.nv) throw_size("v has", x.v.size(), model.nv, "nv");
  if (in.size() != model.nv) throw_size("the given forces or accelerations have", in.size(), model.nv, "nv");
  if (out.size() != model.nv) throw_size("the vector for the result has", out.size(), model.nv, "nv");
}

void check_speeds(const Model& model, ConstVec v) {
  if (v.size() != model.nv) throw_size("a vector of speeds, forces or accelerations has", v.size(), model.nv, "nv");
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
