// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "signals.hpp"

namespace limber::python {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // results of items that failed

// Item k of a batch, or a vector; nothing: zeros.
void copy_item(const Numbers& from, Index k, VectorXd& to) {
  if (from.data == nullptr) {
    to.setZero();
    return;
  }
  const double* p = from.data + k * from.item_stride;
  for (Index j = 0; j < from.length; ++j) to[j] = p[j * from.stride];
}

// Rows of an engine's arrays are this much longer than its items: at powers of two they would share cache lines.
constexpr Index kPad = 8;
constexpr Index kTile = 8;  // items turned at a time: a line of the cache

// Items first ... first + count as columns, the last one repeated.
void gather(const Numbers& from, Index first, Index count, Index size, BatchArray& to) {
  to.resize(to.rows(), size + kPad);
  if (from.data == nullptr) {
    to.setZero();
    return;
  }
  const double* p = from.data + first * from.item_stride;
  for (Index k = 0; k < size; k += kTile) {
    const double* item[kTile];
    for (Index i = 0; i < kTile; ++i) item[i] = p + std::min(k + i, count - 1) * from.item_stride;
    for (Index j = 0; j < from.length; ++j) {
      double* row = &to(j, k);
      for (Index i = 0; i < kTile; ++i) row[i] = item[i][j * from.stride];
    }
  }
}

void scatter(const BatchArray& from, Index first, Index count, double* to) {
  const Index rows = from.rows();
  to += first * rows;
  for (Index k = 0; k < count; k += kTile) {
    const Index tile = std::min(kTile, count - k);
    for (Index j = 0; j < rows; ++j) {
      const double* row = &from(j, k);
      for (Index i = 0; i < tile; ++i) to[(k + i) * rows + j] = row[i];
    }
  }
}

// One call of the engine per piece: rows of numbers per item to `out`.
void run_engine(PyModel& model, const States& x, Index rows, double* out, std::uint8_t* status,
                const std::function<void(Engine&)>& evaluate) {
  const int size = x.items() <= kSmallBatch ? kSmallBatch : kLargeBatch;
  for_pieces(x.items(), size, [&](Index first, Index count) {
    std::unique_ptr<Engine> engine = model.take_engine(size);
    gather(x.q, first, count, size, engine->q);
    gather(x.v, first, count, size, engine->v);
    gather(x.u, first, count, size, engine->u);
    engine->out.resize(rows, size + kPad);
    evaluate(*engine);
    scatter(engine->out, first, count, out);
    const std::vector<Status>& found = engine->batch.status();
    for (Index k = 0; k < count; ++k) {
      status[first + k] = static_cast<std::uint8_t>(found[static_cast<std::size_t>(k)]);
      if (status[first + k] != 0) std::fill_n(out + (first + k) * rows, rows, kNone);
    }
    model.engines(size).give_back(std::move(engine));
  });
}

}  // namespace

void set_state(const Model& model, const Numbers& q, const Numbers& v, Work& work) {
  work.x.q = q.vector();
  if (v.data != nullptr)
    work.x.v = v.vector();
  else
    work.x.v.setZero();
  check_state(model, work.x);
}

void set_state(const Model& model, py::handle q, py::handle v, Work& work) {
  set_state(model, read_vector(q, wanted_q(model)), v.is_none() ? Numbers{} : read_vector(v, wanted_v(model)), work);
}

ConstVec read_forces(const Model& model, const Numbers& given, const char* name, Work& work, const double* away) {
  if (given.data == nullptr) return work.zero;
  check_finite(given, wanted_v(model, name), model.speeds);
  if (away == nullptr || !overlap(given.data, given.length, away, given.length)) return given.vector();
  work.tau = given.vector();
  return work.tau;
}

States read_states(const Model& model, py::handle q, py::handle v, py::handle u, const char* u_name) {
  States out;
  out.q = read_numbers(q, wanted_q(model));
  const auto read = [&](py::handle given, const char* name, Numbers& to) {
    if (given.is_none()) return;
    to = read_numbers(given, wanted_v(model, name));
    if (to.items == out.q.items) return;
    if (to.batch() && out.q.batch())
      throw InputError(std::string(name) + " has " + std::to_string(to.items) + " items, q has " +
                       std::to_string(out.q.items) + "; give the same number of both");
    if (to.batch()) throw InputError(std::string(name) + " is a batch, q is one state; give q as (K, nq), too");
    to.item_stride = 0;  // one for all items
  };
  read(v, "v", out.v);
  read(u, u_name, out.u);
  return out;
}

void for_pieces(Index items, Index piece, const std::function<void(Index first, Index count)>& work) {
  const Index pieces = (items + piece - 1) / piece;
  if (pieces == 1) return work(0, items);
  Signals signals;
  std::atomic<bool> stopped = false;
  const auto caller = std::this_thread::get_id();
  tbb::parallel_for(tbb::blocked_range<Index>(0, pieces, 1), [&](const tbb::blocked_range<Index>& range) {
    for (Index k = range.begin(); k < range.end() && !stopped; ++k) {
      work(k * piece, std::min(piece, items - k * piece));
      if (std::this_thread::get_id() == caller && !signals.go_on()) stopped = true;
    }
  });
}

bool set_item(const Model& model, const States& x, Index k, Work& work) {
  copy_item(x.q, k, work.x.q);
  copy_item(x.v, k, work.x.v);
  copy_item(x.u, k, work.tau);
  if (!work.tau.allFinite()) return false;
  try {
    check_state(model, work.x);
  } catch (const InputError&) {
    return false;
  }
  return true;
}

Statuses::Statuses(py::handle given, Index items) : items_(items), given_(!given.is_none()) {
  if (!given_) {
    own_.assign(static_cast<std::size_t>(items), 0);
    data_ = own_.data();
    return;
  }
  if (!py::isinstance<py::array_t<std::uint8_t, py::array::c_style>>(given))
    throw InputError("status must be a contiguous array of uint8, one number per item");
  auto array = py::reinterpret_borrow<py::array_t<std::uint8_t>>(given);
  if (array.ndim() != 1 || array.shape(0) != items || !array.writeable())
    throw InputError("status has shape " + shape_text(array) + "; it must be (" + std::to_string(items) + ",)");
  data_ = array.mutable_data();
}

void Statuses::finish(const char* what) const {
  raise_pending();
  if (given_) return;
  Index failed = 0, first = -1;
  for (Index k = items_ - 1; k >= 0; --k) {
    if (data_[k] == 0) continue;
    ++failed;
    first = k;
  }
  if (failed == 0) return;
  throw NumericalError(std::string(what) + ": " + std::to_string(failed) + " of " + std::to_string(items_) +
                       " items failed, the first is " + std::to_string(first) + ": " +
                       to_string(static_cast<Status>(data_[first])) +
                       "; give status=numpy.empty(K, numpy.uint8) to learn of each");
}

void run_forward(PyModel& model, const States& x, double* out, std::uint8_t* status) {
  run_engine(model, x, model.model->nv, out, status, [](Engine& e) {
    const Index n = e.batch.items();
    e.batch.forward(e.q.leftCols(n), e.v.leftCols(n), e.u.leftCols(n), e.out.leftCols(n));
  });
}
void run_inverse(PyModel& model, const States& x, double* out, std::uint8_t* status) {
  run_engine(model, x, model.model->nv, out, status, [](Engine& e) {
    const Index n = e.batch.items();
    e.batch.inverse(e.q.leftCols(n), e.v.leftCols(n), e.u.leftCols(n), e.out.leftCols(n));
  });
}
void run_energy(PyModel& model, const States& x, double* out, std::uint8_t* status) {
  run_engine(model, x, 4, out, status, [](Engine& e) {
    const Index n = e.batch.items();
    e.batch.energy(e.q.leftCols(n), e.v.leftCols(n), e.out.leftCols(n));
  });
}
void run_poses(PyModel& model, NodeRef node, const States& x, double* out, std::uint8_t* status) {
  const std::vector<NodeRef> nodes = {node};
  run_engine(model, x, 12, out, status, [&](Engine& e) {
    const Index n = e.batch.items();
    e.batch.node_poses(nodes, e.q.leftCols(n), e.out.leftCols(n));
  });
}

}  // namespace limber::python
