// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Heavy loads on light beams, as in cranes and manipulators: accuracy must not degrade with the ratio of the masses.
#include <gtest/gtest.h>

#include "limber/dynamics/check.hpp"
#include "support/engine.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

BeamSpec light_beam(int modes) {
  BeamSpec beam;
  beam.length = 2;
  beam.mass_per_length = 0.5;
  beam.EIy = beam.EIz = 100;
  beam.EA = 1e4;
  beam.GJ = 10;
  beam.rotary_inertia_y = beam.rotary_inertia_z = 1e-4;
  beam.modes = {modes / 2, modes / 2, modes > 2 ? 1 : 0, modes > 2 ? 1 : 0};
  return beam;
}

RigidSpec load_of(double mass) {
  RigidSpec load;
  load.mass = mass;
  load.com = {0.1, 0.05, 0};
  load.inertia = 0.1 * mass * Matrix3d::Identity();
  return load;
}

Joint joint_on(JointKind kind, NodeRef parent) {
  Joint joint;
  joint.kind = kind;
  joint.parent = parent;
  return joint;
}

// Two links and a load at the end; `forked`: another load in the middle of the last link.
Machine heavy_arm(int modes, double mass, Fidelity fidelity, bool forked) {
  Machine m;
  m.fidelity = fidelity;
  m.gravity = {0, 0, -9.81};
  BeamSpec beam = light_beam(modes);
  beam.nodes = {{"middle", 0.5, Matrix3d::Identity()}};
  const int tip = make_beam_body(beam, false).node_index("tip");
  m.bodies = {beam, beam, load_of(mass)};
  m.joints = {joint_on(JointKind::revolute, {}), joint_on(JointKind::revolute, {1, tip}),
              joint_on(JointKind::fixed, {2, tip})};
  if (forked) {
    m.bodies.push_back(load_of(mass));
    m.joints.push_back(joint_on(JointKind::revolute, {2, 0}));
  }
  return m;
}

TEST(HeavyLoads, CostNoDigits) {
  Worst worst("heavy");
  for (const Fidelity f : {Fidelity::ruthless, Fidelity::full}) {
    for (const int modes : {2, 6, 12}) {
      for (const double mass : {1e-3, 1.0, 10.0, 1e2, 1e3, 1e4, 1e6, 1e9}) {
        for (const bool forked : {false, true}) {
          for (const Elimination e : {Elimination::active, Elimination::all_modes}) {
            const Model model = make_model(heavy_arm(modes, mass, f, forked), e);
            const Sample s = random_sample(model, 1, {.modal = 0.01, .speed = 0.1, .wrenches = 0});
            Engine engine(model);
            const VectorXd vdot = engine.forward(s.x, s.tau), back = engine.inverse(s.x, vdot);
            const double h = engine.inverse(s.x, VectorXd::Zero(model.nv)).norm() + s.tau.norm();
            const double bound = force_bound(model, engine.mass(s.x), vdot, h);
            EXPECT_CLOSE(back, s.tau, bound)
                << to_string(f) << ", " << modes << " modes, " << mass << " kg" << (forked ? ", forked" : "");
            worst.add((back - s.tau).norm(), bound);
          }
        }
      }
    }
  }
}

// A link that is light compared with its load is not reported as massless, a massless one is.
TEST(HeavyLoads, TooLightIsNotMassless) {
  const auto message = [](double mass_per_length, double load) {
    BeamSpec beam = light_beam(4);
    beam.mass_per_length = mass_per_length;
    beam.rotary_inertia_y = beam.rotary_inertia_z = 1e-4 * mass_per_length;
    Machine m;
    m.bodies = {beam, load_of(load)};
    m.joints = {joint_on(JointKind::revolute, {}),
                joint_on(JointKind::fixed, {1, make_beam_body(beam, false).node_index("tip")})};
    try {
      check_inertia(make_model(m));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  for (const double mass : {1e-8, 1e-12, 1e-15}) EXPECT_EQ(message(mass, 1), "");
  Machine massless;
  massless.bodies = {load_of(1), load_of(0)};
  massless.joints = {joint_on(JointKind::revolute, {}), joint_on(JointKind::revolute, {1, kBodyFrame})};
  try {
    check_inertia(make_model(massless));
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("has no inertia in any configuration"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace limber::test
