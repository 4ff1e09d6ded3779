// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts: bouncing, sliding, sticking, against closed forms.
#include "limber/model/contacts.hpp"

#include "fixtures.hpp"
#include "limber/simulate/equilibrium.hpp"

namespace limber::test {
namespace {

constexpr double kWeight = 9.81;  // m/s^2

Model make_free_body(double mass, std::vector<Vector3d> corners = {}) {
  ModelBuilder builder("thing");
  builder.gravity({0, 0, -kWeight});
  RigidSpec spec;
  spec.mass = mass;
  spec.inertia = Vector3d(0.01, 0.012, 0.014).asDiagonal() * mass;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    Node node;
    node.name = "c" + std::to_string(k);
    node.position = corners[k];
    spec.nodes.push_back(node);
  }
  builder.add_joint(joint("base", JointKind::free, kGround, kBodyFrame),
                    builder.add_body(named(make_rigid_body(spec), "thing")));
  return builder.build();
}

Contact on_ground(NodeRef point, double radius, double k) {
  Contact c;
  c.name = "ground" + std::to_string(point.node);
  c.point.node = point;
  c.radius = radius;
  c.stiffness = c.stick_stiffness = k;
  return c;
}

void touch(Model& model, std::vector<Contact> list) {
  model.contacts = std::make_shared<Contacts>(Contacts{std::move(list), {}});
}

// Steps end at the beginning and end of a contact.
double nearest_step(const Outcome& out, double t) {
  double best = 1e9;
  for (const double end : out.seen.steps) best = std::min(best, std::abs(end - t));
  return best;
}

// A mass on the spring and damper of a contact, m y'' + d y' + k y = m g from y = 0 with y' = v.
struct Impact {
  double m, k, d, v;
  double decay() const { return d / (2 * m); }
  double w() const { return std::sqrt(k / m - decay() * decay()); }
  std::array<double, 2> at(double t) const {  // y, y'
    const double sag = m * kWeight / k, c1 = -sag, c2 = (v + decay() * c1) / w();
    const double e = std::exp(-decay() * t), c = std::cos(w() * t), s = std::sin(w() * t);
    return {sag + e * (c1 * c + c2 * s), e * ((w() * c2 - decay() * c1) * c - (w() * c1 + decay() * c2) * s)};
  }
  // The time at which the force would become tensile.
  double end() const {
    double low = 0.3 * M_PI / w(), high = 1.2 * M_PI / w();
    for (int i = 0; i < 200; ++i) {
      const double middle = 0.5 * (low + high);
      const auto [y, rate] = at(middle);
      (k * y + d * rate > 0 ? low : high) = middle;
    }
    return low;
  }
};

TEST(Contacts, ASphereBouncesAtTheTimesOfTheClosedForm) {
  const double m = 2, k = 1e5, e = 0.8, radius = 0.1, h = 0.5;
  Model model = make_free_body(m);
  Contact ground = on_ground({1, kBodyFrame}, radius, k);
  ground.restitution = e;
  touch(model, {ground});
  State x = make_zero_state(model);
  x.q[6] = radius + h;
  const Outcome out = run(model, {}, tight(), x, 1.5, 0.01);
  EXPECT_LT(out.result.energy_error, 1e-8 * out.result.energy_scale);
  const double d = damping_of_restitution(e, k, m);
  double t = std::sqrt(2 * h / kWeight), v = kWeight * t;
  for (int bounce = 0; bounce < 3; ++bounce) {
    EXPECT_LT(nearest_step(out, t), 1e-9) << "touches";
    const Impact impact{m, k, d, v};
    const double end = impact.end();
    EXPECT_LT(nearest_step(out, t + end), 1e-9) << "pushes no more";
    const auto [y, rate] = impact.at(end);
    const double up = std::sqrt(rate * rate - 2 * kWeight * y);
    EXPECT_NEAR(up / v, e, 2e-2);  // the weight acts as well
    t += end + (-rate + up) / kWeight;
    v = up;
  }
}

TEST(Contacts, RestitutionIsExactWithoutWeight) {
  for (const double e : {0.05, 0.3, 0.7, 1.0}) {
    Model model = make_free_body(2);
    model.gravity.setZero();
    Contact ground = on_ground({1, kBodyFrame}, 0.1, 1e4);
    ground.point.at.p = {0.3, 0.1, 0};  // off the centre: less effective mass, and it rotates
    ground.restitution = e;
    touch(model, {ground});
    State x = make_zero_state(model);
    x.q[6] = 0.11;
    x.v[5] = -1e-3;  // so slow that it hardly rotates during the contact
    const Outcome out = run(model, {}, tight(), x, 11, 11);
    // As after the impulse of a rigid impact on the sphere, which passes through its centre.
    const double compliance = 1 / 2.0 + 0.1 * 0.1 / 0.02 + 0.3 * 0.3 / 0.024;
    const double impulse = (1 + e) * 1e-3 / compliance;
    EXPECT_NEAR(out.seen.momentum.back().linear[2] / 2, -1e-3 + impulse / 2, 1e-8);
  }
}

TEST(Contacts, ASlidingBoxStopsWhereCoulombSays) {
  const double m = 2, k = 1e5, mu = 0.3, speed = 1;
  std::vector<Vector3d> corners;
  for (const double x : {-0.1, 0.1})
    for (const double y : {-0.1, 0.1}) corners.emplace_back(x, y, -0.02);
  Model model = make_free_body(m, corners);
  std::vector<Contact> list;
  for (int c = 0; c < 4; ++c) {
    Contact ground = on_ground({1, c}, 0, k);
    ground.damping = ground.stick_damping = 200;
    ground.friction = mu;
    list.push_back(ground);
  }
  touch(model, list);
  State x = find_equilibrium(model, {},
                             [&] {
                               State start = make_zero_state(model);
                               start.q[6] = 0.0199;
                               return start;
                             }())
                .x;
  EXPECT_NEAR(x.q[6], 0.02 - m * kWeight / (4 * k), 1e-12);
  x.v[3] = speed * std::cos(0.4);
  x.v[4] = speed * std::sin(0.4);
  const Outcome out = run(model, {}, tight(), x, 1, 0.01);
  EXPECT_LT(out.result.energy_error, 1e-8 * out.result.energy_scale);
  // The stick springs release their energy.
  const double way = speed * speed / (2 * mu * kWeight) - mu * m * kWeight / (4 * k);
  const VectorXd& q = out.seen.q.back();
  EXPECT_NEAR(std::hypot(q[4], q[5]), way, 2e-6);
  EXPECT_NEAR(std::atan2(q[5], q[4]), 0.4, 1e-4);
  EXPECT_LT(out.seen.v.back().norm(), 1e-9);
}

// Two jaws hold a load between them by friction.
struct Gripper {
  Model model;
  Inputs inputs;
};
Gripper make_gripper(double m, double force, double mu, double k) {
  Gripper out;
  ModelBuilder builder("gripper");
  builder.gravity({0, 0, -kWeight});
  RigidSpec jaw, load;
  jaw.mass = 0.5;
  jaw.inertia = Matrix3d::Identity() * 1e-3;
  load.mass = m;
  load.inertia = Matrix3d::Identity() * 2e-3 * m;
  for (const double x : {-0.05, 0.05}) {
    for (const double y : {-0.02, 0.02}) {
      for (const double z : {-0.02, 0.02}) {
        Node node;
        node.name = "p" + std::to_string(load.nodes.size());
        node.position = {x, y, z};
        load.nodes.push_back(node);
      }
    }
  }
  for (const char* name : {"left", "right"})
    builder.add_joint(joint(name, JointKind::prismatic, kGround, kBodyFrame, Vector3d::UnitX()),
                      builder.add_body(named(make_rigid_body(jaw), (std::string(name) + " jaw").c_str())));
  builder.add_joint(joint("base", JointKind::free, kGround, kBodyFrame),
                    builder.add_body(named(make_rigid_body(load), "load")));
  out.model = builder.build();
  std::vector<Contact> list;
  for (int c = 0; c < 8; ++c) {
    Contact pad = on_ground({3, c}, 0, k);
    pad.on.node = {c < 4 ? 1 : 2, kBodyFrame};
    pad.on.at.p = {c < 4 ? -0.1 : 0.1, 0, 0};
    pad.shape = Contact::Shape::box;
    pad.size = {0.1, 0.1, 0.1};
    pad.friction = mu;
    pad.damping = pad.stick_damping = 100;
    list.push_back(pad);
  }
  touch(out.model, list);
  out.inputs.speeds.push_back({0, Signal(force), "left"});
  out.inputs.speeds.push_back({1, Signal(-force), "right"});
  return out;
}

TEST(Contacts, AGripperHoldsItsLoadForAMinuteWithoutCreep) {
  const double m = 1, force = 20, mu = 0.4, k = 2e4;
  const Gripper gripper = make_gripper(m, force, mu, k);
  State x = make_zero_state(gripper.model);
  const double depth = force / (4 * k);
  x.q[0] = depth;
  x.q[1] = -depth;
  SolverOptions solver;
  solver.rtol = 1e-8;
  solver.atol = 1e-11;
  const Outcome out = run(gripper.model, gripper.inputs, solver, x, 60, 1);
  const double sag = m * kWeight / (8 * k);
  for (std::size_t i = 5; i < out.seen.t.size(); ++i) EXPECT_NEAR(out.seen.q[i][8], -sag, 1e-9) << out.seen.t[i];
  EXPECT_LT(out.result.energy_error, 1e-7 * out.result.energy_scale + 1e-9);
  // The load falls if its weight exceeds the friction limit.
  const Gripper weak = make_gripper(m, 0.9 * m * kWeight / (2 * mu), mu, k);
  const Outcome falls = run(weak.model, weak.inputs, solver, x, 0.2, 0.2);
  EXPECT_LT(falls.seen.q.back()[8], -0.5 * 0.05 * kWeight * 0.04);
}

// A step in which the slip of a point ends causes no rebound: also with steps far longer than the stick spring's
// period, with and without numerical damping.
TEST(Contacts, SlipComesToRestInImplicitSteps) {
  const double m = 1, force = 40, mu = 0.6, k = 5e4, speed = 0.5;
  const Gripper gripper = make_gripper(m, force, mu, k);
  const double depth = force / (4 * k), hold = 2 * mu * force - m * kWeight;
  for (const double step : {1e-3, 2e-4}) {
    for (const double rho : {1.0, 0.8, 0.0}) {
      State x = make_zero_state(gripper.model);
      x.q[0] = depth;
      x.q[1] = -depth;
      x.v[7] = -speed;  // the load slips down between the jaws, initially without a stuck spring
      SolverOptions solver = fixed("implicit", step);
      solver.rho_inf = rho;
      const Outcome out = run(gripper.model, gripper.inputs, solver, x, 0.2, 0.1);
      const double way = m * speed * speed / (2 * hold) - hold / (8 * k);  // the stick springs release their energy
      EXPECT_NEAR(out.seen.q.back()[8], -way, 0.03 * way) << step << " " << rho;
      EXPECT_LT(out.seen.v.back().norm(), 1e-6) << step << " " << rho;
      EXPECT_LT(out.result.energy_error, 0.1 * out.result.energy_scale) << step << " " << rho;
    }
  }
}

TEST(Contacts, AStopWithRestitutionGivesBackItsShareOfTheSpeed) {
  ModelBuilder builder("pendulum");
  RigidSpec spec;
  spec.mass = 3;
  spec.com = {1, 0, 0};
  spec.inertia = Matrix3d::Identity() * 0.1;
  Joint hinge = joint("hinge", JointKind::revolute, kGround, kBodyFrame);
  hinge.stop = JointStop{-1, 0.2, 1e4, 0};
  builder.add_joint(hinge, builder.add_body(named(make_rigid_body(spec), "bob")));
  Model model = builder.build();
  auto contacts = std::make_shared<Contacts>();
  contacts->stops.push_back({1, 0.6});
  model.contacts = contacts;
  State x = make_zero_state(model);
  x.v[0] = 2;
  const Outcome out = run(model, {}, tight(), x, 0.5, 0.5);
  EXPECT_NEAR(out.seen.v.back()[0], -0.6 * 2, 1e-9);
  EXPECT_LT(out.result.energy_error, 1e-9 * out.result.energy_scale);
}

TEST(Contacts, ARollingSphereDoesNotSlip) {
  const double m = 2, radius = 0.1, mu = 0.5;
  Model model = make_free_body(m);
  Contact ground = on_ground({1, kBodyFrame}, radius, 1e5);
  ground.damping = 500;
  ground.friction = mu;
  touch(model, {ground});
  State x = make_zero_state(model);
  x.q[6] = radius - m * kWeight / 1e5;
  x.v[3] = 1;
  SolverOptions solver = fixed("implicit", 1e-3);
  const Outcome out = run(model, {}, solver, x, 1, 0.1);
  // Momentum about the contact: m v0 r = (m r^2 + I) w.
  const double inertia = 0.012 * m, w = m * 1 * radius / (m * radius * radius + inertia);
  const VectorXd& v = out.seen.v.back();
  EXPECT_NEAR(v[1], w, 2e-3 * w);
}

}  // namespace
}  // namespace limber::test
