// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Torques of prescribed joints under implicit steps with force elements.
#include "fixtures.hpp"
#include "limber/model/elements.hpp"

namespace limber::test {
namespace {

// At the accelerations of the equation of motion a pass of an implicit step changes nothing: neither these nor the
// torques of prescribed joints, which bear their share of the elements.
TEST(PrescribedElements, ImplicitStepsNeedTheSameTorques) {
  Model model = make_tree({.gravity = {0, 1, -9.81}});
  ForceElement strut;
  strut.name = "strut";
  strut.a = {{1, kBodyFrame}, {Matrix3d::Identity(), {0.1, 0.2, -0.1}}};
  strut.b = {{4, kBodyFrame}, {Matrix3d::Identity(), {0.05, 0.1, 0.2}}};
  strut.stiffness = 300;
  strut.damping = 7;
  strut.length = 0.9;
  model.elements = std::make_shared<ForceElements>(ForceElements{{strut}, {}});
  State x = make_state(model);
  Inputs inputs;
  inputs.motions.push_back({2, {Signal::expression("0.2 + 0.3*t + 2*t^2")}, "hinge"});
  System system(model, inputs);
  system.prescribe(x);
  system.update_contacts(x);
  VectorXd a(model.nv);
  ASSERT_EQ(system.accelerate(x, a), Status::ok);
  const VectorXd torques = system.torques();
  VectorXd again = a;
  system.set_implicit(0.05, 0.0025);
  ASSERT_EQ(system.accelerate_implicit(x, again), Status::ok);
  EXPECT_CLOSE(again, a, 1e-11 * a.cwiseAbs().maxCoeff());
  EXPECT_CLOSE(system.torques(), torques, 1e-11 * torques.cwiseAbs().maxCoeff());
}

}  // namespace
}  // namespace limber::test
