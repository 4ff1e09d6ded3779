// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/spatial/detail/sincos.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>
#include <random>

namespace limber::test {
namespace {

TEST(Sincos, IsThatOfTheLibraryToTwoRoundings) {
  std::mt19937_64 random(1);
  const double eps = std::numeric_limits<double>::epsilon();
  for (int k = 0; k < 200000; ++k) {
    double x = std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5, static_cast<int>(random() % 24) - 4);
    if (k % 4 == 0) x = std::round(x) * (std::numbers::pi / 2) + 1e-9 * x;  // near the zeros of one of them
    double sine = 0, cosine = 0;
    sincos(x, sine, cosine);
    ASSERT_NEAR(sine, std::sin(x), eps) << x;
    ASSERT_NEAR(cosine, std::cos(x), eps) << x;
  }
}

TEST(Sincos, KeepsSignsAndWhatIsNotANumber) {
  double sine = 1, cosine = 0;
  sincos(-0.0, sine, cosine);
  EXPECT_EQ(sine, 0);
  EXPECT_EQ(cosine, 1);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    sincos(bad, sine, cosine);
    EXPECT_TRUE(std::isnan(sine));
    EXPECT_TRUE(std::isnan(cosine));
  }
  sincos(1e300, sine, cosine);
  EXPECT_EQ(sine, std::sin(1e300));
}

}  // namespace
}  // namespace limber::test
