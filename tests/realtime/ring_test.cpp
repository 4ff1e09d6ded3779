// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/realtime/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace limber::test {
namespace {

TEST(RowRing, CarriesRowsBetweenThreads) {
  constexpr int kRows = 20000;
  RowRing ring(3, 16);
  std::thread writer([&] {
    for (int k = 0; k < kRows;) {
      const std::span<double> row = ring.next();
      if (row.empty()) {
        std::this_thread::yield();
        continue;
      }
      std::fill(row.begin(), row.end(), k++);
      ring.push();
    }
  });
  for (int k = 0; k < kRows;) {
    const std::span<const double> row = ring.front();
    if (row.empty()) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(row[0], k);
    ASSERT_EQ(row[2], k++);
    ring.pop();
  }
  writer.join();
  EXPECT_TRUE(ring.front().empty());
}

}  // namespace
}  // namespace limber::test
