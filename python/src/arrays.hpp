// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments that are arrays of numbers.  A NumPy array of doubles is used where it lies; anything else that is numbers
// is converted; a wrong shape or type is an InputError that names the argument.
#pragma once

#include <pybind11/numpy.h>

#include <string>

#include "limber/spatial/status.hpp"
#include "limber/spatial/types.hpp"

namespace limber::python {

namespace py = pybind11;
using Index = Eigen::Index;
using Array = py::array_t<double>;

// What an argument must look like: its name, the length of a row, and what that length is called.
struct Wanted {
  const char* name;
  Index length;
  const char* called;  // "nq", "nv"
};

// Numbers of one vector (items < 0) or of a batch, one item per row.
struct Numbers {
  const double* data = nullptr;
  Index items = -1, length = 0;
  Index item_stride = 0, stride = 1;  // in doubles
  py::object keep;                    // what was converted

  bool batch() const { return items >= 0; }
  Eigen::Map<const VectorXd> vector() const { return {data, length}; }
};

// (length) or (K, length); `zeros`: what stands for None.
Numbers read_numbers(py::handle x, const Wanted& wanted);
// One vector; a batch is refused.
Numbers read_vector(py::handle x, const Wanted& wanted);
// Throws InputError: which number is not finite; `names`: of the numbers.
void check_finite(const Numbers& x, const Wanted& wanted, const std::vector<std::string>& names);

// An array for results: `out` as it is where it fits, a new one where it is None.
struct Result {
  Array array;
  double* data = nullptr;
};
Result make_result(py::handle out, const char* name, std::initializer_list<Index> shape);

// Matrices of results, one after the other, each by columns, as Eigen has them.
//   finish(): what the caller gets, an array (n, m) or (K, n, m).
class MatrixResult {
 public:
  MatrixResult(py::handle out, const char* name, Index items, Index rows, Index cols);
  double* item(Index k) const { return data_ + k * rows_ * cols_; }
  Eigen::Map<MatrixXd> matrix(Index k = 0) const { return {item(k), rows_, cols_}; }
  py::object finish() const;

 private:
  py::object out_;  // to be filled at the end; none: the view is the result
  Array view_;
  double* data_;
  Index rows_, cols_;
};

// Whether the memory of two ranges of doubles meets.
inline bool overlap(const double* a, Index n, const double* b, Index m) { return a < b + m && b < a + n; }

std::string shape_text(const py::array& x);

}  // namespace limber::python
