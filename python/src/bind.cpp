// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "bind.hpp"

#include <pybind11/eval.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace limber::python {
namespace {

std::map<std::string, std::string>& known_types() {
  static std::map<std::string, std::string> types;
  return types;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \n"), last = text.find_last_not_of(" \n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// Pieces between commas that stand in no bracket and no string.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted) depth += (c == '[' || c == '(' || c == '{') - (c == ']' || c == ')' || c == '}');
    if (c == ',' && depth == 0 && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  if (trimmed(out.back()).empty()) out.pop_back();
  return out;
}

// ---- wrong arguments in one line ------------------------------------------------------------------------

using Call = PyObject* (*)(PyObject*, PyObject*, PyObject*);
Call pybind11_call = nullptr;

std::map<std::string, std::string>& known_sizes() {
  static std::map<std::string, std::string> sizes;
  return sizes;
}

struct KnownCall {
  std::string title;  // "aba(model: Model, ...) -> Array"; of a property, "BeamSpec.modes"
  bool property = false;
  std::string type, what;  // of a property: its type, and what a message calls its values
};

std::map<PyObject*, KnownCall>& known_calls() {  // by the record that a function carries
  static std::map<PyObject*, KnownCall> calls;
  return calls;
}

std::string short_text(py::handle value) {
  std::string text = py::repr(value).cast<std::string>();
  for (char& c : text) c = c == '\n' ? ' ' : c;
  constexpr std::size_t kMost = 80;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

// Why a dict does not become a struct of this type, or a text an enumeration: the message of the struct; "": unknown.
std::string why_not(const std::string& type, py::handle value) {
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    for (const py::handle item : value)
      if (const std::string why = why_not(type, item); !why.empty()) return why;
    return "";
  }
  const bool dict = py::isinstance<py::dict>(value);
  if (!dict && !py::isinstance<py::str>(value)) return "";
  const py::module_ module = py::module_::import("limber._limber");
  for (std::size_t from = 0; from < type.size();) {
    const std::size_t end = std::min(type.find_first_of(" |[],", from), type.size());
    const std::string word = type.substr(from, end - from);
    from = end + 1;
    if (word.empty() || !py::hasattr(module, word.c_str())) continue;
    const py::object cls = module.attr(word.c_str());
    if (!py::hasattr(cls, dict ? "_fields" : "__members__")) continue;
    try {
      cls(value);
    } catch (const py::error_already_set& e) {
      return py::str(e.value()).cast<std::string>();
    }
  }
  return "";
}

// The same for the arguments of a function: "spec: RigidSpec has no 'mas'; ...".
std::string why_not_called(const std::string& title, PyObject* args, PyObject* kwargs) {
  const std::size_t open = title.find('('), end = title.rfind(") ->");
  if (open == std::string::npos || end == std::string::npos) return "";
  const std::vector<std::string> pieces = split(title.substr(open + 1, end - open - 1));
  Py_ssize_t at = 0;
  bool by_position = true;
  for (const std::string& piece : pieces) {
    const std::size_t colon = piece.find(':');
    const std::string name = trimmed(piece.substr(0, colon));
    by_position = by_position && name != "*";
    PyObject* value = by_position && at < PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, at) : nullptr;
    if (value == nullptr && kwargs != nullptr) value = PyDict_GetItemString(kwargs, name.c_str());
    ++at;
    if (value == nullptr || colon == std::string::npos) continue;
    if (const std::string why = why_not(piece.substr(colon + 1), value); !why.empty()) return name + ": " + why;
  }
  return "";
}

// Its type; of lists and arrays also what tells a wrong size.
std::string given_text(py::handle value) {
  const std::string type = Py_TYPE(value.ptr())->tp_name;
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) return type + " " + short_text(value);
  if (py::isinstance<py::array>(value)) return type + " " + py::repr(value.attr("shape")).cast<std::string>();
  return type;
}

std::string type_names(PyObject* args, PyObject* kwargs, bool method) {
  std::string out;
  for (Py_ssize_t k = method ? 1 : 0; k < PyTuple_GET_SIZE(args); ++k)
    out += (out.empty() ? "" : ", ") + given_text(PyTuple_GET_ITEM(args, k));
  if (kwargs != nullptr) {
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(kwargs))
      out += (out.empty() ? "" : ", ") + py::str(key).cast<std::string>() + "=" + given_text(value);
  }
  return out;
}

std::string wrong_call_text(const KnownCall& known, PyObject* args, PyObject* kwargs) {
  if (known.property && PyTuple_GET_SIZE(args) == 2) {
    const py::handle value = PyTuple_GET_ITEM(args, 1);
    if (const std::string why = why_not(known.type, value); !why.empty()) return known.title + ": " + why;
    return known.title + " takes " + known.what + ", not " + short_text(value);
  }
  const std::string& title = known.title;
  const std::string why = why_not_called(title, args, kwargs);
  if (!why.empty()) return title.substr(0, title.find('(')) + ": " + why;
  return title + " was called with (" + type_names(args, kwargs, title.find('.') < title.find('(')) + ")";
}

// pybind11's own, whose list of overloads is replaced by the signature and what was given.
PyObject* call_with_short_errors(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* out = pybind11_call(self, args, kwargs);
  if (out != nullptr || !PyErr_ExceptionMatches(PyExc_TypeError)) return out;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const std::string message = py::str(py::handle(value)).cast<std::string>();
  const auto known = known_calls().find(self);
  if (known == known_calls().end() || message.find("incompatible ") == std::string::npos) {
    PyErr_Restore(type, value, trace);
    return nullptr;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  PyErr_SetString(PyExc_TypeError, wrong_call_text(known->second, args, kwargs).c_str());
  return nullptr;
}

void shorten(py::handle function, const KnownCall& known) {
  PyObject* f = function.ptr();
  if (f != nullptr && PyInstanceMethod_Check(f)) f = PyInstanceMethod_GET_FUNCTION(f);
  if (f == nullptr || !PyCFunction_Check(f)) return;
  auto* object = reinterpret_cast<PyCFunctionObject*>(f);
  const auto call = reinterpret_cast<Call>(reinterpret_cast<void (*)()>(object->m_ml->ml_meth));
  if (object->m_self == nullptr || !PyCapsule_CheckExact(object->m_self)) return;
  if (pybind11_call == nullptr) pybind11_call = call;
  if (call != pybind11_call) return;
  object->m_ml->ml_meth =
      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_with_short_errors));  // it takes keywords
  known_calls()[object->m_self] = known;
}

std::string with_self(const std::string& type, bool method) {
  return method && type.rfind("(", 0) == 0 ? "(self" + std::string(type[1] == ')' ? "" : ", ") + type.substr(1) : type;
}

// What a property takes: "4 values (per BeamFamily: bending_y, ...)", from its size or type and its comment.
std::string value_text(const std::string& member, const std::string& type, py::handle doc) {
  const auto size = known_sizes().find(member);
  std::string out = size != known_sizes().end() && !size->second.empty() ? size->second
                    : type.empty()                                       ? "another type"
                                                                         : type;
  if (doc.is_none()) return out;
  const auto text = doc.cast<std::string>();
  std::string comment = trimmed(text.substr(std::min(text.find('\n'), text.size())));
  for (char& c : comment) c = c == '\n' ? ' ' : c;
  return comment.empty() ? out : out + " (" + comment + ")";
}

void shorten_class(py::handle cls) {
  const auto name = cls.attr("__name__").cast<std::string>();
  const py::dict members = cls.attr("__dict__").attr("copy")();
  for (const auto& [key, value] : members) {
    const std::string member = name + "." + key.cast<std::string>();
    const auto type = known_types().find(member);
    const std::string known = type == known_types().end() ? "" : type->second;
    if (py::isinstance(value, py::handle(reinterpret_cast<PyObject*>(&PyProperty_Type)))) {
      const KnownCall call{member, true, known, value_text(member, known, value.attr("__doc__"))};
      shorten(value.attr("fget"), call);
      shorten(value.attr("fset"), call);
    } else {
      shorten(value, {member + with_self(known.empty() ? "(...)" : known, true), false, "", ""});
    }
  }
}

}  // namespace

std::string header_doc(std::string_view name) {
  const HeaderDoc* end = kHeaderDocTable + kHeaderDocs;
  const HeaderDoc* found = std::lower_bound(kHeaderDocTable, end, name,
                                            [](const HeaderDoc& doc, std::string_view key) { return doc.name < key; });
  return found != end && found->name == name ? found->text : "";
}

void remember_type(const std::string& name, const std::string& type) { known_types()[name] = type; }
void remember_size(const std::string& name, const std::string& size) { known_sizes()[name] = size; }

std::string scope_name(py::handle scope) {
  if (PyModule_Check(scope.ptr())) return "";
  return scope.attr("__name__").cast<std::string>() + ".";
}

py::dict types() {
  py::dict out;
  for (const auto& [name, type] : known_types()) out[py::str(name)] = type;
  return out;
}

Signature::Signature(std::string text_, const std::string& key, const std::string& more) : text(std::move(text_)) {
  const std::string comment = key.empty() ? "" : header_doc(key);
  if (!key.empty() && comment.empty() && more.empty())
    throw std::logic_error("no comment of '" + key + "' in the headers");
  doc = comment + (comment.empty() || more.empty() ? "" : "\n\n") + more;
  const std::size_t end = text.rfind(") ->");
  if (text[0] != '(' || end == std::string::npos) throw std::logic_error("not a signature: " + text);
  bool only_by_name = false;
  for (const std::string& piece : split(text.substr(1, end - 1))) {
    const std::size_t colon = piece.find(':');
    std::size_t equal = piece.find('=', colon == std::string::npos ? 0 : colon);
    Argument argument;
    argument.name = trimmed(piece.substr(0, std::min(colon, equal)));
    if (equal != std::string::npos) argument.value = trimmed(piece.substr(equal + 1));
    argument.only_by_name = only_by_name;
    if (argument.name == "*")
      only_by_name = true;
    else
      arguments.push_back(std::move(argument));
  }
}

void apply(const Signature& signature, py::detail::function_record* record, std::string& out) {
  const std::string name = record->name;
  if (record->is_method && record->args.empty()) record->args.emplace_back("self", nullptr, py::handle(), true, false);
  std::string shown = record->is_method ? "self" : "";
  bool star = false;
  for (const Signature::Argument& argument : signature.arguments) {
    if (argument.only_by_name && !star) {
      record->nargs_pos = static_cast<std::uint16_t>(record->args.size());
      shown += shown.empty() ? "*" : ", *";
      star = true;
    }
    if (argument.name.rfind("*", 0) == 0) {
      shown += (shown.empty() ? "" : ", ") + argument.name;
      continue;
    }
    py::object value;
    if (!argument.value.empty()) value = py::eval(argument.value);
    record->args.emplace_back(argument.name.c_str(), argument.value.empty() ? nullptr : argument.value.c_str(),
                              value.release(), true, true);
    shown += (shown.empty() ? "" : ", ") + argument.name + (argument.value.empty() ? "" : "=" + argument.value);
  }
  out = name + "(" + shown + ")\n--\n\n" + signature.doc;
  record->doc = out.data();
  remember_type(scope_name(record->scope) + name, signature.text);
}

std::string property_doc(py::handle scope, const std::string& name, const std::string& type, const std::string& key,
                         const std::string& more) {
  remember_type(scope_name(scope) + name, type);
  const std::string comment = key.empty() ? "" : header_doc(key);
  return type + (comment.empty() ? "" : "\n\n" + comment) + (more.empty() ? "" : "\n\n" + more);
}

void add_field(py::handle cls, const char* name) {
  py::list fields(cls.attr("_fields"));
  fields.append(name);
  cls.attr("_fields") = py::tuple(fields);
}

void set_fields(py::handle self, const py::dict& fields) {
  const py::tuple known = self.attr("_fields");
  for (const auto& [key, value] : fields) {
    if (!known.contains(key))
      throw py::type_error(py::type::of(self).attr("__name__").cast<std::string>() + " has no '" +
                           py::str(key).cast<std::string>() + "'; there are " +
                           py::str(", ").attr("join")(known).cast<std::string>());
    py::setattr(self, key, value);
  }
}

py::dict get_fields(py::handle self) {
  py::dict out;
  for (const py::handle field : py::tuple(self.attr("_fields"))) out[field] = py::getattr(self, field);
  return out;
}

std::string fields_text(py::handle self) {
  std::string out;
  for (const auto& [name, value] : get_fields(self))
    out += (out.empty() ? "" : ", ") + name.cast<std::string>() + "=" + py::repr(value).cast<std::string>();
  return py::type::of(self).attr("__name__").cast<std::string>() + "(" + out + ")";
}

py::object frozen(py::object value) {
  if (py::isinstance<py::array>(value)) value.attr("flags").attr("writeable") = false;
  return value;
}

void shorten_type_errors(py::module_& m) {
  const py::dict members = m.attr("__dict__").attr("copy")();
  for (const auto& [key, value] : members) {
    const auto name = key.cast<std::string>();
    if (PyType_Check(value.ptr())) {
      shorten_class(value);
    } else {
      const auto type = known_types().find(name);
      shorten(value, {name + (type == known_types().end() ? "(...)" : type->second), false, "", ""});
    }
  }
}

}  // namespace limber::python
