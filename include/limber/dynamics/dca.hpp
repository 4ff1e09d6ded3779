// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "limber/dynamics/aba.hpp"

// Forward dynamics by divide and conquer: parts of the machine with two ends are assembled pair by pair in a balanced
// tree, then taken apart again.  [MA] (54)-(91), theory §6.  The work is O(N), the longest chain of steps that wait for
// each other O(log N).
namespace limber {

struct DcaOptions {
  int threads = 0;  // 0: as many as there are cores
  int grain = 0;    // parts of fewer bodies are not divided among threads; 0: kDcaGrain
};

// Found by measurement: bench/results/dca.md.
inline constexpr int kDcaGrain = 128;

struct DcaData;
extern template class Workspace<DcaData>;
class DcaWorkspace : public Workspace<DcaData> {  // one per caller; it has its own threads, and so has a copy
 public:
  explicit DcaWorkspace(const Model& model, const DcaOptions& options = {});
  // Whether the last call was answered by aba.
  bool answered_serially() const;
  // Index of the speed without inertia, after Status::singular_mass; else -1.
  int failure() const;
};

// Forward dynamics.  The same bits for every number of threads.  No heap but what oneTBB takes for its tasks; with one
// thread, or fewer bodies than the grain, none at all.
// A part may have no inertia of its own in a joint although the machine has, or be so light beside the rest that digits
// get lost; then the whole is answered by aba in this workspace, as are states without a solution.
[[nodiscard]] Status dca(const Model& model, const State& x, const Forces& forces, DcaData& ws, Vec vdot);

// The same with prescribed joints, as in hybrid.
[[nodiscard]] Status dca_hybrid(const Model& model, const State& x, const Forces& forces,
                                std::span<const std::uint8_t> prescribed, DcaData& ws, Vec vdot, Vec tau_out);

}  // namespace limber
