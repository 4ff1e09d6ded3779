// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/study/study.hpp"

#include <atomic>
#include <thread>

#include "arrays.hpp"
#include "limber/files/study_table.hpp"
#include "limber/study/sweep.hpp"
#include "limber/study/tune.hpp"
#include "scenarios.hpp"

namespace limber::python {
namespace {

// Ctrl-C is seen by the thread that called, and stops all of them.
class SweepSignals {
 public:
  bool go_on() {
    if (!stopped_ && std::this_thread::get_id() == caller_ && !signals_.go_on()) stopped_ = true;
    return !stopped_;
  }

 private:
  Signals signals_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> stopped_ = false;
};

Study study_of(const std::string& text, const std::string& name, const std::string& folder) {
  return text.empty() ? read_study(name) : parse_study(text, name, folder);
}

void py_sweep(const std::string& text, const std::string& name, const std::string& folder, const std::string& output,
              bool resume, int threads) {
  if (threads < 0) throw InputError("threads is negative; give 0 for all cores");
  const Study study = study_of(text, name, folder);
  SweepSignals signals;
  {
    const py::gil_scoped_release release;
    ThreadTeam team(threads);
    SweepOptions options;
    options.output = output;
    options.resume = resume;
    options.go_on = [&] { return signals.go_on(); };
    sweep(study, options, team);
  }
  raise_pending();
}

py::dict py_tune(const std::string& text, const std::string& name, const std::string& folder,
                 const std::string& output) {
  const Study study = study_of(text, name, folder);
  SweepSignals signals;
  TuneReport report;
  {
    const py::gil_scoped_release release;
    SweepOptions options;
    options.output = output;
    options.go_on = [&] { return signals.go_on(); };
    report = tune(study, options);
  }
  raise_pending();
  py::dict values, out;
  for (std::size_t k = 0; k < report.values.size(); ++k) values[py::str(study.parameters[k].path)] = report.values[k];
  out["values"] = values;
  out["goal"] = report.best < 0 ? py::object(py::none()) : py::object(py::float_(report.goal));
  out["best"] = report.best;
  out["evaluations"] = report.evaluations;
  out["failed"] = report.failed;
  out["ended"] = report.ended;
  return out;
}

py::dict columns_of(const std::vector<StudyColumn>& columns) {
  py::dict out;
  for (const StudyColumn& column : columns) {
    const py::object values =
        column.words.empty() ? py::object(Array(static_cast<py::ssize_t>(column.values.size()), column.values.data()))
                             : py::object(py::cast(column.words));
    out[py::str(column.name)] = py::make_tuple(values, column.unit);
  }
  return out;
}

py::dict py_read_table(const std::string& path) {
  const StudyData data = [&] {
    const py::gil_scoped_release release;
    return read_study_table(path);
  }();
  py::dict out;
  out["name"] = data.name;
  out["complete"] = data.complete;
  out["parameters"] = columns_of(data.parameters);
  out["results"] = columns_of(data.results);
  out["status"] = data.status;
  out["message"] = data.message;
  out["recordings"] = data.recordings;
  return out;
}

}  // namespace

void define_study(py::module_& m) {
  m.def("_sweep", &py_sweep,
        Signature("(text: str, name: str, folder: str, output: str, resume: bool, threads: int) -> None", "",
                  "sweep of the library."));
  m.def("_tune", &py_tune,
        Signature("(text: str, name: str, folder: str, output: str) -> dict[str, Any]", "", "tune of the library."));
  m.def("_read_study_table", &py_read_table,
        Signature("(path: str) -> dict[str, Any]", "", "read_study_table of the library."));
}

}  // namespace limber::python
