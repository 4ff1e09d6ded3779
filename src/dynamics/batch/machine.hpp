// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "limber/dynamics/forces.hpp"
#include "tables.hpp"

namespace limber {

// What a batch asks of a model besides its numbers.
struct BatchChoice {
  std::vector<std::uint8_t> prescribed;  // (body) or empty
  std::vector<int> varied;               // (body) first row of its own parameters, -1: none; or empty
  std::vector<NodeRef> load_nodes;       // external wrenches
  std::vector<Frame> load_frames;
  std::vector<NodeRef> pose_nodes;  // nodes whose poses are asked for
  bool worlds = false;              // rotations in world, for poses and energies
  double c_D = 0, c_K = 0;          // M + c_D D + c_K K in the place of M: an implicit step
  bool device = false;              // a store as small as it can be: kStoreIsNear is false
};

// The tables of a model and the memory they point into.
struct BatchMachine {
  BatchMachine(const Model& model, const BatchChoice& choice);
  // As the kernels read them, from memory of this process; of a device: with other pointers.
  BatchTables tables() const;

  std::vector<BatchLink> links;
  std::vector<BatchNode> nodes;
  std::vector<BatchLoad> loads;
  std::vector<int> poses;  // (pose) in `nodes`, -1: the frame of the body
  std::vector<int> pose_bodies;
  std::vector<double> numbers;
  std::vector<int> indices;
  BatchTables sizes;   // without pointers
  int last_beam = -1;  // numbers of the beam before, while the tables are made
};

// The numbers of beam.hpp where the body is a beam; leaves it as it is where it is not.
void set_beam(const BatchChoice& choice, BatchLink& link, BatchMachine& out);

}  // namespace limber
