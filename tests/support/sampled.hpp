// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/simulate/channels.hpp"
#include "support/random_tree.hpp"

namespace limber::test {

// Owns the numbers of one record.
struct Sampled {
  Motion motion;
  VectorXd torques, stops, friction, closure_forces, closure_errors;
  Energy energy;
  Momentum momentum;
  double balance = 0;
  KinematicsWorkspace kin;
  VectorXd elements;

  Sampled(const Model& model, double t, unsigned seed) : Sampled(model, random_sample(model, seed).x, t, seed) {}
  Sampled(const Model& model, const State& x, double t, unsigned seed) : kin(model) {
    motion.x = x;
    motion.x.t = t;
    motion.work = 1 + t;
    motion.dissipated = 2 + t;
    torques = VectorXd::LinSpaced(model.nv, 10, 20) * seed;
    stops = VectorXd::LinSpaced(model.nv, 30, 40) * seed;
    friction = VectorXd::LinSpaced(model.nv, 50, 60) * seed;
    RneaWorkspace ws(model);
    energy = compute_energy(model, motion.x, ws);
    momentum = compute_momentum(model, motion.x, ws);
    balance = 3 + t;
    compute_kinematics(model, motion.x, kin);
    compute_world_poses(model, kin);
  }
  Record record() const {
    return {motion, torques, stops, friction, closure_forces, closure_errors, energy, momentum, balance, kin, elements};
  }
};

inline std::vector<NodeRef> named_nodes(const Model& model) {
  std::vector<NodeRef> out;
  for (int i = 1; i < model.body_count(); ++i)
    for (int k = 0; k < static_cast<int>(model.body(i).nodes.size()); ++k) out.push_back({i, k});
  return out;
}

}  // namespace limber::test
