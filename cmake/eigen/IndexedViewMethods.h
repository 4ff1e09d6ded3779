// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Indexed views of Eigen 3.4, M(rows, cols) and v(indices), in place of its own header of this name in builds of limber
// itself: cmake/LimberEigen.cmake.  Each class of an expression has these members; Eigen's are some two dozen with long return types.
template <typename Indices, int Size>
static decltype(auto) indexed_by(const Indices& indices, Index size) {
  return internal::makeIndexedViewCompatible(indices, internal::variable_if_dynamic<Index, Size>(size), Specialized);
}
template <typename Indices, int Size>
using Indexed = typename internal::IndexedViewCompatibleType<Indices, Size>::type;

template <typename Rows, typename Cols>
  requires(bool(internal::valid_indexed_view_overload<Rows, Cols>::value))
auto operator()(const Rows& by_row, const Cols& by_col) const {
  return IndexedView<const Derived, Indexed<Rows, RowsAtCompileTime>, Indexed<Cols, ColsAtCompileTime>>(
      derived(), indexed_by<Rows, RowsAtCompileTime>(by_row, rows()), indexed_by<Cols, ColsAtCompileTime>(by_col, cols()));
}
template <typename Rows, typename Cols>
  requires(bool(internal::valid_indexed_view_overload<Rows, Cols>::value))
auto operator()(const Rows& by_row, const Cols& by_col) {
  return IndexedView<Derived, Indexed<Rows, RowsAtCompileTime>, Indexed<Cols, ColsAtCompileTime>>(
      derived(), indexed_by<Rows, RowsAtCompileTime>(by_row, rows()), indexed_by<Cols, ColsAtCompileTime>(by_col, cols()));
}
template <typename Indices>
  requires(!bool(internal::is_valid_index_type<Indices>::value))
auto operator()(const Indices& indices) const {
  if constexpr (IsRowMajor)
    return (*this)(0, indices);
  else
    return (*this)(indices, 0);
}
template <typename Indices>
  requires(!bool(internal::is_valid_index_type<Indices>::value))
auto operator()(const Indices& indices) {
  if constexpr (IsRowMajor)
    return (*this)(0, indices);
  else
    return (*this)(indices, 0);
}
