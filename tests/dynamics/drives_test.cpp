// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives: rigid gears, elastic transmissions with coordinates of the motors, spinning rotors.  Compared with models in
// which every rotor is a separate body, and by the general identities.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "limber/dynamics/batch.hpp"
#include "limber/dynamics/dca.hpp"
#include "limber/dynamics/derivatives.hpp"
#include "limber/dynamics/statics.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/manifold.hpp"
#include "support/close.hpp"
#include "support/engine.hpp"
#include "support/no_alloc.hpp"
#include "support/random.hpp"
#include "support/random_tree.hpp"

namespace limber::test {
namespace {

struct DriveOptions {
  bool elastic = true, rigid = true, axes = true;
};

bool takes_drive(JointKind kind) { return kind == JointKind::revolute || kind == JointKind::prismatic; }

TreeOptions driven_options(std::uint64_t seed) {
  TreeOptions o;
  o.bodies = 2 + static_cast<int>(seed % 7);
  o.modes = static_cast<int>(seed % 6);
  o.fidelity = static_cast<Fidelity>(seed % 3);
  o.joints = {JointKind::revolute, JointKind::prismatic, JointKind::revolute, JointKind::free, JointKind::universal};
  o.free_base = seed % 2 == 0;
  o.parent_on_frame = 0.3;
  return o;
}

// The model with drives on its revolute and prismatic joints, by a rule that depends on the seed.
Model with_drives(const Model& model, std::uint64_t seed, DriveOptions options) {
  Random random(seed);
  ModelBuilder out(model.name);
  out.gravity(model.gravity).fidelity(model.fidelity);
  for (int i = 1; i < model.body_count(); ++i) {
    Body body = model.body(i);
    body.name = model.body_names[i];
    Joint joint = model.joints[i];
    Drive drive;
    drive.ratio = random.uniform(2, 5) * (random.chance(0.3) ? -1 : 1);
    drive.inertia = random.uniform(0.05, 0.2);
    const bool elastic = random.chance(0.6), axis = random.chance(0.8);
    if (elastic && options.elastic) {
      drive.stiffness = random.uniform(5, 50);
      drive.damping = random.uniform(0, 2);
    }
    const Vector3d direction = random.direction();
    if (axis && options.axes) drive.axis = direction;
    if (takes_drive(joint.kind) && (drive.elastic() ? options.elastic : options.rigid))
      joint.drive = std::make_shared<const Drive>(drive);
    out.add_joint(joint, out.add_body(std::move(body)));
  }
  return out.build();
}

Model driven_model(std::uint64_t seed, DriveOptions options = {}) {
  return with_drives(make_model(random_machine(driven_options(seed), seed)), 7 * seed + 1, options);
}

// ---- rotors as bodies ---------------------------------------------------------------------------------

// Transverse inertia and mass of the rotors, which are included in the body that carries them.
RigidSpec rotor_spec(const Drive& drive, bool whole) {
  RigidSpec spec;
  spec.mass = 0.7;
  const double J = drive.inertia, transverse = 0.6 * J;
  const Vector3d e = drive.axis->normalized();
  const Matrix3d I = transverse * (Matrix3d::Identity() - e * e.transpose()) + (whole ? J : 0) * e * e.transpose();
  spec.inertia = I;
  return spec;
}

// The model with a body for each rotor that has an axis: a fixed one in addition to the drive (`explicit_rotors`
// false), or a rotating one instead of the drive.
Model with_rotor_bodies(const Model& model, bool explicit_rotors) {
  ModelBuilder out;
  out.gravity(model.gravity).fidelity(model.fidelity);
  for (int i = 1; i < model.body_count(); ++i) {
    Body body = model.body(i);
    body.name = model.body_names[i];
    Joint joint = model.joints[i];
    if (explicit_rotors) joint.drive = nullptr;
    out.add_joint(joint, out.add_body(std::move(body)));
  }
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (!joint.drive) continue;
    Body rotor = make_rigid_body(rotor_spec(*joint.drive, explicit_rotors));
    rotor.name = "rotor" + std::to_string(i);
    Joint bearing;
    bearing.name = "bearing" + std::to_string(i);
    bearing.kind = explicit_rotors ? JointKind::revolute : JointKind::fixed;
    bearing.axis = *joint.drive->axis;
    bearing.parent = joint.parent;
    bearing.origin = joint.origin;
    out.add_joint(bearing, out.add_body(std::move(rotor)));
  }
  return out.build();
}

Model all_axes(std::uint64_t seed, bool elastic) {
  Model model = driven_model(seed, {.elastic = elastic, .rigid = !elastic});
  ModelBuilder out;
  out.gravity(model.gravity).fidelity(model.fidelity);
  for (int i = 1; i < model.body_count(); ++i) {
    Body body = model.body(i);
    body.name = model.body_names[i];
    Joint joint = model.joints[i];
    if (joint.drive && !joint.drive->axis) {
      Drive drive = *joint.drive;
      drive.axis = Vector3d::UnitY();
      joint.drive = std::make_shared<const Drive>(drive);
    }
    out.add_joint(joint, out.add_body(std::move(body)));
  }
  return out.build();
}

// dy/dx of the map from the speeds of the model with drives to those of the model with rotor bodies.
MatrixXd rotor_map(const Model& driven, const Model& bodies) {
  MatrixXd T = MatrixXd::Zero(bodies.nv, driven.nv);
  for (int i = 1; i < driven.body_count(); ++i) {
    const Joint& joint = driven.joints[i];
    if (joint.kind == JointKind::fixed && joint.name.starts_with("bearing")) continue;
    const int count = speed_count(joint.kind) + driven.body(i).modes;
    T.block(joint.v, joint.v, count, count).setIdentity();
    if (!joint.drive) continue;
    const int at = bodies.joint_index("bearing" + std::to_string(i));
    const MotorIndex motor = motor_index(driven, i);
    T(bodies.joints[at].v, motor.v >= 0 ? motor.v : joint.v) = motor.v >= 0 ? 1 : joint.drive->ratio;
  }
  return T;
}

State rotor_state(const Model& driven, const Model& bodies, const MatrixXd& T, const State& x) {
  State y = make_zero_state(bodies);
  for (int i = 1; i < driven.body_count(); ++i) {
    const Joint& joint = driven.joints[i];
    const int count = position_count(joint.kind) + driven.body(i).modes;
    y.q.segment(joint.q, count) = x.q.segment(joint.q, count);
  }
  y.v = T * x.v;
  return y;
}

TEST(Drives, RigidGearsAreMachinesWithRotorBodies) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model bare = all_axes(seed, false);
    const Model driven = with_rotor_bodies(bare, false), bodies = with_rotor_bodies(bare, true);
    Sample s = random_sample(driven, seed);
    const MatrixXd T = rotor_map(driven, bodies);
    const State y = rotor_state(driven, bodies, T, s.x);
    Engine a(driven), b(bodies);
    const MatrixXd M = a.mass(s.x);
    EXPECT_TRUE(is_close(M, MatrixXd(T.transpose() * b.mass(y) * T), 1e-12 * M.norm())) << seed;
    const VectorXd wanted = T.transpose() * b.inverse(y, T * s.vdot);
    EXPECT_TRUE(is_close(a.inverse(s.x, s.vdot), wanted, 1e-11 * (1 + wanted.norm()))) << seed;
    EXPECT_NEAR(a.energy(s.x).kinetic, b.energy(y).kinetic, 1e-11 * (1 + b.energy(y).kinetic)) << seed;
    EXPECT_TRUE(is_close(a.momentum(s.x).angular, b.momentum(y).angular, 1e-11 * (1 + b.momentum(y).angular.norm())));
  }
}

TEST(Drives, ElasticTransmissionsAreMachinesWithRotorBodies) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model bare = all_axes(seed, true);
    const Model driven = with_rotor_bodies(bare, false), bodies = with_rotor_bodies(bare, true);
    Sample s = random_sample(driven, seed);
    const MatrixXd T = rotor_map(driven, bodies);
    const State y = rotor_state(driven, bodies, T, s.x);
    VectorXd tau = T * s.tau;
    for (int i = 1; i < driven.body_count(); ++i) {
      const Joint& joint = driven.joints[i];
      const MotorIndex motor = motor_index(driven, i);
      if (motor.v < 0) continue;
      const Drive& drive = *joint.drive;
      const double twist = s.x.q[motor.q] / drive.ratio - s.x.q[joint.q];
      const double rate = s.x.v[motor.v] / drive.ratio - s.x.v[joint.v];
      const double torque = drive.stiffness * twist + drive.damping * rate;
      tau[joint.v] += torque;
      tau[bodies.joints[bodies.joint_index("bearing" + std::to_string(i))].v] -= torque / drive.ratio;
    }
    Engine a(driven), b(bodies);
    const VectorXd wanted = b.forward(y, tau);
    EXPECT_TRUE(is_close(VectorXd(T * a.forward(s.x, s.tau)), wanted, 1e-10 * (1 + wanted.norm()))) << seed;
    EXPECT_TRUE(is_close(VectorXd(T * a.dense_forward(s.x, s.tau)), wanted, 1e-10 * (1 + wanted.norm()))) << seed;
  }
}

// ---- identities ---------------------------------------------------------------------------------------

TEST(Drives, AbaIsUndoneByRneaAndCrbaIsItsColumns) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Model model = driven_model(seed);
    Sample s = random_sample(model, seed);
    Engine e(model);
    VectorXd vdot(model.nv), back(model.nv);
    const MatrixXd M = e.mass(s.x);
    AbaWorkspace aw(model);
    RneaWorkspace rw(model);
    Status status{};
    {
      NoAlloc guard;
      status = aba(model, s.x, {s.tau, s.wrenches}, aw, vdot);
      rnea(model, s.x, vdot, s.wrenches, rw, back);
    }
    ASSERT_EQ(status, Status::ok);
    EXPECT_TRUE(is_close(back, s.tau, 1e-11 * (1 + M.norm() * vdot.norm() + s.tau.norm()))) << seed;
    for (int k = 0; k < model.nv; ++k)
      EXPECT_TRUE(is_close(VectorXd(M.col(k)), e.mass_times(s.x, VectorXd::Unit(model.nv, k)), 1e-12 * M.norm()));
    EXPECT_NEAR(e.energy(s.x).kinetic, 0.5 * s.x.v.dot(M * s.x.v), 1e-13 * M.norm() * s.x.v.squaredNorm()) << seed;
    EXPECT_TRUE(
        is_close(e.mass_solve(s.x, s.tau), VectorXd(M.partialPivLu().solve(s.tau)), 1e-10 * (1 + s.tau.norm())));
  }
}

TEST(Drives, AlgorithmsAgreeByNameOrRefuseAnAxis) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = driven_model(seed, {.axes = false}), spinning = driven_model(seed);
    const Sample s = random_sample(model, seed);
    VectorXd wanted(model.nv), vdot(model.nv);
    ASSERT_EQ((*make_forward_dynamics(model, "crba"))(s.x, {s.tau, s.wrenches}, wanted), Status::ok);
    for (const std::string& name : general_algorithms()) {
      vdot.setConstant(std::nan(""));
      ASSERT_EQ((*make_forward_dynamics(model, name))(s.x, {s.tau, s.wrenches}, vdot), Status::ok);
      EXPECT_TRUE(is_close(vdot, wanted, 1e-9 * (1 + wanted.norm()))) << name << " " << seed;
      if (name == "aba" || name == "crba") continue;
      bool spins = false;
      for (int i = 1; i < spinning.body_count(); ++i) {
        const Joint& joint = spinning.joints[i];
        spins = spins || (joint.drive && joint.drive->axis && joint.parent.body != kGround);
      }
      if (spins) {
        EXPECT_THROW(make_forward_dynamics(spinning, name), InputError) << name;
      }
    }
  }
}

TEST(Drives, HybridDynamicsTakesMotionAndGivesTorque) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model model = driven_model(seed);
    const Sample s = random_sample(model, seed);
    std::vector<std::uint8_t> prescribed(model.bodies.size(), 0);
    for (int i = 1; i < model.body_count(); ++i)
      prescribed[i] = takes_drive(model.joints[i].kind) && (i + static_cast<int>(seed)) % 2 == 0;
    Engine e(model);
    VectorXd vdot = s.vdot;
    const VectorXd tau = e.mixed(s.x, s.tau, prescribed, vdot, s.wrenches);
    EXPECT_TRUE(is_close(e.inverse(s.x, vdot, s.wrenches), tau, 1e-10 * (1 + tau.norm() + vdot.norm()))) << seed;
  }
}

TEST(Drives, ImplicitMatrixHasTransmissions) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Model model = driven_model(seed);
    const Sample s = random_sample(model, seed);
    const double c_D = 0.3, c_K = 0.2;
    Engine e(model);
    const VectorXd none = VectorXd::Zero(model.nv);
    MatrixXd A = e.mass(s.x);
    for (int i = 1; i < model.body_count(); ++i) {
      const Joint& joint = model.joints[i];
      for (int k = 0; k < speed_count(joint.kind); ++k)
        A(joint.v + k, joint.v + k) += c_D * joint.damping[k] + c_K * joint.stiffness[k];
      const int m = motor_index(model, i).v, at = model.first_mode(i), n = model.body(i).modes;
      if (n > 0) {
        A.block(at, at, n, n) += c_K * model.body(i).stiffness;
        if (model.body(i).damping.size() > 0) A.block(at, at, n, n) += c_D * model.body(i).damping;
      }
      if (m < 0) continue;
      const double k = c_D * joint.drive->damping + c_K * joint.drive->stiffness, per = 1 / joint.drive->ratio;
      A(joint.v, joint.v) += k;
      A(joint.v, m) -= k * per;
      A(m, joint.v) -= k * per;
      A(m, m) += k * per * per;
    }
    AbaWorkspace ws(model);
    set_implicit(model, c_D, c_K, none, ws);
    VectorXd out(model.nv), back(none);
    ASSERT_EQ(solve_mass(model, s.x, s.tau, ws, out), Status::ok);
    EXPECT_TRUE(is_close(out, VectorXd(A.partialPivLu().solve(s.tau)), 1e-9 * (1 + s.tau.norm()))) << seed;
    add_implicit_force(model, ws, s.vdot, back);
    EXPECT_TRUE(is_close(back, VectorXd((A - e.mass(s.x)) * s.vdot), 1e-11 * (1 + A.norm() * s.vdot.norm()))) << seed;
    const VectorXd bias = e.inverse(s.x, none);
    ASSERT_EQ(aba(model, s.x, {s.tau}, ws, out), Status::ok);
    EXPECT_TRUE(is_close(VectorXd(A * out), VectorXd(s.tau - bias), 1e-9 * (1 + A.norm() * out.norm()))) << seed;
  }
}

TEST(Drives, DerivativesAreDifferences) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const Model model = driven_model(seed);
    Sample s = random_sample(model, seed, {.special = 0});
    for (const Joint& joint : model.joints) {
      if (position_count(joint.kind) >= 4 && std::abs(s.x.q[joint.q]) < 0.05)
        s.x.q.segment<4>(joint.q) = Eigen::Vector4d(0.6, 0.8, 0, 0);
    }
    DerivativesWorkspace ws(model);
    MatrixXd by_q(model.nv, model.nv), by_v(model.nv, model.nv);
    rnea_derivatives(model, s.x, s.vdot, s.wrenches, ws, by_q, by_v);
    Engine e(model);
    const double h = 1e-3;
    for (int j = 0; j < model.nv; ++j) {
      for (const bool rate : {false, true}) {
        const auto f = [&](double step) {
          State y = s.x;
          const VectorXd direction = step * VectorXd::Unit(model.nv, j);
          rate ? void(y.v += direction) : move(model, s.x.q, direction, y.q);
          return e.inverse(y, s.vdot, s.wrenches);
        };
        const VectorXd slope = (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
        const VectorXd column = (rate ? by_v : by_q).col(j);
        EXPECT_TRUE(is_close(column, slope, 1e-6 * (1 + slope.norm())))
            << seed << " " << model.speeds[j] << (rate ? " rate" : "");
      }
    }
  }
}

TEST(Drives, StaticsKnowsTransmissions) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TreeOptions options = driven_options(seed);
    options.joints = {JointKind::revolute, JointKind::prismatic};
    options.free_base = false;
    const Model model = with_drives(make_model(random_machine(options, seed)), seed, {.axes = false});
    const Sample s = random_sample(model, seed, {.special = 0, .wrenches = 0});
    StaticTangent tangent(model);
    tangent.set(s.x, model.gravity, {});
    State rest = s.x;
    rest.v.setZero();
    Engine e(model);
    const VectorXd none = VectorXd::Zero(model.nv);
    EXPECT_TRUE(is_close(tangent.forces(), e.inverse(rest, none), 1e-10 * (1 + tangent.forces().norm())));
    DerivativesWorkspace ws(model);
    MatrixXd K(model.nv, model.nv), by_v(model.nv, model.nv);
    rnea_derivatives(model, rest, none, {}, ws, K, by_v);
    VectorXd added = VectorXd::Constant(model.nv, 200), dq(model.nv);
    (void)tangent.solve(0, added, {}, s.tau, dq);
    const VectorXd back = K * dq + added.cwiseProduct(dq);
    EXPECT_TRUE(is_close(back, s.tau, 1e-8 * (1 + K.norm() * dq.norm()))) << seed;
  }
}

TEST(Drives, ABatchRefusesThem) {
  const Model model = driven_model(1);
  EXPECT_THROW(BatchAba(model, 4), InputError);
}

TEST(Drives, RefusalsNameTheJoint) {
  const auto message = [](Drive drive, JointKind kind = JointKind::revolute) {
    ModelBuilder out;
    RigidSpec spec;
    spec.mass = 1;
    spec.inertia.setIdentity();
    Body body = make_rigid_body(spec);
    body.name = "link";
    Joint joint;
    joint.name = "elbow";
    joint.kind = kind;
    joint.drive = std::make_shared<const Drive>(drive);
    try {
      out.add_joint(joint, out.add_body(body));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("taken");
  };
  Drive drive;
  EXPECT_EQ(message(drive), "taken");
  EXPECT_NE(message(drive, JointKind::universal).find("joint 'elbow': a universal joint takes no drive"),
            std::string::npos);
  drive.ratio = 0;
  EXPECT_NE(message(drive).find("joint 'elbow': the ratio"), std::string::npos);
  drive.ratio = 1;
  drive.stiffness = 1;
  EXPECT_NE(message(drive).find("needs an inertia"), std::string::npos);
}

}  // namespace
}  // namespace limber::test
