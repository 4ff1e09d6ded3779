// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Eigen's matrices as NumPy arrays and back, by copy: for small things.  Large ones go through arrays.hpp.
#pragma once

#include <pybind11/complex.h>
#include <pybind11/numpy.h>

#include "limber/spatial/types.hpp"

namespace pybind11::detail {

template <class Scalar, int Rows, int Cols, int Options, int MaxRows, int MaxCols>
struct type_caster<Eigen::Matrix<Scalar, Rows, Cols, Options, MaxRows, MaxCols>> {
  using Type = Eigen::Matrix<Scalar, Rows, Cols, Options, MaxRows, MaxCols>;
  using Index = Eigen::Index;
  static constexpr bool kVector = Cols == 1;
  PYBIND11_TYPE_CASTER(Type, const_name("numpy.ndarray"));

  bool load(handle source, bool /*convert*/) {
    if (!source || source.is_none() || isinstance<str>(source)) return false;
    const auto given = array::ensure(source);
    if (!given) return false;
    const char kind = given.dtype().kind();
    const bool complex = Eigen::NumTraits<Scalar>::IsComplex;
    if (kind != 'f' && kind != 'i' && kind != 'u' && kind != 'b' && !(complex && kind == 'c')) return false;
    const auto numbers = array_t<Scalar, array::forcecast>::ensure(given);
    if (!numbers) return false;
    const Index dims = numbers.ndim();
    if (dims != (kVector ? 1 : 2)) return false;
    const Index rows = numbers.shape(0), cols = kVector ? 1 : numbers.shape(1);
    if ((Rows != Eigen::Dynamic && rows != Rows) || (Cols != Eigen::Dynamic && cols != Cols)) return false;
    value.resize(rows, cols);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) value(i, j) = kVector ? numbers.at(i) : numbers.at(i, j);
    }
    return true;
  }

  static handle cast(const Type& matrix, return_value_policy /*policy*/, handle /*parent*/) {
    std::vector<ssize_t> shape = {matrix.rows()};
    if (!kVector) shape.push_back(matrix.cols());
    array_t<Scalar> out(shape);
    Scalar* to = out.mutable_data();
    for (Index i = 0; i < matrix.rows(); ++i) {
      for (Index j = 0; j < matrix.cols(); ++j) *to++ = matrix(i, j);
    }
    return out.release();
  }
};

}  // namespace pybind11::detail
