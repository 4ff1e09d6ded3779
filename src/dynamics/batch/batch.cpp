// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/batch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "batch_data.hpp"
#include "dynamics/thread_pool.hpp"

namespace limber {
namespace {

constexpr std::size_t kAlignment = 8;  // numbers
using Quad = double __attribute__((vector_size(32)));

BatchView view(const BatchItems& items, const char* name, const ConstBatch& x, int rows) {
  items.check(name, x, rows);
  return {x.data(), x.outerStride(), rows};
}
BatchOut out_view(const BatchItems& items, const char* name, BatchRef& x, int rows) {
  items.check(name, x, rows);
  return {x.data(), x.outerStride(), rows};
}

const BatchKernels* choose_kernels(int lanes) {
  const std::vector<int> known = batch_lanes();
  const int wanted = lanes == 0 ? known.front() : lanes;
  if (std::find(known.begin(), known.end(), wanted) == known.end()) {
    std::string names;
    for (const int k : known) names += (names.empty() ? "" : ", ") + std::to_string(k);
    throw InputError("batch: no registers of " + std::to_string(wanted) + " numbers; this machine has " + names);
  }
  return wanted == 8 ? avx512_kernels() : wanted == 4 ? avx2_kernels() : plain_kernels();
}

// One row of a block; most blocks are full, and then the length is a constant of the compiled code.
void copy_row(const double* from, int count, double* to) {
  if (count < kBatchBlock) {
    std::copy_n(from, count, to);
    return;
  }
  for (int k = 0; k < kBatchBlock; k += 4) {
    Quad numbers;
    __builtin_memcpy(&numbers, from + k, sizeof numbers);
    __builtin_memcpy(to + k, &numbers, sizeof numbers);
  }
}
// A block's rows: copied in, the last item repeated where the block is not full.
void copy_in(const BatchView& from, int first, int count, int block, double* to) {
  for (int j = 0; j < from.rows; ++j, to += block) {
    const double* row = from.p + j * from.stride + first;
    copy_row(row, count, to);
    std::fill(to + count, to + block, row[count - 1]);
  }
}
void copy_out(const double* from, int first, int count, int block, const BatchOut& to) {
  for (int j = 0; j < to.rows; ++j, from += block) copy_row(from, count, to.p + j * to.stride + first);
}
// One of `parts` parts of a block's rows is asked for, so that they come while states before them are evaluated.
template <class Rows>
void prefetch(const Rows& rows, int first, int part, int parts) {
  if (rows.p == nullptr) return;
  for (int j = part; j < rows.rows; j += parts) {
    for (int k = 0; k < kBatchBlock; k += static_cast<int>(kAlignment))
      __builtin_prefetch(rows.p + j * rows.stride + first + k, std::is_same_v<Rows, BatchOut> ? 1 : 0);
  }
}

// Places in the memory of a thread.
struct Places {
  std::size_t q, v, u, out, needed, loads, parameters, A, work, store, scratch, flags, size;
  Places(const BatchData& data, const BatchTables& tables, int work_rows, int out_rows) {
    std::size_t next = 0;
    const auto take = [&](std::size_t count) {
      const std::size_t at = next;
      next += (count + kAlignment - 1) / kAlignment * kAlignment;
      return at;
    };
    const auto block = static_cast<std::size_t>(data.block), lanes = static_cast<std::size_t>(data.lanes);
    q = take(tables.nq * block), v = take(tables.nv * block), u = take(tables.nv * block);
    out = take(std::max(tables.nv, out_rows) * block), needed = take(tables.nv * block);
    loads = take(static_cast<std::size_t>(data.loads.rows()) * block);
    parameters = take(static_cast<std::size_t>(data.own.parameters.rows()) * block);
    A = take(tables.nv * block), work = take(work_rows * block);
    store = take(tables.store * lanes), scratch = take(tables.scratch * lanes), flags = take(3 * block);
    size = next;
  }
};

void set_status(BatchData& data, int item, double failed, double broken, bool finite) {
  data.status[item] = batch_status(failed, broken, finite);
  data.failure[item] = data.status[item] == Status::singular_mass ? static_cast<int>(failed) : -1;
}

int work_rows(const BatchTables& tables) { return tables.nq + kBatchStepRows * tables.nv; }

// All of one block that a group needs, from its first item on.
BatchCall make_call(const BatchWork& work, const BatchTables& tables, const Places& at, BatchMemory& memory, int k) {
  BatchCall call;
  call.tables = tables;
  call.store = memory.at(at.store), call.scratch = memory.at(at.scratch);
  call.failure = memory.at(at.flags) + k, call.broken = call.failure + kBatchBlock;
  call.q = memory.at(at.q) + k, call.v = memory.at(at.v) + k, call.u = memory.at(at.u) + k;
  call.given = call.out = memory.at(at.out) + k;
  call.needed = memory.at(at.needed) + k;
  call.loads = memory.at(at.loads) + k, call.parameters = memory.at(at.parameters) + k;
  call.pose_count = static_cast<int>(work.machine->poses.size());
  call.pose_nodes = work.machine->poses.data(), call.pose_bodies = work.machine->pose_bodies.data();
  call.stepping = work.stepping;
  call.stepping.q = memory.at(at.q) + k, call.stepping.v = memory.at(at.v) + k;
  call.stepping.a = memory.at(at.out) + k, call.stepping.A = memory.at(at.A) + k;
  call.stepping.work = memory.at(at.work) + k;
  return call;
}

// 0 of each item whose numbers are finite: 0 x is 0 for every finite x.
void sum_zeros(const double* rows, int count, double* sums) {
  std::fill_n(sums, kBatchBlock, 0.0);
  for (int j = 0; j < count; ++j, rows += kBatchBlock) {
    for (int k = 0; k < kBatchBlock; ++k) sums[k] += 0 * rows[k];
  }
}

// The rows that the next block reads, and those that this one writes.
void prefetch_part(const BatchData& data, const BatchWork& work, int first, int part, int parts) {
  prefetch(work.out, first, part, parts);
  const int next = first + data.block;
  if (next + data.block > data.own.count) return;
  for (const BatchView& rows : {work.q, work.v, work.u}) prefetch(rows, next, part, parts);
}

// One group after the other of a block, with the forces of one step.
void run_groups(BatchData& data, const BatchWork& work, const BatchTables& tables, const Places& at,
                BatchMemory& memory, int first, int count, bool again) {
  double *failure = memory.at(at.flags), *broken = failure + kBatchBlock, *zero = broken + kBatchBlock;
  std::fill_n(failure, kBatchBlock, -1.0);
  std::fill_n(broken, kBatchBlock, 0.0);
  const bool steps = work.moved_q.p != nullptr, full = count == kBatchBlock;
  for (int k = 0; k < count; k += data.lanes) {
    if (full && !again) prefetch_part(data, work, first, k / data.lanes, kBatchBlock / data.lanes);
    work.kernel(make_call(work, tables, at, memory, k));
  }
  sum_zeros(memory.at(steps ? at.v : at.out), steps ? tables.nv : work.out.rows, zero);
  for (int i = 0; i < count; ++i) {
    if (again && data.status[first + i] != Status::ok) continue;
    set_status(data, first + i, failure[i], broken[i], zero[i] == 0);
  }
}

// One block on one thread.
void run_block(BatchData& data, const BatchWork& work, int index, int thread) {
  const BatchTables tables = work.machine->tables();
  const bool steps = work.moved_q.p != nullptr;
  const Places at(data, tables, steps ? work_rows(tables) : 0, work.out.rows);
  BatchMemory& memory = data.memory[thread];
  const int block = data.block, first = index * block, count = std::min(block, data.own.count - first);
  const auto fill = [&](const BatchView& from, std::size_t to) {
    if (from.p != nullptr) copy_in(from, first, count, block, memory.at(to));
  };
  fill(work.q, at.q), fill(work.v, at.v), fill(work.given, at.out);
  if (steps) fill(work.given, at.A);
  fill({data.loads.data(), data.loads.outerStride(), static_cast<int>(data.loads.rows())}, at.loads);
  fill({data.own.parameters.data(), data.own.parameters.outerStride(), static_cast<int>(data.own.parameters.rows())},
       at.parameters);
  if (work.needed.p != nullptr) fill(work.u, at.needed);
  for (int s = 0; s < work.torque_steps; ++s) {
    BatchView u = work.u;
    u.p += s * u.stride * u.rows;
    fill(u, at.u);
    run_groups(data, work, tables, at, memory, first, count, s > 0);
  }
  if (steps) {
    copy_out(memory.at(at.q), first, count, block, work.moved_q);
    copy_out(memory.at(at.v), first, count, block, work.moved_v);
    return;
  }
  copy_out(memory.at(at.out), first, count, block, work.out);
  if (work.needed.p != nullptr) copy_out(memory.at(at.needed), first, count, block, work.needed);
}

}  // namespace

double* BatchMemory::at(std::size_t offset) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::size_t skip = (kAlignment - address / sizeof(double) % kAlignment) % kAlignment;
  return memory.data() + skip + offset;
}

std::vector<int> batch_lanes() {
  std::vector<int> lanes;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx512_kernels() != nullptr && avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    lanes.push_back(8);
  if (avx2_kernels() != nullptr && avx2) lanes.push_back(4);
#endif
  lanes.push_back(1);
  return lanes;
}

BatchArray to_columns(const Eigen::Ref<const BatchArray>& items) { return items.transpose(); }
BatchArray to_items(const Eigen::Ref<const BatchArray>& columns) { return columns.transpose(); }

BatchData::BatchData(const Model& m, int count, const BatchOptions& options) : own(m, count) {
  if (options.threads < 0) throw InputError("batch: threads is negative; give 0 for all cores");
  kernels = choose_kernels(options.lanes);
  lanes = kernels->lanes;
  block = kBatchBlock;
  const int blocks = (count + block - 1) / block;
  thread_count = std::min(options.threads == 0 ? core_count() : options.threads, blocks);
  threads = ThreadPool(thread_count);
  memory.resize(thread_count);
  status.assign(count, Status::ok);
  failure.assign(count, -1);
  prepare();
}

void BatchData::prepare() {
  machine = std::make_unique<BatchMachine>(*own.model, own.choice);
  posing.reset();
  stepping.reset();
  reserve(machine->tables(), 0, 0);
}

void BatchData::reserve(const BatchTables& tables, int rows, int out_rows) {
  const Places places(*this, tables, rows, out_rows);
  for (BatchMemory& each : memory) {
    if (each.memory.size() < places.size + kAlignment) each.memory.assign(places.size + kAlignment, 0);
  }
}

void BatchData::run(const BatchWork& work) {
  const int blocks = (own.count + block - 1) / block;
  const auto one = [&](int which, int thread) { run_block(*this, work, which, thread); };
  if (threads.get() != nullptr) return for_each_index(*threads.get(), thread_count, blocks, one);
  for (int i = 0; i < blocks; ++i) one(i, 0);
}

BatchAba::BatchAba(const Model& model, int items, const BatchOptions& options)
    : data_(std::make_unique<BatchData>(model, items, options)) {}
BatchAba::~BatchAba() = default;
BatchAba::BatchAba(BatchAba&&) noexcept = default;
BatchAba& BatchAba::operator=(BatchAba&&) noexcept = default;

int BatchAba::items() const { return data_->own.count; }
int BatchAba::lanes() const { return data_->lanes; }
int BatchAba::threads() const { return data_->thread_count; }
const std::vector<Status>& BatchAba::status() const { return data_->status; }
const std::vector<int>& BatchAba::failure() const { return data_->failure; }

namespace {

BatchWork make_work(BatchData& d, void (*kernel)(const BatchCall&), const ConstBatch& q, const ConstBatch& v,
                    const char* name, const ConstBatch& u) {
  BatchWork work;
  work.kernel = kernel;
  work.machine = d.machine.get();
  work.q = view(d.own, "q", q, d.own.model->nq);
  work.v = view(d.own, "v", v, d.own.model->nv);
  work.u = view(d.own, name, u, d.own.model->nv);
  return work;
}

}  // namespace

void BatchAba::forward(ConstBatch q, ConstBatch v, ConstBatch tau, BatchRef vdot) {
  BatchData& d = *data_;
  BatchWork work = make_work(d, d.kernels->forward, q, v, "tau", tau);
  work.out = out_view(d.own, "vdot", vdot, d.own.model->nv);
  if (!d.own.choice.prescribed.empty()) work.given = {work.out.p, work.out.stride, d.own.model->nv};
  d.run(work);
}

void BatchAba::forward(ConstBatch q, ConstBatch v, ConstBatch tau, BatchRef vdot, BatchRef needed) {
  BatchData& d = *data_;
  BatchWork work = make_work(d, d.kernels->forward, q, v, "tau", tau);
  work.out = out_view(d.own, "vdot", vdot, d.own.model->nv);
  work.needed = out_view(d.own, "needed", needed, d.own.model->nv);
  work.given = {work.out.p, work.out.stride, d.own.model->nv};
  d.run(work);
}

void BatchAba::inverse(ConstBatch q, ConstBatch v, ConstBatch vdot, BatchRef tau) {
  BatchData& d = *data_;
  BatchWork work = make_work(d, d.kernels->inverse, q, v, "vdot", vdot);
  work.out = out_view(d.own, "tau", tau, d.own.model->nv);
  d.run(work);
}

void BatchAba::energy(ConstBatch q, ConstBatch v, BatchRef energies) {
  BatchData& d = *data_;
  BatchWork work = make_work(d, d.kernels->energies, q, v, "v", v);
  d.prepare_poses({});
  work.machine = d.posing.get();
  work.out = out_view(d.own, "energies", energies, 4);
  d.run(work);
}

void BatchAba::node_poses(const std::vector<NodeRef>& nodes, ConstBatch q, BatchRef poses) {
  BatchData& d = *data_;
  const int rows = 12 * static_cast<int>(nodes.size());
  BatchWork work;
  work.kernel = d.kernels->poses;
  work.q = view(d.own, "q", q, d.own.model->nq);
  work.out = out_view(d.own, "poses", poses, rows);
  d.prepare_poses(nodes);
  work.machine = d.posing.get();
  d.run(work);
}

}  // namespace limber
