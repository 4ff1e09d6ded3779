// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "limber/dynamics/aba.hpp"

// Forward dynamics by divide and conquer: subsystems with two ends are assembled in pairs along a balanced binary
// tree, then disassembled.  [MA] (54)-(91), theory §6.  The work is O(N), the longest sequence of dependent steps
// O(log N).
namespace limber {

struct DcaOptions {
  int threads = 0;  // 0: one per core
  int grain = 0;    // parts of fewer bodies are not divided among threads; 0: kDcaGrain
};

// From measurements: bench/results/dca.md.
inline constexpr int kDcaGrain = 128;

struct DcaData;
extern template class Workspace<DcaData>;
class DcaWorkspace : public Workspace<DcaData> {  // one per caller; each copy has its own threads
 public:
  explicit DcaWorkspace(const Model& model, const DcaOptions& options = {});
  // Whether aba computed the result of the last call.
  bool answered_serially() const;
  // Index of the speed without inertia, after Status::singular_mass; otherwise -1.
  int failure() const;
};

// Forward dynamics.  The result is bitwise the same for every number of threads.  Only oneTBB allocates, for its tasks;
// with one thread, or fewer bodies than the grain, nothing does.
// A part alone may have no inertia in a joint although the whole model has, or be so light compared with the rest that
// digits are lost.  In these cases, and for states without a solution, aba computes the result in this workspace.
[[nodiscard]] Status dca(const Model& model, const State& x, const Forces& forces, DcaData& ws, Vec vdot);

// The same with prescribed joints, as in hybrid.
[[nodiscard]] Status dca_hybrid(const Model& model, const State& x, const Forces& forces,
                                std::span<const std::uint8_t> prescribed, DcaData& ws, Vec vdot, Vec tau_out);

}  // namespace limber
