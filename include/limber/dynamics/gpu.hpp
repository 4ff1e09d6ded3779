// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limber/dynamics/batch.hpp"

// Batches on a GPU: one state per thread, the same source as BatchAba.  States, forces and results stay on the device
// between calls.  A build without CUDA has the same functions: gpu_count() is 0, and GpuBatch throws an explanation.
namespace limber {

int gpu_count();                   // usable devices; 0: none, or a build without CUDA
std::string gpu_name(int device);  // as reported by its driver

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
  // On the device, asynchronously.
  void forward();  // accelerations from state and forces, as BatchAba::forward: without force elements
  void inverse();  // forces from state and accelerations, replacing the forces
  void rollout(const RolloutOptions& options);
  // The same, step by step: before_step(step) is called on the host before each step, and may start the caller's own
  // kernels that write device_forces() from device_q() and device_v(), in the default stream.  set_forces: nv rows
  // before.
  void rollout(const RolloutOptions& options, const std::function<void(int)>& before_step);
  // From the device.
  void get_state(BatchRef q, BatchRef v);
  void get_accelerations(BatchRef vdot);
  void get_forces(BatchRef tau);
  // Of the last forward or rollout, item by item.
  std::vector<Status> status();

  double seconds();            // duration of the last call, by the device clock
  std::string kernel() const;  // its kernel: registers, local memory, threads
  // Arrays in device memory, a row per coordinate, `items` apart: for the caller's own kernels, which
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
// sequence of dependent steps is O(log N).  Chains of rigid bodies or beams (2 + 2 bending and 1 torsion
// mode, or 4 + 4 and 2) on revolute or fixed joints; others throw InputError: use dca.
class GpuChain {
 public:
  // kProcessor: the same source on the host, one part after another, for tests.
  explicit GpuChain(const Model& model, int device = 0);
  explicit GpuChain(const Model&&, int = 0) = delete;
  ~GpuChain();
  GpuChain(GpuChain&&) noexcept;
  GpuChain& operator=(GpuChain&&) noexcept;

  void set_state(ConstVec q, ConstVec v);
  void set_forces(ConstVec tau);
  void forward();  // on the device, asynchronously
  // From the device; waits.  If a part alone has too little inertia, aba computes the result on the host, as in dca.
  [[nodiscard]] Status get_accelerations(Vec vdot);
  bool answered_serially() const;

  int levels() const;  // of the tree
  double seconds();    // duration of the last forward(), by the device clock

 private:
  std::unique_ptr<GpuChainData> data_;
};

}  // namespace limber
