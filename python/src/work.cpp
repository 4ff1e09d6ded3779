// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

#include "arrays.hpp"

namespace limber::python {

Lent::Lent(PyModel& model, Work* given) : model_(model), work_(given) {
  if (given == nullptr) {
    own_ = model.take();
    work_ = own_.get();
    return;
  }
  if (given->model != model.model)
    throw InputError("the workspace is of another model; make one with model.workspace()");
  if (given->busy.exchange(true))
    throw InputError("the workspace is in use by another thread; make one for each thread with model.workspace()");
}

Lent::~Lent() {
  if (own_)
    model_.works.give_back(std::move(own_));
  else
    work_->busy = false;
}

NodeRef node_of(const Model& model, py::handle node) {
  if (py::isinstance<py::str>(node)) return model.node(node.cast<std::string>());
  if (!py::isinstance<NodeRef>(node))
    throw InputError(std::string("a node is a name, as in 'fore.tip', or model.node(name); it is of type ") +
                     Py_TYPE(node.ptr())->tp_name);
  const auto out = node.cast<NodeRef>();
  if (out.body < 0 || out.body >= model.body_count() || out.node < kBodyFrame ||
      out.node >= static_cast<int>(model.body(out.body).nodes.size()))
    throw InputError("the node is of another model");
  return out;
}

void read_wrenches(const Model& model, py::handle wrenches, std::vector<NodeWrench>& out) {
  out.clear();
  if (wrenches.is_none()) return;
  const auto bad = [] {
    return InputError("wrenches must be a list of (node, [torque, force]) or (node, [torque, force], 'node')");
  };
  if (!py::isinstance<py::sequence>(wrenches)) throw bad();
  for (const py::handle item : wrenches) {
    if (!py::isinstance<py::sequence>(item) || py::isinstance<py::str>(item)) throw bad();
    const auto parts = py::reinterpret_borrow<py::sequence>(item);
    if (parts.size() < 2 || parts.size() > 3) throw bad();
    NodeWrench wrench;
    wrench.at = node_of(model, py::object(parts[0]));
    const py::object values = parts[1];
    const Numbers numbers = read_vector(values, {"a wrench", 6, "torque and force"});
    for (int k = 0; k < 6; ++k) wrench.wrench[k] = numbers.data[k * numbers.stride];
    if (!wrench.wrench.allFinite()) throw InputError("a wrench must be finite");
    if (parts.size() == 3) wrench.frame = py::object(parts[2]).cast<Frame>();
    out.push_back(wrench);
  }
}

std::vector<std::uint8_t> read_joints(const Model& model, py::handle joints) {
  std::vector<std::uint8_t> out;
  if (joints.is_none()) return out;
  if (py::isinstance<py::str>(joints))
    throw InputError("joints must be a list of names, not one text; write ['elbow']");
  out.assign(static_cast<std::size_t>(model.body_count()), 0);
  for (const py::handle name : joints) out[static_cast<std::size_t>(model.joint_index(name.cast<std::string>()))] = 1;
  return out;
}

void fail(const char* what, const Model& model, Status status, int speed) {
  std::string text = std::string(what) + ": " + to_string(status);
  if (status == Status::singular_mass && speed >= 0)
    text +=
        ": '" + model.speeds[speed] + "' has no inertia at this state; give its body mass, or its joint an armature";
  if (status == Status::not_finite) text += "; use smaller numbers";
  throw NumericalError(text);
}

py::object named_tuple(const char* name, const py::tuple& values) {
  static PyObject* tuples = py::module_::import("limber._tuples").release().ptr();
  return py::handle(tuples).attr(name)(*values);
}

}  // namespace limber::python
