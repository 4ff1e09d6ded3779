// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/rnea.hpp"

namespace limber {

struct DenocData;
extern template class Workspace<DenocData>;
class DenocWorkspace : public Workspace<DenocData> {  // one per thread
 public:
  explicit DenocWorkspace(const Model& model);
  // Index of the speed without inertia, after Status::singular_mass; otherwise -1.
  int failure() const;
};

// Forward dynamics by a block U D U^T factorisation of the mass matrix, one block per body, that is never assembled.
// [MS] (31)-(42), theory §6.  O(N) in the bodies, O(n^3) in the modes of each.
// On failure ws.failure() is the index of the speed without inertia, and vdot is invalid.
[[nodiscard]] Status denoc(const Model& model, const State& x, const Forces& forces, DenocData& ws, Vec vdot);

}  // namespace limber
