// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/controller.hpp"

#include "arrays.hpp"
#include "limber/control/loop.hpp"
#include "rooms.hpp"
#include "scenarios.hpp"
#include "work.hpp"

namespace limber::python {
namespace {

const ControlScenario& control_of(const Scenario& scenario) {
  if (!scenario.control)
    throw InputError("the scenario has no control of joints; give it one: control: {feedback: {pid: {...}}}");
  return *scenario.control;
}

// The controller of a scenario, without its machine.
class PyController {
 public:
  explicit PyController(Scenario scenario)
      : scenario_(std::move(scenario)), controller_(control_of(scenario_).options) {
    y_.q.setZero(options().driven.size());
    y_.v = commands_ = y_.q;
    y_.strain.setZero(static_cast<Eigen::Index>(options().sensors.strains.size()));
    y_.acceleration.setZero(3 * static_cast<Eigen::Index>(options().sensors.accelerometers.size()));
  }
  const Controller& get() const { return controller_; }
  const ControlOptions& options() const { return controller_.options(); }
  std::shared_ptr<PyModel> model() const { return std::make_shared<PyModel>(options().model); }

  void start(const std::optional<State>& x) {
    const State at = state(x);
    const py::gil_scoped_release release;
    check(controller_.start(at));
    started_ = true;
  }
  void hold(const std::optional<State>& x, const VectorXd& torques) {
    const State at = state(x);
    check_size("torques", torques, commands_.size());
    const py::gil_scoped_release release;
    check(controller_.hold(at, torques));
    started_ = true;
  }
  void set_acting(const VectorXd& torques) {
    check_size("torques", torques, commands_.size());
    controller_.set_acting(torques);
  }
  VectorXd update(double t, const VectorXd& q, const VectorXd& v, const VectorXd& strain,
                  const VectorXd& acceleration) {
    if (!started_) throw InputError("a controller begins somewhere: call start() or hold() first");
    if (!std::isfinite(t)) throw InputError("t must be a time, s");
    check_size("q", q, y_.q.size());
    check_size("v", v, y_.v.size());
    check_size("strain", strain, y_.strain.size());
    check_size("acceleration", acceleration, y_.acceleration.size());
    y_.t = t;
    y_.q = q;
    y_.v = v;
    y_.strain = strain;
    y_.acceleration = acceleration;
    const py::gil_scoped_release release;
    check(controller_.update(y_, commands_));
    return commands_;
  }

 private:
  // A state of the controller's model; none: where the scenario begins.
  State state(const std::optional<State>& x) const {
    if (!x) return translate_state(*scenario_.model, scenario_.initial, *options().model);
    check_state(*options().model, *x);
    return *x;
  }
  static void check_size(const char* what, const VectorXd& values, Eigen::Index size) {
    if (values.size() != size)
      throw InputError(std::string(what) + " has " + std::to_string(values.size()) +
                       " numbers, but the controller has " + std::to_string(size));
    if (!values.allFinite()) throw InputError(std::string(what) + " has a number that is not finite");
  }
  void check(Status status) const {
    if (status == Status::ok) return;
    throw NumericalError(controller_.failure().empty() ? to_string(status) : controller_.failure());
  }

  Scenario scenario_;
  Controller controller_;
  Measurement y_;
  VectorXd commands_;
  bool started_ = false;
};

using Controllers = py::class_<PyController>;

void define_updates(Controllers& cls) {
  const std::string from =
      "x: a state of the controller's own model; None: the scenario's initial state.  Raises NumericalError.";
  cls.def("start", &PyController::start,
          Signature("(x: State | dict[str, Any] | None = None) -> None", "Controller::start", from));
  cls.def("hold", &PyController::hold,
          Signature("(x: State | dict[str, Any] | None, torques: ArrayLike) -> None", "Controller::hold", from));
  cls.def("set_acting", &PyController::set_acting, Signature("(torques: ArrayLike) -> None", "Controller::set_acting"));
  cls.def(
      "update", &PyController::update,
      Signature("(t: float, q: ArrayLike, v: ArrayLike, *, strain: ArrayLike = [], acceleration: ArrayLike = []) -> "
                "Array",
                "Controller::update",
                "t: of the readings, s; q, v: of the driven coordinates (see joints); strain: of each gauge; "
                "acceleration: three of each accelerometer.  To be called once per period."));
}

template <class F>
void define_view(Controllers& cls, const char* name, const char* type, const char* key, F f, const char* more = "") {
  cls.def_property_readonly(name, f, property_doc(cls, name, type, key, more).c_str());
}

void define_views(Controllers& cls) {
  define_view(
      cls, "joints", "list[str]", "", [](const PyController& c) { return c.options().driven.names; },
      "Names of the driven coordinates, in the order of readings and torques.");
  define_view(cls, "period", "float", "Controller::period", [](const PyController& c) { return c.get().period(); });
  define_view(
      cls, "model", "Model", "", [](const PyController& c) { return c.model(); },
      "The controller's model of the machine.");
  define_view(cls, "reference", "State", "Controller::reference",
              [](const PyController& c) { return State(c.get().reference()); });
  define_view(cls, "estimate", "State", "Controller::estimate",
              [](const PyController& c) { return State(c.get().estimate()); });
  define_view(cls, "errors", "Array", "Controller::errors",
              [](const PyController& c) { return VectorXd(c.get().errors()); });
  define_view(cls, "currents", "Array", "Controller::currents",
              [](const PyController& c) { return VectorXd(c.get().currents()); });
  define_view(cls, "innovations", "Array", "Controller::innovations",
              [](const PyController& c) { return VectorXd(c.get().innovations()); });
  define_view(cls, "saturated", "list[bool]", "Controller::saturated", [](const PyController& c) {
    const std::span<const std::uint8_t> at = c.get().saturated();
    return std::vector<bool>(at.begin(), at.end());
  });
}

}  // namespace

void define_controller(py::module_& m) {
  Controllers cls(m, "Controller", ("Controller(scenario)\n--\n\n" + header_doc("Controller")).c_str());
  cls.def(py::init([](py::handle given) {
            Scenario scenario = scenario_of(given);
            const py::gil_scoped_release release;
            return std::make_unique<PyController>(std::move(scenario));
          }),
          Signature("(scenario: Scenario | str | PathLike[str] | dict[str, Any]) -> None", "",
                    "The controller of a scenario with control of joints; you simulate the machine."));
  define_updates(cls);
  define_views(cls);
}

}  // namespace limber::python
