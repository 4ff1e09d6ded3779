// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "calls.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/linear/facts.hpp"
#include "limber/model/segments.hpp"
#include "rooms.hpp"

namespace limber::python {
namespace {

constexpr const char* kNode =
    "node: its name, \"fore.tip\", \"fore\" (the frame of the body), or model.node(name).  q (nq), v (nv).";

// Kinematics of a state, with poses in world.
const Kinematics& look(const Model& model, py::handle q, py::handle v, Work& work) {
  set_state(model, q, v, work);
  KinematicsWorkspace& kin = work.kinematics();
  const Unlocked unlocked;
  compute_kinematics(model, work.x, kin);
  compute_world_poses(model, kin);
  return kin;
}

py::object pose_tuple(const Pose& pose) { return named_tuple("Pose", py::make_tuple(pose.R, pose.p)); }

py::object py_node_pose(PyModel& m, py::handle q, py::handle node, Work* given, py::handle status) {
  const Model& model = *m.model;
  const NodeRef at = node_of(model, node);
  const States x = read_states(model, q, py::none(), py::none(), "");
  if (!x.batch()) {
    const Lent work(m, given);
    return pose_tuple(node_pose(model, look(model, q, py::none(), *work), at));
  }
  Array out(std::vector<py::ssize_t>{x.items(), 12});
  double* data = out.mutable_data();
  Statuses statuses(status, x.items());
  {
    const Unlocked unlocked;
    run_poses(m, at, x, data, statuses.data());
  }
  statuses.finish("node_pose");
  const py::object all = py::slice(0, x.items(), 1);
  const py::object R = out[py::make_tuple(all, py::slice(0, 9, 1))], p = out[py::make_tuple(all, py::slice(9, 12, 1))];
  return named_tuple("Pose", py::make_tuple(R.attr("reshape")(x.items(), 3, 3), p));
}

py::object py_jacobian(PyModel& m, py::handle q, py::handle node, Work* given, py::handle out) {
  const Model& model = *m.model;
  const NodeRef at = node_of(model, node);
  const Lent work(m, given);
  const MatrixResult result(out, "out", -1, 6, model.nv);
  const Kinematics& kin = look(model, q, py::none(), *work);
  compute_node_jacobian(model, kin, at, Eigen::Map<Matrix6X>(result.item(0), 6, model.nv));
  return result.finish();
}

Vector6 py_node_velocity(PyModel& m, py::handle q, py::handle v, py::handle node, Work* given) {
  const Lent work(m, given);
  const NodeRef at = node_of(*m.model, node);
  const Kinematics& kin = look(*m.model, q, v, *work);
  return node_velocity(*m.model, kin, at, work->x.v);
}

Vector6 py_node_acceleration(PyModel& m, py::handle q, py::handle v, py::handle vdot, py::handle node, Work* given) {
  const Model& model = *m.model;
  const Lent work(m, given);
  const NodeRef at = node_of(model, node);
  const Kinematics& kin = look(model, q, v, *work);
  const Numbers a = vdot.is_none() ? Numbers{} : read_vector(vdot, wanted_v(model, "vdot"));
  return node_acceleration(model, kin, at, read_forces(model, a, "vdot", *work, nullptr));
}

Vector3d py_center_of_mass(PyModel& m, py::handle q, Work* given) {
  const Lent work(m, given);
  return compute_center_of_mass(*m.model, look(*m.model, q, py::none(), *work));
}

py::dict py_node_poses(PyModel& m, py::handle q, Work* given) {
  const Model& model = *m.model;
  const Lent work(m, given);
  const Kinematics& kin = look(model, q, py::none(), *work);
  py::dict out;
  for (const NodeRef node : visible_nodes(model))
    out[py::str(node_name(model, node))] = pose_tuple(node_pose(model, kin, node));
  return out;
}

MatrixXd py_operational_inertia(PyModel& m, py::handle q, const py::list& nodes, Work* given) {
  const Model& model = *m.model;
  const Lent work(m, given);
  std::vector<NodeRef> at;
  for (const py::handle node : nodes) at.push_back(node_of(model, node));
  set_state(model, q, py::none(), *work);
  AbaWorkspace& ws = work->aba();
  check("factor_mass", model, factor_mass(model, work->x, ws), ws.failure());
  MatrixXd out(6 * static_cast<Index>(at.size()), 6 * static_cast<Index>(at.size()));
  compute_operational_inertia(model, at, ws, work->operational(), out);
  return out;
}

double py_log_det_mass(PyModel& m, py::handle q, Work* given) {
  const Model& model = *m.model;
  const Lent work(m, given);
  set_state(model, q, py::none(), *work);
  AbaWorkspace& ws = work->aba();
  check("factor_mass", model, factor_mass(model, work->x, ws), ws.failure());
  return compute_log_det_mass(model, ws);
}

// The nearest state that meets the closures: (q, v).
py::tuple py_project(PyModel& m, py::handle q, py::handle v, py::handle kept, double tolerance) {
  const Model& model = *m.model;
  const Lent work(m, nullptr);
  set_state(model, q, v, *work);
  const std::vector<std::uint8_t> joints = read_joints(model, kept);
  State x = work->x;
  if (project_position(model, x, joints, tolerance, work->aba(), work->closures()) < 0)
    throw NumericalError("project: the closures cannot be satisfied from here; start nearer, or keep fewer joints");
  check("project", model, project_velocity(model, x, joints, work->aba(), work->closures()), -1);
  return py::make_tuple(x.q, x.v);
}

MatrixXd py_closure_jacobian(PyModel& m, py::handle q, Work* given) {
  const Model& model = *m.model;
  const Lent work(m, given);
  const Kinematics& kin = look(model, q, py::none(), *work);
  ClosureWorkspace& closures = work->closures();
  compute_closures(model, kin, closures);
  MatrixXd C = MatrixXd::Zero(closures.count(), model.nv);
  Matrix6X scratch(6, model.nv);
  compute_closure_jacobian(model, kin, closures, scratch, C);
  return C;
}

Vector6 py_node_bias_acceleration(PyModel& m, py::handle q, py::handle v, py::handle node, Work* given) {
  const Lent work(m, given);
  const NodeRef at = node_of(*m.model, node);
  return node_bias_acceleration(*m.model, look(*m.model, q, v, *work), at);
}

VectorXd py_respond(PyModel& m, py::handle q, const py::list& nodes, const VectorXd& lambda, Work* given) {
  const Model& model = *m.model;
  const Lent work(m, given);
  std::vector<NodeRef> at;
  for (const py::handle node : nodes) at.push_back(node_of(model, node));
  if (lambda.size() != 6 * static_cast<Index>(at.size()) || !lambda.allFinite())
    throw InputError("wrenches: 6 finite numbers are wanted for each node");
  set_state(model, q, py::none(), *work);
  AbaWorkspace& ws = work->aba();
  check("factor_mass", model, factor_mass(model, work->x, ws), ws.failure());
  VectorXd dv(model.nv);
  respond(model, at, lambda, ws, work->operational(), dv);
  return dv;
}

void define_closures(py::module_& m) {
  const std::string ws = ", *, workspace: Workspace | None = None";
  m.def("project", &py_project,
        Signature("(model: Model, q: ArrayLike, v: ArrayLike | None = None, kept: Sequence[str] | None = None, "
                  "tolerance: float = "
                  "1e-12) -> tuple[Array, Array]",
                  "",
                  "The nearest state (q, v) that satisfies the closures of the model: project_position and "
                  "project_velocity of C++.  "
                  "kept: joints that stay."));
  m.def("compute_closure_jacobian", &py_closure_jacobian,
        Signature("(model: Model, q: ArrayLike" + ws + ") -> Array", "compute_closure_jacobian"));
  m.def("node_bias_acceleration", &py_node_bias_acceleration,
        Signature("(model: Model, q: ArrayLike, v: ArrayLike, node: str | NodeRef" + ws + ") -> Array",
                  "node_bias_acceleration"));
  m.def(
      "respond", &py_respond,
      Signature("(model: Model, q: ArrayLike, nodes: Sequence[str | NodeRef], wrenches: ArrayLike" + ws + ") -> Array",
                "respond"));
}

}  // namespace

void define_nodes(py::module_& m) {
  define_closures(m);
  const std::string ws = ", *, workspace: Workspace | None = None";
  m.def("node_pose", &py_node_pose,
        Signature("(model: Model, q: ArrayLike, node: str | NodeRef" + ws + ", status: Array | None = None) -> Pose",
                  "node_pose",
                  std::string(
                      "R (3, 3), p (3) in m: x_world = R x_node + p.  A batch (K, nq) gives (K, 3, 3) and (K, 3).\n") +
                      kNode));
  m.def("node_poses", &py_node_poses,
        Signature("(model: Model, q: ArrayLike" + ws + ") -> dict[str, Pose]", "",
                  "Poses in world of every node of the machine, by name: \"fore.tip\"."));
  m.def("compute_node_jacobian", &py_jacobian,
        Signature(
            "(model: Model, q: ArrayLike, node: str | NodeRef" + ws + ", out: Array | None = None) -> Array",
            "compute_node_jacobian",
            std::string("[angular; linear] at the node's origin, world components.  Also called jacobian.\n") + kNode));
  m.attr("jacobian") = m.attr("compute_node_jacobian");
  m.attr("energy") = m.attr("compute_energy");
  m.def("node_velocity", &py_node_velocity,
        Signature("(model: Model, q: ArrayLike, v: ArrayLike, node: str | NodeRef" + ws + ") -> Array", "node_velocity",
                  std::string("The velocity: (6) rad/s, m/s; [angular; linear] in world.\n") + kNode));
  m.def("node_acceleration", &py_node_acceleration,
        Signature("(model: Model, q: ArrayLike, v: ArrayLike, vdot: ArrayLike | None, node: str | NodeRef" + ws +
                      ") -> Array",
                  "node_acceleration",
                  std::string("The acceleration: (6) rad/s^2, m/s^2; [angular; linear] in world.\n") + kNode));
  m.def("compute_center_of_mass", &py_center_of_mass,
        Signature("(model: Model, q: ArrayLike" + ws + ") -> Array", "",
                  "The centre of mass (3) of the machine in world, m."));
  m.def("compute_operational_inertia", &py_operational_inertia,
        Signature("(model: Model, q: ArrayLike, nodes: Sequence[str | NodeRef]" + ws + ") -> Array",
                  "compute_operational_inertia"));
  m.def("compute_log_det_mass", &py_log_det_mass,
        Signature("(model: Model, q: ArrayLike" + ws + ") -> float", "compute_log_det_mass"));
}

}  // namespace limber::python
