// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// How functions, structs and enumerations of the library become Python's: one text per function has its arguments,
// their defaults and types, and serves help(), inspect.signature and the stubs.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "docs.hpp"
#include "limber/spatial/status.hpp"
#include "matrices.hpp"

namespace limber::python {

namespace py = pybind11;

// "(model: Model, q: ArrayLike, *, out: Array | None = None) -> Array" and the comment of the name in the headers.
struct Signature {
  // key: in the headers; more: what Python's callers must know besides.
  Signature(std::string text_, const std::string& key, const std::string& more = "");

  struct Argument {
    std::string name, value;  // value: its default in Python; empty: none
    bool only_by_name = false;
  };
  std::string text, doc;
  std::vector<Argument> arguments;
};

// Types of functions and properties, "Model.workspace" -> "() -> Workspace", for the stubs and for messages.
void remember_type(const std::string& name, const std::string& type);
// The size of a member, for messages: "BeamSpec.modes", "4 numbers"; empty: any.
void remember_size(const std::string& name, const std::string& size);
std::string scope_name(py::handle scope);  // of a class or the module, with a dot behind; "" for the module
py::dict types();

// Fills the record of a function; the text that Python shows is kept in `out`.
void apply(const Signature& signature, py::detail::function_record* record, std::string& out);

// Doc of a property, and its type to the stubs.
std::string property_doc(py::handle scope, const std::string& name, const std::string& type, const std::string& key,
                         const std::string& more = "");

// Structs: names of fields, the same as keywords, as a dict, as text, a value that cannot be written to.
void add_field(py::handle cls, const char* name);
void set_fields(py::handle self, const py::dict& fields);
py::dict get_fields(py::handle self);
std::string fields_text(py::handle self);
py::object frozen(py::object value);

// Makes wrong arguments of all functions one line; after the last definition.
void shorten_type_errors(py::module_& m);

template <class F>
std::string size_text() {
  if constexpr (requires { F::SizeAtCompileTime; }) {
    constexpr int rows = F::RowsAtCompileTime, cols = F::ColsAtCompileTime;
    if (rows < 0 || cols < 0) return "";
    return (cols == 1 ? "" : std::to_string(rows) + " x ") + std::to_string(cols == 1 ? rows : cols) + " numbers";
  } else if constexpr (requires { std::tuple_size<F>::value; }) {
    return std::to_string(std::tuple_size<F>::value) + " values";
  } else if constexpr (
      requires { typename F::value_type; } && !requires { typename F::iterator; }) {
    return size_text<typename F::value_type>();  // optional
  } else {
    return "";
  }
}

// An enumeration whose members also go by their names as strings.
template <class T>
void choice(py::module_& m, const char* name, const std::vector<std::pair<const char*, T>>& members) {
  py::enum_<T> out(m, name, py::str(header_doc(name)).cast<std::string>().c_str());
  std::string names;
  for (const auto& [word, value] : members) {
    out.value(word, value, header_doc(std::string(name) + "::" + word).c_str());
    names += (names.empty() ? "" : ", ") + std::string(word);
  }
  const std::string title = name;
  const auto member = [members, names, title](int number) {
    for (const auto& [word, value] : members)
      if (static_cast<int>(value) == number) return value;
    throw InputError(title + ": " + std::to_string(number) + " is none of its members; choose one of " + names);
  };
  out.def(py::init(member), py::prepend());
  out.def(py::init([members, names, title](const py::str& text) {
    const auto given = text.cast<std::string>();
    for (const auto& [word, value] : members) {
      std::string written = word;
      if (written == given) return value;
      for (char& c : written) c = c == '_' ? '-' : c;
      if (written == given) return value;
    }
    throw InputError("'" + given + "' is not a " + title + "; choose one of " + names);
  }));
  py::implicitly_convertible<py::str, T>();
}

// A struct of options, made from keywords or a dict: BeamSpec(length=2, EIy=4000).
template <class T>
class Struct {
 public:
  Struct(py::module_& m, const char* name, const std::string& more = "", const char* key = nullptr)
      : name_(name), key_(key != nullptr ? key : name), class_(m, name, text(more).c_str()) {
    class_.def(py::init([](const py::kwargs& fields) { return make(fields); }));
    class_.def(py::init(&make));
    py::implicitly_convertible<py::dict, T>();
    class_.def("__copy__", [](const T& self) { return T(self); });
    class_.def("__deepcopy__", [](const T& self, const py::dict&) { return T(self); });
    class_.def("__repr__", [](py::object self) { return fields_text(self); });
    class_.def(py::pickle([](py::object self) { return get_fields(self); }, &make));
    class_.attr("_fields") = py::tuple();
    remember_type(std::string(name) + ".__init__", "(**fields: Any) -> None");
  }

  // A member, with its type in Python.  Arrays are copies that cannot be written to: assign a whole one.
  template <class F, class Base>
  Struct& field(const char* name, F Base::*member, const char* type, const std::string& more = "") {
    const std::string base = key_;
    std::string comment = header_doc(base + "::" + name);
    if (comment.empty()) comment = header_doc("BeamSection::" + std::string(name));
    const std::string doc = property_doc(class_, name, type, "", comment + (more.empty() ? "" : "\n" + more));
    class_.def_property(
        name, [member](const T& self) { return frozen(py::cast(F(self.*member))); },
        [member](T& self, const F& value) { self.*member = value; }, doc.c_str());
    add_field(class_, name);
    remember_size(name_ + "." + name, size_text<F>());
    return *this;
  }
  py::class_<T>& cls() { return class_; }

 private:
  static T make(const py::dict& fields) {
    T out{};
    set_fields(py::cast(&out, py::return_value_policy::reference), fields);
    return out;
  }
  std::string text(const std::string& more) const {
    const std::string doc = header_doc(key_);
    return name_ + "(**fields)\n--\n\n" + doc + (doc.empty() || more.empty() ? "" : "\n\n") + more;
  }

  std::string name_, key_;
  py::class_<T> class_;
};

}  // namespace limber::python

namespace pybind11::detail {
template <>
struct process_attribute<limber::python::Signature> : process_attribute_default<limber::python::Signature> {
  static void init(const limber::python::Signature& signature, function_record* record) {
    // Lives until pybind11 has copied it, at the end of the definition.
    static std::string shown;
    limber::python::apply(signature, record, shown);
  }
};
}  // namespace pybind11::detail
