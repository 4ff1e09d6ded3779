// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/batch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "batch_data.hpp"

namespace limber {
namespace {

constexpr int kBlock = 32;  // items whose numbers are copied together: rows of some cache lines
constexpr std::size_t kAlignment = 8;

void check_rows(const char* name, Eigen::Index rows, Eigen::Index cols, Eigen::Index want, int items) {
  if (rows == want && cols == items) return;
  throw InputError("batch: " + std::string(name) + " is " + std::to_string(rows) + " x " + std::to_string(cols) +
                   "; it must be " + std::to_string(want) + " x " + std::to_string(items) +
                   ": a row per coordinate, a column per item");
}
BatchView view(const char* name, const ConstBatch& x, int rows, int items) {
  check_rows(name, x.rows(), x.cols(), rows, items);
  return {x.data(), x.outerStride(), rows};
}
BatchOut out_view(const char* name, BatchRef& x, int rows, int items) {
  check_rows(name, x.rows(), x.cols(), rows, items);
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

// A block's rows: copied in, the last item repeated where the block is not full.
void copy_in(const BatchView& from, int first, int count, int block, double* to) {
  for (int j = 0; j < from.rows; ++j, to += block) {
    const double* row = from.p + j * from.stride + first;
    std::copy_n(row, count, to);
    std::fill(to + count, to + block, row[count - 1]);
  }
}
void copy_out(const double* from, int first, int count, int block, const BatchOut& to) {
  for (int j = 0; j < to.rows; ++j, from += block) std::copy_n(from, count, to.p + j * to.stride + first);
}

// Places in the memory of a thread.
struct Places {
  std::size_t q, v, u, out, needed, loads, parameters, store, scratch, flags, size;
  Places(const BatchData& data, const BatchTables& tables) {
    std::size_t next = 0;
    const auto take = [&](std::size_t count) {
      const std::size_t at = next;
      next += (count + kAlignment - 1) / kAlignment * kAlignment;
      return at;
    };
    const auto block = static_cast<std::size_t>(data.block), lanes = static_cast<std::size_t>(data.lanes);
    q = take(tables.nq * block), v = take(tables.nv * block), u = take(tables.nv * block);
    out = take(std::max(tables.nv, tables.nq) * block), needed = take(tables.nv * block);
    loads = take(static_cast<std::size_t>(data.loads.rows()) * block);
    parameters = take(static_cast<std::size_t>(data.parameters.rows()) * block);
    store = take(tables.store * lanes), scratch = take(tables.scratch * lanes), flags = take(2 * lanes);
    size = next;
  }
};

void set_status(BatchData& data, int item, double failed, double broken, bool finite) {
  Status& status = data.status[item];
  data.failure[item] = -1;
  status = finite ? Status::ok : Status::not_finite;
  if (failed < 0) return;
  status = broken != 0 ? Status::not_finite : Status::singular_mass;
  if (status == Status::singular_mass) data.failure[item] = static_cast<int>(failed);
}

// One block on one thread.
void run_block(BatchData& data, const BatchWork& work, int index, int thread) {
  const BatchTables tables = work.machine->tables();
  const Places at(data, tables);
  BatchMemory& memory = data.memory[thread];
  const int block = data.block, first = index * block, count = std::min(block, data.items - first);
  const auto fill = [&](const BatchView& from, std::size_t to) {
    if (from.p != nullptr) copy_in(from, first, count, block, memory.at(to));
  };
  fill(work.q, at.q), fill(work.v, at.v), fill(work.u, at.u), fill(work.given, at.out);
  fill({data.loads.data(), data.loads.outerStride(), static_cast<int>(data.loads.rows())}, at.loads);
  fill({data.parameters.data(), data.parameters.outerStride(), static_cast<int>(data.parameters.rows())},
       at.parameters);
  if (work.needed.p != nullptr) fill(work.u, at.needed);
  BatchCall call;
  call.tables = tables;
  call.stride = block;
  call.store = memory.at(at.store), call.scratch = memory.at(at.scratch);
  call.failure = memory.at(at.flags), call.broken = call.failure + data.lanes;
  for (int k = 0; k < count; k += data.lanes) {
    call.q = memory.at(at.q) + k, call.v = memory.at(at.v) + k, call.u = memory.at(at.u) + k;
    call.given = call.out = memory.at(at.out) + k;
    call.needed = memory.at(at.needed) + k;
    call.loads = memory.at(at.loads) + k, call.parameters = memory.at(at.parameters) + k;
    work.kernel(call);
    for (int i = 0; i < data.lanes && k + i < count; ++i) {
      double sum = 0;  // 0 x is 0 for every finite x
      for (int j = 0; j < work.out.rows; ++j) sum += 0 * call.out[j * static_cast<long>(block) + i];
      set_status(data, first + k + i, call.failure[i], call.broken[i], sum == 0);
    }
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

BatchData::BatchData(const Model& m, int count, const BatchOptions& options) : model(&m), items(count) {
  if (count < 1) throw InputError("batch: " + std::to_string(count) + " items; there must be at least one");
  if (options.threads < 0) throw InputError("batch: threads is negative; give 0 for all cores");
  if (!m.closures.empty()) throw InputError("batch: the model has closures; batches are for trees");
  kernels = choose_kernels(options.lanes);
  lanes = kernels->lanes;
  block = std::max(lanes, std::min(kBlock, (count + lanes - 1) / lanes * lanes));
  const int blocks = (count + block - 1) / block;
  thread_count = std::min(options.threads == 0 ? batch_core_count() : options.threads, blocks);
  if (thread_count > 1) threads.reset(make_batch_threads(thread_count));
  memory.resize(thread_count);
  status.assign(count, Status::ok);
  failure.assign(count, -1);
  prepare();
}

void BatchData::prepare() {
  machine = std::make_unique<BatchMachine>(*model, choice);
  const Places places(*this, machine->tables());
  for (BatchMemory& each : memory) each.memory.assign(places.size + kAlignment, 0);
}

void BatchData::run(const BatchWork& work) {
  struct All {
    BatchData& data;
    const BatchWork& work;
  } const all{*this, work};
  const int blocks = (items + block - 1) / block;
  if (threads == nullptr) {
    for (int i = 0; i < blocks; ++i) run_block(*this, work, i, 0);
    return;
  }
  run_blocks(
      *threads, blocks,
      [](const void* argument, int i, int thread) {
        const All& a = *static_cast<const All*>(argument);
        run_block(a.data, a.work, i, thread);
      },
      &all);
}

BatchAba::BatchAba(const Model& model, int items, const BatchOptions& options)
    : data_(std::make_unique<BatchData>(model, items, options)) {}
BatchAba::~BatchAba() = default;
BatchAba::BatchAba(BatchAba&&) noexcept = default;
BatchAba& BatchAba::operator=(BatchAba&&) noexcept = default;

int BatchAba::items() const { return data_->items; }
int BatchAba::lanes() const { return data_->lanes; }
int BatchAba::threads() const { return data_->thread_count; }
const std::vector<Status>& BatchAba::status() const { return data_->status; }
const std::vector<int>& BatchAba::failure() const { return data_->failure; }

void BatchAba::forward(ConstBatch q, ConstBatch v, ConstBatch tau, BatchRef vdot) {
  BatchData& d = *data_;
  const int nv = d.model->nv;
  BatchWork work;
  work.kernel = d.kernels->forward;
  work.machine = d.machine.get();
  work.q = view("q", q, d.model->nq, d.items);
  work.v = view("v", v, nv, d.items);
  work.u = view("tau", tau, nv, d.items);
  work.out = out_view("vdot", vdot, nv, d.items);
  if (!d.choice.prescribed.empty()) work.given = {work.out.p, work.out.stride, nv};
  d.run(work);
}

void BatchAba::forward(ConstBatch q, ConstBatch v, ConstBatch tau, BatchRef vdot, BatchRef needed) {
  BatchData& d = *data_;
  const int nv = d.model->nv;
  BatchWork work;
  work.kernel = d.kernels->forward;
  work.machine = d.machine.get();
  work.q = view("q", q, d.model->nq, d.items);
  work.v = view("v", v, nv, d.items);
  work.u = view("tau", tau, nv, d.items);
  work.out = out_view("vdot", vdot, nv, d.items);
  work.needed = out_view("needed", needed, nv, d.items);
  work.given = {work.out.p, work.out.stride, nv};
  d.run(work);
}

}  // namespace limber
