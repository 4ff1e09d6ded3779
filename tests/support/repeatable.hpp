// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "support/engine.hpp"
#include "support/no_alloc.hpp"
#include "support/random_tree.hpp"

namespace limber::test {

// Forward dynamics by `compute` at a random state uses no heap, and is bitwise equal after a call at another state.
// loaded: with wrenches on nodes.
template <typename Workspace, typename Compute>
void expect_repeatable(const Model& model, std::uint64_t seed, Compute compute, bool loaded = true) {
  const Sample s = random_sample(model, seed), other = random_sample(model, seed + 1000);
  const std::span<const NodeWrench> wrenches =
      loaded ? std::span<const NodeWrench>(s.wrenches) : std::span<const NodeWrench>();
  Workspace ws(model);
  VectorXd first(model.nv), again(model.nv);
  ASSERT_EQ(compute(model, s.x, Forces{s.tau, wrenches}, ws, first), Status::ok);
  ASSERT_EQ(compute(model, other.x, Forces{other.tau, {}}, ws, again), Status::ok);
  Status status{};
  {
    NoAlloc guard;
    status = compute(model, s.x, Forces{s.tau, wrenches}, ws, again);
  }
  EXPECT_EQ(status, Status::ok);
  EXPECT_TRUE(is_same_bits(first, again)) << "seed " << seed;
}

}  // namespace limber::test
