// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/overrides.hpp"

#include <gtest/gtest.h>

#include "limber/files/detail/flow.hpp"
#include "limber/files/model_file.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr std::string_view kArmToChange = R"(limber: 1
gravity: [0, 0, -9.81]
bodies:
  - name: hub
    rigid: &heavy {mass: 3, inertia: [1, 1, 1, 0, 0, 0]}
  - name: boom
    beam: {length: 6, mass: 140, EIy: 1e5, EIz: 1e5, modes: {bending_y: 1}, tip: {mass: 0, inertia: 0}}
  - {name: load, rigid: *heavy}
joints:
  - {name: turn, type: revolute, axis: [0, 0, 1], parent: world, child: hub}
  - {name: shoulder, type: revolute, axis: [0, 1, 0], parent: hub, child: boom, damping: 2,
     limits: {lower: -1, upper: 1, stiffness: 1e4, damping: 5}}
  - {name: grip, type: fixed, parent: boom.tip, child: load}
)";

Model arm(const Overrides& set) { return parse_model(kArmToChange, "arm.yaml", set); }

// The full path that it resolves to.
std::string resolved(const std::string& path, const std::string& value = "1") {
  Document document = parse_document(kArmToChange, "arm.yaml");
  return override_model(document.root, document, {{path, value}}).at(0).path;
}

std::string set_refusal(const Overrides& set) {
  try {
    arm(set);
  } catch (const InputError& e) {
    return e.what();
  }
  return "taken";
}

TEST(Overrides, ReachValuesByFullAndByShortPaths) {
  EXPECT_EQ(arm({{"bodies.load.rigid.mass", "5"}}).body(3).mass, 5);
  EXPECT_EQ(arm({{"load.mass", "5"}}).body(3).mass, 5);
  EXPECT_EQ(arm({{"gravity.z", "-1.6"}}).gravity, Vector3d(0, 0, -1.6));
  EXPECT_EQ(arm({{"gravity", "[1, 2, 3]"}}).gravity, Vector3d(1, 2, 3));
  EXPECT_EQ(resolved("boom.EIy"), "bodies.boom.beam.EIy");
  EXPECT_EQ(resolved("boom.tip.inertia"), "bodies.boom.beam.tip.inertia");
  EXPECT_EQ(resolved("load.inertia.xy"), "bodies.load.rigid.inertia.xy");
  EXPECT_EQ(resolved("turn.axis.z"), "joints.turn.axis.z");
}

TEST(Overrides, AKeyOfTheItemItselfIsMeantBeforeOneFurtherDown) {
  EXPECT_EQ(resolved("shoulder.damping"), "joints.shoulder.damping");
  EXPECT_EQ(resolved("shoulder.limits.damping"), "joints.shoulder.limits.damping");
  EXPECT_EQ(resolved("shoulder.upper"), "joints.shoulder.limits.upper");
}

TEST(Overrides, WhatAnAliasSharesStays) {
  const Model model = arm({{"load.mass", "5"}});
  EXPECT_EQ(model.body(1).mass, 3);
  EXPECT_EQ(model.body(3).mass, 5);
}

TEST(Overrides, KeysThatTheFileLeavesOutAreAddedAndJudged) {
  EXPECT_EQ(arm({{"shoulder.armature", "0.25"}}).joints[2].armature[0], 0.25);
  EXPECT_EQ(resolved("boom.damping"), "bodies.boom.beam.damping");
  const std::string typo = set_refusal({{"boom.dampin", "0.1"}});
  EXPECT_TRUE(typo.starts_with("arm.yaml:7: body 'boom': unknown key 'dampin' in beam; did you mean 'damping'?"))
      << typo;
  EXPECT_TRUE(typo.ends_with("; with boom.dampin=0.1")) << typo;
}

TEST(Overrides, AreCheckedAsTheFileIs) {
  EXPECT_EQ(set_refusal({{"load.mass", "-5"}}),
            "arm.yaml:5: body 'load': rigid.mass must not be negative, but is -5; with load.mass=-5");
  EXPECT_EQ(set_refusal({{"load.mass", "five"}}),
            "arm.yaml:5: body 'load': rigid.mass must be a number, but is 'five'; with load.mass=five");
  EXPECT_EQ(set_refusal({{"load.mass", "{"}}),
            "load.mass: '{' is not a value; write one as in the file, such as 5 or \"[0, 0, -9.81]\"");
}

TEST(Overrides, PathsThatLeadNowhereNameWhatWasMeant) {
  EXPECT_EQ(
      set_refusal({{"laod.mass", "5"}}),
      "laod.mass: there is no 'laod'; did you mean 'load'? a path begins with the name of a body or joint, or with "
      "bodies, joints, closures, gravity, fidelity, name, scenario");
  EXPECT_EQ(set_refusal({{"bodies.laod.rigid.mass", "5"}}),
            "bodies.laod.rigid.mass: bodies has no 'laod'; did you mean 'load'? it has hub, boom, load");
  for (const char* number : {"[7]", "[-1]", "[99999999999999999999]"})
    EXPECT_EQ(set_refusal({{"bodies" + std::string(number) + ".rigid.mass", "5"}}),
              "bodies" + std::string(number) +
                  ".rigid.mass: bodies is a list of 3: write bodies[0] to bodies[2], not '" + number + "'");
  EXPECT_EQ(set_refusal({{"load", "5"}}), "load: a key is missing; write for example load.mass");
  EXPECT_EQ(set_refusal({{"boom.mass", "5"}}),
            "boom.mass: the path has several meanings; write one of "
            "bodies.boom.beam.mass, bodies.boom.beam.tip.mass");
  EXPECT_EQ(set_refusal({{"gravity.w", "5"}}), "gravity.w: gravity has no 'w'; it has x, y, z");
  EXPECT_EQ(set_refusal({{"load.mass.kg", "5"}}),
            "load.mass.kg: bodies.load.rigid.mass is '3' and has nothing below it");
  EXPECT_EQ(set_refusal({{"solver.step", "5"}}),
            "solver.step: a model alone has no scenario; name a scenario in place of the model");
}

TEST(Overrides, OfTheCommandLine) {
  EXPECT_EQ(parse_override("load.mass = 5"), (Override{"load.mass", "5"}));
  EXPECT_EQ(parse_override("a.b=c=d"), (Override{"a.b", "c=d"}));
  for (const char* bad : {"load.mass", "=5", "load.mass=", ""}) EXPECT_THROW(parse_override(bad), InputError) << bad;
  EXPECT_THROW(parse_overrides({"a.b=1", "a.b=2"}), InputError);
}

TEST(Overrides, TheTextThatARecordingKeepsHasThem) {
  const std::string text =
      overridden_model_text(kArmToChange, "arm.yaml", {{"load.mass", "5"}, {"shoulder.armature", "1"}});
  const Model again = parse_model(text, "again");
  EXPECT_EQ(again.body(3).mass, 5);
  EXPECT_EQ(again.body(1).mass, 3);
  EXPECT_EQ(again.joints[2].armature[0], 1);
}

}  // namespace
}  // namespace limber
