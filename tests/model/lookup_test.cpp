// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Models by name: builder, lookups, and refusals; changes of a built model.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "limber/body/payload.hpp"
#include "limber/model/detail/layout.hpp"
#include "limber/model/model.hpp"
#include "support/close.hpp"

namespace limber::lookup_test {
namespace {

Body beam(const std::string& name, bool second_order = false) {
  BeamSpec spec;
  spec.length = 1;
  spec.mass_per_length = 2;
  spec.EIy = spec.EIz = 10;
  spec.modes = {1, 1, 0, 0};
  Body body = make_beam_body(spec, second_order);
  body.name = name;
  return body;
}

Joint joint(const std::string& name, JointKind kind = JointKind::revolute) {
  Joint out;
  out.name = name;
  out.kind = kind;
  return out;
}

// Bodies are added in a different order than their joints.
Model make_arm(Fidelity fidelity = Fidelity::full) {
  ModelBuilder builder("arm");
  builder.gravity({0, 0, -9.81}).fidelity(fidelity);
  const bool second = fidelity == Fidelity::stiffened;
  builder.add_body(beam("fore", second));
  builder.add_body(beam("upper", second));
  RigidSpec hub;
  hub.mass = 3;
  hub.inertia = Matrix3d::Identity();
  Body base = make_rigid_body(hub);
  base.name = "hub";
  builder.add_body(base);
  builder.add_joint(joint("base", JointKind::free), "world", "hub");
  builder.add_joint(joint("shoulder"), "hub", "upper.root");
  builder.add_joint(joint("elbow"), "upper.tip", "fore");
  return builder.build();
}

std::string lookup_refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError";
  return {};
}

void expect_refusal(const std::function<void()>& act, std::initializer_list<const char*> words) {
  const std::string message = lookup_refusal(act);
  for (const char* word : words) EXPECT_NE(message.find(word), std::string::npos) << message << "\nlacks " << word;
}

TEST(Lookup, FindsByName) {
  const Model model = make_arm();
  EXPECT_EQ(model.body_index("hub"), 1);
  EXPECT_EQ(model.body_index("upper"), 2);
  EXPECT_EQ(model.joint_index("elbow"), 3);
  EXPECT_EQ(model.node("fore.tip").body, 3);
  EXPECT_EQ(model.node("fore.tip").node, model.body(3).node_index("tip"));
  EXPECT_EQ(model.node("fore").node, kBodyFrame);
  EXPECT_EQ(model.node("world").body, kGround);
  EXPECT_EQ(model.coordinate("shoulder"), 7);
  EXPECT_EQ(model.speed("shoulder"), 6);
  EXPECT_EQ(model.speed("base.vy"), 4);
  EXPECT_EQ(model.coordinate("base.qw"), 0);
  EXPECT_EQ(model.speed("upper.bending_z1"), 8);
  EXPECT_EQ(model.joints[3].parent.body, 2);
  EXPECT_EQ(model.joints[3].parent.node, model.body(2).node_index("tip"));
  EXPECT_EQ(model.joints[2].child_node, model.body(2).node_index("root"));
}

TEST(Lookup, RefusesWhatIsNotThereAndSaysWhatIs) {
  const Model model = make_arm();
  expect_refusal([&] { model.node("fore.Tip"); }, {"'Tip'", "did you mean 'tip'", "root"});
  expect_refusal([&] { model.node("for.tip"); }, {"'for'", "did you mean 'fore'", "upper"});
  expect_refusal([&] { model.body_index("uper"); }, {"did you mean 'upper'"});
  expect_refusal([&] { model.body_index("elbow"); }, {"joint", "fore"});
  expect_refusal([&] { model.joint_index("fore"); }, {"body", "elbow"});
  expect_refusal([&] { model.joint_index("elbo"); }, {"did you mean 'elbow'"});
  expect_refusal([&] { model.speed("base"); }, {"6 speeds", "base.wx"});
  expect_refusal([&] { model.coordinate("elbowe"); }, {"did you mean 'elbow'"});
  expect_refusal([&] { model.closure_index("pin"); }, {"none"});
  expect_refusal([&] { model.body(3).node_index("Tip"); }, {"did you mean 'tip'"});
  EXPECT_FALSE(model.body(3).find_node("Tip"));
}

TEST(ModelBuilder, RefusesNodesByNameThatAreNotThere) {
  ModelBuilder builder;
  builder.add_body(beam("upper"));
  expect_refusal([&] { builder.add_joint(joint("j"), "world", "uper"); }, {"joint 'j'", "did you mean 'upper'"});
  expect_refusal([&] { builder.add_joint(joint("j"), "world", "upper.Tip"); }, {"joint 'j'", "did you mean 'tip'"});
  expect_refusal([&] { builder.add_joint(joint("j"), "world", "world"); }, {"joint 'j'", "world"});
}

TEST(ModelBuilder, RefusesNamesThatFilesRefuse) {
  for (const char* name : {"", "a.b", "a/b", "two\nlines", "world", "equilibrium"}) {
    ModelBuilder builder;
    expect_refusal([&] { builder.add_body(beam(name)); }, {"name"});
    builder.add_body(beam("a"));
    expect_refusal([&] { builder.add_joint(joint(name), "world", "a"); }, {"name"});
  }
  ModelBuilder builder;
  expect_refusal([&] { builder.add_body(beam(std::string(201, 'x'))); }, {"200"});
  builder.add_body(beam("same"));
  builder.add_joint(joint("same"), "world", "same");
  expect_refusal([&] { builder.build(); }, {"same", "twice"});
}

TEST(ModelBuilder, RefusesBodiesThatDoNotFitTogether) {
  using Edit = std::function<void(Body&)>;
  const std::vector<std::pair<const char*, Edit>> edits = {
      {"S is", [](Body& b) { b.S.resize(3, 1); }},
      {"C has", [](Body& b) { b.C.pop_back(); }},
      {"stiffness is", [](Body& b) { b.stiffness.resize(0, 0); }},
      {"damping is", [](Body& b) { b.damping.resize(5, 5); }},
      {"mode_names has", [](Body& b) { b.mode_names.clear(); }},
      {"translation shape", [](Body& b) { b.nodes[0].translation.resize(3, 0); }},
      {"rotation shape", [](Body& b) { b.nodes[0].turn.resize(3, 7); }},
      {"mass", [](Body& b) { b.mass = std::numeric_limits<double>::quiet_NaN(); }},
      {"pair",
       [](Body& b) {
         b.pairs = {{0, 9}};
       }},
      {"transpose", [](Body& b) { b.C[1](0, 0) += 1; }},
      {"finite", [](Body& b) { b.stiffness(0, 0) = std::numeric_limits<double>::infinity(); }},
      {"node name", [](Body& b) { b.nodes[0].name = "a.b"; }},
  };
  for (const auto& [word, edit] : edits) {
    Body body = beam("boom");
    edit(body);
    ModelBuilder builder;
    expect_refusal([&] { builder.add_body(body); }, {"body 'boom'", word});
  }
}

TEST(ModelBuilder, RefusesBodiesOfAnotherFidelity) {
  for (const bool stiffened : {true, false}) {
    ModelBuilder builder;
    builder.fidelity(stiffened ? Fidelity::stiffened : Fidelity::full);
    builder.add_body(beam("boom", !stiffened));
    builder.add_joint(joint("j"), "world", "boom");
    expect_refusal([&] { builder.build(); }, {"boom", "second_order"});
  }
}

TEST(Model, CanBeReadButNotBeChangedFromOutside) {
  static_assert(!std::is_assignable_v<decltype((std::declval<Model&>().joints[0])), Joint>);
  static_assert(!std::is_assignable_v<decltype((std::declval<Model&>().bodies[0])), std::shared_ptr<const Body>>);
  Model model = make_arm();
  model.set_limits(2, 5, 3);
  EXPECT_EQ(model.joints[2].effort_limit, 5);
  EXPECT_EQ(model.joints[2].velocity_limit, 3);
  expect_refusal([&] { model.set_limits(2, -1, 0); }, {"shoulder", "effort"});
  expect_refusal([&] { model.set_limits(9, 1, 0); }, {"9"});
  Closure pin{"pin", JointKind::spherical, Vector3d::UnitZ(), Vector3d::UnitX(), {3, 9}, {}};
  expect_refusal([&] { model.add_closure(pin); }, {"pin", "node"});
  pin.a.node = 0;
  model.add_closure(pin);
  EXPECT_EQ(model.closure_index("pin"), 0);
  expect_refusal([&] { model.add_closure(pin); }, {"twice"});
}

bool same_constants(const BodyConstants& a, const BodyConstants& b) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  bool same = a.n == b.n && a.ne == b.ne && bits(a.m) == bits(b.m) && a.G == b.G && a.G_inverse == b.G_inverse &&
              a.K == b.K && a.D == b.D && a.S.size() == b.S.size() && to_vector(a.s) == to_vector(b.s) &&
              to_matrix(a.J) == to_matrix(b.J);
  for (std::size_t k = 0; same && k < a.S.size(); ++k) same = to_vector(a.S[k]) == to_vector(b.S[k]);
  return same;
}

TEST(Payload, GivesTheModelThatABuildWithTheLoadedBodyGives) {
  for (const Fidelity fidelity : {Fidelity::full, Fidelity::stiffened}) {
    const Model bare = make_arm(fidelity);
    RigidSpec load;
    load.mass = 4;
    load.com = {0.1, 0.02, -0.03};
    load.inertia = Vector3d(0.1, 0.2, 0.15).asDiagonal();
    const Model loaded = with_payload(bare, "fore.tip", load);
    EXPECT_EQ(bare.body(3).mass, 2);
    EXPECT_EQ(loaded.body(3).mass, 6);
    EXPECT_EQ(loaded.speeds.get(), bare.speeds.get());
    ModelBuilder builder("arm");
    builder.gravity(bare.gravity).fidelity(fidelity);
    for (int i = 1; i < 4; ++i) {
      Body body = i < 3 ? bare.body(i) : with_payload(bare.body(3), bare.node("fore.tip").node, load);
      body.name = bare.body_names[i];
      builder.add_body(body);
      builder.add_joint(bare.joints[i], i);
    }
    const Model rebuilt = builder.build();
    for (int i = 1; i < 4; ++i) {
      const Link &a = loaded.layout->links[i], &b = rebuilt.layout->links[i];
      EXPECT_TRUE(same_constants(*a.constants, *b.constants)) << i;
      EXPECT_EQ(a.elimination, b.elimination);
      EXPECT_EQ(a.columns, b.columns);
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(to_vector(a.K[k].p), to_vector(b.K[k].p));
        EXPECT_EQ(to_matrix(a.K[k].R), to_matrix(b.K[k].R));
      }
    }
    // The constants of the other bodies are reused.
    EXPECT_EQ(loaded.layout->links[1].constants, bare.layout->links[1].constants);
    EXPECT_NE(loaded.layout->links[3].constants, bare.layout->links[3].constants);
  }
}

TEST(Payload, RefusesWhatDoesNotFit) {
  Model model = make_arm();
  expect_refusal([&] { with_payload(model, "fore.Tip", {}); }, {"did you mean 'tip'"});
  expect_refusal([&] { with_payload(model, "world", {}); }, {"world"});
  RigidSpec bad;
  bad.mass = -1;
  expect_refusal([&] { with_payload(model, "fore.tip", bad); }, {"mass"});
  RigidSpec rigid;
  rigid.mass = 1;
  expect_refusal([&] { model.set_body(3, make_rigid_body(rigid)); }, {"fore", "modes"});
  expect_refusal([&] { model.set_body(7, beam("x")); }, {"7"});
}

}  // namespace
}  // namespace limber::lookup_test
