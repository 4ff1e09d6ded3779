// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <cmath>

namespace limber::python {
namespace {

constexpr int kDouble = py::detail::npy_api::NPY_DOUBLE_;
constexpr int kAligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_,
              kWriteable = py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
constexpr auto kNumber = static_cast<Index>(sizeof(double));

bool is_array(PyObject* x) { return py::detail::npy_api::get().PyArray_Check_(x); }

// Doubles of this machine, each where a double may be.
bool is_plain(PyObject* x) {
  const auto* proxy = py::detail::array_proxy(x);
  const auto* descr = py::detail::array_descriptor_proxy(proxy->descr);
  return descr->type_num == kDouble && descr->byteorder != '>' && (proxy->flags & kAligned) != 0;
}

// What is no plain array, as one.
py::object converted(py::handle x, const Wanted& wanted) {
  const std::string name = wanted.name;
  if (x.is_none())
    throw InputError(name + " is None; give it " + std::to_string(wanted.length) + " numbers (" + wanted.called + ")");
  const py::array given = py::array::ensure(x);
  if (!given) throw InputError(name + " is of type " + Py_TYPE(x.ptr())->tp_name + "; give it an array of numbers");
  const char kind = given.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b')
    throw InputError(name + " has dtype " + py::str(given.dtype()).cast<std::string>() +
                     "; give it real numbers (float64)");
  return py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(given);
}

[[noreturn]] void refuse_shape(py::handle x, const Wanted& wanted, bool batches) {
  const std::string n = std::to_string(wanted.length);
  throw InputError(std::string(wanted.name) + " has shape " + shape_text(py::reinterpret_borrow<py::array>(x)) +
                   "; it must be (" + n + ",), " + wanted.called + " = " + n +
                   (batches ? ", or (K, " + n + ") for a batch" : ""));
}

}  // namespace

std::string shape_text(const py::array& x) { return py::str(x.attr("shape")).cast<std::string>(); }

Numbers read_numbers(py::handle x, const Wanted& wanted) {
  Numbers out;
  PyObject* array = x.ptr();
  if (!is_array(array) || !is_plain(array)) {
    out.keep = converted(x, wanted);
    array = out.keep.ptr();
  }
  const auto* proxy = py::detail::array_proxy(array);
  if (proxy->nd < 1 || proxy->nd > 2 || proxy->dimensions[proxy->nd - 1] != wanted.length)
    refuse_shape(array, wanted, true);
  out.length = wanted.length;
  const bool whole = proxy->strides[proxy->nd - 1] % kNumber == 0 && proxy->strides[0] % kNumber == 0;
  const bool usable = whole && (proxy->nd == 2 || proxy->strides[0] == kNumber || wanted.length < 2);
  if (!usable) {
    out.keep = converted(py::handle(array).attr("copy")(), wanted);
    proxy = py::detail::array_proxy(out.keep.ptr());
  }
  out.data = reinterpret_cast<const double*>(proxy->data);
  if (proxy->nd == 2) {
    out.items = proxy->dimensions[0];
    out.item_stride = proxy->strides[0] / kNumber;
    out.stride = proxy->strides[1] / kNumber;
  }
  return out;
}

Numbers read_vector(py::handle x, const Wanted& wanted) {
  Numbers out = read_numbers(x, wanted);
  if (out.batch()) refuse_shape(out.keep ? py::handle(out.keep) : x, wanted, false);
  return out;
}

void check_finite(const Numbers& x, const Wanted& wanted, const std::vector<std::string>& names) {
  double sum = 0;  // 0 x is 0 for every finite x
  for (Index k = 0; k < x.length; ++k) sum += 0 * x.data[k];
  if (sum == 0) return;
  for (Index k = 0; k < x.length; ++k) {
    if (!std::isfinite(x.data[k]))
      throw InputError(std::string(wanted.name) + "[" + std::to_string(k) + "] ('" +
                       names[static_cast<std::size_t>(k)] + "') is not finite; write a number");
  }
}

Result make_result(py::handle out, const char* name, std::initializer_list<Index> shape) {
  if (out.is_none()) {
    Result made{Array(std::vector<py::ssize_t>(shape.begin(), shape.end())), nullptr};
    made.data = made.array.mutable_data();
    return made;
  }
  const auto text = [&] { return py::str(py::tuple(py::cast(std::vector<Index>(shape)))).cast<std::string>(); };
  if (!is_array(out.ptr()) || !is_plain(out.ptr()))
    throw InputError(std::string(name) + " must be an array of float64 of shape " + text());
  const auto* proxy = py::detail::array_proxy(out.ptr());
  bool fits = proxy->nd == static_cast<int>(shape.size());
  Index stride = kNumber;
  for (int d = static_cast<int>(shape.size()) - 1; d >= 0 && fits; --d) {
    fits = proxy->dimensions[d] == shape.begin()[d] && (proxy->strides[d] == stride || proxy->dimensions[d] < 2);
    stride *= shape.begin()[d];
  }
  if (!fits)
    throw InputError(std::string(name) + " has shape " + shape_text(py::reinterpret_borrow<py::array>(out)) +
                     "; it must be a contiguous array (order C) of shape " + text());
  if ((proxy->flags & kWriteable) == 0) throw InputError(std::string(name) + " cannot be written to");
  return {py::reinterpret_borrow<Array>(out), reinterpret_cast<double*>(proxy->data)};
}

MatrixResult::MatrixResult(py::handle out, const char* name, Index items, Index rows, Index cols)
    : rows_(rows), cols_(cols) {
  std::vector<py::ssize_t> shape = {rows, cols}, strides = {kNumber, kNumber * rows};
  if (items >= 0) {
    shape.insert(shape.begin(), items);
    strides.insert(strides.begin(), kNumber * rows * cols);
  }
  if (!out.is_none()) {
    const auto text = [&] { return py::str(py::tuple(py::cast(shape))).cast<std::string>(); };
    if (!is_array(out.ptr()) || !is_plain(out.ptr()))
      throw InputError(std::string(name) + " must be an array of float64 of shape " + text());
    const auto given = py::reinterpret_borrow<Array>(out);
    if (!given.writeable()) throw InputError(std::string(name) + " cannot be written to");
    bool fits = given.ndim() == static_cast<py::ssize_t>(shape.size()), same = fits;
    for (std::size_t d = 0; d < shape.size() && fits; ++d) {
      fits = given.shape(static_cast<py::ssize_t>(d)) == shape[d];
      same = same && (given.strides(static_cast<py::ssize_t>(d)) == strides[d] || shape[d] < 2);
    }
    if (!fits) throw InputError(std::string(name) + " has shape " + shape_text(given) + "; it must be " + text());
    if (same) {
      view_ = given;
      data_ = view_.mutable_data();
      return;
    }
    out_ = given;
  }
  view_ = Array(shape, strides);
  data_ = view_.mutable_data();
}

py::object MatrixResult::finish() const {
  if (!out_) return view_;
  out_[py::ellipsis()] = view_;
  return out_;
}

}  // namespace limber::python
