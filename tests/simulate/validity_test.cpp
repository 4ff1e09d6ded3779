// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Summary of a run: its figures cover all steps, and there are warnings only if justified.
#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace limber::test {
namespace {

// The arm of the README: two links that fall from the horizontal.
Model make_arm(BeamBasis basis = BeamBasis::clamped_free, int modes = 2) {
  ModelBuilder builder("arm");
  builder.gravity({0, 0, -9.81});
  const auto link = [&](const char* name, double length, double mass, double EI) {
    BeamSpec spec;
    spec.length = length;
    spec.mass_per_length = mass / length;
    spec.EIy = spec.EIz = EI;
    spec.basis = basis;
    spec.modes = {0, modes, 0, 0};
    spec.damping = {0.01};
    return builder.add_body(named(make_beam_body(spec, false), name));
  };
  const int upper = link("upper", 2, 6, 4000), fore = link("fore", 1.5, 3, 1500);
  RigidSpec load;
  load.mass = 2;
  load.inertia = 0.02 * Matrix3d::Identity();
  const int load_body = builder.add_body(named(make_rigid_body(load), "load"));
  builder.add_joint(joint("shoulder", JointKind::revolute, kGround, kBodyFrame, -Vector3d::UnitY()), upper);
  builder.add_joint(joint("elbow", JointKind::revolute, upper, 1, -Vector3d::UnitY()), fore);
  builder.add_joint(joint("grip", JointKind::fixed, fore, 1), load_body);
  return builder.build();
}

Inputs make_push(const Model& model) {
  Inputs inputs;
  inputs.speeds.push_back({model.speed("elbow"), Signal::pieces({{0.5, Signal(20.0)}, {0, Signal(0.0)}}), "push"});
  return inputs;
}

void expect_same(const RunResult& a, const RunResult& b, const std::string& what) {
  const LargestDeflection &d = a.validity.largest_deflection, &e = b.validity.largest_deflection;
  EXPECT_EQ(d.value, e.value) << what;
  EXPECT_EQ(d.t, e.t) << what;
  EXPECT_EQ(d.node.body, e.node.body) << what;
  EXPECT_EQ(a.validity.deflection.value, b.validity.deflection.value) << what;
  EXPECT_EQ(a.validity.truncation.value, b.validity.truncation.value) << what;
  EXPECT_EQ(a.validity.spin.value, b.validity.spin.value) << what;
  EXPECT_EQ(a.energy_error, b.energy_error) << what;
  EXPECT_EQ(a.energy_scale, b.energy_scale) << what;
  EXPECT_EQ(a.largest, b.largest) << what;
}

TEST(Validity, FiguresDoNotDependOnWhatIsRecorded) {
  const Model model = make_arm();
  const State start = make_zero_state(model);
  for (const char* method : {"dopri5", "rk4", "implicit"}) {
    // A power of two, so that multiples of the step are met without rounding.
    const double step = 1.0 / 1024;
    SolverOptions solver = fixed(method, step);
    const Outcome often = run(model, make_push(model), solver, start, 2, 4 * step);
    expect_same(run(model, make_push(model), solver, start, 2, 5).result, often.result, method);
    expect_same(run(model, make_push(model), solver, start, 2, 64 * step).result, often.result, method);
  }
}

// At least the maximum of a fine recording, and at most slightly more.
TEST(Validity, FiguresAreThoseOfAFineRecording) {
  const Model model = make_arm();
  for (const double rtol : {1e-9, 1e-5}) {
    SolverOptions solver;
    solver.rtol = rtol;
    solver.atol = 1e-3 * rtol;
    const Outcome out = run(model, make_push(model), solver, make_zero_state(model), 2, 2e-4);
    VectorXd largest = VectorXd::Zero(model.nq);
    double deflection = 0, balance = 0;
    for (std::size_t k = 0; k < out.seen.q.size(); ++k) {
      const VectorXd& q = out.seen.q[k];
      largest = largest.cwiseMax(q.cwiseAbs());
      for (int i = 1; i < model.body_count(); ++i)
        for (const Node& node : model.body(i).nodes)
          deflection =
              std::max(deflection, (node.translation * q.segment(model.first_mode_q(i), model.body(i).modes)).norm());
      balance = std::max(balance, std::abs(out.seen.balance[k]));
    }
    EXPECT_NEAR(out.result.validity.largest_deflection.value, deflection, 1e-2 * deflection) << rtol;
    EXPECT_GT(deflection, 0.02);
    for (int k = 0; k < model.nq; ++k) EXPECT_NEAR(out.result.largest[k], largest[k], 1e-2 * largest[k]) << rtol << k;
    EXPECT_GT(out.result.energy_error, 0.3 * balance) << rtol;
  }
}

// A beam on the ground along `axis`, with a load on its tip; EI = 1000 N m^2, 2 m, 4 kg.
struct Mast {
  BeamBasis basis = BeamBasis::clamped_free;
  int modes = 2;
  double load = 0;  // kg
  double gravity = 0;
  Fidelity fidelity = Fidelity::full;
  double upright = 1;  // -1: hanging
};
constexpr double kMastCritical = M_PI * M_PI * 1000 / (4 * 2 * 2);

Model make_mast(const Mast& mast) {
  ModelBuilder builder("mast");
  builder.gravity({-mast.upright * mast.gravity, 0, 0}).fidelity(mast.fidelity);
  BeamSpec spec = beam(2, 1000, {0, mast.modes, 0, 0}, 0.02);
  spec.basis = mast.basis;
  spec.rotary_inertia_y = spec.rotary_inertia_z = 0;
  const int body = builder.add_body(named(make_beam_body(spec, mast.fidelity == Fidelity::stiffened), "mast"));
  builder.add_joint(joint("foot", JointKind::fixed, kGround, kBodyFrame), body);
  if (mast.load > 0) {
    RigidSpec load;
    load.mass = mast.load;
    const int top = builder.add_body(named(make_rigid_body(load), "load"));
    builder.add_joint(joint("top", JointKind::fixed, body, 1), top);
  }
  return builder.build();
}

// A moment on the tip that rises smoothly over ten periods.
RunResult bend_slowly(const Model& model) {
  Inputs inputs;
  WrenchInput moment{{1, 1}, Frame::world, {}, "moment"};
  moment.wrench[1] = Signal::expression("-50*sin(pi/2*t/2)^2");
  inputs.wrenches.push_back(moment);
  SolverOptions solver;
  return run(model, inputs, solver, make_zero_state(model), 2).result;
}

TEST(Validity, QuasiStaticShapesOfRitzBasesAreNoVibration) {
  for (const BeamBasis basis : {BeamBasis::polynomial, BeamBasis::craig_bampton}) {
    const Model few = make_mast({.basis = basis}), many = make_mast({.basis = basis, .modes = 8});
    const RunResult a = bend_slowly(few), b = bend_slowly(many);
    // The second mode has more than a tenth of the energy, yet six more shapes change nothing.
    const MatrixXd& K = few.body(1).stiffness;
    const double first = K(0, 0) * a.largest[0] * a.largest[0], second = K(1, 1) * a.largest[1] * a.largest[1];
    EXPECT_GT(second / (first + second), 0.1);
    EXPECT_NEAR(a.validity.largest_deflection.value, b.validity.largest_deflection.value, 1e-3 * 0.1);
    EXPECT_GT(a.validity.largest_deflection.value, 0.09);
    EXPECT_LT(a.validity.truncation.value, 0.01);
    EXPECT_TRUE(warnings(few, a.validity).empty());
  }
}

TEST(Validity, TheStaticRestOfEigenfunctionsIsCounted) {
  // Under a moment, two eigenfunctions lack 3 % of the tip's deflection, 0.5 - (0.4454 + 0.0394) of 0.5; the estimate
  // assumes that the load is a force.
  const RunResult few = bend_slowly(make_mast({})), many = bend_slowly(make_mast({.modes = 8}));
  const double missing = 1 - few.validity.largest_deflection.value / many.validity.largest_deflection.value;
  EXPECT_GT(missing, 0.01);
  EXPECT_NEAR(few.validity.truncation.value, missing, 0.7 * missing);
}

TEST(Validity, AHitOnFewModesIsTold) {
  struct Hit {
    Model model;
    Outcome out;
    double tip(std::size_t k) const { return model.body(1).nodes[1].translation.row(2) * out.seen.q[k]; }
  };
  const auto hit = [](int modes) {
    Model model = make_mast({.modes = modes});
    State start = make_zero_state(model);
    start.v = 2 * model.body(1).nodes[1].translation.row(2).transpose();  // an impulse of 2 N s on the tip
    Outcome out = run(model, {}, SolverOptions{}, start, 0.5, 1e-3);
    return Hit{std::move(model), std::move(out)};
  };
  const Hit few = hit(2), many = hit(8);
  double missing = 0;
  for (std::size_t k = 0; k < few.out.seen.t.size(); ++k)
    missing = std::max(missing, std::abs(many.tip(k) - few.tip(k)));
  missing /= many.out.result.validity.largest_deflection.value;
  const Validity &two = few.out.result.validity, &eight = many.out.result.validity;
  EXPECT_GT(missing, 0.05);
  EXPECT_GT(two.truncation.value, missing);  // the estimate adds all missing modes in phase
  EXPECT_LT(two.truncation.value, 3 * missing);
  ASSERT_EQ(warnings(few.model, two).size(), 1U);
  EXPECT_NE(warnings(few.model, two)[0].find("give it more modes"), std::string::npos);
  EXPECT_LT(eight.truncation.value, 0.05);
}

// ---- axial loads ---------------------------------------------------------------------------------------

Validity stand(const Mast& mast) {
  const Model model = make_mast(mast);
  return run(model, {}, fixed("implicit", 1e-3), make_zero_state(model), 0.01).result.validity;
}

TEST(Validity, CompressionIsMeasuredByEulersLoad) {
  const double own = 0.315 * 4 * 9.81;
  for (const double share : {0.05, 0.5, 1.6}) {
    const double load = share * kMastCritical / 9.81;
    const Validity full = stand({.load = load, .gravity = 9.81});
    EXPECT_NEAR(full.compression.value, share + own / kMastCritical, 1e-6) << share;
    EXPECT_EQ(full.compression.body, 1);
    EXPECT_EQ(full.tension.value, 0);
    const std::vector<std::string> lines = warnings(make_mast({.load = load}), full);
    EXPECT_EQ(lines.size(), share > 0.1 ? 1U : 0U);
    // A beam whose model includes the axial force is not monitored.
    EXPECT_EQ(stand({.load = load, .gravity = 9.81, .fidelity = Fidelity::stiffened}).compression.value, 0);
  }
  const Validity hanging = stand({.load = kMastCritical / 9.81, .gravity = 9.81, .upright = -1});
  EXPECT_NEAR(hanging.tension.value, 1 + own / kMastCritical, 1e-6);
  EXPECT_EQ(hanging.compression.value, 0);
}

// The monitored force is that in the beam: it includes forces on its tip, and is zero in free fall.
TEST(Validity, AxialForceComesFromAllThatActs) {
  Mast mast{.load = 10, .gravity = 9.81};
  const Model model = make_mast(mast);
  Inputs inputs;
  WrenchInput push{{1, 1}, Frame::node, {}, "push"};
  push.wrench[3] = Signal(-0.5 * kMastCritical);
  inputs.wrenches.push_back(push);
  const double own = (10 + 0.315 * 4) * 9.81 / kMastCritical;
  const Outcome out = run(model, inputs, fixed("implicit", 1e-3), make_zero_state(model), 0.01);
  EXPECT_NEAR(out.result.validity.compression.value, 0.5 + own, 1e-6);

  const Model tree = make_tree({.gravity = {0, 0, -9.81}});  // on a free joint
  const Outcome fall = run(tree, {}, tight(), make_zero_state(tree), 0.5);
  EXPECT_LT(fall.result.validity.compression.value, 1e-9);
  EXPECT_LT(fall.result.validity.tension.value, 1e-9);
}

// ---- sliders along a beam ------------------------------------------------------------------------------

TEST(Validity, TravelAlongABeamIsMeasuredByTheErrorOfItsTangent) {
  const auto slide = [](double from, double travel) {
    ModelBuilder builder("crane");
    builder.gravity({0, 0, -9.81});
    BeamSpec spec = beam(4, 1e5, {0, 3, 0, 0}, 0.05);
    spec.nodes.push_back({"rail", from / 4});
    const int girder = builder.add_body(named(make_beam_body(spec, false), "girder"));
    RigidSpec trolley;
    trolley.mass = 1;
    const int load = builder.add_body(named(make_rigid_body(trolley), "trolley"));
    builder.add_joint(joint("wall", JointKind::fixed, kGround, kBodyFrame), girder);
    builder.add_joint(joint("travel", JointKind::prismatic, girder, 2, Vector3d::UnitX()), load);
    const Model model = builder.build();
    State start = make_zero_state(model);
    start.q[model.joints[2].q] = travel;
    Inputs inputs;
    inputs.motions.push_back({2, {Signal(travel)}, "motion"});
    const RunResult result = run(model, inputs, fixed("implicit", 1e-3), start, 0.01).result;
    return std::pair(result.validity.slide.value, warnings(model, result.validity));
  };
  const auto f = [](double a) { return a * a * (12 - a) / 6; };  // tip deflection by a load at a; times EI
  const auto slope = [](double a) { return a * (8 - a) / 2; };
  for (const auto& [from, travel] : {std::pair(1.0, 2.0), {2.0, 1.5}, {4.0, -2.0}, {3.0, -0.3}}) {
    const double error = std::abs(f(from + travel) - f(from) - travel * slope(from)) / f(4);
    EXPECT_NEAR(slide(from, travel).first, error, 1e-12) << from;
    EXPECT_EQ(slide(from, travel).second.size(), error > 0.1 ? 1U : 0U) << from;
  }
  EXPECT_EQ(slide(4, 3).first, 0);  // a telescope
}

}  // namespace
}  // namespace limber::test
