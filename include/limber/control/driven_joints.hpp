// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "limber/model/model.hpp"

namespace limber {

// The joints that a controller drives, and their coordinates one after the other.
struct DrivenJoints {
  std::vector<int> joints;         // index of the body each carries
  std::vector<std::uint8_t> held;  // (body) 1 for these joints: `prescribed` of hybrid dynamics
  std::vector<int> q, v;           // (coordinate) index into q and v
  std::vector<std::string> names;  // (coordinate) as in Model::speeds
  int size() const { return static_cast<int>(v.size()); }

  VectorX positions(const State& x) const { return x.q(q); }
  VectorX speeds(const State& x) const { return x.v(v); }
};

// By the names of joints; empty: every joint that can be driven.  Throws InputError: no such joint, one named twice,
// one that cannot be driven (fixed, spherical, free).
DrivenJoints find_hinges(const Model& model, const std::vector<std::string>& joints);

}  // namespace limber
