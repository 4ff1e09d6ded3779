// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/dynamics/forces.hpp"
#include "support/machine.hpp"

namespace limber::test {

inline const std::vector<JointKind> kAllJoints = {JointKind::fixed,       JointKind::revolute,  JointKind::prismatic,
                                                  JointKind::cylindrical, JointKind::universal, JointKind::spherical,
                                                  JointKind::free};

// Modal mass G of the modal bodies: full (all modes are unknowns, theory §5) or diagonal (active coordinates).
enum class ModalMass { full, diagonal, mixed };

struct TreeOptions {
  int bodies = 3;
  int modes = 4;  // at most, per body
  std::vector<JointKind> joints = kAllJoints;
  Fidelity fidelity = Fidelity::full;
  bool chain = false;            // every joint on the body before
  bool free_base = false;        // the first joint is a free one
  double flexible = 0.7;         // chance of a body to have modes
  double child_on_node = 0.3;    // chance of a joint to carry its body at a node
  double parent_on_frame = 0.2;  // chance of a joint to sit on its parent's frame rather than on a node
  double beams = 0;              // chance of a flexible body to be a beam (no brute force then)
  bool armature = true;
  bool springs = true;
  ModalMass modal_mass = ModalMass::mixed;
};

// A machine that depends on the seed alone.  Every body has a mass matrix well away from singular, so M is.
Machine random_machine(const TreeOptions& options, std::uint64_t seed);

// What the options say, for a failure message.
std::string describe(const TreeOptions& options, std::uint64_t seed);

// Sizes of bodies and shapes are about 1, those of states too.
struct Sample {
  State x;
  VectorXd tau, vdot;
  std::vector<NodeWrench> wrenches;  // on nodes and frames, in world and in node components
};

struct SampleOptions {
  double modal = 0.3;     // size of the modal coordinates
  double speed = 1;       // of all speeds
  double special = 0.15;  // chance of a coordinate to be 0, a half or a full turn, or tiny
  int wrenches = 2;
};

Sample random_sample(const Model& model, std::uint64_t seed, const SampleOptions& options = {});

// q after a step along dv: quaternions turn by the right, free positions move along their own axes.
VectorXd moved(const Model& model, const VectorXd& q, const VectorXd& dv);

}  // namespace limber::test
