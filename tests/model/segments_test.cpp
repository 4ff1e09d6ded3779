// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// A segmented beam is addressed as one beam.
#include "limber/model/segments.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::test {
namespace {

BeamSpec make_spec() {
  BeamSpec spec;
  spec.length = 6;
  spec.mass_per_length = 2;
  spec.EIy = spec.EIz = 300;
  spec.modes = {2, 2, 0, 0};
  spec.damping = {0.01};
  spec.nodes = {{"ring", 0.4, Matrix3d::Identity()}, {"cut", 0.5, Matrix3d::Identity()}};
  return spec;
}

Model make_machine(const std::string& child = "boom", int segments = 4) {
  ModelBuilder builder("machine");
  Body boom = make_segmented_beam(make_spec(), segments, false);
  boom.name = "boom";
  builder.add_body(std::move(boom));
  RigidSpec spec;
  spec.mass = 3;
  Body load = make_rigid_body(spec);
  load.name = "load";
  builder.add_body(std::move(load));
  Joint root, line;
  root.name = "root";
  root.kind = JointKind::revolute;
  line.name = "line";
  builder.add_joint(root, "world", child);
  builder.add_joint(line, child == "boom.tip" ? "boom" : "boom.tip", "load");
  return builder.build();
}

TEST(SegmentedModel, HasOneNameAndOneSetOfNodes) {
  const Model model = make_machine();
  ASSERT_NE(model.segments, nullptr);
  EXPECT_EQ(model.body_count(), 6);
  EXPECT_EQ(count_bodies(model), 2);
  EXPECT_EQ(model.body_index("boom"), 1);
  EXPECT_EQ(model.node("boom.tip").body, 4);
  EXPECT_EQ(model.node("boom.root").body, 1);
  EXPECT_EQ(model.node("boom.ring").body, 2);
  EXPECT_EQ(model.node("boom.cut").body, 3);
  EXPECT_EQ(model.joints[model.body_index("load")].parent.body, 4);
  EXPECT_EQ(model.coordinates[1], "boom.1.bending_y1");
  EXPECT_EQ(model.coordinate("boom.4.bending_z2"), model.nq - 1);
  std::vector<std::string> names;
  for (const NodeRef at : visible_nodes(model)) names.push_back(model.body(at.body).nodes[at.node].name);
  EXPECT_EQ(names, (std::vector<std::string>{"root", "ring", "cut", "tip"}));
  EXPECT_DOUBLE_EQ(undeformed_place(model, model.node("boom.ring")).position.x(), 0.4 * 6);
  EXPECT_EQ(undeformed_place(model, model.node("boom.tip")).body, 1);
  EXPECT_EQ(modes_of(model, 3).count, 16);
  EXPECT_EQ(modes_of(model, 3).v, 1);
}

TEST(SegmentedModel, SaysWhichNamesThereAre) {
  const Model model = make_machine();
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message([&] { model.body_index("bom"); }), "'bom' is not a body; did you mean 'boom'? bodies: boom, load");
  EXPECT_EQ(message([&] { model.joint_index("lin"); }),
            "'lin' is not a joint; did you mean 'line'? joints: root, line");
  EXPECT_NE(message([&] { model.node("boom.#tip"); }), "");
}

// A joint at another node than the root: the beam is attached by that segment, and its named frames are the same.
TEST(SegmentedModel, CanBeCarriedByAnyNode) {
  for (const char* child : {"boom", "boom.root", "boom.ring", "boom.cut", "boom.tip"}) {
    const Model model = make_machine(child);
    const SegmentedBeam& beam = *find_segmented(model, "boom");
    EXPECT_EQ(beam.segments(), 4);
    EXPECT_EQ(model.body_index("boom"), beam.bodies[0]) << child;
    EXPECT_EQ(model.node("boom.tip").body, beam.bodies[3]) << child;
    double mass = 0;
    for (const int i : beam.bodies) mass += model.body(i).mass;
    EXPECT_NEAR(mass, 12, 1e-12);
    EXPECT_TRUE(!joins_segments(model, 1) && joins_segments(model, 2)) << child;
  }
}

// D = 2 zeta / omega_1 K: the ratio is that of the first mode of the whole beam.
TEST(SegmentedModel, DampsInProportionToTheStiffness) {
  const Model model = make_machine();
  constexpr double kFirst = 1.8751040687119611;  // [Blevins] table 8-1: clamped-free
  const double omega = kFirst * kFirst * std::sqrt(300 / (2 * std::pow(6, 4)));
  for (int i = 1; i <= 4; ++i) {
    const VectorXd ratio = model.body(i).damping.diagonal().cwiseQuotient(model.body(i).stiffness.diagonal());
    for (const double r : ratio) EXPECT_NEAR(r * omega, 2 * 0.01, 1e-9);
  }
}

TEST(SegmentedModel, RefusesWhatHasNoMeaning) {
  BeamSpec spec = make_spec();
  EXPECT_THROW(make_segmented_beam(spec, 0, false), InputError);
  EXPECT_THROW(make_segmented_beam(spec, 2000, false), InputError);
  spec.damping = {0.1, 0.2};
  EXPECT_THROW(make_segmented_beam(spec, 4, false), InputError);
  spec = make_spec();
  spec.tip_mass = 1;
  EXPECT_THROW(make_segmented_beam(spec, 4, false), InputError);
  spec = make_spec();
  spec.basis = BeamBasis::free_free;
  EXPECT_THROW(make_segmented_beam(spec, 4, false), InputError);
}

// Segments of a tapered beam share the sections at the cuts: their masses are those of its parts.
TEST(SegmentedModel, CutsATaperedBeam) {
  BeamSpec spec = make_spec();
  spec.nodes.clear();
  spec.stations.resize(3);
  const double at[] = {0, 0.3, 1}, mass[] = {4, 3, 1};
  for (std::size_t k = 0; k < 3; ++k) {
    spec.stations[k].at = at[k];
    spec.stations[k].mass_per_length = mass[k];
    spec.stations[k].EIy = spec.stations[k].EIz = 100 * mass[k];
  }
  const Body whole = make_segmented_beam(spec, 5, false);
  double total = 0;
  for (const Body& body : make_segments(*segmented_of(whole), false)) total += body.mass;
  EXPECT_NEAR(total, 6 * (0.3 * 3.5 + 0.7 * 2), 1e-9);
  EXPECT_NEAR(whole.mass, total, 1e-9);
}

}  // namespace
}  // namespace limber::test
