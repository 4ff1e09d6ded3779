// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/forces.hpp"
#include "limber/dynamics/workspace.hpp"

namespace limber {

struct TwoStageData;
extern template class Workspace<TwoStageData>;
class TwoStageWorkspace : public Workspace<TwoStageData> {  // one per thread
 public:
  // Throws InputError for models with rotors that spin.
  explicit TwoStageWorkspace(const Model& model);
  // Index of the speed without inertia, after Status::singular_mass; otherwise -1.
  int failure() const;
};

// Forward dynamics by the articulated-body recursion in the form of [JR] (63)-(64): the modes of a body are eliminated
// first, by a Cholesky factorisation, then its hinge, all in the bases of the bodies.  theory §6.  O(N) in the
// bodies, O(n^3) in the modes of each.  The reference for `aba`.
// On failure ws.failure() is the index of the speed without inertia, and vdot is invalid.
[[nodiscard]] Status two_stage(const Model& model, const State& x, const Forces& forces, TwoStageData& ws, Vec vdot);

}  // namespace limber
