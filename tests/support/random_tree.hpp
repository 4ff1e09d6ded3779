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
  bool chain = false;            // every joint on the previous body
  bool free_base = false;        // the first joint is a free one
  double flexible = 0.7;         // probability that a body has modes
  double child_on_node = 0.3;    // probability that a joint is at a node of its child
  double parent_on_frame = 0.2;  // probability that a joint is at its parent's frame and not at a node
  double beams = 0;              // probability that a flexible body is a beam (then there is no brute force)
  bool armature = true;
  bool springs = true;
  ModalMass modal_mass = ModalMass::mixed;
};

// A model determined by the seed.  Every body has a well-conditioned mass matrix, and so has M.
Machine random_machine(const TreeOptions& options, std::uint64_t seed);

// The options as text, for failure messages.
std::string describe(const TreeOptions& options, std::uint64_t seed);

// Bodies, shapes and states are of size 1.
struct Sample {
  State x;
  VectorXd tau, vdot;
  std::vector<NodeWrench> wrenches;  // on nodes and frames, in world and in node components
};

struct SampleOptions {
  double modal = 0.3;     // size of the modal coordinates
  double speed = 1;       // of all speeds
  double special = 0.15;  // probability that a coordinate is 0, a half or a full turn, or tiny
  int wrenches = 2;
};

Sample random_sample(const Model& model, std::uint64_t seed, const SampleOptions& options = {});

// q after a step along dv: quaternions are multiplied from the right, free positions move along their own axes.
VectorXd moved(const Model& model, const VectorXd& q, const VectorXd& dv);

}  // namespace limber::test
