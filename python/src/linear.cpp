// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "apps/linearize_names.hpp"
#include "calls.hpp"
#include "limber/linear/analysis.hpp"
#include "limber/linear/campbell.hpp"
#include "limber/linear/facts.hpp"
#include "limber/linear/riccati.hpp"
#include "rooms.hpp"

namespace limber::python {
namespace {

// "fore.tip.z" is short for "position.z:fore.tip"; all else as the program has it.
std::string spelled_out(const Model& model, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || name.find(':') != std::string::npos || model.find_joint(name) > 0) return name;
  if (std::find(model.speeds.begin(), model.speeds.end(), name) != model.speeds.end()) return name;
  const std::string axis = name.substr(dot + 1);
  if (axis != "x" && axis != "y" && axis != "z") return name;
  return "position." + axis + ":" + name.substr(0, dot);
}

// Names as on the command line, without its name in messages.
template <class F>
auto by_name(F find) {
  try {
    return find();
  } catch (const InputError& e) {
    std::string text = e.what();
    const std::string program = "limber linearize: ";
    if (text.rfind(program, 0) == 0) text.erase(0, program.size());
    throw InputError(text);
  }
}

LinearizeOptions linearize_options(const Model& model, py::handle inputs, py::handle outputs, py::handle held,
                                   py::handle tau, py::handle wrenches) {
  LinearizeOptions out = make_joint_options(model, read_joints(model, held));
  if (!inputs.is_none()) {
    out.inputs.clear();
    for (const py::handle name : inputs) {
      for (const int speed : by_name([&] { return apps::find_speeds(model, name.cast<std::string>()); }))
        out.inputs.push_back(speed);
    }
  }
  if (!outputs.is_none()) {
    out.outputs.clear();
    for (const py::handle name : outputs) {
      const std::string text = spelled_out(model, name.cast<std::string>());
      for (LinearOutput& output : by_name([&] { return apps::find_outputs(model, text); }))
        out.outputs.push_back(std::move(output));
    }
  }
  if (!tau.is_none()) {
    const Numbers numbers = read_vector(tau, wanted_v(model, "tau"));
    check_finite(numbers, wanted_v(model, "tau"), model.speeds);
    out.tau = numbers.vector();
  }
  read_wrenches(model, wrenches, out.wrenches);
  return out;
}

LinearSystem py_linearize(PyModel& m, py::handle q, py::handle v, py::handle inputs, py::handle outputs,
                          py::handle held, py::handle tau, py::handle wrenches) {
  const Model& model = *m.model;
  const Lent work(m, nullptr);
  set_state(model, q, v, *work);
  const LinearizeOptions options = linearize_options(model, inputs, outputs, held, tau, wrenches);
  const py::gil_scoped_release release;
  return linearize(model, work->x, options);
}

void define_system(py::module_& m) {
  py::class_<LinearSystem> cls(m, "LinearSystem",
                               (header_doc("LinearSystem") + "\n\nA, B, C, D = system unpacks it.").c_str());
  const auto property = [&](const char* name, const char* type, auto get, const char* more = "") {
    cls.def_property_readonly(name, get,
                              property_doc(cls, name, type, std::string("LinearSystem::") + name, more).c_str());
  };
  property(
      "A", "Array", [](const LinearSystem& s) { return s.A; }, "(n, n) of x' = A x + B u.");
  property(
      "B", "Array", [](const LinearSystem& s) { return s.B; }, "(n, inputs).");
  property(
      "C", "Array", [](const LinearSystem& s) { return s.C; }, "(outputs, n).");
  property(
      "D", "Array", [](const LinearSystem& s) { return s.D; }, "(outputs, inputs).");
  property(
      "M", "Array", [](const LinearSystem& s) { return s.M; }, "Mass matrix of the coordinates.");
  property(
      "damping", "Array", [](const LinearSystem& s) { return s.damping; }, "Of the second-order form.");
  property(
      "stiffness", "Array", [](const LinearSystem& s) { return s.stiffness; }, "Of the second-order form.");
  property("basis", "Array", [](const LinearSystem& s) { return s.basis; });
  property("free", "list[int]", [](const LinearSystem& s) { return s.free; });
  property("acceleration", "Array", [](const LinearSystem& s) { return s.acceleration; });
  property(
      "point", "State", [](const LinearSystem& s) { return s.point; }, "Where it holds.");
  property(
      "states", "list[str]", [](const LinearSystem& s) { return s.states; }, "Names of x.");
  property(
      "inputs", "list[str]", [](const LinearSystem& s) { return s.inputs; }, "Names of u.");
  property(
      "outputs", "list[str]", [](const LinearSystem& s) { return s.outputs; }, "Names of y.");
  cls.def(
      "__iter__", [](const LinearSystem& s) { return py::iter(py::make_tuple(s.A, s.B, s.C, s.D)); },
      Signature("() -> Iterator[Array]", "", "A, B, C, D."));
  cls.def("__len__", [](const LinearSystem&) { return 4; });
  Struct<VibrationMode>(m, "VibrationMode")
      .field("frequency", &VibrationMode::frequency, "float")
      .field("damping", &VibrationMode::damping, "float")
      .field("growth", &VibrationMode::growth, "float")
      .field("shape", &VibrationMode::shape, "Array");
}

void define_analysis(py::module_& m) {
  m.def("compute_modes", &compute_modes, py::call_guard<py::gil_scoped_release>(),
        Signature("(system: LinearSystem) -> list[VibrationMode]", "compute_modes"));
  m.def("compute_poles", &compute_poles, py::call_guard<py::gil_scoped_release>(),
        Signature("(system: LinearSystem) -> Array", "compute_poles", "Complex, 1/s."));
  m.def(
      "compute_zeros",
      [](const LinearSystem& system, int input, int output) {
        if (input < 0 || input >= system.B.cols() || output < 0 || output >= system.C.rows())
          throw InputError("compute_zeros: there is no input " + std::to_string(input) + " or no output " +
                           std::to_string(output) + "; the system has " + std::to_string(system.B.cols()) +
                           " inputs and " + std::to_string(system.C.rows()) + " outputs, counted from 0");
        return compute_zeros(system, input, output);
      },
      Signature("(system: LinearSystem, input: int = 0, output: int = 0) -> Array", "compute_zeros",
                "Complex, 1/s; of one input and one output, by index."));
  m.def(
      "transfer_function",
      [](const LinearSystem& system, py::handle s) {
        const auto points = py::array_t<std::complex<double>, py::array::c_style | py::array::forcecast>::ensure(s);
        if (!points || points.ndim() > 1) throw InputError("s is one complex number or a list of them");
        if (points.ndim() == 0) return py::object(py::cast(transfer_function(system, *points.data())));
        py::list out;
        for (py::ssize_t k = 0; k < points.size(); ++k) out.append(py::cast(transfer_function(system, points.at(k))));
        return py::module_::import("numpy").attr("array")(out);
      },
      Signature("(system: LinearSystem, s: complex | ArrayLike) -> Array", "transfer_function",
                "(outputs, inputs), for a list of s (K, outputs, inputs)."));
  m.def(
      "solve_riccati",
      [](const MatrixXd& A, const MatrixXd& B, const MatrixXd& Q, const MatrixXd& R) {
        if (A.rows() != A.cols() || B.rows() != A.rows() || Q.rows() != A.rows() || Q.cols() != A.rows() ||
            R.rows() != B.cols() || R.cols() != B.cols()) {
          const auto size = [](const MatrixXd& m) {
            return "(" + std::to_string(m.rows()) + ", " + std::to_string(m.cols()) + ")";
          };
          throw InputError("solve_riccati: A " + size(A) + ", B " + size(B) + ", Q " + size(Q) + ", R " + size(R) +
                           " do not fit; they must be (n, n), (n, m), (n, n), (m, m)");
        }
        return solve_riccati(A, B, Q, R);
      },
      Signature("(A: ArrayLike, B: ArrayLike, Q: ArrayLike, R: ArrayLike) -> Array | None", "solve_riccati"));
  m.def(
      "sample",
      [](const MatrixXd& A, const MatrixXd& B, double period) {
        if (A.rows() != A.cols() || B.rows() != A.rows() || !(period > 0))
          throw InputError("sample wants A (n, n), B (n, m) and a period above 0");
        const Sampled out = sample(A, B, period);
        return py::make_tuple(out.A, out.B);
      },
      Signature("(A: ArrayLike, B: ArrayLike, period: float) -> tuple[Array, Array]", "Sampled",
                "period: s.  Returns A and B of the sampled system (zero-order hold)."));
}

void define_facts(py::module_& m) {
  Struct<FrequencyFacts>(m, "FrequencyFacts")
      .field("why_not", &FrequencyFacts::why_not, "str")
      .field("caution", &FrequencyFacts::caution, "str")
      .field("rigid", &FrequencyFacts::rigid, "int")
      .field("joints_free", &FrequencyFacts::joints_free, "list[float]")
      .field("joints_locked", &FrequencyFacts::joints_locked, "list[float]")
      .field("free_shapes", &FrequencyFacts::free_shapes, "Array")
      .field("locked_shapes", &FrequencyFacts::locked_shapes, "Array");
  m.def(
      "compute_frequencies",
      [](PyModel& model, py::handle q) {
        const Lent work(model, nullptr);
        if (q.is_none())
          work->x = make_zero_state(*model.model);
        else
          set_state(*model.model, q, py::none(), *work);
        const py::gil_scoped_release release;
        return compute_frequencies(*model.model, work->x);
      },
      Signature("(model: Model, q: ArrayLike | None = None) -> FrequencyFacts", "FrequencyFacts",
                "q: None is the zero state."));
  Struct<RotorMode>(m, "RotorMode")
      .field("exponent", &RotorMode::exponent, "complex")
      .field("frequency", &RotorMode::frequency, "float")
      .field("damping", &RotorMode::damping, "float")
      .field("rotating", &RotorMode::rotating, "bool");
  m.def(
      "compute_campbell",
      [](PyModel& model, const std::string& rotor, const std::vector<double>& speeds, const py::object& start,
         bool free, py::handle held) {
        RotorOptions options;
        options.rotor = model.model->joint_index(rotor);
        options.free = free;
        options.held = read_joints(*model.model, held);
        const State x = start.is_none() ? make_zero_state(*model.model) : start.cast<State>();
        check_state(*model.model, x);
        Campbell found;
        {
          const py::gil_scoped_release release;
          found = compute_campbell(*model.model, x, options, speeds);
        }
        std::vector<std::vector<RotorMode>> out;
        for (const RotorModes& at : found.at) out.push_back(at.modes);
        return out;
      },
      Signature("(model: Model, rotor: str, speeds: Sequence[float], *, start: State | None = None, free: bool = "
                "False, held: "
                "Sequence[str] | None = None) -> list[list[RotorMode]]",
                "Campbell",
                "speeds: rad/s of the joint `rotor`; result[speed][branch].  free: turned by a constant torque."));
}

}  // namespace

void define_linear(py::module_& m) {
  define_system(m);
  m.def("linearize", &py_linearize,
        Signature(
            "(model: Model, q: ArrayLike, v: ArrayLike | None = None, *, inputs: Sequence[str] | None = None, outputs: "
            "Sequence[str] | None = None, held: Sequence[str] | None = None, tau: ArrayLike | None = None, wrenches: "
            "Wrenches "
            "= None) -> LinearSystem",
            "linearize",
            "inputs: names of joints or speeds, torques on which are u; outputs: \"elbow\", \"rate:elbow\", "
            "\"fore.tip.z\" or "
            "\"position.z:fore.tip\", \"position:fore.tip\", \"turn:...\", \"velocity:...\", \"spin:...\", "
            "\"acceleration:...\", "
            "\"curvature.z:boom.root,boom.tip\", \"strain:boom.root,boom.tip\"; None: torques and angles of all "
            "joints.  held: "
            "joints that keep their speed.  tau (nv): forces at the point."));
  define_analysis(m);
  define_facts(m);
}

}  // namespace limber::python
