// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/batch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include "calls.hpp"
#include "rooms.hpp"

namespace limber::python {
namespace {

// Items in rows, as Python has them; by columns (order F) they are used where they lie.
struct PyBatch {
  PyBatch(std::shared_ptr<const Model> model_, int items, const BatchOptions& options)
      : model(std::move(model_)), batch(*model, items, options) {}
  std::shared_ptr<const Model> model;
  BatchAba batch;
  std::atomic<bool> busy = false;
};

class BatchInUse {
 public:
  explicit BatchInUse(PyBatch& b) : b_(b) {
    if (b.busy.exchange(true)) throw InputError("the batch is in use by another thread; make one for each");
  }
  ~BatchInUse() { b_.busy = false; }
  BatchInUse(const BatchInUse&) = delete;
  BatchInUse& operator=(const BatchInUse&) = delete;

 private:
  PyBatch& b_;
};

using Columns = Eigen::Map<const BatchArray, 0, Eigen::OuterStride<>>;

// (items, length) as (length, items): a view where items are contiguous, else a copy; None for speeds, forces or
// accelerations: zeros.
class Input {
 public:
  Input(const PyBatch& b, py::handle x, const Wanted& wanted) {
    const int items = b.batch.items();
    if (x.is_none() && std::string_view(wanted.called) == "nv") {
      copy_.setZero(wanted.length, items);
      return;
    }
    numbers_ = read_numbers(x, wanted);
    if (numbers_.items != items)
      throw InputError(std::string(wanted.name) + " must have shape (" + std::to_string(items) + ", " +
                       std::to_string(wanted.length) + "), a row per item");
    if (numbers_.item_stride == 1 && numbers_.stride >= items) return;
    copy_.resize(wanted.length, items);
    for (Index k = 0; k < items; ++k) {
      for (Index j = 0; j < wanted.length; ++j)
        copy_(j, k) = numbers_.data[k * numbers_.item_stride + j * numbers_.stride];
    }
  }
  Columns columns() const {
    if (copy_.size() > 0) return {copy_.data(), copy_.rows(), copy_.cols(), Eigen::OuterStride<>(copy_.cols())};
    return {numbers_.data, numbers_.length, numbers_.items, Eigen::OuterStride<>(numbers_.stride)};
  }

 private:
  Numbers numbers_;
  BatchArray copy_;
};

// A result (items, length), whose memory has items side by side.
py::object output(const BatchArray& columns) {
  const Index rows = columns.rows(), items = columns.cols();
  constexpr auto kNumber = static_cast<py::ssize_t>(sizeof(double));
  return Array(std::vector<py::ssize_t>{items, rows}, std::vector<py::ssize_t>{kNumber, kNumber * items},
               columns.data());
}

// f(batch, out) with the lock let go.
template <class F>
py::object evaluate(PyBatch& b, Index rows, F f) {
  BatchArray out(rows, b.batch.items());
  {
    const Unlocked unlocked;
    f(out);
  }
  return output(out);
}

py::object batch_forward(PyBatch& b, py::handle q, py::handle v, py::handle tau) {
  const BatchInUse use(b);
  const Model& m = *b.model;
  const Input x(b, q, wanted_q(m)), y(b, v, wanted_v(m)), u(b, tau, wanted_v(m, "tau"));
  return evaluate(b, m.nv, [&](BatchArray& out) { b.batch.forward(x.columns(), y.columns(), u.columns(), out); });
}

py::object batch_inverse(PyBatch& b, py::handle q, py::handle v, py::handle vdot) {
  const BatchInUse use(b);
  const Model& m = *b.model;
  const Input x(b, q, wanted_q(m)), y(b, v, wanted_v(m)), a(b, vdot, wanted_v(m, "vdot"));
  return evaluate(b, m.nv, [&](BatchArray& out) { b.batch.inverse(x.columns(), y.columns(), a.columns(), out); });
}

py::object batch_energy(PyBatch& b, py::handle q, py::handle v) {
  const BatchInUse use(b);
  const Input x(b, q, wanted_q(*b.model)), y(b, v, wanted_v(*b.model));
  return evaluate(b, 4, [&](BatchArray& out) { b.batch.energy(x.columns(), y.columns(), out); });
}

py::object batch_poses(PyBatch& b, const py::list& names, py::handle q) {
  const BatchInUse use(b);
  std::vector<NodeRef> nodes;
  for (const py::handle name : names) nodes.push_back(node_of(*b.model, name));
  const Input x(b, q, wanted_q(*b.model));
  const auto rows = 12 * static_cast<Index>(nodes.size());
  return evaluate(b, rows, [&](BatchArray& out) { b.batch.node_poses(nodes, x.columns(), out); });
}

py::tuple batch_rollout(PyBatch& b, py::handle q, py::handle v, py::handle tau, const RolloutOptions& options) {
  const BatchInUse use(b);
  const Model& m = *b.model;
  const py::array given = tau.is_none() ? py::array() : py::array::ensure(tau);
  const bool each = given && given.ndim() == 3;  // (steps, items, nv)
  BatchArray forces;
  if (each) {
    if (given.shape(0) != options.steps)
      throw InputError("tau has shape " + shape_text(given) + "; it must be (items, nv), or (steps, items, nv) with " +
                       std::to_string(options.steps) + " steps");
    forces.resize(options.steps * m.nv, b.batch.items());
    for (int s = 0; s < options.steps; ++s)
      forces.middleRows(s * m.nv, m.nv) = Input(b, given[py::int_(s)], wanted_v(m, "tau")).columns();
  } else {
    forces = Input(b, tau, wanted_v(m, "tau")).columns();
  }
  BatchArray x = Input(b, q, wanted_q(m)).columns(), y = Input(b, v, wanted_v(m)).columns();
  {
    const Unlocked unlocked;
    b.batch.rollout(options, x, y, forces);
  }
  return py::make_tuple(output(x), output(y));
}

void batch_set_wrenches(PyBatch& b, const py::list& names, py::handle values, Frame frame) {
  const BatchInUse use(b);
  std::vector<NodeRef> nodes;
  for (const py::handle name : names) nodes.push_back(node_of(*b.model, name));
  const Input x(b, values, {"values", 6 * static_cast<Index>(nodes.size()), "6 per node"});
  b.batch.set_wrenches(nodes, std::vector<Frame>(nodes.size(), frame), x.columns());
}

// Seconds of one call of the library, without Python: the best of `rounds` loops.
double time_aba(PyModel& m, py::handle q, py::handle v, py::handle tau, int calls, int rounds) {
  const Model& model = *m.model;
  const Lent work(m, nullptr);
  set_state(model, q, v, *work);
  const VectorXd forces = read_vector(tau, wanted_v(model, "tau")).vector();
  VectorXd vdot(model.nv);
  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r < rounds; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < calls; ++k) check("aba", model, aba(model, work->x, {forces, {}}, work->aba(), vdot), -1);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / calls);
  }
  return best;
}

// The same of a batch on all cores, whose arrays have a row per coordinate.
double time_batch(PyBatch& b, py::handle q, py::handle v, py::handle tau, int rounds) {
  const Model& m = *b.model;
  const BatchArray x = Input(b, q, wanted_q(m)).columns(), y = Input(b, v, wanted_v(m)).columns(),
                   u = Input(b, tau, wanted_v(m, "tau")).columns();
  BatchArray out(m.nv, b.batch.items());
  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r < rounds; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    b.batch.forward(x, y, u, out);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

void define_own_numbers(py::class_<PyBatch>& cls) {
  cls.def(
      "set_rigid",
      [](PyBatch& b, const std::string& body, const std::vector<RigidSpec>& specs) {
        const BatchInUse use(b);
        b.batch.set_rigid(b.model->body_index(body), specs);
      },
      Signature("(body: str, specs: Sequence[RigidSpec | dict[str, Any]]) -> None", "BatchAba::set_rigid"));
  cls.def(
      "set_stiffness",
      [](PyBatch& b, const std::string& body, const VectorXd& stiffness, const VectorXd& damping) {
        const BatchInUse use(b);
        b.batch.set_stiffness(b.model->body_index(body), stiffness, damping);
      },
      Signature("(body: str, stiffness: ArrayLike, damping: ArrayLike) -> None", "BatchAba::set_stiffness"));
  cls.def("set_wrenches", &batch_set_wrenches,
          Signature("(nodes: Sequence[str | NodeRef], values: ArrayLike, frame: Frame | str = \"world\") -> None",
                    "BatchAba::set_wrenches", "values: (items, 6 per node)."));
}

}  // namespace

void define_batch(py::module_& m) {
  Struct<RolloutOptions>(m, "RolloutOptions", "Method and steps of a rollout.")
      .field("method", &RolloutOptions::method, "str")
      .field("step", &RolloutOptions::step, "float", "s")
      .field("steps", &RolloutOptions::steps, "int")
      .field("rho_inf", &RolloutOptions::rho_inf, "float")
      .field("passes", &RolloutOptions::passes, "int");
  py::class_<PyBatch> cls(m, "BatchAba",
                          ("BatchAba(model, items, *, threads=0, lanes=0)\n--\n\n" + header_doc("BatchAba") +
                           "\n\nArrays have an item per row; in Fortran's order they are used without a copy.")
                              .c_str());
  cls.def(py::init([](const PyModel& model, int items, int threads, int lanes) {
            try {
              return std::make_unique<PyBatch>(model.model, items, BatchOptions{threads, lanes});
            } catch (const std::length_error&) {
              throw InputError("BatchAba: " + std::to_string(items) + " items need more memory than there is");
            }
          }),
          Signature("(model: Model, items: int, *, threads: int = 0, lanes: int = 0) -> None", "BatchOptions",
                    "threads, lanes: 0 takes all that there are."));
  cls.def("forward", &batch_forward,
          Signature("(q: ArrayLike, v: ArrayLike | None, tau: ArrayLike | None = None) -> Array", "BatchAba::forward",
                    "None: zeros."));
  cls.def("inverse", &batch_inverse,
          Signature("(q: ArrayLike, v: ArrayLike | None, vdot: ArrayLike | None = None) -> Array", "BatchAba::inverse",
                    "None: zeros."));
  cls.def("energy", &batch_energy,
          Signature("(q: ArrayLike, v: ArrayLike | None = None) -> Array", "BatchAba::energy", "(items, 4)."));
  cls.def("node_poses", &batch_poses,
          Signature("(nodes: Sequence[str | NodeRef], q: ArrayLike) -> Array", "BatchAba::node_poses",
                    "(items, 12 per node)."));
  cls.def(
      "rollout", &batch_rollout,
      Signature("(q: ArrayLike, v: ArrayLike | None, tau: ArrayLike | None, options: RolloutOptions | dict[str, Any]) "
                "-> tuple[Array, Array]",
                "BatchAba::rollout",
                "tau: (items, nv), or (steps, items, nv); None: zeros.  Returns q and v at the end."));
  define_own_numbers(cls);
  m.def("_time_aba", &time_aba,
        Signature("(model: Model, q: ArrayLike, v: ArrayLike, tau: ArrayLike, calls: int, rounds: int) -> float", "",
                  "Seconds of aba in C++."));
  m.def("_time_batch", &time_batch,
        Signature("(batch: BatchAba, q: ArrayLike, v: ArrayLike, tau: ArrayLike, rounds: int) -> float", "",
                  "Seconds of a batch in C++."));
  const auto property = [&](const char* name, const char* type, auto get, const char* more) {
    cls.def_property_readonly(name, get, property_doc(cls, name, type, "", more).c_str());
  };
  property(
      "items", "int", [](const PyBatch& b) { return b.batch.items(); }, "States in it.");
  property(
      "lanes", "int", [](const PyBatch& b) { return b.batch.lanes(); }, "States in a register.");
  property(
      "threads", "int", [](const PyBatch& b) { return b.batch.threads(); }, "Threads that it uses.");
  property(
      "status", "list[Status]", [](const PyBatch& b) { return b.batch.status(); },
      "Per item, of the last call; after a rollout, of its first failure.");
}

}  // namespace limber::python
