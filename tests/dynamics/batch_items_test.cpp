// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Batches: items with individual parameters, threads, failures, many modes.
#include <gtest/gtest.h>

#include "limber/dynamics/batch.hpp"
#include "limber/model/friction.hpp"
#include "support/close.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/no_alloc.hpp"

namespace limber::test {
namespace {

struct Columns {
  Columns(const Model& model, int items, std::uint64_t seed)
      : q(model.nq, items), v(model.nv, items), tau(model.nv, items), out(model.nv, items) {
    for (int k = 0; k < items; ++k) {
      const Sample s = random_sample(model, 1000 * seed + static_cast<std::uint64_t>(k));
      q.col(k) = s.x.q, v.col(k) = s.x.v, tau.col(k) = s.tau;
    }
  }
  State state(int k) const { return {0, q.col(k), v.col(k)}; }
  BatchArray q, v, tau, out;
};

double off(const Eigen::Ref<const VectorXd>& a, const VectorXd& b) { return (a - b).norm() / std::max(1.0, b.norm()); }

TEST(BatchItems, BodiesWithManyModesHaveActiveCoordinates) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    TreeOptions o;
    o.bodies = 1 + static_cast<int>(seed % 5);
    o.modes = 14;
    o.fidelity = seed % 2 == 0 ? Fidelity::full : Fidelity::ruthless;
    o.chain = seed % 3 == 0;
    o.flexible = 1;
    o.beams = 0.5;
    o.modal_mass = ModalMass::diagonal;
    const Model model = make_model(random_machine(o, seed));
    const int items = 9;
    Columns c(model, items, seed);
    Engine engine(model);
    for (const int lanes : batch_lanes()) {
      BatchAba batch(model, items, {.threads = 1, .lanes = lanes});
      batch.forward(c.q, c.v, c.tau, c.out);
      for (int k = 0; k < items; ++k)
        EXPECT_LE(off(c.out.col(k), engine.forward(c.state(k), c.tau.col(k))), 1e-11) << describe(o, seed);
    }
  }
}

// An arm of two beams with a rigid load at the end.
Model arm_with_load(double stiffness, double damping, const RigidSpec& load, Fidelity fidelity) {
  BeamSpec beam;
  beam.length = 1, beam.mass_per_length = 2, beam.EIy = beam.EIz = 800 * stiffness, beam.GJ = 600 * stiffness;
  beam.rotary_inertia_y = beam.rotary_inertia_z = 1e-3;
  beam.modes = {2, 2, 0, 1};
  ModelBuilder builder("arm");
  builder.gravity({0, 0, -9.81}).fidelity(fidelity);
  for (int i = 1; i <= 2; ++i) {
    Body body = make_beam_body(beam, fidelity == Fidelity::stiffened);
    for (int a = 0; a < body.modes; ++a) body.damping(a, a) = 0.3 * damping;
    body.name = "link" + std::to_string(i);
    builder.add_body(body);
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.kind = JointKind::revolute;
    joint.axis = i == 1 ? Vector3d::UnitZ() : Vector3d::UnitY();
    builder.add_joint(joint, i == 1 ? "world" : "link1.tip", body.name);
  }
  Body body = make_rigid_body(load);
  body.name = "load";
  builder.add_body(body);
  Joint joint;
  joint.name = "grip";
  builder.add_joint(joint, "link2.tip", "load");
  return builder.build();
}

TEST(BatchItems, HaveLoadsAndStiffnessOfTheirOwn) {
  for (const Fidelity fidelity : {Fidelity::ruthless, Fidelity::full, Fidelity::stiffened}) {
    const auto load = [](int k) {
      RigidSpec spec;
      spec.mass = 1 + k, spec.com = {0.1 * k, 0.05, -0.02}, spec.inertia = Vector3d(0.1, 0.2, 0.25).asDiagonal();
      return spec;
    };
    const Model model = arm_with_load(1, 1, load(0), fidelity);
    const int items = 6;
    Columns c(model, items, 7);
    for (const int lanes : batch_lanes()) {
      BatchAba batch(model, items, {.threads = 1, .lanes = lanes});
      std::vector<RigidSpec> loads;
      VectorXd stiffness(items), damping(items);
      for (int k = 0; k < items; ++k) loads.push_back(load(k)), stiffness[k] = 1 + 0.5 * k, damping[k] = 1 + 0.25 * k;
      batch.set_rigid(model.body_index("load"), loads);
      batch.set_stiffness(model.body_index("link1"), stiffness, damping);
      batch.set_stiffness(model.body_index("link2"), stiffness, damping);
      batch.forward(c.q, c.v, c.tau, c.out);
      for (int k = 0; k < items; ++k) {
        const Model own = arm_with_load(stiffness[k], damping[k], load(k), fidelity);
        Engine engine(own);
        EXPECT_LE(off(c.out.col(k), engine.forward(c.state(k), c.tau.col(k))), 1e-11) << "item " << k;
      }
    }
  }
}

TEST(BatchItemsThreads, GiveTheSameBits) {
  const Model model = make_model(random_machine(mixed_tree(19), 19));
  const int items = 333;
  Columns c(model, items, 19);
  BatchAba one(model, items, {.threads = 1});
  one.forward(c.q, c.v, c.tau, c.out);
  const BatchArray expected = c.out;
  for (const int threads : {2, 3, 5}) {
    BatchAba batch(model, items, {.threads = threads});
    for (int repeat = 0; repeat < 3; ++repeat) {
      c.out.setZero();
      batch.forward(c.q, c.v, c.tau, c.out);
      EXPECT_TRUE(is_same_bits(c.out, expected)) << threads << " threads";
    }
  }
}

TEST(BatchItems, DoNotDependOnTheirNeighbours) {
  const Model model = make_model(random_machine(mixed_tree(23), 23));
  Columns c(model, 13, 23);
  BatchAba all(model, 13, {.threads = 1});
  all.forward(c.q, c.v, c.tau, c.out);
  for (int k = 0; k < 13; ++k) {
    BatchAba one(model, 1, {.threads = 1});
    BatchArray alone(model.nv, 1);
    one.forward(c.q.col(k), c.v.col(k), c.tau.col(k), alone);
    EXPECT_TRUE(is_same_bits(alone, BatchArray(c.out.col(k))));
  }
}

TEST(BatchItems, TellTheirFailures) {
  RigidSpec none;
  ModelBuilder builder("pendulum");
  RigidSpec spec;
  spec.mass = 1, spec.com = {1, 0, 0}, spec.inertia = Vector3d(0.1, 0.1, 0.1).asDiagonal();
  Body body = make_rigid_body(spec);
  body.name = "bob";
  builder.add_body(body);
  Joint joint;
  joint.name = "pivot", joint.kind = JointKind::revolute;
  builder.add_joint(joint, "world", "bob");
  const Model pendulum = builder.build();
  for (const int lanes : batch_lanes()) {
    BatchAba batch(pendulum, 3, {.threads = 1, .lanes = lanes});
    batch.set_rigid(1, {spec, none, spec});
    BatchArray q = BatchArray::Zero(1, 3), v = q, tau = q, out = q;
    tau(0, 2) = std::numeric_limits<double>::quiet_NaN();
    batch.forward(q, v, tau, out);
    EXPECT_EQ(batch.status()[0], Status::ok);
    EXPECT_EQ(batch.status()[1], Status::singular_mass);
    EXPECT_EQ(batch.failure()[1], 0);
    EXPECT_EQ(batch.status()[2], Status::not_finite);
    EXPECT_EQ(batch.failure()[2], -1);
  }
}

// Two beams with modes in one plane; the second rotates about its own axis, where it has inertia only if it is bent.
Model thin_beams(const std::array<int, 4>& modes) {
  BeamSpec beam;
  beam.length = 1, beam.mass_per_length = 2, beam.EIy = beam.EIz = 800, beam.GJ = 600;
  beam.rotary_inertia_y = beam.rotary_inertia_z = modes[3] > 0 ? 1e-3 : 0;
  beam.modes = modes;
  ModelBuilder builder("thin");
  for (const char* name : {"upper", "lower"}) {
    Body body = make_beam_body(beam, false);
    body.name = name;
    builder.add_body(body);
  }
  Joint joint;
  joint.name = "shoulder", joint.kind = JointKind::revolute;
  builder.add_joint(joint, "world", "upper");
  joint.name = "twist", joint.axis = Vector3d::UnitX();
  builder.add_joint(joint, "upper.tip", "lower");
  return builder.build();
}

TEST(BatchItems, OfBeamsTellTheirFailures) {
  for (const bool usual : {false, true}) {
    const Model model = thin_beams(usual ? std::array<int, 4>{2, 2, 0, 1} : std::array<int, 4>{2, 0, 0, 0});
    const int twist = model.joints[2].v;
    BatchArray q = BatchArray::Constant(model.nq, 9, 0.02), v = BatchArray::Constant(model.nv, 9, 0.1), tau = v;
    BatchArray out(model.nv, 9);
    if (!usual) q.col(3).setZero();
    q(model.joints[1].q + 1, 6) = std::numeric_limits<double>::quiet_NaN();
    Engine engine(model);
    for (const int lanes : batch_lanes()) {
      BatchAba batch(model, 9, {.threads = 1, .lanes = lanes});
      batch.forward(q, v, tau, out);
      for (int k = 0; k < 9; ++k) {
        const bool singular = !usual && k == 3;
        ASSERT_EQ(batch.status()[k], singular ? Status::singular_mass : k == 6 ? Status::not_finite : Status::ok);
        EXPECT_EQ(batch.failure()[k], singular ? twist : -1);
        if (batch.status()[k] != Status::ok) continue;
        EXPECT_LE(off(out.col(k), engine.forward({0, q.col(k), v.col(k)}, tau.col(k))), 1e-10) << k;
      }
    }
  }
}

TEST(BatchItems, AllocateNothing) {
  const Model model = make_model(random_machine(mixed_tree(40), 40));
  Columns c(model, 40, 3);
  BatchAba batch(model, 40, {.threads = 1});
  batch.forward(c.q, c.v, c.tau, c.out);
  const NoAlloc guard;
  batch.forward(c.q, c.v, c.tau, c.out);
  batch.inverse(c.q, c.v, c.out, c.tau);
}

TEST(BatchItems, RefuseWhatDoesNotFit) {
  const Model empty;
  EXPECT_THROW(BatchAba(empty, 4), InputError);
  const Model model = make_model(random_machine(mixed_tree(5), 5));
  EXPECT_THROW(BatchAba(model, 0), InputError);
  EXPECT_THROW(BatchAba(model, 3, {.lanes = 3}), InputError);
  BatchAba batch(model, 3);
  BatchArray q(model.nq, 3), v(model.nv, 3), bad(model.nv, 2);
  EXPECT_THROW(batch.forward(q, v, bad, v), InputError);
  EXPECT_THROW(batch.set_prescribed({1}), InputError);
  EXPECT_THROW(batch.set_rigid(99, std::vector<RigidSpec>(3)), InputError);
  EXPECT_THROW(batch.set_wrenches({{1, 99}}, {Frame::world}, BatchArray::Zero(6, 3)), InputError);
  EXPECT_THROW(batch.rollout({.method = "euler"}, q, v, v), InputError);
}

// Forces known only to the systems of simulate are not silently omitted.
TEST(BatchItems, RefuseRolloutsOfWhatTheyWouldLeaveOut) {
  for (const bool friction : {false, true}) {
    RigidSpec spec;
    spec.mass = 2, spec.com = {0.3, 0, 0}, spec.inertia = Matrix3d::Identity();
    ModelBuilder builder("arm");
    Body body = make_rigid_body(spec);
    body.name = "link";
    Joint joint;
    joint.name = "elbow";
    joint.kind = JointKind::revolute;
    joint.axis = Vector3d::UnitZ();
    if (friction) {
      JointFriction viscous;
      viscous.viscous = 1;
      joint.friction = std::make_shared<const JointFriction>(viscous);
    } else {
      joint.stop = JointStop{-1, 1, 1e4, 10};
    }
    builder.add_body(body);
    builder.add_joint(joint, "world", "link");
    const Model model = builder.build();
    BatchAba batch(model, 1);
    BatchArray q = BatchArray::Zero(1, 1), v = q, tau = q;
    batch.forward(q, v, tau, tau);  // same signature as aba
    try {
      batch.rollout({}, q, v, tau);
      FAIL() << "not refused";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("joint 'elbow' has "), std::string::npos) << error.what();
    }
  }
}

TEST(BatchItems, ConvertBetweenItemsAndColumns) {
  BatchArray items(2, 3);
  items << 1, 2, 3, 4, 5, 6;
  EXPECT_EQ(to_columns(items)(2, 1), 6);
  EXPECT_EQ(to_items(to_columns(items)), items);
}

}  // namespace
}  // namespace limber::test
