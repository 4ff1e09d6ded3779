// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A model written and read again is bitwise the same.
#include "limber/files/model_writer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "limber/body/detail/content.hpp"
#include "limber/body/payload.hpp"
#include "limber/files/model_file.hpp"
#include "support/engine.hpp"
#include "support/mixed_trees.hpp"
#include "support/model_text.hpp"
#include "support/random_tree.hpp"
#include "support/repetitions.hpp"

namespace limber::test::model_writer {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

void expect_same(const Joint& a, const Joint& b) {
  EXPECT_EQ(a.kind, b.kind);
  const int axes = joint_traits(a.kind).axes;
  if (axes > 0) {
    EXPECT_TRUE(is_same_bits(a.axis, b.axis)) << a.name;
  }
  if (axes > 1) {
    EXPECT_TRUE(is_same_bits(a.axis2, b.axis2)) << a.name;
  }
  EXPECT_EQ(a.origin.R, b.origin.R) << a.name;
  EXPECT_EQ(a.origin.p, b.origin.p) << a.name;
  EXPECT_EQ(a.parent.body, b.parent.body);
  EXPECT_EQ(a.parent.node, b.parent.node);
  EXPECT_EQ(a.child_node, b.child_node);
  EXPECT_TRUE(is_same_bits(a.stiffness, b.stiffness));
  EXPECT_TRUE(is_same_bits(a.damping, b.damping));
  EXPECT_TRUE(is_same_bits(a.armature, b.armature));
  EXPECT_EQ(a.effort_limit, b.effort_limit);
  EXPECT_EQ(a.velocity_limit, b.velocity_limit);
  ASSERT_EQ(a.stop.has_value(), b.stop.has_value());
  if (!a.stop) return;
  EXPECT_EQ(a.stop->lower, b.stop->lower);
  EXPECT_EQ(a.stop->upper, b.stop->upper);
  EXPECT_EQ(a.stop->stiffness, b.stop->stiffness);
  EXPECT_EQ(a.stop->damping, b.stop->damping);
}

// All evaluations, at a random state.
void expect_same_results(const Model& a, const Model& b) {
  const Sample s = random_sample(a, 5);
  Engine x(a), y(b);
  EXPECT_TRUE(is_same_bits(x.mass(s.x), y.mass(s.x)));
  EXPECT_TRUE(is_same_bits(x.inverse(s.x, s.vdot, s.wrenches), y.inverse(s.x, s.vdot, s.wrenches)));
  VectorXd u, v;
  const Status status = x.forward_status(s.x, s.tau, u);
  EXPECT_EQ(status, y.forward_status(s.x, s.tau, v));
  if (status == Status::ok) {
    EXPECT_TRUE(is_same_bits(u, v));
  }
  EXPECT_EQ(x.energy(s.x).kinetic, y.energy(s.x).kinetic);
}

void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_TRUE(is_same_bits(a.gravity, b.gravity));
  EXPECT_EQ(a.fidelity.get(), b.fidelity.get());
  EXPECT_EQ(a.coordinates.get(), b.coordinates.get());
  ASSERT_EQ(a.body_names.get(), b.body_names.get());
  for (int i = 1; i < a.body_count(); ++i) {
    EXPECT_TRUE(content_key(a.body(i)) == content_key(b.body(i))) << a.body_names[i];
    expect_same(a.joints[i], b.joints[i]);
  }
  ASSERT_EQ(a.closures.size(), b.closures.size());
  for (std::size_t k = 0; k < a.closures.size(); ++k) {
    const Closure &c = a.closures[k], &d = b.closures[k];
    EXPECT_EQ(c.name, d.name);
    EXPECT_EQ(c.kind, d.kind);
    if (joint_traits(c.kind).axes > 0) {
      EXPECT_TRUE(is_same_bits(c.axis, d.axis)) << c.name;
    }
    EXPECT_EQ(c.a.body, d.a.body);
    EXPECT_EQ(c.a.node, d.a.node);
    EXPECT_EQ(c.b.body, d.b.body);
    EXPECT_EQ(c.b.node, d.b.node);
  }
  expect_same_results(a, b);
}

void expect_round_trip(const Model& model) {
  const std::string text = model_text(model);
  const Model back = parse_model(text, "written");
  expect_same(model, back);
}

// Models in files: every reference, every case, every example.
TEST(ModelWriter, GivesBackTheModelsOfAllFiles) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(LIMBER_TEST_DATA "/reference")) {
    if (entry.path().extension() != ".json") continue;
    SCOPED_TRACE(entry.path());
    std::ifstream in(entry.path());
    expect_round_trip(parse_model(json::parse(in)["model"].dump(), entry.path()));
    ++count;
  }
  for (const auto& entry : fs::recursive_directory_iterator(LIMBER_TEST_DATA "/cases")) {
    if (entry.path().filename() != "model.yaml") continue;
    SCOPED_TRACE(entry.path());
    expect_round_trip(read_model(entry.path()));
    ++count;
  }
  EXPECT_GE(count, 18);
}

// Models built in code: the first reading may round rotations that no rpy reproduces, the second must not.
TEST(ModelWriter, GivesBackRandomTrees) {
  constexpr std::uint64_t kTrees = repetitions(40, 8);
  for (std::uint64_t seed = 1; seed <= kTrees; ++seed) {
    const TreeOptions o = mixed_tree(seed);
    SCOPED_TRACE(describe(o, seed));
    Model model = make_model(random_machine(o, seed));
    if (model.body_count() > 2 && o.fidelity != Fidelity::ruthless) {
      int k = 0;
      for (const JointKind kind : joint_kinds()) {
        if (joint_traits(kind).closure_rows == nullptr) continue;
        const Vector3d axis = Vector3d(1, 2, 3 + k).normalized(), axis2 = Vector3d(-2, 1, 0.1 * k).normalized();
        model.add_closure({"c" + std::to_string(k++), kind, axis, axis2, {1, kBodyFrame}, {2, kBodyFrame}});
      }
    }
    const Model once = parse_model(model_text(model), "written");
    Sample s = random_sample(model, seed);
    Engine a(model), b(once);
    const MatrixXd M = a.mass(s.x);
    EXPECT_CLOSE(b.mass(s.x), M, 1e-13 * M.norm());
    expect_round_trip(once);
  }
}

TEST(ModelWriter, WritesLimitsStopsAndCustomBeams) {
  ModelBuilder builder("crane");
  builder.gravity({0, 0.1, -9.81});
  BeamSpec beam;
  beam.length = 3;
  beam.mass_per_length = 1.0 / 3;
  beam.EIy = beam.EIz = 10;
  beam.basis = BeamBasis::custom;
  beam.shapes[0] = {{0, 0, 1}, {0, 0, 0, 1.0 / 7}};
  beam.modes = {2, 0, 0, 0};
  beam.damping = {0.01, 0.02};
  Body boom = make_beam_body(beam, false);
  boom.name = "boom";
  builder.add_body(boom);
  Joint joint;
  joint.name = "luff";
  joint.kind = JointKind::revolute;
  joint.axis = {1, 1, 1};
  joint.stop = JointStop{-std::numeric_limits<double>::infinity(), 0.1, 1e5, 3};
  joint.effort_limit = 7;
  joint.velocity_limit = 0.3;
  builder.add_joint(joint, "world", "boom.root");
  const Model model = builder.build();
  expect_round_trip(model);
  const std::string path = ::testing::TempDir() + "written_model.json";
  write_model(model, path);
  expect_same(model, read_model(path));
  EXPECT_THROW(write_model(model, ::testing::TempDir() + "no/such/folder.json"), Error);
}

TEST(ModelWriter, RefusesBodiesThatNoSpecificationGives) {
  RigidSpec spec;
  spec.mass = 1;
  spec.inertia = Matrix3d::Identity();
  BeamSpec beam;
  beam.length = 1;
  beam.mass_per_length = 1;
  beam.EIy = beam.EIz = 1;
  beam.modes = {1, 0, 0, 0};
  const auto text = [](Body body) {
    body.name = "boom";
    ModelBuilder builder;
    builder.add_body(body);
    Joint joint;
    joint.name = "j";
    joint.kind = JointKind::revolute;
    builder.add_joint(joint, "world", "boom");
    return model_text(builder.build());
  };
  Body edited = make_beam_body(beam, false);
  EXPECT_NO_THROW(text(edited));
  edited.damping(0, 0) += 1;
  EXPECT_THROW(text(edited), InputError);
  EXPECT_THROW(text(with_payload(make_beam_body(beam, false), 0, spec)), InputError);
  Body by_hand = make_beam_body(beam, false);
  by_hand.beam.reset();
  EXPECT_THROW(text(by_hand), InputError);
  Body rigid = make_rigid_body(spec);
  rigid.rigid.reset();  // these numbers can be recovered
  EXPECT_NO_THROW(text(rigid));
}

}  // namespace
}  // namespace limber::test::model_writer
