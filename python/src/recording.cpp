// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"
#include "limber/files/recorded_model.hpp"
#include "limber/files/recording_reader.hpp"
#include "rooms.hpp"
#include "work.hpp"

namespace limber::python {
namespace {

// Columns [column, column + columns) of a series, (records, columns).
Array read_series(const Recorded& file, int series, int column, int columns) {
  const auto& all = file.series();
  if (series < 0 || series >= static_cast<int>(all.size())) throw py::index_error("no such series");
  if (column < 0 || columns < 0 || column + columns > all[static_cast<std::size_t>(series)].columns)
    throw py::index_error("no such columns");
  Array out(std::vector<py::ssize_t>{file.records(), columns});
  double* data = out.mutable_data();
  const py::gil_scoped_release release;
  if (columns > 0) file.read(series, 0, file.records(), column, columns, data);
  return out;
}

py::list list_series(const Recorded& file) {
  py::list out;
  for (const RecordedSeries& series : file.series())
    out.append(py::make_tuple(series.path, series.columns, series.units, series.names));
  return out;
}

std::unique_ptr<Recorded> open_recorded(const std::string& path) {
  if (is_table(path)) return std::make_unique<TableReader>(path);
  return std::make_unique<RecordingReader>(path);
}

template <class F>
auto of_recording(F get) {
  return [get](const Recorded& file) -> decltype(get(std::declval<const RecordingReader&>())) {
    const auto* recording = dynamic_cast<const RecordingReader*>(&file);
    if (recording == nullptr) return {};
    return get(*recording);
  };
}

}  // namespace

void define_recording(py::module_& m) {
  py::class_<Recorded> cls(m, "_Recorded", "Signals over time in a file; use limber.Recording.");
  cls.def(py::init(&open_recorded), Signature("(path: str) -> None", "", "Opens a recording or a table."));
  cls.def_property_readonly("path", &Recorded::path);
  cls.def_property_readonly("time", [](const Recorded& file) {
    return Array(static_cast<py::ssize_t>(file.time().size()), file.time().data());
  });
  cls.def_property_readonly("series", &list_series);
  cls.def("read", &read_series,
          Signature("(series: int, column: int, columns: int) -> Array", "", "Columns of a series."));
  const auto text = [&](const char* name, std::string RecordingReader::*member) {
    cls.def_property_readonly(name, of_recording([member](const RecordingReader& file) { return file.*member; }));
  };
  text("name", &RecordingReader::name);
  text("model_text", &RecordingReader::model_text);
  text("scenario_text", &RecordingReader::scenario_text);
  text("solver", &RecordingReader::solver);
  text("version", &RecordingReader::version);
  text("ended", &RecordingReader::ended);
  text("figures", &RecordingReader::figures);
  cls.def_property_readonly("complete", of_recording([](const RecordingReader& file) { return file.complete; }));
  cls.def("model", of_recording([](const RecordingReader& file) {
            return std::make_shared<PyModel>(parse_recorded_model(file));
          }),
          Signature("() -> Model", "", "The model inside of it."));
}

}  // namespace limber::python
