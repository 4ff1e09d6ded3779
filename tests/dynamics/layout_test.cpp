// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Users and library agree on the layout of shared types, for any -march of either.  decisions/0012.
#include <gtest/gtest.h>

#include "limber/spatial/types.hpp"
#if defined(__x86_64__)
#include "dynamics/public_sizes.hpp"

namespace limber::test {
namespace {

TEST(Layout, OfPublicStructsDoesNotDependOnTheInstructionSet) {
  int count = 0;
  for (int i = 0; kSizesPlain[i].name != nullptr; ++i, ++count) {
    for (const PublicSize* other : {kSizesV3, kSizesV4}) {
      ASSERT_STREQ(kSizesPlain[i].name, other[i].name);
      EXPECT_EQ(kSizesPlain[i].size, other[i].size) << other[i].name;
      EXPECT_EQ(kSizesPlain[i].alignment, other[i].alignment) << other[i].name;
    }
  }
  EXPECT_GT(count, 30);
}

// As in builds without -march: Eigen uses 16-byte alignment, and malloc for dynamic vectors.
TEST(Layout, LeavesEigenToMallocAndFree) {
  EXPECT_EQ(EIGEN_DEFAULT_ALIGN_BYTES, 16);
  EXPECT_EQ(EIGEN_MALLOC_ALREADY_ALIGNED, 1);
  EXPECT_EQ(alignof(Matrix6), 16u);
}

}  // namespace
}  // namespace limber::test
#endif
