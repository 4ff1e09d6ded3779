// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/body/part.hpp"
#include "limber/files/fe_files.hpp"
#include "limber/files/modal_body_file.hpp"
#include "limber/spatial/status.hpp"
#include "rooms.hpp"

namespace limber::python {
namespace {

// A reduced part, with what its file needs.
struct PyReduction {
  FePart part;
  FeReduction reduction;
  std::string files;
};

PyReduction py_reduce(const FeModel& model,
                      const std::vector<std::tuple<std::string, std::string, FeCoupling>>& interfaces, FeUnits units,
                      FeMethod method, int modes, double max_hz, double damping, const std::string& frame) {
  FeOptions options;
  options.method = method;
  options.modes = modes;
  options.max_hz = max_hz;
  options.damping = damping;
  std::vector<FeInterface> at;
  for (const auto& [name, nodes, coupling] : interfaces) {
    if (name == frame) options.frame = static_cast<int>(at.size());
    at.push_back({name, find_nodes(model, nodes), coupling});
  }
  if (!frame.empty() && (at.empty() || at[static_cast<std::size_t>(options.frame)].name != frame))
    throw InputError("frame '" + frame + "' is none of the interfaces");
  PyReduction out{model.part, {}, model.files};
  const py::gil_scoped_release release;
  convert_units(units, out.part);
  out.reduction = reduce_part(out.part, at, options);
  return out;
}

void define_reading(py::module_& m) {
  py::class_<FeModel> cls(m, "FeModel", header_doc("FeModel").c_str());
  cls.def_property_readonly(
      "sets",
      [](const FeModel& f) {
        std::vector<std::string> names;
        for (const auto& [name, nodes] : f.sets) names.push_back(name);
        return names;
      },
      property_doc(cls, "sets", "list[str]", "FeModel::sets").c_str());
  cls.def_property_readonly(
      "nodes", [](const FeModel& f) { return f.part.positions.cols(); },
      property_doc(cls, "nodes", "int", "", "Number of its nodes.").c_str());
  cls.def_property_readonly(
      "dofs", [](const FeModel& f) { return f.part.dofs.size(); },
      property_doc(cls, "dofs", "int", "", "Rows of its matrices.").c_str());
  const auto guard = py::call_guard<py::gil_scoped_release>();
  m.def("read_calculix", &read_calculix, guard, Signature("(job: str, mesh: str) -> FeModel", "read_calculix"));
  m.def("read_nastran", &read_nastran, guard, Signature("(punch: str, mesh: str = \"\") -> FeModel", "read_nastran"));
  m.def("read_abaqus", &read_abaqus, guard,
        Signature("(stiffness: str, mass: str, mesh: str) -> FeModel", "read_abaqus"));
  m.def("read_matrices", &read_matrices, guard,
        Signature("(stiffness: str, mass: str, nodes: str) -> FeModel", "read_matrices"));
}

}  // namespace

void define_parts(py::module_& m) {
  choice<FeCoupling>(m, "FeCoupling", {{"rigid", FeCoupling::rigid}, {"average", FeCoupling::average}});
  choice<FeMethod>(
      m, "FeMethod",
      {{"craig_bampton", FeMethod::craig_bampton}, {"clamped", FeMethod::clamped}, {"free", FeMethod::free}});
  choice<FeUnits>(m, "FeUnits", {{"m_kg_s", FeUnits::m_kg_s}, {"mm_t_s", FeUnits::mm_t_s}});
  define_reading(m);
  py::class_<PyReduction> cls(m, "FeReduction", "A finite-element part as a modal body.");
  cls.def_property_readonly(
      "body", [](const PyReduction& r) { return r.reduction.body; },
      property_doc(cls, "body", "Body", "FeReduction::body").c_str());
  cls.def_property_readonly(
      "free_hertz", [](const PyReduction& r) { return r.reduction.facts.free_hertz; },
      property_doc(cls, "free_hertz", "Array", "FeFacts::free_hertz").c_str());
  cls.def_property_readonly(
      "warnings", [](const PyReduction& r) { return r.reduction.facts.warnings; },
      property_doc(cls, "warnings", "list[str]", "", "Warnings of the reduction.").c_str());
  cls.def(
      "write",
      [](const PyReduction& r, const std::string& path) {
        write_modal_body(path, r.part, r.reduction, {{"files", r.files}});
      },
      Signature("(path: str) -> None", "write_modal_body"));
  m.def("reduce_part", &py_reduce,
        Signature("(model: FeModel, interfaces: Sequence[tuple[str, str, FeCoupling | str]], units: FeUnits | str = "
                  "\"m_kg_s\", method: FeMethod "
                  "| str = \"craig_bampton\", modes: int = 12, max_hz: float = 0.0, damping: float = 0.0, frame: str = "
                  "\"\") -> FeReduction",
                  "reduce_part",
                  "interfaces: (name, set of nodes, coupling); frame: the name of one of them, default the first."));
  m.def(
      "read_modal_body",
      [](const std::string& path, const std::string& name) {
        Body out = read_modal_body(path).body;
        out.name = name;
        return out;
      },
      Signature("(path: str, *, name: str = \"\") -> Body", "read_modal_body"));
}

}  // namespace limber::python
