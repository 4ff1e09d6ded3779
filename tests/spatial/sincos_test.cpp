// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/spatial/detail/sincos.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>
#include <random>

#include "limber/spatial/detail/four.hpp"

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

// Each lane is independent of the others.
TEST(Sincos, OfFourIsThatOfEach) {
  std::mt19937_64 random(2);
  const double rare[] = {1e5, -3e7, 1e300, std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()};
  for (int k = 0; k < 20000; ++k) {
    double x[kLanes], sines[kLanes], cosines[kLanes];
    for (double& one : x) one = std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5, random() % 18);
    if (k % 5 == 0) x[random() % kLanes] = rare[random() % 5];
    Vec4d sine, cosine;
    sincos(load(x), sine, cosine);
    store(sines, sine);
    store(cosines, cosine);
    for (int lane = 0; lane < kLanes; ++lane) {
      double one = 0, other = 0;
      sincos(x[lane], one, other);
      if (std::isnan(one)) {
        EXPECT_TRUE(std::isnan(sines[lane]) && std::isnan(cosines[lane]));
        continue;
      }
      ASSERT_NEAR(sines[lane], one, 1.2e-16) << x[lane];
      ASSERT_NEAR(cosines[lane], other, 1.2e-16) << x[lane];
    }
  }
}

TEST(RotationSeries, OfFourIsThatOfEach) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 20000; ++k) {
    double x[kLanes];
    for (double& one : x)
      one = std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53, static_cast<int>(random() % 12) - 8);
    const FourRotationSeries four = rotation_series(load(x));
    const auto check = [&](Vec4d values, double one, int lane) {
      double numbers[kLanes];
      store(numbers, values);
      ASSERT_NEAR(numbers[lane], one, 2.3e-16) << x[lane];
    };
    for (int lane = 0; lane < kLanes; ++lane) {
      const RotationSeries one = rotation_series(x[lane]);
      check(four.sinc, one.sinc, lane);
      check(four.a, one.a, lane);
      check(four.b, one.b, lane);
      check(four.da, one.da, lane);
      check(four.db, one.db, lane);
      check(four.cosine, std::cos(std::sqrt(x[lane])), lane);
    }
  }
}

}  // namespace
}  // namespace limber::test
