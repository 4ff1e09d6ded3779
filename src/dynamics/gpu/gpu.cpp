// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/gpu.hpp"

#include <algorithm>

#include "device_memory.hpp"
#include "dynamics/batch/items.hpp"

namespace limber {

struct GpuData {
  GpuData(const Model& model, int count, int device) : items(model, count) { choose_device(device); }

  std::size_t bytes(int rows) const { return sizeof(double) * static_cast<std::size_t>(rows) * items.count; }
  void put(DeviceMemory& to, const ConstBatch& x) {
    to.resize(bytes(static_cast<int>(x.rows())));
    const BatchArray packed = x;  // rows one after the other
    to_device(to.numbers(), packed.data(), bytes(static_cast<int>(x.rows())));
  }
  void get(DeviceMemory& from, BatchRef& x) {
    BatchArray packed(x.rows(), x.cols());
    from_device(packed.data(), from.numbers(), bytes(static_cast<int>(x.rows())));
    x = packed;
  }
  // The tables for the numbers as they are: of forward dynamics, of implicit steps, and of inverse dynamics, which
  // needs more of the kinematics.
  DeviceMachine& prepare(DeviceMachine& machine, double c_D = 0, double c_K = 0) {
    if (items.changed) forward.ready = stepping.ready = inverse.ready = false;
    items.changed = false;
    if (machine.ready && machine.tables.c_D == c_D && machine.tables.c_K == c_K) return machine;
    BatchChoice choice = items.choice;
    choice.c_D = c_D, choice.c_K = c_K;
    choice.device = &machine != &inverse;
    machine.put(BatchMachine(*items.model, choice));
    put(parameters, items.parameters);
    const bool sweeps = choice.device && machine.tables.chain != ChainForm::none;
    const int blocks = (items.count + kDeviceThreads - 1) / kDeviceThreads;
    const int most = device_threads(machine.tables, choice.device) / kDeviceThreads;  // in blocks of kDeviceThreads
    const int rounds = sweeps ? (blocks + most - 1) / most : 1;                       // of equal size
    machine.threads = std::min(most, (blocks + rounds - 1) / rounds) * kDeviceThreads;
    const auto threads = static_cast<std::size_t>(machine.threads);
    store.resize(sizeof(double) * threads * machine.tables.store);
    if (!sweeps) scratch.resize(sizeof(double) * threads * machine.tables.scratch);  // chains need none
    flags.resize(bytes(2));
    return machine;
  }
  DeviceCall make_call(DeviceMachine& machine) {
    const int nv = items.model->nv;
    DeviceCall call;
    call.tables = machine.tables;
    call.items = items.count;
    call.q = q.numbers(), call.v = v.numbers(), call.u = u.numbers();
    call.parameters = parameters.numbers();
    a.resize(bytes(nv));
    call.out = a.numbers();
    call.failure = flags.numbers(), call.broken = flags.numbers() + items.count;
    call.store = store.numbers(), call.scratch = scratch.numbers();
    call.threads = machine.threads;
    return call;
  }

  BatchItems items;
  DeviceMachine forward, stepping, inverse;
  int force_rows = 0;
  DeviceMemory q, v, u, a, A, work, parameters, store, scratch, flags;
};

int gpu_count() { return device_count(); }
std::string gpu_name(int device) { return device_name(device); }

GpuBatch::GpuBatch(const Model& model, int items, int device)
    : data_(std::make_unique<GpuData>(model, items, device)) {}
GpuBatch::~GpuBatch() = default;
GpuBatch::GpuBatch(GpuBatch&&) noexcept = default;
GpuBatch& GpuBatch::operator=(GpuBatch&&) noexcept = default;

void GpuBatch::set_rigid(int body, const std::vector<RigidSpec>& specs) { data_->items.set_rigid(body, specs); }
void GpuBatch::set_stiffness(int body, ConstVec stiffness, ConstVec damping) {
  data_->items.set_stiffness(body, stiffness, damping);
}

void GpuBatch::set_state(ConstBatch q, ConstBatch v) {
  GpuData& d = *data_;
  d.items.check("q", q, d.items.model->nq);
  d.items.check("v", v, d.items.model->nv);
  d.put(d.q, q);
  d.put(d.v, v);
}
void GpuBatch::set_forces(ConstBatch tau) {
  GpuData& d = *data_;
  const int nv = d.items.model->nv;
  d.items.check("tau", tau, nv > 0 && tau.rows() % nv == 0 ? static_cast<int>(tau.rows()) : nv);
  d.put(d.u, tau);
  d.force_rows = static_cast<int>(tau.rows());
}
void GpuBatch::set_accelerations(ConstBatch vdot) {
  data_->items.check("vdot", vdot, data_->items.model->nv);
  data_->put(data_->a, vdot);
}

void GpuBatch::forward() {
  GpuData& d = *data_;
  launch(DeviceKernel::forward, d.make_call(d.prepare(d.forward)));
}

void GpuBatch::inverse() {
  GpuData& d = *data_;
  DeviceCall call = d.make_call(d.prepare(d.inverse));
  d.u.resize(d.bytes(d.items.model->nv));
  call.u = d.a.numbers();
  call.out = d.u.numbers();
  launch(DeviceKernel::inverse, call);
}

void GpuBatch::rollout(const RolloutOptions& options) { rollout(options, nullptr); }

void GpuBatch::rollout(const RolloutOptions& options, const std::function<void(int)>& before_step) {
  GpuData& d = *data_;
  const int nq = d.items.model->nq, nv = d.items.model->nv;
  refuse_in_rollouts(*d.items.model);
  BatchStepping s = make_stepping(options);
  if (d.force_rows != nv && (before_step || d.force_rows != options.steps * nv))
    throw InputError("rollout: set_forces must have been given nv rows, or nv rows for each of the steps");
  const bool implicit = options.method == "implicit";
  d.A.resize(d.bytes(nv));
  d.work.resize(d.bytes(nq + kBatchStepRows * nv));
  if (before_step) before_step(0);
  if (implicit) {
    forward();
    DeviceCall again = d.make_call(d.prepare(d.forward));
    again.out = d.A.numbers();
    launch(DeviceKernel::forward, again);
  }
  DeviceMachine& machine =
      implicit ? d.prepare(d.stepping, implicit_damping(s), implicit_stiffness(s)) : d.prepare(d.forward);
  DeviceCall call = d.make_call(machine);
  call.torque_steps = d.force_rows == nv ? 1 : options.steps;
  s.steps = before_step ? 1 : options.steps;
  s.q = d.q.numbers(), s.v = d.v.numbers(), s.a = d.a.numbers(), s.A = d.A.numbers(), s.work = d.work.numbers();
  call.stepping = s;
  for (int step = 0; step < (before_step ? options.steps : 1); ++step) {
    if (step > 0) before_step(step);
    launch(implicit ? DeviceKernel::implicit : DeviceKernel::rk4, call);
  }
}

void GpuBatch::get_state(BatchRef q, BatchRef v) {
  GpuData& d = *data_;
  d.items.check("q", q, d.items.model->nq);
  d.items.check("v", v, d.items.model->nv);
  d.get(d.q, q);
  d.get(d.v, v);
}
void GpuBatch::get_accelerations(BatchRef vdot) {
  data_->items.check("vdot", vdot, data_->items.model->nv);
  data_->get(data_->a, vdot);
}
void GpuBatch::get_forces(BatchRef tau) {
  data_->items.check("tau", tau, data_->items.model->nv);
  data_->get(data_->u, tau);
}

std::vector<Status> GpuBatch::status() {
  GpuData& d = *data_;
  BatchArray flags(2, d.items.count), v(d.items.model->nv, d.items.count);
  BatchRef flags_ref(flags), v_ref(v);
  d.get(d.flags, flags_ref);
  d.get(d.a, v_ref);
  std::vector<Status> out;
  for (int k = 0; k < d.items.count; ++k) out.push_back(batch_status(flags(0, k), flags(1, k), v.col(k).allFinite()));
  return out;
}

double GpuBatch::seconds() { return device_seconds(); }
std::string GpuBatch::kernel() const {
  int registers = 0, local = 0;
  const DeviceMachine& machine = data_->prepare(data_->forward);
  device_usage(machine.tables, registers, local);
  return std::to_string(registers) + " registers, " + std::to_string(local) + " bytes of local memory, " +
         std::to_string(machine.tables.store * sizeof(double)) + " bytes of store, " + std::to_string(machine.threads) +
         " threads";
}
double* GpuBatch::device_q() { return data_->q.numbers(); }
double* GpuBatch::device_v() { return data_->v.numbers(); }
double* GpuBatch::device_forces() { return data_->u.numbers(); }

}  // namespace limber
