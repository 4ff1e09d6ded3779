// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/batch.hpp"

// Batches on a GPU: one state per thread, the same source as BatchAba.  States, forces and results stay on the device
// between calls.  A build without CUDA has the same functions: gpu_count() is 0, and GpuBatch says what is missing.
namespace limber {

int gpu_count();                   // devices that can be used; 0: none, or a build without CUDA
std::string gpu_name(int device);  // as its driver calls it

struct GpuData;

// Forward dynamics, inverse dynamics and rollouts of a fixed number of items of one model.  Errors of the driver are
// thrown as limber::Error.
class GpuBatch {
 public:
  GpuBatch(const Model& model, int items, int device = 0);
  GpuBatch(const Model&&, int, int = 0) = delete;
  ~GpuBatch();
  GpuBatch(GpuBatch&&) noexcept;
  GpuBatch& operator=(GpuBatch&&) noexcept;

  // As those of BatchAba.
  void set_rigid(int body, const std::vector<RigidSpec>& specs);
  void set_stiffness(int body, ConstVec stiffness, ConstVec damping);

  // To the device: q (nq), v (nv); tau (nv) held, or (steps nv), the forces of each step of a rollout; vdot (nv) for
  // inverse().
  void set_state(ConstBatch q, ConstBatch v);
  void set_forces(ConstBatch tau);
  void set_accelerations(ConstBatch vdot);
  // On the device; each returns before it is done.
  void forward();  // accelerations from state and forces
  void inverse();  // forces from state and accelerations, in the place of the forces
  void rollout(const RolloutOptions& options);
  // The same, step by step: before_step(step) is called on the host before each, and may start kernels of the caller's
  // own that write device_forces() from device_q() and device_v(), in the default stream.  set_forces: nv rows before.
  void rollout(const RolloutOptions& options, const std::function<void(int)>& before_step);
  // From the device.
  void get_state(BatchRef q, BatchRef v);
  void get_accelerations(BatchRef vdot);
  void get_forces(BatchRef tau);
  // Of the last forward or rollout, item by item.
  std::vector<Status> status();

  double seconds();            // the last call took, by the device's clock
  std::string kernel() const;  // its kernel: registers, local memory, threads
  // Numbers in the memory of the device, a row per coordinate, `items` apart: for kernels of the caller's own, which
  // may write forces between steps.
  double* device_q();
  double* device_v();
  double* device_forces();

 private:
  std::unique_ptr<GpuData> data_;
};

struct GpuChainData;
inline constexpr int kProcessor = -1;

// Forward dynamics of one long chain by divide and conquer (theory §6), a thread for each part of a level: the longest
// chain of steps that wait for each other is O(log N).  Chains of rigid bodies or beams (2 + 2 bending and 1 torsion
// mode, or 4 + 4 and 2) on revolute or fixed joints; others throw InputError: dca takes them.
class GpuChain {
 public:
  // kProcessor: the same source here, one part after the other; that is how it is tested.
  explicit GpuChain(const Model& model, int device = 0);
  explicit GpuChain(const Model&&, int = 0) = delete;
  ~GpuChain();
  GpuChain(GpuChain&&) noexcept;
  GpuChain& operator=(GpuChain&&) noexcept;

  void set_state(ConstVec q, ConstVec v);
  void set_forces(ConstVec tau);
  void forward();  // on the device; returns before it is done
  // From the device; waits.  Where a part alone has too little inertia for its digits, aba answers here, as in dca.
  [[nodiscard]] Status get_accelerations(Vec vdot);
  bool answered_serially() const;

  int levels() const;  // of the tree
  double seconds();    // the last forward() took, by the device's clock

 private:
  std::unique_ptr<GpuChainData> data_;
};

}  // namespace limber
