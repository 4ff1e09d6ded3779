// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Trolleys on flexible beams: identities, statics in closed form, the moving mass.
#include "limber/model/slider.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/closed_derivatives.hpp"
#include "limber/dynamics/crba.hpp"
#include "limber/dynamics/derivatives.hpp"
#include "limber/dynamics/energy.hpp"
#include "limber/dynamics/forward.hpp"
#include "limber/dynamics/rnea.hpp"
#include "limber/model/manifold.hpp"
#include "limber/simulate/equilibrium.hpp"
#include "limber/simulate/simulate.hpp"

namespace limber::test {
namespace {

constexpr double kLength = 6;

Body named(Body body, const std::string& name) {
  body.name = name;
  return body;
}

Body make_load(const std::string& name, double mass, double inertia) {
  RigidSpec spec;
  spec.mass = mass;
  spec.com = Vector3d(0.05, 0.02, -0.3);
  spec.inertia = Vector3d(inertia, 1.5 * inertia, 2 * inertia).asDiagonal();
  return named(make_rigid_body(spec), name);
}

Joint make_hinge(const std::string& name, JointKind kind, const Vector3d& axis = Vector3d::UnitZ()) {
  Joint joint;
  joint.name = name;
  joint.kind = kind;
  joint.axis = axis;
  return joint;
}

BeamSpec make_jib(std::array<int, 4> modes, BeamBasis basis = BeamBasis::clamped_free) {
  BeamSpec spec;
  spec.length = kLength;
  spec.mass_per_length = 8;
  spec.EIy = 4e4;
  spec.EIz = 2e4;
  spec.EA = 1e6;
  spec.GJ = 1e4;
  spec.rotary_inertia_y = 0.02;
  spec.rotary_inertia_z = 0.03;
  spec.basis = basis;
  spec.modes = modes;
  return spec;
}

// A rotating mast, a jib, two trolleys on it, the second with an offset and a swinging load; the jib attached by its
// root or by its tip, so that its own frame moves with its modes.
Model make_crane(Fidelity fidelity, bool by_tip, bool closed = false) {
  ModelBuilder builder("crane");
  builder.gravity(Vector3d(0, 0, -9.81)).fidelity(fidelity);
  builder.add_body(named(make_beam_body(make_jib({2, 2, 1, 1}), fidelity == Fidelity::stiffened), "jib"));
  builder.add_body(make_load("first", 20, 1));
  builder.add_body(make_load("second", 5, 0.3));
  builder.add_body(make_load("hook", 7, 0.2));
  builder.add_joint(make_hinge("mast", JointKind::revolute), "world", by_tip ? "jib.tip" : "jib");
  builder.add_joint(make_hinge("rail1", kSlider), "jib", "first");
  Joint rail = make_hinge("rail2", kSlider);
  rail.origin.p = Vector3d(0.1, -0.2, 0.3);
  rail.origin.R = Eigen::AngleAxisd(0.4, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  rail.damping = VectorXd::Constant(1, 3);
  builder.add_joint(rail, "jib", "second");
  builder.add_joint(make_hinge("swing", JointKind::spherical), "second", "hook");
  if (closed) {
    Closure pin;
    pin.name = "pin";
    pin.kind = JointKind::spherical;
    pin.a = {4, kBodyFrame};
    builder.add_closure(pin);
  }
  return builder.build();
}

State make_moving(const Model& model) {
  State x = make_zero_state(model);
  VectorXd step(model.nv);
  for (int k = 0; k < model.nv; ++k) {
    step[k] = 0.3 * std::sin(1 + 2.3 * k);
    x.v[k] = 0.7 * std::cos(0.4 + 1.7 * k);
  }
  move(model, State(x).q, step, x.q);
  x.q[model.coordinate("rail1")] = 2.1;
  x.q[model.coordinate("rail2")] = 4.4;
  return x;
}

TEST(Slider, ForwardAndInverseDynamicsUndoEachOther) {
  for (const Fidelity fidelity : {Fidelity::full, Fidelity::stiffened}) {
    for (const bool by_tip : {false, true}) {
      const Model model = make_crane(fidelity, by_tip);
      const State x = make_moving(model);
      VectorXd tau(model.nv), vdot(model.nv), back(model.nv);
      for (int k = 0; k < model.nv; ++k) tau[k] = 10 * std::sin(3.0 * k);
      AbaWorkspace aba_ws(model);
      RneaWorkspace rnea_ws(model);
      ASSERT_EQ(aba(model, x, {tau, {}}, aba_ws, vdot), Status::ok);
      rnea(model, x, vdot, {}, rnea_ws, back);
      const double scale = back.cwiseAbs().maxCoeff() + 1e3;
      EXPECT_LT((back - tau).cwiseAbs().maxCoeff(), 1e-11 * scale) << to_string(fidelity) << by_tip;
      // The mass matrix column by column.
      CrbaWorkspace crba_ws(model);
      MatrixXd M(model.nv, model.nv), columns(model.nv, model.nv);
      crba(model, x, crba_ws, M);
      VectorXd bias(model.nv), column(model.nv);
      rnea(model, x, VectorXd::Zero(model.nv), {}, rnea_ws, bias);
      for (int k = 0; k < model.nv; ++k) {
        rnea(model, x, VectorXd::Unit(model.nv, k), {}, rnea_ws, column);
        columns.col(k) = column - bias;
      }
      EXPECT_LT((M - columns).cwiseAbs().maxCoeff(), 1e-11 * (M.cwiseAbs().maxCoeff() + bias.cwiseAbs().maxCoeff()));
      // All algorithms that support sliders.
      for (const char* name : {"crba", "denoc", "two_stage"}) {
        VectorXd other(model.nv);
        const auto algorithm = make_forward_dynamics(model, name);
        ASSERT_EQ((*algorithm)(x, {tau, {}}, other), Status::ok) << name;
        EXPECT_LT((other - vdot).cwiseAbs().maxCoeff(), 1e-8 * vdot.cwiseAbs().maxCoeff()) << name;
      }
    }
  }
}

// Speeds are the derivatives of positions, accelerations those of speeds: against central differences along a motion.
TEST(Slider, MovesAsItsMapsSay) {
  for (const Fidelity fidelity : {Fidelity::full, Fidelity::stiffened}) {
    const Model model = make_crane(fidelity, false);
    const State x = make_moving(model);
    const VectorXd vdot = VectorXd::LinSpaced(model.nv, -1, 2);
    KinematicsWorkspace kin(model);
    const NodeRef hook = model.node("hook");
    const auto at = [&](double t) {
      State y = x;
      move(model, x.q, x.v * t + 0.5 * t * t * vdot, y.q);
      y.v = x.v + t * vdot;
      compute_kinematics(model, y, kin);
      compute_world_poses(model, kin);
      return std::pair{node_pose(model, kin, hook).p, node_velocity(model, kin, hook, y.v)};
    };
    constexpr double h = 1e-5;
    const auto before = at(-h), behind = at(h), now = at(0);
    compute_kinematics(model, x, kin);
    compute_world_poses(model, kin);
    const Vector6 acceleration = node_acceleration(model, kin, hook, vdot);
    EXPECT_LT(((behind.first - before.first) / (2 * h) - now.second.tail<3>()).norm(), 1e-8);
    EXPECT_LT(((behind.second - before.second) / (2 * h) - acceleration).norm(), 1e-7 * acceleration.norm());
  }
}

// dE/dt = v . tau minus the power of dampers, by differences along the accelerated motion.
TEST(Slider, KeepsThePowerBalance) {
  const Model model = make_crane(Fidelity::stiffened, false);
  const State x = make_moving(model);
  AbaWorkspace ws(model);
  RneaWorkspace rnea_ws(model);
  VectorXd tau = VectorXd::LinSpaced(model.nv, -20, 20), vdot(model.nv);
  ASSERT_EQ(aba(model, x, {tau, {}}, ws, vdot), Status::ok);
  const auto energy = [&](double t) {
    State y = x;
    move(model, x.q, x.v * t + 0.5 * t * t * vdot, y.q);
    y.v = x.v + t * vdot;
    const Energy e = compute_energy(model, y, rnea_ws);
    return e.kinetic + e.potential();
  };
  constexpr double h = 1e-5;
  const double slide = x.v[model.speed("rail2")];
  const double power = x.v.dot(tau) - 3 * slide * slide;
  EXPECT_NEAR((energy(h) - energy(-h)) / (2 * h), power, 1e-6 * (std::abs(power) + 1e3));
}

// Central differences of eighth order [Fornberg 1988]: errors of h^8 and of rounding / h.
MatrixXd differences(const Model& model, const State& x, bool rate, const std::function<VectorXd(const State&)>& f) {
  constexpr double h = 4e-3, kWeights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  MatrixXd out = MatrixXd::Zero(f(x).size(), model.nv);
  for (int j = 0; j < model.nv; ++j) {
    const auto at = [&](double step) {
      State y = x;
      const VectorXd d = step * VectorXd::Unit(model.nv, j);
      if (rate) {
        y.v += d;
      } else {
        move(model, x.q, d, y.q);
      }
      return f(y);
    };
    for (int k = 1; k <= 4; ++k) out.col(j) += kWeights[k - 1] / h * (at(k * h) - at(-k * h));
  }
  return out;
}

// Inverse dynamics with wrenches, anywhere on the beam and beyond its end.
TEST(Slider, DerivativesAreExact) {
  for (const Fidelity fidelity : {Fidelity::full, Fidelity::stiffened}) {
    for (const bool by_tip : {false, true}) {
      const Model model = make_crane(fidelity, by_tip);
      State x = make_moving(model);
      const VectorXd vdot = VectorXd::LinSpaced(model.nv, -1, 1);
      const Vector6 push = Vector6::LinSpaced(-30, 50);
      const NodeWrench wrenches[] = {{model.node("hook"), push, Frame::world},
                                     {model.node("first"), push, Frame::node},
                                     {model.node("jib.tip"), push, Frame::world}};
      DerivativesWorkspace ws(model);
      RneaWorkspace rnea_ws(model);
      MatrixXd by_q(model.nv, model.nv), by_v(model.nv, model.nv);
      const auto force = [&](const State& y) {
        VectorXd tau(model.nv);
        rnea(model, y, vdot, wrenches, rnea_ws, tau);
        return tau;
      };
      for (const double place : {2.1, 6.3}) {
        x.q[model.coordinate("rail1")] = place;
        rnea_derivatives(model, x, vdot, wrenches, ws, by_q, by_v);
        const MatrixXd dq = differences(model, x, false, force), dv = differences(model, x, true, force);
        EXPECT_LT((by_q - dq).norm(), 1e-9 * dq.norm()) << to_string(fidelity) << by_tip << place;
        EXPECT_LT((by_v - dv).norm(), 1e-9 * dv.norm()) << to_string(fidelity) << by_tip << place;
        // Column by column, with those of the sliders among them.
        for (int k = 0; k < model.nv; ++k) {
          EXPECT_LT((by_q.col(k) - dq.col(k)).norm(), 1e-8 * (dq.col(k).norm() + 1)) << model.speeds[k];
          EXPECT_LT((by_v.col(k) - dv.col(k)).norm(), 1e-8 * (dv.col(k).norm() + 1)) << model.speeds[k];
        }
      }
    }
  }
}

// A closed chain: the hook is pinned to the world.
TEST(Slider, DerivativesOfClosedChainsAreExact) {
  const Model model = make_crane(Fidelity::full, false, true);
  const State x = make_moving(model);
  const VectorXd tau = VectorXd::LinSpaced(model.nv, -5, 5);
  DerivativesWorkspace ws(model);
  ClosureWorkspace cw(model);
  VectorXd vdot(model.nv), tried(model.nv);
  MatrixXd dq(model.nv, model.nv), dv = dq, dtau = dq;
  ASSERT_EQ(closed_forward_derivatives(model, x, {tau, {}}, {}, ws, cw, vdot, dq, dv, dtau), Status::ok);
  AbaWorkspace aba_ws(model);
  const auto acceleration = [&](const State& y) {
    VectorXd out(model.nv);
    EXPECT_EQ(aba(model, y, {tau, {}}, aba_ws, out), Status::ok);
    EXPECT_EQ(close_accelerations(model, aba_ws, cw, out), Status::ok);
    return out;
  };
  const MatrixXd by_q = differences(model, x, false, acceleration), by_v = differences(model, x, true, acceleration);
  EXPECT_LT((dq - by_q).norm(), 1e-8 * by_q.norm());
  EXPECT_LT((dv - by_v).norm(), 1e-8 * by_v.norm());
}

// ---- statics --------------------------------------------------------------------------------------------

// Load P at a, and weight q per length, on a cantilever [Gere, Goodno] app. H:
//   w(x) = P x^2 (3 a - x) / 6 EI, x <= a;  P a^2 (3 x - a) / 6 EI beyond;  q x^2 (6 L^2 - 4 L x + x^2) / 24 EI
TEST(Slider, ATrolleyBendsTheJibAsTheClosedFormSays) {
  constexpr double g = 1e-3;  // small deflections
  ModelBuilder builder("jib");
  builder.gravity(Vector3d(0, 0, -g));
  BeamSpec spec = make_jib({0, 60, 0, 0});
  spec.rotary_inertia_y = spec.rotary_inertia_z = 0;
  builder.add_body(named(make_beam_body(spec, false), "jib"));
  RigidSpec load;
  load.mass = 50;
  builder.add_body(named(make_rigid_body(load), "trolley"));
  builder.add_joint(make_hinge("root", JointKind::fixed), "world", "jib");
  builder.add_joint(make_hinge("rail", kSlider), "jib", "trolley");
  const Model model = builder.build();
  const double EI = spec.EIy, P = load.mass * g, q = spec.mass_per_length * g, L = kLength;
  for (const double a : {2.0, 3.0, 4.7, 6.0}) {
    State x = make_zero_state(model);
    x.q[model.coordinate("rail")] = a;
    Inputs inputs;
    inputs.motions.push_back({model.joint_index("rail"), {Signal(a)}, "held"});
    const Equilibrium e = find_equilibrium(model, inputs, x);
    KinematicsWorkspace kin(model);
    compute_kinematics(model, e.x, kin);
    compute_world_poses(model, kin);
    const auto own = [&](double s) { return q * s * s * (6 * L * L - 4 * L * s + s * s) / (24 * EI); };
    const double under = P * a * a * a / (3 * EI) + own(a), tip = P * a * a * (3 * L - a) / (6 * EI) + own(L);
    EXPECT_NEAR(body_pose(kin, model.body_index("trolley")).p.z(), -under, 1e-6 * under) << a;
    EXPECT_NEAR(node_pose(model, kin, model.node("jib.tip")).p.z(), -tip, 1e-6 * tip) << a;
    const double slope = P * a * a / (2 * EI) + q * a * (3 * L * L - 3 * L * a + a * a) / (6 * EI);
    EXPECT_NEAR(body_pose(kin, model.body_index("trolley")).R(2, 0), -slope, 1e-4 * slope) << a;
  }
}

// ---- the moving mass ------------------------------------------------------------------------------------

// A mass m with weight m g that moves along a simply supported beam, in sines [Fryba, Vibration of Solids and
// Structures under Moving Loads, §5]:  (1 + 2 m/M phi phi^T) q'' + 4 m v/M phi phi'^T q' + (omega^2 + 2 m v^2/M phi
// phi''^T) q = 2 m g/M phi, w = sum q_n sin(n pi x / L) downward.
constexpr double kSpeed = 8, kMass = 20, kMovingWeight = 20 * 9.81;
std::vector<double> series(int modes, int records, double end) {
  const BeamSpec spec = make_jib({});
  const double L = kLength, M = spec.mass_per_length * L;
  VectorXd omega2(modes), q = VectorXd::Zero(modes), qd = q;
  for (int n = 1; n <= modes; ++n) omega2[n - 1] = std::pow(n * M_PI / L, 4) * spec.EIy / spec.mass_per_length;
  const auto acceleration = [&](double t, const VectorXd& y, const VectorXd& yd) -> VectorXd {
    VectorXd phi(modes), slope(modes), bent(modes);
    for (int n = 1; n <= modes; ++n) {
      const double k = n * M_PI / L;
      phi[n - 1] = std::sin(k * kSpeed * t);
      slope[n - 1] = k * std::cos(k * kSpeed * t);
      bent[n - 1] = -k * k * phi[n - 1];
    }
    const double c = 2 * kMass / M;
    const VectorXd f = 2 * kMovingWeight / M * phi - omega2.cwiseProduct(y) -
                       phi * (2 * c * kSpeed * slope.dot(yd) + c * kSpeed * kSpeed * bent.dot(y));
    return f - phi * (c * phi.dot(f) / (1 + c * phi.squaredNorm()));  // (1 + c phi phi^T)^-1, Sherman-Morrison
  };
  std::vector<double> out;
  constexpr int kSteps = 400;
  const double h = end / (records * kSteps);
  for (int i = 0; i <= records * kSteps; ++i) {
    if (i % kSteps == 0) {
      double w = 0;
      for (int n = 1; n <= modes; ++n) w += q[n - 1] * std::sin(n * M_PI / 2);
      out.push_back(w);
    }
    const double t = i * h;
    const VectorXd a1 = acceleration(t, q, qd), v2 = qd + h / 2 * a1;
    const VectorXd a2 = acceleration(t + h / 2, q + h / 2 * qd, v2), v3 = qd + h / 2 * a2;
    const VectorXd a3 = acceleration(t + h / 2, q + h / 2 * v2, v3), v4 = qd + h * a3;
    const VectorXd a4 = acceleration(t + h, q + h * v3, v4);
    q += h / 6 * (qd + 2 * v2 + 2 * v3 + v4);
    qd += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return out;
}

class Midspan : public RunListener {
 public:
  explicit Midspan(const Model& model) : model_(model), at_(model.node("beam.middle")) {}
  void record(const Record& r) override { w.push_back(-node_pose(model_, r.kin, at_).p.z()); }
  std::vector<double> w;

 private:
  const Model& model_;
  NodeRef at_;
};

// Hinged at the root; at the tip a hinge on a roller.
std::vector<double> run_over(int modes, int records, double end) {
  ModelBuilder builder("bridge");
  BeamSpec spec = make_jib({0, modes, 0, 0}, BeamBasis::polynomial);
  spec.rotary_inertia_y = spec.rotary_inertia_z = 0;
  spec.nodes.push_back({"middle", 0.5, Matrix3d::Identity()});
  builder.add_body(named(make_beam_body(spec, false), "beam"));
  RigidSpec small;
  small.mass = 1e-3;
  small.inertia = Matrix3d::Identity() * 1e-6;
  builder.add_body(named(make_rigid_body(small), "roller"));
  RigidSpec load;
  load.mass = kMass;
  builder.add_body(named(make_rigid_body(load), "car"));
  builder.add_joint(make_hinge("left", JointKind::revolute, Vector3d::UnitY()), "world", "beam");
  builder.add_joint(make_hinge("right", JointKind::revolute, Vector3d::UnitY()), "beam.tip", "roller");
  builder.add_joint(make_hinge("rail", kSlider), "beam", "car");
  Closure closure;
  closure.name = "floor";
  closure.kind = JointKind::prismatic;
  closure.axis = Vector3d::UnitX();
  builder.add_closure(closure, "roller", "world");
  const Model model = builder.build();
  Inputs inputs;
  inputs.motions.push_back(
      {model.joint_index("rail"), {Signal::polynomial(0, std::vector<double>{0, kSpeed})}, "motion"});
  WrenchInput weight;
  weight.at = model.node("car");
  weight.wrench[5] = -kMovingWeight;
  inputs.wrenches.push_back(weight);
  System system(model, inputs);
  SolverOptions solver;
  solver.method = "implicit";
  solver.step = 5e-5;
  State start = make_zero_state(model);
  start.v[model.speed("rail")] = kSpeed;
  Midspan midspan(model);
  const RunResult result = simulate(system, solver, {end, end / records}, start, midspan);
  EXPECT_EQ(result.status, Status::ok) << result.failure;
  return midspan.w;
}

TEST(Slider, AMovingMassBendsABridgeAsTheSeriesSays) {
  constexpr int kRecords = 12;
  const double end = 0.9 * kLength / kSpeed;
  const std::vector<double> exact = series(30, kRecords, end);
  const double most = *std::max_element(exact.begin(), exact.end());
  double before = 0;
  for (const int modes : {3, 6, 12}) {
    const std::vector<double> w = run_over(modes, kRecords, end);
    ASSERT_EQ(w.size(), exact.size());
    double error = 0;
    for (std::size_t k = 0; k < w.size(); ++k) error = std::max(error, std::abs(w[k] - exact[k]) / most);
    if (before > 0) {
      EXPECT_LT(error, before / 2.5) << modes;
    }
    before = error;
  }
  EXPECT_LT(before, 1.5e-3);
}

// ---- runs ----------------------------------------------------------------------------------------------

TEST(Slider, KeepsTheEnergyOfARun) {
  const Model model = make_crane(Fidelity::full, false);
  State start = make_zero_state(model);
  start.q[model.coordinate("rail1")] = 1.5;
  start.q[model.coordinate("rail2")] = 3.5;
  start.v[model.speed("rail1")] = 0.8;
  start.v[model.speed("rail2")] = -0.5;
  start.v[model.speed("mast")] = 0.3;
  System system(model, {});
  SolverOptions solver;
  solver.rtol = 1e-10;
  solver.atol = 1e-12;
  RunListener none;
  const RunResult result = simulate(system, solver, {0.5, 0.1}, start, none);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_LT(result.energy_error, 1e-8 * result.energy_scale);
}

// By default the ends of the beam are joint limits: the trolley rebounds, and loses the energy dissipated by the damper
// of the stop.
TEST(Slider, ComesBackFromTheEndOfTheBeam) {
  const Model model = make_crane(Fidelity::full, false);
  const JointStop& stop = *model.joints[model.joint_index("rail1")].stop;
  EXPECT_EQ(stop.lower, 0);
  EXPECT_EQ(stop.upper, kLength);
  EXPECT_GT(stop.stiffness, 0);
  Model flat = model;
  flat.gravity.setZero();
  State start = make_zero_state(flat);
  start.q[flat.coordinate("rail1")] = 5.9;
  start.q[flat.coordinate("rail2")] = 1;
  start.v[flat.speed("rail1")] = 1;
  System system(flat, {});
  RunListener none;
  SolverOptions solver;
  solver.rtol = 1e-10;
  const RunResult result = simulate(system, solver, {0.3, 0.3}, start, none);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_LT(result.largest[flat.coordinate("rail1")], kLength + 0.05);
  EXPECT_GT(result.largest[flat.coordinate("rail1")], kLength);
  EXPECT_LT(result.energy_error, 1e-8 * result.energy_scale);
}

// ---- refusals -------------------------------------------------------------------------------------------

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Slider, RefusesWhatIsNoBeam) {
  const auto build = [](const std::string& parent, Fidelity fidelity = Fidelity::full) {
    ModelBuilder builder;
    builder.fidelity(fidelity);
    builder.add_body(named(make_beam_body(make_jib({2, 0, 0, 0}), false), "jib"));
    builder.add_body(make_load("hub", 1, 1));
    builder.add_body(make_load("trolley", 1, 1));
    builder.add_joint(make_hinge("root", JointKind::fixed), "world", "jib");
    builder.add_joint(make_hinge("pin", JointKind::fixed), "world", "hub");
    builder.add_joint(make_hinge("rail", kSlider), parent, "trolley");
    return builder.build();
  };
  EXPECT_EQ(
      message_of([&] { build("hub"); }),
      "joint 'rail': a slider runs along a flexible beam, but its parent is 'hub'; name a beam with modes, or use "
      "prismatic");
  EXPECT_EQ(message_of([&] { build("jib.tip"); }),
            "joint 'rail': a slider runs along the whole beam; write parent: jib, without a node");
  EXPECT_NE(message_of([&] { build("world"); }), "");
  EXPECT_NE(message_of([&] { build("jib", Fidelity::ruthless); }), "");
  const Model model = build("jib");
  EXPECT_EQ(
      message_of([&] { make_forward_dynamics(model, "dca"); }),
      "dca does not support joints of type slider ('rail'); use aba, crba or hybrid, or a prismatic joint on a node");
}

}  // namespace
}  // namespace limber::test
