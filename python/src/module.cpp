// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/spatial/status.hpp"
#include "rooms.hpp"
#include "scenarios.hpp"

namespace limber::python {
namespace {

PyObject *error = nullptr, *input_error = nullptr, *file_error = nullptr, *numerical_error = nullptr;

PyObject* make_error(py::module_& m, const char* name, PyObject* base, PyObject* also) {
  const py::tuple bases =
      also == nullptr ? py::make_tuple(py::handle(base)) : py::make_tuple(py::handle(base), py::handle(also));
  const std::string doc = header_doc(name);
  PyObject* out = PyErr_NewExceptionWithDoc((std::string("limber.") + name).c_str(), doc.c_str(), bases.ptr(), nullptr);
  if (out == nullptr) throw py::error_already_set();
  m.attr(name) = py::reinterpret_borrow<py::object>(out);
  return out;
}

}  // namespace

void define_errors(py::module_& m) {
  error = make_error(m, "Error", PyExc_Exception, nullptr);
  input_error = make_error(m, "InputError", error, PyExc_ValueError);
  file_error = make_error(m, "FileError", error, PyExc_OSError);
  numerical_error = make_error(m, "NumericalError", error, PyExc_ArithmeticError);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& e) {
      PyErr_SetString(input_error, e.what());
    } catch (const FileError& e) {
      PyErr_SetString(file_error, e.what());
    } catch (const NumericalError& e) {
      PyErr_SetString(numerical_error, e.what());
    } catch (const Error& e) {
      PyErr_SetString(error, e.what());
    }
  });
  choice<Status>(m, "Status",
                 {{"ok", Status::ok},
                  {"singular_mass", Status::singular_mass},
                  {"not_finite", Status::not_finite},
                  {"no_convergence", Status::no_convergence},
                  {"singular_closure", Status::singular_closure}});
}

}  // namespace limber::python

PYBIND11_MODULE(_limber, m) {
  namespace p = limber::python;
  pybind11::options options;
  options.disable_function_signatures();
  m.doc() = "limber's library; import limber.";
  m.attr("__version__") = LIMBER_VERSION;
  m.def("_types", &p::types);
  p::define_errors(m);
  p::define_bodies(m);
  p::define_drives(m);
  p::define_model(m);
  p::define_dynamics(m);
  p::define_nodes(m);
  p::define_derivatives(m);
  p::define_batch(m);
  p::define_linear(m);
  p::define_simulation(m);
  p::define_run(m);
  p::define_recording(m);
  p::define_control(m);
  p::define_controller(m);
  p::define_machine(m);
  p::define_parts(m);
  p::define_study(m);
  p::shorten_type_errors(m);
}
