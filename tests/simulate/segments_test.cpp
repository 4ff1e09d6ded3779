// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Segmented beams with large deflections, against closed forms and published results.
#include "limber/model/segments.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "limber/dynamics/energy.hpp"
#include "limber/dynamics/forward.hpp"
#include "limber/simulate/equilibrium.hpp"
#include "limber/simulate/simulate.hpp"

namespace limber::test {
namespace {

BeamSpec make_strip(double length, double EI, double mass = 1) {
  BeamSpec spec;
  spec.length = length;
  spec.mass_per_length = mass / length;
  spec.EIy = spec.EIz = EI;
  spec.modes = {2, 0, 0, 0};
  return spec;
}

Joint make_joint_of(const std::string& name, JointKind kind) {
  Joint joint;
  joint.name = name;
  joint.kind = kind;
  return joint;
}

Model make_held(const BeamSpec& spec, int segments, Fidelity fidelity, const Vector3d& gravity = Vector3d::Zero(),
                JointKind root = JointKind::fixed) {
  ModelBuilder builder("strip");
  builder.gravity(gravity).fidelity(fidelity);
  Body beam = make_segmented_beam(spec, segments, fidelity == Fidelity::stiffened);
  beam.name = "beam";
  builder.add_body(std::move(beam));
  builder.add_joint(make_joint_of("root", root), "world", "beam");
  return builder.build();
}

Vector3d place_of(const Model& model, const State& x, const std::string& node) {
  KinematicsWorkspace kin(model);
  compute_kinematics(model, x, kin);
  compute_world_poses(model, kin);
  return node_pose(model, kin, model.node(node)).p;
}

Inputs make_wrench(const Model& model, const std::string& node, const Vector3d& torque, const Vector3d& force) {
  WrenchInput input;
  input.at = model.node(node);
  for (int k = 0; k < 3; ++k) {
    input.wrench[k] = torque[k];
    input.wrench[3 + k] = force[k];
  }
  Inputs out;
  out.wrenches.push_back(input);
  return out;
}

// ---- rolled up by an end moment -------------------------------------------------------------------------

// A moment M on the tip bends a cantilever into an arc of radius EI / M: into a full circle with M = 2 pi EI / L.
struct Rolled {
  double tip = 0, middle = 0;  // errors of position over the length
};
Rolled roll(int segments, Fidelity fidelity, double turn) {
  constexpr double L = 10, EI = 100;
  BeamSpec spec = make_strip(L, EI);
  spec.nodes.push_back({"middle", 0.5, Matrix3d::Identity()});
  const Model model = make_held(spec, segments, fidelity);
  const Inputs inputs = make_wrench(model, "beam.tip", Vector3d(0, 0, turn * EI / L), Vector3d::Zero());
  const Equilibrium e = find_equilibrium(model, inputs, make_zero_state(model));
  const auto error = [&](const char* node, double s) {
    const double radius = L / turn, angle = s * turn;
    const Vector3d exact(radius * std::sin(angle), radius * (1 - std::cos(angle)), 0);
    return (place_of(model, e.x, node) - exact).norm() / L;
  };
  return {error("beam.tip", 1), error("beam.middle", 0.5)};
}

TEST(Segments, AnEndMomentRollsACantileverIntoACircle) {
  for (const Fidelity fidelity : {Fidelity::full, Fidelity::stiffened}) {
    const Rolled at16 = roll(16, fidelity, 2 * M_PI);
    EXPECT_LT(at16.tip, 0.01) << to_string(fidelity);
    EXPECT_LT(at16.middle, 0.01) << to_string(fidelity);
  }
}

// Each segment rotates by exactly delta = 2 pi / k.  In `full` its chord is too long by delta^2 / 6 (second order);
// with foreshortening its inclination is too large by delta^3 / 24 (third order).
TEST(Segments, ConvergeToTheArcAtTheirOrder) {
  for (const auto& [fidelity, order] : {std::pair{Fidelity::full, 2.0}, std::pair{Fidelity::stiffened, 3.0}}) {
    double before = 0;
    for (const int segments : {8, 16, 32}) {
      const double error = roll(segments, fidelity, M_PI).tip;
      if (before > 0) {
        EXPECT_NEAR(std::log2(before / error), order, 0.15) << to_string(fidelity) << " " << segments;
      }
      before = error;
    }
  }
}

// ---- the 45-degree bend ---------------------------------------------------------------------------------

// [Bathe, Bolourchi 1979]: a cantilever along an eighth of a circle of radius 100 in in the plane z = 0, section 1 in x
// 1 in, E = 1e7 psi, nu = 0, under a load of 600 lb in z on its tip, which moves from (70.71, 29.29, 0) to about (47.2,
// 15.9, 53.4) by 8 straight elements.  Here eight straight beams of two segments each, on the arc.
TEST(Segments, TheFortyFiveDegreeBendUnderSixHundredPounds) {
  constexpr double R = 100, E = 1e7, G = 0.5e7;
  constexpr int kPieces = 8;
  const double angle = M_PI / 4 / kPieces;
  ModelBuilder builder("bend");
  builder.fidelity(Fidelity::stiffened);
  BeamSpec spec = make_strip(2 * R * std::sin(angle / 2), E / 12);
  spec.GJ = 0.1406 * G;
  spec.EA = E;
  spec.rotary_inertia_y = spec.rotary_inertia_z = spec.mass_per_length / 12;
  spec.modes = {2, 2, 1, 1};
  for (int k = 0; k < kPieces; ++k) {
    Body body = make_segmented_beam(spec, 2, true);
    body.name = "piece" + std::to_string(k);
    builder.add_body(std::move(body));
    Joint joint = make_joint_of("joint" + std::to_string(k), JointKind::fixed);
    joint.origin.R = Eigen::AngleAxisd(k == 0 ? angle / 2 : angle, Vector3d::UnitZ()).toRotationMatrix();
    builder.add_joint(joint, k == 0 ? "world" : "piece" + std::to_string(k - 1) + ".tip", "piece" + std::to_string(k));
  }
  const Model model = builder.build();
  const std::string tip = "piece" + std::to_string(kPieces - 1) + ".tip";
  const State zero = make_zero_state(model);
  EXPECT_LT((place_of(model, zero, tip) - R * Vector3d(std::sin(M_PI / 4), 1 - std::cos(M_PI / 4), 0)).norm(), 1e-10);
  // Published positions of the tip by different formulations differ by about half a per cent of the radius.
  const std::pair<double, Vector3d> published[] = {{300, {58.8, 22.3, 40.1}}, {600, {47.2, 15.9, 53.4}}};
  for (const auto& [load, place] : published) {
    const Equilibrium e =
        find_equilibrium(model, make_wrench(model, tip, Vector3d::Zero(), Vector3d(0, 0, load)), zero);
    const Vector3d at = place_of(model, e.x, tip);
    EXPECT_LT((at - place).lpNorm<Eigen::Infinity>(), 0.5) << load << ": " << at.transpose();
  }
}

// ---- a rope -------------------------------------------------------------------------------------------

// A rope that hangs from one end and is pulled sideways at the other one is half a catenary: with a = H / (rho g), y =
// a (cosh(x / a) - 1) from its lowest point, the pulled end; length a sinh(x / a).
// Second-order shapes are required: without them a segment under tension gets longer by bending.
TEST(Segments, ARopeOfAHundredHangsAsACatenary) {
  constexpr double L = 10, mass = 5, g = 9.81, H = 15;
  BeamSpec spec = make_strip(L, 1e-3, mass);
  spec.nodes.push_back({"middle", 0.5, Matrix3d::Identity()});
  const Model model = make_held(spec, 100, Fidelity::stiffened, Vector3d(0, -g, 0), JointKind::spherical);
  const Inputs inputs = make_wrench(model, "beam.tip", Vector3d::Zero(), Vector3d(H, 0, 0));
  const Equilibrium e = find_equilibrium(model, inputs, make_zero_state(model));
  const double a = H / (mass / L * g);
  const auto from_tip = [&](double s) {  // s: length from the tip
    const double x = a * std::asinh(s / a);
    return Vector3d(x, a * (std::cosh(x / a) - 1), 0);
  };
  const Vector3d root = from_tip(L);
  RecordProperty("iterations", e.iterations);
  for (const auto& [node, s] : {std::pair{"beam.tip", 0.0}, std::pair{"beam.middle", L / 2}}) {
    Vector3d exact = root - from_tip(s);
    exact.y() = -exact.y();
    EXPECT_LT((place_of(model, e.x, node) - exact).norm(), 1e-3 * L) << node;
  }
}

// ---- a beam in flight ---------------------------------------------------------------------------------

// [Simo, Vu-Quoc 1986], the flying beam: free, EI = 500, EA = 1e4, rho A = 1, rho I = 10, L = 10, inclined by 3:4, a
// force and a moment on its lower end that rise to 8 and 80 at t = 2.5 and return to zero at 5.
struct Flight {
  Vector3d root, tip;  // at the end
  Momentum momentum;   // at the end
  double balance = 0;  // largest, over the largest energy
  Vector3d center = Vector3d::Zero();
};
class LastRecord : public RunListener {
 public:
  LastRecord(const Model& model, Flight& out) : model_(model), out_(out) {}
  void record(const Record& r) override {
    out_.root = node_pose(model_, r.kin, model_.node("beam.root")).p;
    out_.tip = node_pose(model_, r.kin, model_.node("beam.tip")).p;
    out_.center = compute_center_of_mass(model_, r.kin);
    out_.momentum = r.momentum;
  }

 private:
  const Model& model_;
  Flight& out_;
};

Flight fly(int segments, double duration) {
  BeamSpec spec = make_strip(10, 500, 10);
  spec.EA = 1e4;
  spec.rotary_inertia_z = 10;
  spec.rotary_inertia_y = 0;
  spec.modes = {2, 0, 1, 0};
  ModelBuilder builder("flight");
  builder.fidelity(Fidelity::stiffened);
  Body beam = make_segmented_beam(spec, segments, true);
  beam.name = "beam";
  builder.add_body(std::move(beam));
  // In the plane: two sliders and a rotation; the mass of the carriages is negligible.
  for (const char* name : {"x", "y"}) {
    Body cart = make_rigid_body(RigidSpec{});
    cart.name = std::string("cart_") + name;
    builder.add_body(std::move(cart));
  }
  Joint x = make_joint_of("x", JointKind::prismatic), y = x, turn = make_joint_of("turn", JointKind::revolute);
  x.axis = Vector3d::UnitX();
  x.origin.p = Vector3d(6, 0, 0);
  y.name = "y";
  y.axis = Vector3d::UnitY();
  turn.axis = Vector3d::UnitZ();
  builder.add_joint(x, "world", "cart_x");
  builder.add_joint(y, "cart_x", "cart_y");
  builder.add_joint(turn, "cart_y", "beam");
  const Model model = builder.build();
  Inputs inputs;
  WrenchInput input;
  input.at = model.node("beam.root");
  const VectorXd t = (VectorXd(4) << 0, 2.5, 5, 100).finished(), rise = (VectorXd(4) << 0, 1, 0, 0).finished();
  input.wrench[2] = Signal::table(t, -80 * rise, Interpolation::linear);
  input.wrench[3] = Signal::table(t, 8 * rise, Interpolation::linear);
  inputs.wrenches.push_back(input);
  State start = make_zero_state(model);
  start.q[model.coordinate("turn")] = std::atan2(8, -6);
  System system(model, inputs);
  SolverOptions solver;
  solver.method = "implicit";
  solver.step = 0.002;
  Flight out;
  LastRecord listener(model, out);
  const RunResult result = simulate(system, solver, {duration, duration}, start, listener);
  EXPECT_EQ(result.status, Status::ok);
  out.balance = result.energy_error / result.energy_scale;
  return out;
}

// The centre of mass moves like a point mass: the impulse of 20 gives it a speed of 2.  Ends at t = 5: reference by a
// geometrically exact (Reissner) beam of 40 and 80 finite elements with shear stiffness 1e5, extrapolated, with a
// separate explicit method.
TEST(Segments, ABeamInFlightGoesWhereAFiniteElementModelSays) {
  const Flight at5 = fly(10, 5);
  constexpr double kStep = 1e-5;  // of the implicit step, second order in 0.002 s
  EXPECT_NEAR(at5.momentum.linear.x(), 20, kStep);
  EXPECT_NEAR(at5.center.x(), 3 + 5, 1e-3);
  EXPECT_NEAR(at5.center.y(), 4, kStep);
  EXPECT_LT((at5.root - Vector3d(4.2997, 0.6399, 0)).norm(), 0.02) << at5.root.transpose();
  EXPECT_LT((at5.tip - Vector3d(11.8235, 7.2224, 0)).norm(), 0.02) << at5.tip.transpose();
  EXPECT_LT(at5.balance, 1e-3);
}
}  // namespace
}  // namespace limber::test
