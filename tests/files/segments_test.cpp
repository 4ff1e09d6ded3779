// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// `segments` in model files: read, written, overridden.
#include "limber/model/segments.hpp"

#include <gtest/gtest.h>

#include "limber/files/model_file.hpp"
#include "limber/files/model_writer.hpp"
#include "limber/files/overrides.hpp"

namespace limber::test {
namespace {

constexpr const char* kRod = R"(limber: 1
name: rod
gravity: [0, 0, -9.81]
fidelity: stiffened
bodies:
  - name: rod
    beam: {length: 3, mass: 0.2, EIy: 4, EIz: 4, segments: 6, modes: {bending_y: 2, bending_z: 2}, damping: 0.02}
    nodes: [{name: ring, at: 0.6}]
  - {name: fish, rigid: {mass: 0.3}}
joints:
  - {name: hand, type: revolute, axis: [0, 1, 0], parent: world, child: rod}
  - {name: line, type: fixed, parent: rod.tip, child: fish}
closures:
  - {name: hook, type: spherical, a: rod.ring, b: world}
)";

TEST(SegmentsInFiles, AreReadAndWrittenAsOneBeam) {
  const Model model = parse_model(kRod, "rod.yaml");
  const SegmentedBeam* rod = find_segmented(model, "rod");
  ASSERT_NE(rod, nullptr);
  EXPECT_EQ(rod->segments(), 6);
  EXPECT_EQ(model.closures[0].a.body, rod->bodies[3]);
  EXPECT_EQ(model.joints[model.body_index("fish")].parent.body, rod->bodies[5]);
  const std::string text = model_text(model);
  EXPECT_EQ(text.find("rod.2"), std::string::npos);
  const Model again = parse_model(text, "again.yaml");
  EXPECT_EQ(model_text(again), text);
  EXPECT_EQ(again.coordinates.get(), model.coordinates.get());
  for (int i = 1; i < model.body_count(); ++i) EXPECT_EQ(again.body(i).stiffness, model.body(i).stiffness);
}

TEST(SegmentsInFiles, CanBeSetOnTheCommandLine) {
  const Model model = parse_model(kRod, "rod.yaml", parse_overrides({"rod.segments=3", "rod.EIy=5"}));
  EXPECT_EQ(find_segmented(model, "rod")->segments(), 3);
  EXPECT_EQ(find_segmented(model, "rod")->spec().EIy, 5);
  const Model one = parse_model(kRod, "rod.yaml", parse_overrides({"rod.segments=1"}));
  EXPECT_EQ(one.segments, nullptr);
  EXPECT_EQ(one.body_count(), 3);
}

TEST(SegmentsInFiles, KeepAPayloadFromBeingLost) {
  const Model bare = parse_model(kRod, "rod.yaml");
  RigidSpec load;
  load.mass = 1;
  const Model loaded = with_payload(bare, "rod.tip", load);
  EXPECT_EQ(loaded.body(bare.node("rod.tip").body).mass, bare.body(bare.node("rod.tip").body).mass + 1);
  EXPECT_THROW(model_text(loaded), InputError);
}

}  // namespace
}  // namespace limber::test
