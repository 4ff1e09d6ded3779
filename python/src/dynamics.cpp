// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "calls.hpp"
#include "limber/dynamics/closed_inverse.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/model/manifold.hpp"
#include "rooms.hpp"

namespace limber::python {
namespace {

constexpr const char* kArrays =
    "q (nq), v (nv) and forces or accelerations (nv); None: zeros.  (K, nq) and (K, nv): a batch of K items on all "
    "cores, "
    "of trees and without wrenches.\n"
    "  wrenches: [(node, [torque, force]), ...] in world, or (node, [...], \"node\") in the node's axes.\n"
    "  workspace: of this thread, model.workspace(); None: one that the model keeps.\n"
    "  out: an array for the result, which is returned; nothing is allocated then.\n"
    "  status: of a batch, an array (K) of uint8 that gets 0 (ok) or the number of a Status for each item; rows of "
    "items that "
    "failed are NaN.  Without it, failure is a NumericalError.";

void refuse_wrenches(py::handle wrenches) {
  if (!wrenches.is_none())
    throw InputError("wrenches act on one state, not on a batch; BatchAba.set_wrenches takes them");
}

py::object py_aba(PyModel& m, py::handle q, py::handle v, py::handle tau, py::handle wrenches, Work* given,
                  py::handle out, py::handle status) {
  const Model& model = *m.model;
  const States x = read_states(model, q, v, tau, "tau");
  if (x.batch()) {
    refuse_wrenches(wrenches);
    const Result result = make_result(out, "out", {x.items(), model.nv});
    Statuses statuses(status, x.items());
    {
      const Unlocked unlocked;
      run_forward(m, x, result.data, statuses.data());
    }
    statuses.finish("aba");
    return result.array;
  }
  const Lent work(m, given);
  const Result result = make_result(out, "out", {model.nv});
  set_state(model, x.q, x.v, *work);
  const ConstVec forces = read_forces(model, x.u, "tau", *work, result.data);
  read_wrenches(model, wrenches, work->wrenches);
  AbaWorkspace& ws = work->aba();
  Status found{};
  {
    const Unlocked unlocked;
    found = aba(model, work->x, {forces, work->wrenches}, ws, Eigen::Map<VectorXd>(result.data, model.nv));
  }
  check("aba", model, found, ws.failure());
  return result.array;
}

py::object py_rnea(PyModel& m, py::handle q, py::handle v, py::handle vdot, py::handle wrenches, Work* given,
                   py::handle out, py::handle status) {
  const Model& model = *m.model;
  const States x = read_states(model, q, v, vdot, "vdot");
  if (x.batch()) {
    refuse_wrenches(wrenches);
    const Result result = make_result(out, "out", {x.items(), model.nv});
    Statuses statuses(status, x.items());
    {
      const Unlocked unlocked;
      run_inverse(m, x, result.data, statuses.data());
    }
    statuses.finish("rnea");
    return result.array;
  }
  const Lent work(m, given);
  const Result result = make_result(out, "out", {model.nv});
  set_state(model, x.q, x.v, *work);
  const ConstVec a = read_forces(model, x.u, "vdot", *work, result.data);
  read_wrenches(model, wrenches, work->wrenches);
  RneaWorkspace& ws = work->rnea();
  {
    const Unlocked unlocked;
    rnea(model, work->x, a, work->wrenches, ws, Eigen::Map<VectorXd>(result.data, model.nv));
  }
  return result.array;
}

py::object py_crba(PyModel& m, py::handle q, Work* given, py::handle out, py::handle status) {
  const Model& model = *m.model;
  const States x = read_states(model, q, py::none(), py::none(), "");
  const MatrixResult result(out, "out", x.items(), model.nv, model.nv);
  if (!x.batch()) {
    const Lent work(m, given);
    set_state(model, x.q, x.v, *work);
    CrbaWorkspace& ws = work->crba();
    {
      const Unlocked unlocked;
      crba(model, work->x, ws, result.matrix());
    }
    return result.finish();
  }
  Statuses statuses(status, x.items());
  {
    const Unlocked unlocked;
    for_pieces(x.items(), kSmallBatch, [&](Index first, Index count) {
      const Lent work(m, nullptr);
      for (Index k = first; k < first + count; ++k) {
        const bool good = set_item(model, x, k, *work);
        if (good) crba(model, work->x, work->crba(), result.matrix(k));
        if (!good) result.matrix(k).setConstant(std::numeric_limits<double>::quiet_NaN());
        statuses.data()[k] = static_cast<std::uint8_t>(good ? Status::ok : Status::not_finite);
      }
    });
  }
  statuses.finish("crba");
  return result.finish();
}

// f(model, state, vector, workspace, out): products with M and its inverse.
template <class F>
py::object multiply(PyModel& m, py::handle q, py::handle a, const char* name, Work* given, py::handle out, F f) {
  const Model& model = *m.model;
  const Lent work(m, given);
  const Result result = make_result(out, "out", {model.nv});
  set_state(model, q, py::none(), *work);
  const Numbers numbers = read_vector(a, wanted_v(model, name));
  const ConstVec x = read_forces(model, numbers, name, *work, result.data);
  f(model, *work, x, Eigen::Map<VectorXd>(result.data, model.nv));
  return result.array;
}

py::object py_multiply_mass(PyModel& m, py::handle q, py::handle a, Work* given, py::handle out) {
  return multiply(m, q, a, "a", given, out, [](const Model& model, Work& work, ConstVec x, Vec y) {
    RneaWorkspace& ws = work.rnea();
    const Unlocked unlocked;
    multiply_mass(model, work.x, x, ws, y);
  });
}

py::object py_solve_mass(PyModel& m, py::handle q, py::handle f, Work* given, py::handle out) {
  return multiply(m, q, f, "f", given, out, [](const Model& model, Work& work, ConstVec x, Vec y) {
    AbaWorkspace& ws = work.aba();
    Status found{};
    {
      const Unlocked unlocked;
      found = solve_mass(model, work.x, x, ws, y);
    }
    check("solve_mass", model, found, ws.failure());
  });
}

py::object py_forward_dynamics(PyModel& m, py::handle q, py::handle v, py::handle tau, const std::string& algorithm,
                               py::handle wrenches, Work* given, py::handle out) {
  const Model& model = *m.model;
  const Lent work(m, given);
  const Result result = make_result(out, "out", {model.nv});
  set_state(model, q, v, *work);
  const Numbers numbers = tau.is_none() ? Numbers{} : read_vector(tau, wanted_v(model, "tau"));
  const ConstVec forces = read_forces(model, numbers, "tau", *work, result.data);
  read_wrenches(model, wrenches, work->wrenches);
  ForwardDynamics& dynamics = work->forward(algorithm);
  Status found{};
  {
    const Unlocked unlocked;
    found = dynamics(work->x, {forces, work->wrenches}, Eigen::Map<VectorXd>(result.data, model.nv));
  }
  check(algorithm.c_str(), model, found, dynamics.failure());
  return result.array;
}

// {"elbow": 0.5}: flags by body, and the accelerations in vdot.
std::vector<std::uint8_t> read_prescribed(const Model& model, const py::dict& given, Vec vdot) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(model.body_count()), 0);
  for (const auto& [name, value] : given) {
    const int joint = model.joint_index(py::str(name).cast<std::string>());
    const int first = model.joints[joint].v, count = model.first_mode(joint) - first;
    out[static_cast<std::size_t>(joint)] = 1;
    const py::object list = PyNumber_Check(value.ptr()) != 0 && !py::isinstance<py::array>(value)
                                ? py::object(py::make_tuple(value))
                                : py::reinterpret_borrow<py::object>(value);
    const Numbers numbers = read_vector(list, {"the acceleration of a joint", count, "its speeds"});
    vdot.segment(first, count) = numbers.vector();
  }
  if (!vdot.allFinite()) throw InputError("accelerations of joints must be finite");
  return out;
}

py::tuple py_hybrid(PyModel& m, py::handle q, py::handle v, py::handle tau, const py::dict& prescribed,
                    py::handle wrenches, Work* given) {
  const Model& model = *m.model;
  const Lent work(m, given);
  const Result vdot = make_result(py::none(), "", {model.nv}), needed = make_result(py::none(), "", {model.nv});
  Eigen::Map<VectorXd> a(vdot.data, model.nv);
  a.setZero();
  set_state(model, q, v, *work);
  const Numbers numbers = tau.is_none() ? Numbers{} : read_vector(tau, wanted_v(model, "tau"));
  const ConstVec forces = read_forces(model, numbers, "tau", *work, nullptr);
  read_wrenches(model, wrenches, work->wrenches);
  const std::vector<std::uint8_t> joints = read_prescribed(model, prescribed, a);
  AbaWorkspace& ws = work->aba();
  Status found{};
  {
    const Unlocked unlocked;
    found =
        hybrid(model, work->x, {forces, work->wrenches}, joints, ws, a, Eigen::Map<VectorXd>(needed.data, model.nv));
  }
  check("hybrid", model, found, ws.failure());
  return py::make_tuple(vdot.array, needed.array);
}

py::object py_energy(PyModel& m, py::handle q, py::handle v, Work* given, py::handle status) {
  const Model& model = *m.model;
  const States x = read_states(model, q, v, py::none(), "");
  if (x.batch()) {
    Array out(std::vector<py::ssize_t>{x.items(), 4});
    double* data = out.mutable_data();
    Statuses statuses(status, x.items());
    {
      const Unlocked unlocked;
      run_energy(m, x, data, statuses.data());
    }
    statuses.finish("compute_energy");
    const py::object columns = out.attr("T");
    return named_tuple("Energy", py::tuple(columns));
  }
  const Lent work(m, given);
  set_state(model, x.q, x.v, *work);
  RneaWorkspace& ws = work->rnea();
  Energy e;
  {
    const Unlocked unlocked;
    e = compute_energy(model, work->x, ws);
  }
  return named_tuple("Energy", py::make_tuple(e.kinetic, e.gravity, e.elastic, e.springs));
}

py::object py_momentum(PyModel& m, py::handle q, py::handle v, Work* given) {
  const Lent work(m, given);
  set_state(*m.model, q, v, *work);
  const Momentum p = compute_momentum(*m.model, work->x, work->rnea());
  return named_tuple("Momentum", py::make_tuple(p.linear, p.angular));
}

py::object py_move(PyModel& m, py::handle q, py::handle dv, py::handle out) {
  const Model& model = *m.model;
  const Numbers from = read_vector(q, wanted_q(model)), step = read_vector(dv, wanted_v(model, "dv"));
  const Result result = make_result(out, "out", {model.nq});
  move(model, from.vector(), step.vector(), Eigen::Map<VectorXd>(result.data, model.nq));
  return result.array;
}

// Accelerations of the closed chain with the forces of its closures, as `limber eval` has them.
py::tuple py_close(PyModel& m, py::handle q, py::handle v, py::handle vdot, Work* given) {
  const Model& model = *m.model;
  const Lent work(m, given);
  set_state(model, q, v, *work);
  VectorXd a = read_vector(vdot, wanted_v(model, "vdot")).vector();
  ClosureWorkspace& closures = work->closures();
  AbaWorkspace& ws = work->aba();
  check("close_other", model, close_other(model, work->x, ws, closures, a), ws.failure());
  py::dict forces, errors;
  for (std::size_t k = 0; k < model.closures.size(); ++k) {
    const Vector6 force = closures.forces().segment<6>(static_cast<Index>(6 * k));
    forces[py::str(model.closures[k].name)] = py::cast(VectorXd(force));
    errors[py::str(model.closures[k].name)] = closures.closure_error(static_cast<int>(k));
  }
  return py::make_tuple(a, forces, errors);
}

py::tuple py_inverse_closed(PyModel& m, py::handle q, py::handle v, py::handle vdot, py::handle actuated,
                            py::handle wrenches) {
  const Model& model = *m.model;
  const Lent work(m, nullptr);
  set_state(model, q, v, *work);
  const Numbers a = read_vector(vdot, wanted_v(model, "vdot"));
  check_finite(a, wanted_v(model, "vdot"), model.speeds);
  read_wrenches(model, wrenches, work->wrenches);
  std::vector<std::uint8_t> speeds(static_cast<std::size_t>(model.nv), 0);
  for (const py::handle name : actuated) speeds[static_cast<std::size_t>(model.speed(name.cast<std::string>()))] = 1;
  ClosedInverseWorkspace ws(model, speeds);
  VectorXd tau(model.nv);
  check("inverse_closed", model, inverse_closed(model, work->x, a.vector(), work->wrenches, ws, tau), -1);
  return py::make_tuple(tau, ws.lambda());
}

void define_others(py::module_& m) {
  m.def("compute_energy", &py_energy,
        Signature("(model: Model, q: ArrayLike, v: ArrayLike | None = None, *, workspace: Workspace | None = None, "
                  "status: Array | "
                  "None = None) -> Energy",
                  "compute_energy", "J; of a batch, (K, nq) and (K, nv), each energy is an array (K)."));
  m.def("compute_momentum", &py_momentum,
        Signature("(model: Model, q: ArrayLike, v: ArrayLike, *, workspace: Workspace | None = None) -> Momentum",
                  "compute_momentum", "linear (3), kg m/s, and angular (3) about the world origin, kg m^2/s."));
  m.def("move", &py_move,
        Signature("(model: Model, q: ArrayLike, dv: ArrayLike, *, out: Array | None = None) -> Array", "move"));
  m.def("close_accelerations", &py_close,
        Signature("(model: Model, q: ArrayLike, v: ArrayLike | None, vdot: ArrayLike, *, workspace: Workspace | None = "
                  "None) -> "
                  "tuple[Array, dict[str, Array], dict[str, float]]",
                  "close_other",
                  "vdot: of the open tree.  Returns those of the closed chain, and for each closure its wrench "
                  "[torque, force] on node b in world and its violation."));
  m.def(
      "inverse_closed", &py_inverse_closed,
      Signature("(model: Model, q: ArrayLike, v: ArrayLike | None, vdot: ArrayLike, actuated: Sequence[str], *, "
                "wrenches: Wrenches "
                "= None) -> tuple[Array, Array]",
                "inverse_closed", "actuated: names of speeds.  Returns tau (nv) and the multipliers of the closures."));
}

}  // namespace

void define_dynamics(py::module_& m) {
  const std::string states = "(model: Model, q: ArrayLike, v: ArrayLike | None, ";
  const std::string options =
      "wrenches: Wrenches = None, workspace: Workspace | None = None, out: Array | None = None, status: Array | None = "
      "None) "
      "-> Array";
  m.def("aba", &py_aba,
        Signature(
            states + "tau: ArrayLike | None = None, *, " + options, "aba",
            std::string("Returns vdot (nv): rad/s^2, m/s^2.  Closures are ignored: forward_dynamics includes them.\n") +
                kArrays));
  m.def("rnea", &py_rnea,
        Signature(states + "vdot: ArrayLike | None = None, *, " + options, "rnea",
                  std::string("Returns tau (nv): N m, N.\n") + kArrays));
  m.def(
      "crba", &py_crba,
      Signature(
          "(model: Model, q: ArrayLike, *, workspace: Workspace | None = None, out: Array | None = None, status: Array "
          "| None = None) -> Array",
          "crba", "q (nq) gives (nv, nv), (K, nq) a batch (K, nv, nv) on all cores; kg, kg m, kg m^2."));
  const std::string mass = "(model: Model, q: ArrayLike, ",
                    end =
                        ": ArrayLike, *, workspace: Workspace | None = None, out: Array "
                        "| None = None) -> Array";
  m.def("multiply_mass", &py_multiply_mass, Signature(mass + "a" + end, "multiply_mass"));
  m.def("solve_mass", &py_solve_mass, Signature(mass + "f" + end, "solve_mass"));
  m.def("forward_dynamics", &py_forward_dynamics,
        Signature(
            states + "tau: ArrayLike | None = None, algorithm: str = \"aba\", *, wrenches: Wrenches = None, workspace: "
                     "Workspace | None = None, out: Array | None = None) -> Array",
            "make_forward_dynamics", "vdot (nv) by the algorithm of this name, see forward_dynamics_names()."));
  m.def("forward_dynamics_names", &forward_dynamics_names, Signature("() -> list[str]", "forward_dynamics_names"));
  m.def("hybrid", &py_hybrid,
        Signature(
            states +
                "tau: ArrayLike | None, prescribed: dict[str, Any], *, wrenches: Wrenches = None, workspace: Workspace "
                "| None = None) -> tuple[Array, Array]",
            "hybrid",
            "prescribed: {joint: acceleration}, a list where the joint has several speeds.  Returns vdot and tau "
            "(nv), with the torques that these joints need."));
  define_others(m);
}

}  // namespace limber::python
