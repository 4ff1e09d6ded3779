// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace limber {

class ModelBuilder;
struct Model;

// A value that is const for everyone except Model and its builder.
template <class T>
class ReadOnly {
 public:
  ReadOnly() = default;
  ReadOnly(T value) : value_(std::move(value)) {}  // NOLINT: as transparent as the value itself

  operator const T&() const { return value_; }  // NOLINT
  const T& get() const { return value_; }       // the value
  friend bool operator==(const ReadOnly& a, const ReadOnly& b) { return a.value_ == b.value_; }
  friend bool operator==(const ReadOnly& a, const T& b) { return a.value_ == b; }

  // Containers.
  decltype(auto) operator[](auto i) const { return std::as_const(value_)[i]; }
  auto size() const requires requires(const T& v) { v.size(); }
  { return value_.size(); }
  bool empty() const requires requires(const T& v) { v.empty(); }
  { return value_.empty(); }
  auto begin() const requires requires(const T& v) { v.begin(); }
  { return value_.begin(); }
  auto end() const requires requires(const T& v) { v.end(); }
  { return value_.end(); }
  const auto* data() const { return value_.data(); }
  decltype(auto) front() const { return std::as_const(value_).front(); }
  decltype(auto) back() const { return std::as_const(value_).back(); }

 private:
  friend class ModelBuilder;
  friend struct Model;
  T value_{};
};

}  // namespace limber
