// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/derivatives.hpp"

#include <limits>

#include "calls.hpp"
#include "limber/dynamics/closed_derivatives.hpp"
#include "rooms.hpp"

namespace limber::python {
namespace {

constexpr double kNotComputed = std::numeric_limits<double>::quiet_NaN();

// Three matrices (nv, nv), or three batches of them.
struct Three {
  Three(py::handle out, Index items, Index n)
      : given(split(out)),
        a(given[0], "out[0]", items, n, n),
        b(given[1], "out[1]", items, n, n),
        c(given[2], "out[2]", items, n, n) {}
  static std::vector<py::object> split(py::handle out) {
    if (out.is_none()) return {py::none(), py::none(), py::none()};
    if (!py::isinstance<py::sequence>(out) || py::len(out) != 3)
      throw InputError("out must be three arrays (dq, dv, dtau)");
    return {out[py::int_(0)], out[py::int_(1)], out[py::int_(2)]};
  }
  void clear(Index k) const {
    a.matrix(k).setConstant(kNotComputed);
    b.matrix(k).setConstant(kNotComputed);
    c.matrix(k).setConstant(kNotComputed);
  }
  py::tuple finish() const { return py::make_tuple(a.finish(), b.finish(), c.finish()); }
  std::vector<py::object> given;
  MatrixResult a, b, c;
};

Status differentiate(const Model& model, Work& work, ConstVec tau, std::span<const std::uint8_t> prescribed,
                     VectorXd& vdot, const Three& out, Index k) {
  const Forces forces{tau, work.wrenches};
  if (model.closures.empty())
    return forward_derivatives(model, work.x, forces, prescribed, work.derivatives(), vdot, out.a.matrix(k),
                               out.b.matrix(k), out.c.matrix(k));
  return closed_forward_derivatives(model, work.x, forces, prescribed, work.derivatives(), work.closures(), vdot,
                                    out.a.matrix(k), out.b.matrix(k), out.c.matrix(k));
}

py::tuple py_forward_derivatives(PyModel& m, py::handle q, py::handle v, py::handle tau, py::handle wrenches,
                                 Work* given, py::handle out, py::handle status) {
  const Model& model = *m.model;
  const States x = read_states(model, q, v, tau, "tau");
  const Three result(out, x.items(), model.nv);
  if (!x.batch()) {
    const Lent work(m, given);
    set_state(model, x.q, x.v, *work);
    const ConstVec forces = read_forces(model, x.u, "tau", *work, nullptr);
    read_wrenches(model, wrenches, work->wrenches);
    VectorXd vdot = VectorXd::Zero(model.nv);
    Status found{};
    {
      const Unlocked unlocked;
      found = differentiate(model, *work, forces, {}, vdot, result, 0);
    }
    check("forward_derivatives", model, found, work->derivatives().failure());
    return result.finish();
  }
  if (!wrenches.is_none()) throw InputError("wrenches act on one state, not on a batch");
  Statuses statuses(status, x.items());
  {
    const Unlocked unlocked;
    for_pieces(x.items(), kSmallBatch, [&](Index first, Index count) {
      const Lent work(m, nullptr);
      work->wrenches.clear();
      VectorXd vdot = VectorXd::Zero(model.nv);
      for (Index k = first; k < first + count; ++k) {
        Status found = Status::not_finite;
        if (set_item(model, x, k, *work)) found = differentiate(model, *work, work->tau, {}, vdot, result, k);
        if (found != Status::ok) result.clear(k);
        statuses.data()[k] = static_cast<std::uint8_t>(found);
      }
    });
  }
  statuses.finish("forward_derivatives");
  return result.finish();
}

py::tuple py_rnea_derivatives(PyModel& m, py::handle q, py::handle v, py::handle vdot, py::handle wrenches,
                              Work* given) {
  const Model& model = *m.model;
  const Lent work(m, given);
  set_state(model, q, v, *work);
  const Numbers a = vdot.is_none() ? Numbers{} : read_vector(vdot, wanted_v(model, "vdot"));
  const ConstVec acceleration = read_forces(model, a, "vdot", *work, nullptr);
  read_wrenches(model, wrenches, work->wrenches);
  const MatrixResult dq(py::none(), "", -1, model.nv, model.nv), dv(py::none(), "", -1, model.nv, model.nv);
  DerivativesWorkspace& ws = work->derivatives();
  {
    const Unlocked unlocked;
    rnea_derivatives(model, work->x, acceleration, work->wrenches, ws, dq.matrix(), dv.matrix());
  }
  return py::make_tuple(dq.finish(), dv.finish());
}

}  // namespace

void define_derivatives(py::module_& m) {
  m.def("forward_derivatives", &py_forward_derivatives,
        Signature("(model: Model, q: ArrayLike, v: ArrayLike | None, tau: ArrayLike | None = None, *, wrenches: "
                  "Wrenches = None, "
                  "workspace: Workspace | None = None, out: tuple[Array, Array, Array] | None = None, status: Array | "
                  "None = None) "
                  "-> tuple[Array, Array, Array]",
                  "forward_derivatives",
                  "Returns the derivatives of vdot by q, v and tau: (nv, nv) each, for (K, nq), (K, nv) arrays a batch "
                  "(K, nv, nv) "
                  "on all cores.  Of a model with closures: those of the closed chain.  out: three arrays for them, in "
                  "Fortran's "
                  "order to spare a copy.  status: as in aba."));
  m.def("rnea_derivatives", &py_rnea_derivatives,
        Signature(
            "(model: Model, q: ArrayLike, v: ArrayLike | None, vdot: ArrayLike | None, *, wrenches: Wrenches = None, "
            "workspace: Workspace | None = None) -> tuple[Array, Array]",
            "rnea_derivatives", "Returns d tau/d q and d tau/d v (nv, nv)."));
}

}  // namespace limber::python
