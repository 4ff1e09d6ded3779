// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "limber/spatial/types.hpp"

namespace limber::test {

inline constexpr double kEps = std::numeric_limits<double>::epsilon();

// Holds when the Frobenius norm of a - b is at most `bound`; a NaN anywhere fails.
template <class A, class B>
::testing::AssertionResult is_close(const A& a, const B& b, double bound) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) {
    return ::testing::AssertionFailure() << "sizes differ: " << a.rows() << "x" << a.cols() << " and " << b.rows()
                                         << "x" << b.cols();
  }
  const double error = a.size() == 0 ? 0.0 : (a - b).norm();
  if (error <= bound) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "|a - b| = " << error << " > " << bound << ", |b| = " << b.norm();
}

inline ::testing::AssertionResult is_close(double a, double b, double bound) {
  if (std::abs(a - b) <= bound) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << a << " - " << b << " = " << a - b << ", more than " << bound;
}

// Holds if all bits are equal (so that -0 and 0 differ, and NaN equals itself).
template <class A, class B>
bool is_same_bits(const A& a, const B& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data(), [](double x, double y) {
           return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
         });
}

// The largest error / bound of a test, written to its XML record, to show the margin of a tolerance.
class Worst {
 public:
  explicit Worst(std::string name) : name_(std::move(name)) {}
  ~Worst() { ::testing::Test::RecordProperty(name_, std::to_string(worst_)); }
  Worst(const Worst&) = delete;
  Worst& operator=(const Worst&) = delete;
  void add(double error, double bound) {
    const double ratio = error / bound;
    worst_ = ratio > worst_ || ratio != ratio ? ratio : worst_;
  }

 private:
  std::string name_;
  double worst_ = 0;
};

}  // namespace limber::test

#define EXPECT_CLOSE(a, b, bound) EXPECT_TRUE(::limber::test::is_close(a, b, bound))
#define ASSERT_CLOSE(a, b, bound) ASSERT_TRUE(::limber::test::is_close(a, b, bound))
