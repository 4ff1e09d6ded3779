// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scenario/simulation.hpp"

#include <atomic>

#include "arrays.hpp"
#include "limber/model/segments.hpp"
#include "rooms.hpp"
#include "scenarios.hpp"
#include "work.hpp"

namespace limber::python {
namespace {

class SignalListener : public RunListener {
 public:
  bool go_on(double /*t*/, const StepCounts&) override { return signals_.go_on(); }

 private:
  Signals signals_;
};

// A Simulation that one thread uses at a time.
struct PySimulation {
  explicit PySimulation(Scenario scenario)
      : sim(std::move(scenario)), model(std::make_shared<PyModel>(sim.scenario().model)) {}
  Simulation sim;
  std::shared_ptr<PyModel> model;
  std::atomic<bool> busy = false;
};

// For the time of a call.
class InUse {
 public:
  explicit InUse(PySimulation& s) : s_(s) {
    if (s.busy.exchange(true))
      throw InputError(
          "the simulation is moving: another thread, or its own controller, uses it; a controller sees the state x");
  }
  ~InUse() { s_.busy = false; }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  PySimulation& s_;
};

using Simulations = py::class_<PySimulation>;

void py_advance_to(PySimulation& s, double t) {
  const InUse use(s);
  SignalListener listener;
  {
    const py::gil_scoped_release release;
    s.sim.advance_to(t, listener);
  }
  raise_pending();
}

void py_step(PySimulation& s, double dt) {
  const InUse use(s);
  SignalListener listener;
  {
    const py::gil_scoped_release release;
    s.sim.step(dt, listener);
  }
  raise_pending();
}

// A port's values: numbers, or one number.
VectorXd port_values(const std::string& port, py::handle values) {
  const Array array = Array::ensure(values);
  if (!array || array.ndim() > 1)
    throw InputError("write: port '" + port + "' takes a number or a vector of numbers, not " +
                     py::repr(values).cast<std::string>());
  return Eigen::Map<const VectorXd>(array.data(), array.size());
}

// law(x, torques), with copies that it may keep.
void py_set_controller(PySimulation& s, double rate, const py::function& law) {
  const InUse use(s);
  // Its last reference goes with the simulation, which may be deleted anywhere.
  std::shared_ptr<PyObject> shared(law.inc_ref().ptr(), [](PyObject* object) {
    const py::gil_scoped_acquire lock;
    Py_DECREF(object);
  });
  s.sim.set_controller(rate, [shared](const State& x, Vec torques) {
    const py::gil_scoped_acquire lock;
    Array given(torques.size());
    std::fill_n(given.mutable_data(), torques.size(), 0.0);
    const py::object returned = py::handle(shared.get())(x, given);
    if (!returned.is_none()) throw InputError("a controller writes into torques and returns nothing: torques[0] = ...");
    torques = Eigen::Map<const VectorXd>(given.data(), torques.size());
  });
}

// Calls that read or write and take no time.
template <class F>
auto guarded(F f) {
  return [f](PySimulation& s, auto... arguments) {
    const InUse use(s);
    return f(s.sim, arguments...);
  };
}

void define_time(Simulations& cls) {
  cls.def("advance_to", &py_advance_to,
          Signature("(t: float) -> None", "",
                    "Advances to the time t, s, with as many steps of the method as needed.  Ctrl-C stops it "
                    "where it is.  Raises NumericalError where the run fails."));
  cls.def("step", &py_step,
          Signature("(dt: float) -> None", "",
                    "Advances by dt, s, with as many steps of the method as needed.  Ctrl-C stops it where it is."));
  cls.def(
      "set_state",
      [](PySimulation& s, const State& x) {
        const InUse use(s);
        s.sim.set_state(x);
      },
      Signature("(x: State | dict[str, Any]) -> None", "Simulation::set_state"));
  cls.def(
      "set_controller", &py_set_controller,
      Signature(
          "(rate: float, law: Callable[[State, Array], None]) -> None", "Simulation::set_controller",
          "law(x, torques): x has t, q, v; it writes torques[k] = ..., N m or N.  What it raises comes out of step or "
          "advance_to."));
  cls.def(
      "save",
      [](PySimulation& s) {
        const InUse use(s);
        const SavedState saved = s.sim.save();
        return py::bytes(reinterpret_cast<const char*>(saved.bytes.data()), saved.bytes.size());
      },
      Signature("() -> bytes", "Simulation::save"));
  cls.def(
      "restore",
      [](PySimulation& s, const py::bytes& saved) {
        const InUse use(s);
        const auto text = static_cast<std::string_view>(saved);
        SavedState state;
        state.bytes.resize(text.size());
        std::copy(text.begin(), text.end(), reinterpret_cast<char*>(state.bytes.data()));
        s.sim.restore(state);
      },
      Signature("(saved: bytes) -> None", "Simulation::restore"));
  cls.def(
      "reset",
      [](PySimulation& s) {
        const InUse use(s);
        s.sim.reset();
      },
      Signature("() -> None", "Simulation::reset"));
}

void define_inputs(Simulations& cls) {
  cls.def(
      "set_torque",
      [](PySimulation& s, const std::string& speed, double torque) {
        const InUse use(s);
        s.sim.set_torque(speed, torque);
      },
      Signature("(speed: str, torque: float) -> None", "",
                "On a speed by name: \"elbow\", \"base.wx\", a mode \"boom.bending_y1\"; N m or N, added to inputs "
                "and controller, until it is set again."));
  cls.def(
      "set_torques",
      [](PySimulation& s, py::handle torques) {
        const InUse use(s);
        s.sim.set_torques(read_vector(torques, {"torques", s.model->model->nv, "nv"}).vector());
      },
      Signature("(torques: ArrayLike) -> None", "Simulation::set_torques"));
  cls.def(
      "set_force",
      [](PySimulation& s, const std::string& node, const Vector3d& force, Frame frame) {
        const InUse use(s);
        s.sim.set_force(node, force, frame);
      },
      Signature("(node: str, force: ArrayLike, frame: Frame | str = \"world\") -> None", "",
                "A force (3), N, on a node, in world or in the node's axes, until it is set again."));
  cls.def(
      "set_wrench",
      [](PySimulation& s, const std::string& node, const Vector6& wrench, Frame frame) {
        const InUse use(s);
        s.sim.set_wrench(node, wrench, frame);
      },
      Signature("(node: str, wrench: ArrayLike, frame: Frame | str = \"world\") -> None", "",
                "A torque (3), N m, and a force (3), N, on a node, until they are set again."));
  cls.def(
      "set_motion",
      [](PySimulation& s, const std::string& coordinate, double position, double velocity, double acceleration) {
        const InUse use(s);
        s.sim.set_motion(coordinate, position, velocity, acceleration);
      },
      Signature("(coordinate: str, position: float, velocity: float = 0.0, acceleration: float = 0.0) -> None",
                "Simulation::set_motion"));
}

void define_views(Simulations& cls) {
  const auto property = [&](const char* name, const char* type, auto get, const char* more = "") {
    cls.def_property_readonly(
        name,
        [get](PySimulation& s) {
          const InUse use(s);
          return get(s);
        },
        property_doc(cls, name, type, std::string("Simulation::") + name, more).c_str());
  };
  property(
      "model", "Model", [](PySimulation& s) { return s.model; }, "The machine.");
  property("time", "float", [](PySimulation& s) { return s.sim.time(); });
  property(
      "state", "State", [](PySimulation& s) { return State(s.sim.state()); },
      "A copy: changes of it do not change the simulation; use set_state.");
  property(
      "energy", "Energy",
      [](PySimulation& s) {
        const Energy e = s.sim.energy();
        return named_tuple("Energy", py::make_tuple(e.kinetic, e.gravity, e.elastic, e.springs));
      },
      "J.");
  property("balance", "float", [](PySimulation& s) { return s.sim.balance(); });
  property("accelerations", "Array", [](PySimulation& s) { return VectorXd(s.sim.accelerations()); });
  property("warnings", "list[str]", [](PySimulation& s) { return s.sim.warnings(); });
  property(
      "torques", "Array", [](PySimulation& s) { return VectorXd(s.sim.record().torques); },
      "(nv) all that act, or that prescribed motions need; N m or N.");
  property("ports", "list[str]", [](PySimulation& s) {
    std::vector<std::string> out;
    for (const Port& port : s.sim.ports()) out.push_back(port.name);
    return out;
  });
}

void define_nodes_and_ports(Simulations& cls) {
  const auto number = [&](const char* name, const char* type, auto get, const char* key) {
    cls.def(
        name,
        [get](PySimulation& s, const std::string& text) {
          const InUse use(s);
          return get(s.sim, text);
        },
        Signature(std::string("(name: str) -> ") + type, "", key));
  };
  number(
      "q", "float", [](Simulation& s, const std::string& name) { return s.q(name); },
      "The present value of a coordinate, by name; rad or m.");
  number(
      "v", "float", [](Simulation& s, const std::string& name) { return s.v(name); },
      "The present value of a speed, by name; rad/s or m/s.");
  number(
      "position", "Array", [](Simulation& s, const std::string& name) { return s.position(name); },
      "Position of a node in world (3), m.");
  number(
      "velocity", "Array", [](Simulation& s, const std::string& name) { return s.velocity(name); },
      "Velocity of a node in world (6), angular and linear; rad/s, m/s.");
  number(
      "pose", "Pose",
      [](Simulation& s, const std::string& name) {
        const Pose pose = s.pose(name);
        return named_tuple("Pose", py::make_tuple(pose.R, pose.p));
      },
      "Pose of a node in world.");
  number(
      "read", "Array", [](Simulation& s, const std::string& name) { return s.read(name); },
      "The present values of a port, see ports.");
  cls.def(
      "write",
      [](PySimulation& s, const std::string& port, py::handle values) {
        const InUse use(s);
        s.sim.write(port, port_values(port, values));
      },
      Signature("(port: str, values: ArrayLike) -> None", "Simulation::write"));
  cls.def(
      "__getitem__",
      [](py::object self, const std::string& name) {
        return py::module_::import("limber._views").attr("view")(self, name);
      },
      Signature("(name: str) -> Any", "",
                "A node, \"fore.tip\", with position, rotation, velocity; or a joint, \"elbow\", with q, v, torque."));
}

void define_scenario(py::module_& m) {
  Struct<SolverOptions>(m, "SolverOptions", "The method of integration, see stepper_names().")
      .field("method", &SolverOptions::method, "str")
      .field("algorithm", &SolverOptions::algorithm, "str")
      .field("step", &SolverOptions::step, "float")
      .field("rtol", &SolverOptions::rtol, "float")
      .field("atol", &SolverOptions::atol, "float")
      .field("max_step", &SolverOptions::max_step, "float")
      .field("rho_inf", &SolverOptions::rho_inf, "float")
      .field("passes", &SolverOptions::passes, "int")
      .field("formula", &SolverOptions::formula, "str");
  py::class_<Scenario> cls(m, "Scenario", header_doc("Scenario").c_str());
  cls.def(py::init([](const PyModel& model, double duration, double record_every, const SolverOptions& solver,
                      const py::object& initial) {
            Scenario out;
            out.name = model.model->name;
            out.model = model.model;
            out.solver = solver;
            out.run = {.duration = duration, .record_every = record_every};
            out.initial = initial.is_none() ? make_zero_state(*model.model) : initial.cast<State>();
            out.record.nodes = visible_nodes(*model.model);
            return out;
          }),
          Signature("(model: Model, duration: float = 1.0, record_every: float = 0.01, solver: SolverOptions | "
                    "dict[str, Any] = {}, initial: State "
                    "| dict[str, Any] | None = None) -> None",
                    "",
                    "A model without inputs, with records of all nodes; read_scenario and dicts have inputs and "
                    "controllers, too."));
  const auto property = [&](const char* name, const char* type, auto get, const char* more) {
    cls.def_property_readonly(name, get, property_doc(cls, name, type, "", more).c_str());
  };
  property(
      "name", "str", [](const Scenario& s) { return s.name; }, "Of the scenario.");
  property(
      "text", "str", [](const Scenario& s) { return s.text; }, "Of the whole file.");
  property(
      "model", "Model", [](const Scenario& s) { return std::make_shared<PyModel>(s.model); }, "The machine.");
  property(
      "initial", "State", [](const Scenario& s) { return s.initial; }, "Where it starts.");
  property(
      "solver", "SolverOptions", [](const Scenario& s) { return s.solver; }, "Method and tolerances.");
  property(
      "duration", "float", [](const Scenario& s) { return s.run.duration; }, "s");
  property(
      "record_every", "float", [](const Scenario& s) { return s.run.record_every; }, "s");
}

void define_readers(py::module_& m) {
  using Set = std::vector<std::pair<std::string, std::string>>;
  const auto overrides = [](const Set& set) {
    Overrides out;
    for (const auto& [path, value] : set) out.push_back({path, value});
    return out;
  };
  m.def(
      "_read_scenario",
      [overrides](const std::string& path, const Set& set) { return read_scenario(path, overrides(set)); },
      Signature("(path: str, set: list[tuple[str, str]]) -> Scenario", "", "read_scenario of a path."));
  m.def(
      "_parse_scenario",
      [overrides](const std::string& text, const std::string& name, const std::string& folder, const Set& set) {
        return parse_scenario(text, name, folder, overrides(set));
      },
      Signature("(text: str, name: str, folder: str, set: list[tuple[str, str]]) -> Scenario", "",
                "parse_scenario of a text."));
}

}  // namespace

Scenario scenario_of(py::handle given) {
  if (py::isinstance<Scenario>(given)) return given.cast<Scenario>();
  return py::module_::import("limber._texts").attr("read_scenario")(given).cast<Scenario>();
}

void define_simulation(py::module_& m) {
  define_scenario(m);
  define_readers(m);
  Simulations cls(m, "Simulation",
                  ("Simulation(scenario, solver={}, start={})\n--\n\n" + header_doc("Simulation")).c_str());
  cls.def(
      py::init([](py::handle scenario, const SolverOptions& solver, const State& start) {
        if (py::isinstance<PyModel>(scenario)) {
          Scenario alone;
          alone.model = scenario.cast<std::shared_ptr<PyModel>>()->model;
          alone.name = alone.model->name;
          alone.solver = solver;
          alone.initial = start;
          alone.run.duration = std::numeric_limits<double>::infinity();
          return std::make_unique<PySimulation>(std::move(alone));
        }
        Scenario read = scenario_of(scenario);
        const py::gil_scoped_release release;
        return std::make_unique<PySimulation>(std::move(read));
      }),
      Signature(
          "(scenario: str | PathLike[str] | dict[str, Any] | Scenario | Model, solver: SolverOptions | dict[str, Any] "
          "= {}, start: State | dict[str, Any] = {}) -> None",
          "",
          "For a scenario: a path, a dict, a Scenario; or for a Model alone, with this solver, from the state `start` "
          "(the "
          "zero state)."));
  define_time(cls);
  define_inputs(cls);
  define_views(cls);
  define_nodes_and_ports(cls);
  const auto refuse = [](const PySimulation&) -> py::object {
    throw py::type_error(
        "a Simulation cannot be copied or pickled; save() and restore() carry its state to another one");
  };
  cls.def("__reduce__", refuse);
  cls.def("__copy__", refuse);
  cls.def("__repr__", [](PySimulation& s) {
    return "<limber.Simulation '" + s.sim.scenario().name +
           "' at t = " + (s.busy ? std::string("?") : std::to_string(s.sim.time())) + " s>";
  });
}

}  // namespace limber::python
