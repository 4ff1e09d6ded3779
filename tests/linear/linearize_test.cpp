// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Linearised models against the motion itself, and against systems with known poles and zeros.
#include "limber/linear/linearize.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "limber/dynamics/aba.hpp"
#include "limber/linear/analysis.hpp"
#include "limber/model/manifold.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/rotation.hpp"
#include "support/close.hpp"
#include "support/mixed_trees.hpp"

namespace limber::test {
namespace {

using Kind = LinearOutput::Kind;
using Complex = std::complex<double>;

LinearOutput node_output(Kind kind, NodeRef node, int component) {
  LinearOutput output;
  output.kind = kind;
  output.node = node;
  output.component = component;
  return output;
}

// ---- against the motion -----------------------------------------------------------------------------

// A model and its motion for a short time from a state: second order in h; odd terms in h to third order.
struct Flow {
  const Model& model;
  const std::vector<std::uint8_t>& held;
  AbaWorkspace ws;
  KinematicsWorkspace kin;
  VectorXd tau;

  Flow(const Model& m, const std::vector<std::uint8_t>& h) : model(m), held(h), ws(m), kin(m), tau(m.nv) {}
  VectorXd acceleration(const State& x) {
    VectorXd vdot = VectorXd::Zero(model.nv), needed(model.nv);
    EXPECT_EQ(hybrid(model, x, Forces{tau}, held, ws, vdot, needed), Status::ok);
    return vdot;
  }
  State after(const State& x, double h) {
    const VectorXd vdot = acceleration(x);
    State y = x;
    move(model, x.q, h * x.v + h * h / 2 * vdot, y.q);
    y.v += h * vdot;
    return y;
  }
  // The six components of a node measured by `kind`; positions relative to `from`.
  Vector6 measure(const State& x, Kind kind, NodeRef node, const Pose& from) {
    const VectorXd vdot = acceleration(x);
    compute_kinematics(model, x, kin);
    compute_world_poses(model, kin);
    if (kind == Kind::velocity) return node_velocity(model, kin, node, x.v);
    if (kind == Kind::acceleration) return node_acceleration(model, kin, node, vdot);
    const Pose pose = node_pose(model, kin, node);
    Vector6 out;
    out << log_rotation(pose.R * from.R.transpose()), pose.p - from.p;
    return out;
  }
};

// Some joints are held; these keep their speeds.
std::vector<std::uint8_t> some_held(const Model& model, std::uint64_t seed) {
  std::vector<std::uint8_t> held(static_cast<std::size_t>(model.body_count()), 0);
  for (std::size_t i = 1; i < held.size(); ++i) held[i] = (seed + i) % 4 == 0;
  return held;
}

struct Case {
  Model model;
  Sample s;
  LinearizeOptions options;
  explicit Case(std::uint64_t seed)
      : model(make_model(random_machine(mixed_tree(seed, 5), seed))),
        s(random_sample(model, seed, {.speed = 0.3, .special = 0, .wrenches = 0})) {
    for (const Joint& joint : model.joints) {  // the spring of a quaternion is discontinuous at half a turn
      if (position_count(joint.kind) < 4 || std::abs(s.x.q[joint.q]) > 0.05) continue;
      VectorXd turn = VectorXd::Zero(model.nv);
      turn[joint.v] = 1;
      move(model, s.x.q, turn, s.x.q);
    }
    options.held = some_held(model, seed);
    options.tau = s.tau;
  }
};

// d/dt of the deviation of a neighbouring motion: both are integrated over +-h, and the deviation is taken in the
// moving frame.
TEST(Linearize, StateMatrixIsThatOfTheMotion) {
  constexpr double h = 1e-4, eps = 1e-5;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Case c(seed);
    const LinearSystem system = linearize(c.model, c.s.x, c.options);
    Flow flow(c.model, c.options.held);
    flow.tau = c.s.tau;
    const int n = system.coordinates();
    const State plus = flow.after(c.s.x, h), minus = flow.after(c.s.x, -h);
    MatrixXd A(2 * n, 2 * n);
    VectorXd y(c.model.nv);
    const auto deviation = [&](const State& nominal, const State& other) {
      VectorXd out(2 * n);
      // Along the directions of the speeds; a chart has the position of a free joint along the axes of the moving
      // frame.
      chart_coordinates(c.model, nominal.q, other.q, y);
      for (const Joint& joint : c.model.joints) {
        if (joint.kind != JointKind::free) continue;
        y.segment<3>(joint.v + 3) =
            quaternion_rotation(nominal.q.data() + joint.q).transpose() * y.segment<3>(joint.v + 3).eval();
      }
      out << y(system.free), (other.v - nominal.v)(system.free);
      return out;
    };
    const auto moved_by = [&](int j, double size) {
      State x = c.s.x;
      if (j < n) {
        move(c.model, x.q, size * VectorXd::Unit(c.model.nv, system.free[j]), x.q);
      } else {
        x.v[system.free[j - n]] += size;
      }
      return VectorXd((deviation(plus, flow.after(x, h)) - deviation(minus, flow.after(x, -h))) / (2 * h));
    };
    for (int j = 0; j < 2 * n; ++j) A.col(j) = (moved_by(j, eps) - moved_by(j, -eps)) / (2 * eps);
    EXPECT_CLOSE(system.A, A, 1e-6 * (1 + A.norm()));
  }
}

TEST(Linearize, NodeOutputsAreDifferences) {
  constexpr double eps = 1e-5;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Case c(seed);
    const NodeRef node{c.model.body_count() - 1, kBodyFrame};
    for (const Kind kind : {Kind::place, Kind::velocity, Kind::acceleration}) {
      c.options.outputs.clear();
      for (int k = 0; k < 6; ++k) c.options.outputs.push_back(node_output(kind, node, k));
      const LinearSystem system = linearize(c.model, c.s.x, c.options);
      Flow flow(c.model, c.options.held);
      flow.tau = c.s.tau;
      flow.measure(c.s.x, Kind::place, node, {});
      const Pose now = node_pose(c.model, flow.kin, node);
      const int n = system.coordinates();
      MatrixXd C(6, 2 * n);
      for (int j = 0; j < 2 * n; ++j) {
        const auto at = [&](double size) {
          State x = c.s.x;
          if (j < n) {
            move(c.model, x.q, size * VectorXd::Unit(c.model.nv, system.free[j]), x.q);
          } else {
            x.v[system.free[j - n]] += size;
          }
          return flow.measure(x, kind, node, now);
        };
        C.col(j) = (at(eps) - at(-eps)) / (2 * eps);
      }
      // In `ruthless` node positions do not depend on the modes, but their velocities do: C has the Jacobian of
      // velocities.
      if (kind == Kind::place && c.model.fidelity == Fidelity::ruthless) continue;
      EXPECT_CLOSE(system.C, C, 1e-6 * (1 + C.norm())) << quantity_name(kind, 0);
    }
  }
}

TEST(Linearize, InputsAreSeenByAccelerometersAtOnce) {
  Case c(11);
  const NodeRef node{c.model.body_count() - 1, kBodyFrame};
  for (int k = 0; k < 6; ++k) c.options.outputs.push_back(node_output(Kind::acceleration, node, k));
  c.options.inputs = linearize(c.model, c.s.x, c.options).free;
  const LinearSystem system = linearize(c.model, c.s.x, c.options);
  Flow flow(c.model, c.options.held);
  flow.tau = c.s.tau;
  const Vector6 before = flow.measure(c.s.x, Kind::acceleration, node, {});
  for (std::size_t j = 0; j < c.options.inputs.size(); ++j) {
    flow.tau = c.s.tau;
    flow.tau[c.options.inputs[j]] += 1;  // linear: any step is exact
    const Vector6 change = flow.measure(c.s.x, Kind::acceleration, node, {}) - before;
    EXPECT_CLOSE(system.D.col(static_cast<Eigen::Index>(j)), change, 1e-9 * (1 + before.norm() + change.norm()));
  }
}

// ---- known systems ----------------------------------------------------------------------------------

Joint on(NodeRef parent, JointKind kind, const Vector3d& axis) {
  Joint joint;
  joint.kind = kind;
  joint.axis = axis;
  joint.parent = parent;
  return joint;
}

Body lump(double mass, const Vector3d& com, double inertia) {
  RigidSpec spec;
  spec.mass = mass;
  spec.com = com;
  spec.inertia = inertia * Matrix3d::Identity();
  return make_rigid_body(spec);
}

Body named(Body body, const char* name) {
  body.name = name;
  return body;
}

struct Carts {
  double m1 = 2, m2 = 0.5, k1 = 30, k2 = 8, d2 = 0;
  Model model() const {
    ModelBuilder builder("carts");
    const int a = builder.add_body(named(lump(m1, Vector3d::Zero(), 1), "a"));
    const int b = builder.add_body(named(lump(m2, Vector3d::Zero(), 1), "b"));
    Joint first = on({}, JointKind::prismatic, Vector3d::UnitX()),
          second = on({a}, JointKind::prismatic, Vector3d::UnitX());
    first.name = "first", second.name = "second";
    first.stiffness = VectorXd::Constant(1, k1);
    second.stiffness = VectorXd::Constant(1, k2);
    second.damping = VectorXd::Constant(1, d2);
    builder.add_joint(first, a);
    builder.add_joint(second, b);
    return builder.build();
  }
};

LinearSystem of_carts(const Model& model) {
  LinearizeOptions options = make_joint_options(model);
  options.outputs.push_back(node_output(Kind::place, {2, kBodyFrame}, 3));  // the second cart in world
  return linearize(model, make_zero_state(model), options);
}

// m1 x1'' = -k1 x1 + k2 (x2 - x1) + u,  m2 x2'' = -k2 (x2 - x1).
TEST(Linearize, CartsHaveTheirPolesAndZeros) {
  const Carts carts;
  const LinearSystem system = of_carts(carts.model());
  const double sum = (carts.k1 + carts.k2) / carts.m1 + carts.k2 / carts.m2,
               product = carts.k1 * carts.k2 / carts.m1 / carts.m2;
  const double low = std::sqrt(sum / 2 - std::sqrt(sum * sum / 4 - product)), high = std::sqrt(product) / low;
  const auto modes = compute_modes(system);
  ASSERT_EQ(modes.size(), 2U);
  EXPECT_NEAR(modes[0].frequency, low, 1e-13 * low);
  EXPECT_NEAR(modes[1].frequency, high, 1e-13 * high);
  EXPECT_EQ(modes[0].damping, 0);
  const VectorXcd poles = compute_poles(system);
  ASSERT_EQ(poles.size(), 4);
  EXPECT_NEAR(std::abs(poles[0] - Complex(0, -low)), 0, 1e-12);
  EXPECT_NEAR(std::abs(poles[3] - Complex(0, high)), 0, 1e-12);
  // Force on the first cart: it is at rest when the second vibrates on its spring; the second always moves.
  const VectorXcd zeros = compute_zeros(system, 0, 0);
  ASSERT_EQ(zeros.size(), 2);
  EXPECT_NEAR(std::abs(zeros[1] - Complex(0, std::sqrt(carts.k2 / carts.m2))), 0, 1e-12);
  EXPECT_EQ(compute_zeros(system, 0, 2).size(), 0);
}

TEST(Linearize, ADamperBetweenCartsIsARealZero) {
  Carts carts;
  carts.d2 = 0.7;
  const LinearSystem system = of_carts(carts.model());
  const VectorXcd zeros = compute_zeros(system, 0, 2);
  ASSERT_EQ(zeros.size(), 1);
  EXPECT_NEAR(std::abs(zeros[0] + carts.k2 / carts.d2), 0, 1e-11 * carts.k2 / carts.d2);
  for (const Complex z : {Complex(0.3, 1), Complex(0, 2), Complex(-1, 5)}) {
    const Complex k2 = carts.k2 + carts.d2 * z, under = carts.m1 * z * z + carts.k1 + k2;
    const Complex x2 = k2 / (under * (carts.m2 * z * z + k2) - k2 * k2);
    EXPECT_NEAR(std::abs(transfer_function(system, z)(2, 0) - x2), 0, 1e-12 * std::abs(x2));
  }
}

struct Pendulums {
  double m1 = 1.5, m2 = 0.8, length = 0.9, c1 = 0.4, c2 = 0.6, J1 = 0.05, J2 = 0.02, g = 9.81;
  Model model() const {
    ModelBuilder builder("pendulums");
    builder.gravity({0, -g, 0});
    const int a = builder.add_body(named(lump(m1, {0, -c1, 0}, J1), "a"));
    const int b = builder.add_body(named(lump(m2, {0, -c2, 0}, J2), "b"));
    Joint first = on({}, JointKind::revolute, Vector3d::UnitZ()),
          second = on({a}, JointKind::revolute, Vector3d::UnitZ());
    first.name = "first", second.name = "second";
    second.origin.p = {0, -length, 0};
    builder.add_joint(first, a);
    builder.add_joint(second, b);
    return builder.build();
  }
};

// With the first joint at rest the second pendulum swings alone; upright it is unstable: a zero in the right half
// plane.
TEST(Linearize, DoublePendulumHasTheZerosOfItsSecondLink) {
  const Pendulums p;
  const Model model = p.model();
  const double alone = std::sqrt(p.m2 * p.g * p.c2 / (p.J2 + p.m2 * p.c2 * p.c2));
  State x = make_zero_state(model);
  const VectorXcd hanging = compute_zeros(linearize(model, x, make_joint_options(model)), 0, 0);
  ASSERT_EQ(hanging.size(), 2);
  EXPECT_NEAR(std::abs(hanging[1] - Complex(0, alone)), 0, 1e-12 * alone);
  x.q[1] = std::numbers::pi;
  const LinearSystem upright = linearize(model, x, make_joint_options(model));
  EXPECT_LT(upright.acceleration.norm(), 1e-12);
  const VectorXcd zeros = compute_zeros(upright, 0, 0);
  ASSERT_EQ(zeros.size(), 2);
  EXPECT_NEAR(std::max(zeros[0].real(), zeros[1].real()), alone, 1e-9 * alone);
  EXPECT_GT(compute_modes(upright)[0].growth, 1);
}

// A torque-free symmetric top spinning about its axis: nutation (I3 - I1)/I1 w in its own frame; rotations and
// displacements constant in world rotate with -w in the spinning frame.
TEST(Linearize, ASpinningTopNutates) {
  RigidSpec spec;
  spec.mass = 2;
  spec.inertia = Vector3d(1, 1, 1.7).asDiagonal();
  ModelBuilder builder("top");
  const int body = builder.add_body(named(make_rigid_body(spec), "top"));
  Joint joint = on({}, JointKind::free, Vector3d::UnitZ());
  joint.name = "base";
  builder.add_joint(joint, body);
  const Model model = builder.build();
  State x = make_zero_state(model);
  x.v << 0, 0, 3, 0, 0, 0;
  const LinearSystem system = linearize(model, x, {});
  EXPECT_FALSE(has_real_modes(system));
  int nutating = 0, turning = 0, still = 0;
  for (const Complex& pole : compute_poles(system)) {
    EXPECT_NEAR(pole.real(), 0, 1e-6);  // double poles, with an error of sqrt(eps)
    nutating += std::abs(std::abs(pole.imag()) - 0.7 * 3) < 1e-9;
    turning += std::abs(std::abs(pole.imag()) - 3) < 1e-6;
    still += std::abs(pole) < 1e-6;
  }
  EXPECT_EQ(nutating, 2);
  EXPECT_EQ(turning, 6);  // of rotations, and twice of translations: position and speed
  EXPECT_EQ(still, 4);
}

// ---- beams ------------------------------------------------------------------------------------------

Model beam_on(JointKind kind, int modes, double damping = 0) {
  BeamSpec spec;
  spec.length = 2;
  spec.mass_per_length = 3;
  spec.EIy = spec.EIz = 100;
  spec.basis = BeamBasis::polynomial;
  spec.modes = {modes, 0, 0, 0};
  if (damping > 0) spec.damping = {damping};
  spec.nodes = {{"middle", 0.5, Matrix3d::Identity()}};
  ModelBuilder builder("beam");
  const int beam = builder.add_body(named(make_beam_body(spec, false), "beam"));
  Joint joint = on({}, kind, Vector3d::UnitZ());
  joint.name = "hinge";
  builder.add_joint(joint, beam);
  return builder.build();
}

// cosh b cos b = -1 of a clamped beam, tan b = tanh b of a hinged one; Blevins, Formulas for natural frequency, 1979.
TEST(Linearize, BeamsHaveTheirFrequencies) {
  const double unit = std::sqrt(100.0 / 3) / 4;
  const Model clamped = beam_on(JointKind::fixed, 12), hinged = beam_on(JointKind::revolute, 12);
  const auto fixed = compute_modes(linearize(clamped, make_zero_state(clamped), {}));
  const auto free = compute_modes(linearize(hinged, make_zero_state(hinged), {}));
  const double roots_clamped[] = {1.87510406871196, 4.69409113297417, 7.85475743823761};
  const double roots_hinged[] = {3.92660231204792, 7.06858274562873};
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(fixed[k].frequency / (unit * roots_clamped[k] * roots_clamped[k]), 1, 1e-9);
  EXPECT_EQ(free[0].frequency, 0);  // rotates as a whole
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(free[k + 1].frequency / (unit * roots_hinged[k] * roots_hinged[k]), 1, 1e-9);
}

// The hinge coordinate is at rest in the vibrations of the clamped beam: zeros and poles alternate on the imaginary
// axis.  The tip, on the other side of a node, first responds in the wrong direction: zeros in the right half plane.
TEST(Linearize, ABeamIsMinimumPhaseAtItsHingeOnly) {
  const Model model = beam_on(JointKind::revolute, 4), clamped = beam_on(JointKind::fixed, 4);
  LinearizeOptions options = make_joint_options(model);
  options.outputs.push_back(node_output(Kind::place, {1, model.body(1).node_index("tip")}, 4));
  const LinearSystem system = linearize(model, make_zero_state(model), options);
  const auto fixed = compute_modes(linearize(clamped, make_zero_state(clamped), {}));
  const VectorXcd at_hinge = compute_zeros(system, 0, 0);
  ASSERT_EQ(at_hinge.size(), 8);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(at_hinge[2 * k + 1].imag() / fixed[k].frequency, 1, 1e-9);
    EXPECT_LT(std::abs(at_hinge[2 * k].real()), 1e-9 * fixed[k].frequency);
  }
  const VectorXcd at_tip = compute_zeros(system, 0, 1);
  ASSERT_GT(at_tip.size(), 0);
  double right = 0;
  for (const Complex& zero : at_tip) right = std::max(right, zero.real());
  EXPECT_GT(right, 1);
  // They are zeros: the response there is negligible compared with that nearby.
  for (const Complex& zero : at_tip) {
    EXPECT_LT(std::abs(transfer_function(system, zero)(1, 0)),
              1e-8 * std::abs(transfer_function(system, 1.1 * zero)(1, 0)));
  }
}

TEST(Linearize, DampingOfModesComesOut) {
  const Model model = beam_on(JointKind::fixed, 3, 0.02);
  const LinearSystem system = linearize(model, make_zero_state(model), {});
  const VectorXcd poles = compute_poles(system);
  for (const VibrationMode& mode : compute_modes(system)) EXPECT_NEAR(mode.damping, 0.02, 1e-12);
  for (const Complex& pole : poles) EXPECT_NEAR(-pole.real() / std::abs(pole), 0.02, 1e-9);
}

// Under a static moment the curvature is constant: M / EI everywhere.
TEST(Linearize, CurvatureIsThatOfABentBeam) {
  const Model model = beam_on(JointKind::fixed, 6);
  const Body& body = model.body(1);
  LinearizeOptions options;
  LinearOutput gauge;
  gauge.kind = Kind::curvature;
  gauge.node = {1, body.node_index("root")};
  gauge.other = {1, body.node_index("middle")};
  gauge.component = 2;
  options.outputs = {gauge};
  const LinearSystem system = linearize(model, make_zero_state(model), options);
  Matrix6X J(6, model.nv);
  KinematicsWorkspace kin(model);
  compute_kinematics(model, make_zero_state(model), kin);
  compute_world_poses(model, kin);
  compute_node_jacobian(model, kin, {1, body.node_index("tip")}, J);
  const VectorXd eta = Lu(system.stiffness).solve(VectorXd(J.row(2).transpose() * 5.0));  // a moment of 5 on the tip
  EXPECT_NEAR(system.C.row(0).head(model.nv).dot(eta), 5.0 / 100, 1e-12);
}

// ---- refusals ---------------------------------------------------------------------------------------

TEST(Linearize, RefusesWhatDoesNotFit) {
  const Model model = Carts{}.model();
  const State x = make_zero_state(model);
  LinearizeOptions options = make_joint_options(model);
  options.held = {0, 1, 0};
  EXPECT_THROW(linearize(model, x, options), InputError);  // an input at a held joint
  options = {};
  options.held = {0, 1};
  EXPECT_THROW(linearize(model, x, options), InputError);
  options = {};
  options.tau = VectorXd::Zero(5);
  EXPECT_THROW(linearize(model, x, options), InputError);
  options = {};
  options.inputs = {7};
  EXPECT_THROW(linearize(model, x, options), InputError);
  options = {};
  options.outputs = {node_output(Kind::place, {1, 99}, 0)};
  EXPECT_THROW(linearize(model, x, options), InputError);
  options.outputs = {node_output(Kind::curvature, {1, 0}, 0)};
  EXPECT_THROW(linearize(model, x, options), InputError);
}

}  // namespace
}  // namespace limber::test
