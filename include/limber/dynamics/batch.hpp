// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "limber/dynamics/forces.hpp"

// Many states of one model at a time: one state per lane of the processor's registers, on all cores.
// Results do not depend on the number of threads, to the last bit; between processors with different registers they
// differ by rounding.
namespace limber {

// One row per coordinate, one column per item: structure of arrays.
using BatchArray = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstBatch = Eigen::Ref<const BatchArray>;
using BatchRef = Eigen::Ref<BatchArray>;

// Converters: items in rows (or States) to items in columns, and back.
BatchArray to_columns(const Eigen::Ref<const BatchArray>& items);
BatchArray to_items(const Eigen::Ref<const BatchArray>& columns);

struct BatchOptions {
  int threads = 0;  // 0: one per core
  int lanes = 0;    // states per register: 8 (AVX-512), 4 (AVX2) or 1; 0: the maximum of this processor
};

// Register widths of this processor and this build, widest first.
std::vector<int> batch_lanes();

struct RolloutOptions {
  std::string method = "implicit";  // "implicit" or "rk4", as in SolverOptions
  double step = 1e-3;
  int steps = 1;
  double rho_inf = 1;  // implicit, as in SolverOptions
  int passes = 3;
};

struct BatchData;

// Forward dynamics and related functions for a fixed number of items of one model, which must outlive it.  Items may
// differ in parameters: set_rigid, set_stiffness.  Sizes are checked, InputError names the array; numerical
// failures are reported per item in status().  Only the constructor and the set_ functions allocate.
class BatchAba {
 public:
  BatchAba(const Model& model, int items, const BatchOptions& options = {});
  BatchAba(const Model&&, int, const BatchOptions& = {}) = delete;
  ~BatchAba();
  BatchAba(BatchAba&&) noexcept;
  BatchAba& operator=(BatchAba&&) noexcept;

  int items() const;
  int lanes() const;
  int threads() const;

  // ---- parameters that differ between items -------------------------------------------------------------
  // Mass, centre of mass and inertia (about it) of a rigid body: one spec per item.
  void set_rigid(int body, const std::vector<RigidSpec>& specs);
  // Factors of the stiffness and of the damping of a body's modes: (items) each.
  void set_stiffness(int body, ConstVec stiffness, ConstVec damping);

  // ---- loads ---------------------------------------------------------------------------------------------
  // Joints (body) whose accelerations are given: forward() takes them from vdot and computes their torques.
  void set_prescribed(const std::vector<std::uint8_t>& prescribed);
  // External wrenches on these nodes, each in its frame; values: 6 numbers per node.
  void set_wrenches(const std::vector<NodeRef>& nodes, const std::vector<Frame>& frames, ConstBatch values);

  // ---- one evaluation of all items -----------------------------------------------------------------------
  // vdot (nv) from q (nq), v (nv) and tau (nv), as aba; with prescribed joints, as hybrid.  The results of items whose
  // status is not ok are invalid.  As in aba, force elements, contacts, the key `rest` of joint springs, travel stops
  // and dry friction are missing: Simulation::accelerations has them.
  void forward(ConstBatch q, ConstBatch v, ConstBatch tau, BatchRef vdot);
  // The same; needed (nv): tau, with the required torques at prescribed joints.
  void forward(ConstBatch q, ConstBatch v, ConstBatch tau, BatchRef vdot, BatchRef needed);

  // tau (nv) from q, v and vdot (nv), as rnea with these wrenches: without force elements.
  void inverse(ConstBatch q, ConstBatch v, ConstBatch vdot, BatchRef tau);
  // Kinetic energy, and those of gravity, modes and joint springs: 4 numbers, as compute_energy.
  void energy(ConstBatch q, ConstBatch v, BatchRef energies);
  // Poses in world: 12 numbers per node, the rotation row by row, then the position.
  void node_poses(const std::vector<NodeRef>& nodes, ConstBatch q, BatchRef poses);

  // Advances q and v by steps of equal length, with the same methods as the steppers of simulate.  tau: (nv) held, or
  // (steps nv), the forces of each step.  Prescribed joints, travel limits, friction, drives, force elements and
  // contacts are refused.
  void rollout(const RolloutOptions& options, BatchRef q, BatchRef v, ConstBatch tau);

  // Of the last call, item by item; after a rollout, of its first failure.
  const std::vector<Status>& status() const;
  // Index of the speed without inertia if the status is singular_mass, otherwise -1.
  const std::vector<int>& failure() const;

 private:
  std::unique_ptr<BatchData> data_;
};

}  // namespace limber
