// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "limber/dynamics/forces.hpp"

namespace limber {

// Forward dynamics by name: all algorithms solve the same problem and are interchangeable.  As in aba, force elements,
// contacts, the key `rest` of joint springs, travel stops and dry friction are missing: Simulation::accelerations has
// them.
class ForwardDynamics {  // one per thread
 public:
  virtual ~ForwardDynamics() = default;
  // vdot (nv) from the state and the forces.  No allocation.
  virtual Status operator()(const State& x, const Forces& forces, Vec vdot) = 0;
  // After a failure: index into Model::speeds of the coordinate that caused it, or -1.
  virtual int failure() const { return -1; }
};

// "aba", "crba", "dca", "denoc", "two_stage", "book", "operators".  Spinning rotors are supported only by "aba" and
// "crba"; "book" and "operators" accept only some models, see book.hpp and operators.hpp.
std::vector<std::string> forward_dynamics_names();
// Throws InputError for an unknown name and for a model that the algorithm does not support.  The model
// must outlive the result.  In a model with closures the accelerations are those of the closed chain at the given
// state, see close_accelerations.
std::unique_ptr<ForwardDynamics> make_forward_dynamics(const Model& model, std::string_view name);
std::unique_ptr<ForwardDynamics> make_forward_dynamics(const Model&& model, std::string_view name) = delete;
// The same without closures: only the tree, for callers that close the chain themselves.
std::unique_ptr<ForwardDynamics> make_tree_dynamics(const Model& model, std::string_view name);
std::unique_ptr<ForwardDynamics> make_tree_dynamics(const Model&& model, std::string_view name) = delete;

}  // namespace limber
