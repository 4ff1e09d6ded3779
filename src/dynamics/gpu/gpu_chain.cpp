// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// One long chain by divide and conquer, on a device or by the same source here.
#include <algorithm>
#include <cmath>

#include "device_memory.hpp"
#include "dynamics/batch/items.hpp"
#include "dynamics/dca/dca_steps.hpp"
#include "limber/dynamics/gpu.hpp"

namespace limber {

struct GpuChainData {
  GpuChainData(const Model& m, int d) : model(&m), device(d), serial(m) {
    const BatchItems items(m, 1);  // says what batches cannot do
    BatchChoice choice;
    choice.device = true;
    machine = std::make_unique<BatchMachine>(m, choice);
    if (machine->sizes.chain == ChainForm::none || machine->links.size() < 2) {
      throw InputError(
          "GPU: divide and conquer takes one chain of rigid bodies or beams (2 + 2 bending and 1 torsion mode, or 4 + "
          "4 "
          "and 2) on revolute or fixed joints; take dca");
    }
    set_levels(m.body_count() - 1, call);
    const std::size_t bodies = call.count[0], rows[] = {kPartRows, kBodyRows, kJointRows};
    const std::size_t counts[] = {rows[0] * call.part_count, rows[1] * bodies, rows[2] * bodies};
    const std::size_t store = machine->sizes.store;
    if (device == kProcessor) {
      stride = kHalvesStride;
      call.tables = machine->tables();
      for (std::vector<double>* x : {&q, &v, &u, &a}) x->assign(static_cast<std::size_t>(stride) * (m.nq + m.nv), 0);
      call.q = q.data(), call.v = v.data(), call.u = u.data(), call.out = a.data();
      memory.assign(counts[0] + counts[1] + counts[2] + store, 0);
      call.parts = memory.data();
    } else {
      choose_device(device);
      on_device.put(*machine);
      call.tables = on_device.tables;
      for (DeviceMemory* x : {&dq, &dv, &du, &da}) x->resize(sizeof(double) * (m.nq + m.nv));
      call.q = dq.numbers(), call.v = dv.numbers(), call.u = du.numbers(), call.out = da.numbers();
      work.resize(sizeof(double) * (counts[0] + counts[1] + counts[2] + store));
      call.parts = work.numbers();
    }
    call.bodies = call.parts + counts[0];
    call.joints = call.bodies + counts[1];
    call.store = call.joints + counts[2];
  }

  void put(std::vector<double>& here, DeviceMemory& there, const ConstVec& x) {
    if (device != kProcessor) return to_device(there.numbers(), x.data(), sizeof(double) * x.size());
    for (Eigen::Index j = 0; j < x.size(); ++j) here[static_cast<std::size_t>(j) * stride] = x[j];
  }
  // A number of the whole chain.
  double loss() {
    double x = 0;
    const double* at = call.parts + static_cast<std::size_t>(kPartLoss) * call.part_count + call.part_count - 1;
    if (device == kProcessor) return *at;
    from_device(&x, at, sizeof x);
    return x;
  }

  static constexpr int kBodyRows = 40, kJointRows = 14;  // HalvesBody, HalvesJoint of halves.hpp
  const Model* model;
  int device;
  int stride = 1;
  HalvesCall call;
  std::unique_ptr<BatchMachine> machine;
  DeviceMachine on_device;
  DeviceMemory dq, dv, du, da, work;
  std::vector<double> q, v, u, a, memory;
  State state;
  VectorXd tau;
  AbaWorkspace serial;
  bool answered_serially = false;
};

GpuChain::GpuChain(const Model& model, int device) : data_(std::make_unique<GpuChainData>(model, device)) {}
GpuChain::~GpuChain() = default;
GpuChain::GpuChain(GpuChain&&) noexcept = default;
GpuChain& GpuChain::operator=(GpuChain&&) noexcept = default;

void GpuChain::set_state(ConstVec q, ConstVec v) {
  GpuChainData& d = *data_;
  if (q.size() != d.model->nq || v.size() != d.model->nv) throw InputError("GpuChain: q needs nq numbers, v nv");
  d.state.q = q, d.state.v = v;
  d.put(d.q, d.dq, q);
  d.put(d.v, d.dv, v);
}
void GpuChain::set_forces(ConstVec tau) {
  GpuChainData& d = *data_;
  if (tau.size() != d.model->nv) throw InputError("GpuChain: tau needs nv numbers");
  d.tau = tau;
  d.put(d.u, d.du, tau);
}

void GpuChain::forward() {
  GpuChainData& d = *data_;
  if (d.state.q.size() != d.model->nq || d.tau.size() != d.model->nv)
    throw InputError("GpuChain: set_state and set_forces come before forward");
  d.device == kProcessor ? run_halves_here(d.call) : launch_halves(d.call);
}

Status GpuChain::get_accelerations(Vec vdot) {
  GpuChainData& d = *data_;
  if (vdot.size() != d.model->nv) throw InputError("GpuChain: vdot needs nv numbers");
  if (d.device == kProcessor) {
    for (Eigen::Index j = 0; j < vdot.size(); ++j) vdot[j] = d.a[static_cast<std::size_t>(j) * d.stride];
  } else {
    from_device(vdot.data(), d.da.numbers(), sizeof(double) * vdot.size());
  }
  d.answered_serially = !(d.loss() <= kMaxLoss) || !vdot.allFinite();
  return d.answered_serially ? aba(*d.model, d.state, {d.tau}, d.serial, vdot) : Status::ok;
}
bool GpuChain::answered_serially() const { return data_->answered_serially; }
int GpuChain::levels() const { return data_->call.levels; }
double GpuChain::seconds() { return device_seconds(); }

}  // namespace limber
