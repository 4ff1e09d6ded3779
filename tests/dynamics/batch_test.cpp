// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Batches against the recursions for one state.
#include "limber/dynamics/batch.hpp"

#include <gtest/gtest.h>

#include "support/close.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {
namespace {

// States, forces and accelerations of all items, item by item and in columns.
struct BatchSample {
  BatchSample(const Model& model, int items, std::uint64_t seed)
      : q(model.nq, items), v(model.nv, items), tau(model.nv, items), vdot(model.nv, items) {
    for (int k = 0; k < items; ++k) {
      samples.push_back(random_sample(model, 1000 * seed + static_cast<std::uint64_t>(k)));
      q.col(k) = samples[k].x.q, v.col(k) = samples[k].x.v;
      tau.col(k) = samples[k].tau, vdot.col(k) = samples[k].vdot;
    }
  }
  std::vector<Sample> samples;
  BatchArray q, v, tau, vdot;
};

// The largest difference of a column from a vector, in units of the vector.
double relative(const Eigen::Ref<const VectorXd>& a, const VectorXd& b) {
  return (a - b).norm() / std::max(1.0, b.norm());
}

TEST(Batch, SolvesAsAbaOnMixedTrees) {
  Worst worst("batch_aba");
  for (std::uint64_t seed = 1; seed <= 84; ++seed) {
    const Model model = make_model(random_machine(mixed_tree(seed), seed));
    if (model.nv == 0) continue;
    const BatchSample s(model, 1 + static_cast<int>(seed % 11), seed);
    Engine engine(model);
    for (const int lanes : batch_lanes()) {
      BatchAba batch(model, static_cast<int>(s.samples.size()), {.threads = 1, .lanes = lanes});
      BatchArray out(model.nv, s.samples.size());
      batch.forward(s.q, s.v, s.tau, out);
      for (std::size_t k = 0; k < s.samples.size(); ++k) {
        ASSERT_EQ(batch.status()[k], Status::ok);
        const VectorXd expected = engine.forward(s.samples[k].x, s.samples[k].tau);
        const double error = relative(out.col(static_cast<Eigen::Index>(k)), expected);
        worst.add(error, 1e-11);
        EXPECT_LE(error, 1e-11) << "lanes " << lanes << ", item " << k << ", " << describe(mixed_tree(seed), seed);
      }
    }
  }
}

}  // namespace
}  // namespace limber::test
