// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/report/run.hpp"

#include "limber/files/recorded_model.hpp"
#include "limber/linear/facts.hpp"
#include "limber/simulate/equilibrium.hpp"
#include "limber/simulate/stepper.hpp"
#include "rooms.hpp"
#include "scenarios.hpp"
#include "work.hpp"

namespace limber::python {
namespace {

RunReport py_run(py::handle given, const std::string& recording, const std::string& csv, const std::string& report,
                 double flush, bool force) {
  const Scenario scenario = scenario_of(given);
  Signals signals;
  RunReport out;
  {
    const py::gil_scoped_release release;
    out = run(
        scenario,
        {.recording = recording, .csv = csv, .report = report, .flush = flush, .force = force, .go_on = [&](double) {
           return signals.go_on();
         }});
  }
  raise_pending();
  return out;
}

void define_results(py::module_& m) {
  py::class_<RunReport> cls(m, "RunReport", header_doc("RecordedRun").c_str());
  const auto property = [&](const char* name, const char* type, auto get, const char* more) {
    cls.def_property_readonly(name, get, property_doc(cls, name, type, "", more).c_str());
  };
  property(
      "status", "Status", [](const RunReport& r) { return r.result.status; }, "How it ended.");
  property(
      "complete", "bool", [](const RunReport& r) { return r.complete(); },
      "Whether it reached its end without failure.");
  property(
      "interrupted", "bool", [](const RunReport& r) { return r.result.interrupted; }, "Stopped before its end.");
  property(
      "failure", "str", [](const RunReport& r) { return r.result.failure; }, "The cause of a failure; empty: none.");
  property(
      "t", "float", [](const RunReport& r) { return r.result.t; }, "s: reached.");
  property(
      "wall", "float", [](const RunReport& r) { return r.wall; }, "s that it took.");
  property(
      "steps", "int", [](const RunReport& r) { return r.result.counts.steps; }, "Steps of the method.");
  property(
      "rejected", "int", [](const RunReport& r) { return r.result.counts.rejected; }, "Rejected steps.");
  property(
      "evaluations", "int", [](const RunReport& r) { return r.result.counts.evaluations; }, "Of the accelerations.");
  property(
      "energy_error", "float", [](const RunReport& r) { return r.result.energy_error; }, "J: largest |balance|.");
  property(
      "energy_scale", "float", [](const RunReport& r) { return r.result.energy_scale; },
      "J: largest energy or work, for comparison.");
  property(
      "records", "int", [](const RunReport& r) { return r.records; }, "Written.");
  property(
      "recording", "str", [](const RunReport& r) { return r.recording; }, "The file; empty: none.");
  property(
      "csv", "str", [](const RunReport& r) { return r.csv; }, "The table; empty: none.");
  property(
      "page", "str", [](const RunReport& r) { return r.page; }, "The HTML file; empty: none.");
  property(
      "page_failure", "str", [](const RunReport& r) { return r.page_failure; },
      "The reason if a requested page could not be made.");
  property(
      "warnings", "list[str]", [](const RunReport& r) { return r.warnings; }, "Before and after the run.");
  property(
      "notes", "list[str]", [](const RunReport& r) { return r.result.notes; },
      "Redundant closures, a start beyond a joint limit.");
  property(
      "tracking_rms", "Array", [](const RunReport& r) { return r.tracking.rms(); },
      "(driven coordinate) error of a controller's joints.");
  property(
      "shaping", "str", [](const RunReport& r) { return r.shaping; },
      "The shaped vibrations of the desired motion, as text.");
}

py::object py_equilibrium(PyModel& m, const py::object& start, py::handle held) {
  const Model& model = *m.model;
  const State x = start.is_none() ? make_zero_state(model) : start.cast<State>();
  check_state(model, x);
  const std::vector<std::uint8_t> joints = read_joints(model, held);
  Inputs inputs;
  for (int i = 1; i < model.body_count() && !joints.empty(); ++i) {
    if (joints[static_cast<std::size_t>(i)] == 0) continue;
    MotionInput motion{i, {}, "held joint " + model.joints[i].name};
    for (int k = 0; k < position_count(model.joints[i].kind); ++k)
      motion.motion.emplace_back(x.q[model.joints[i].q + k]);
    inputs.motions.push_back(std::move(motion));
  }
  const py::gil_scoped_release release;
  const Equilibrium found = find_equilibrium(model, inputs, x);
  const py::gil_scoped_acquire lock;
  return py::make_tuple(found.x, found.stable);
}

}  // namespace

void define_run(py::module_& m) {
  define_results(m);
  m.def("_run", &py_run,
        Signature("(scenario: Any, recording: str, csv: str, report: str, flush: float, force: bool) -> RunReport", "",
                  "run of the library."));
  m.def(
      "write_report",
      [](const std::string& recording, const std::string& page) {
        const py::gil_scoped_release release;
        write_report(recording, page);
      },
      Signature("(recording: str, page: str) -> None", "write_report"));
  m.def(
      "write_overlay_report",
      [](const std::vector<std::string>& recordings, const std::string& page) {
        const py::gil_scoped_release release;
        write_overlay_report(recordings, page);
      },
      Signature("(recordings: Sequence[str], page: str) -> None", "write_overlay_report"));
  m.def("find_equilibrium", &py_equilibrium,
        Signature("(model: Model, start: State | dict[str, Any] | None = None, held: Sequence[str] | None = None) -> "
                  "tuple[State, bool]",
                  "find_equilibrium",
                  "held: joints that stay where start has them.  Returns the state, and whether it is stable."));
  m.def("stepper_names", &stepper_names, Signature("() -> list[str]", "stepper_names"));
}

}  // namespace limber::python
