// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Book's equations are linear in the deflections and so differ from those of the other algorithms.  Required:
// - at every state they are the equations of his kinematics, here by mass points and exact derivatives;
// - without deflections and their rates, and for a single link always, they are those of the others;
// - near that, positions differ by the square of the deflections and accelerations by their first power.
#include "limber/dynamics/detail/book.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <limits>

#include "support/engine.hpp"
#include "support/jet.hpp"
#include "support/mixed_trees.hpp"
#include "support/random.hpp"
#include "support/repeatable.hpp"

namespace limber::test {
namespace {

using RMat4 = Eigen::Matrix<Real, 4, 4>;
using RVec4 = Eigen::Matrix<Real, 4, 1>;

// ---- reference --------------------------------------------------------------------------------------

RMat4 homogeneous(const Pose& X) {
  RMat4 out = RMat4::Identity();
  out.bottomLeftCorner<3, 1>() = X.p.cast<Real>();
  out.bottomRightCorner<3, 3>() = X.R.cast<Real>();
  return out;
}

Jet<RMat4> constant(const RMat4& x) { return {x, RMat4::Zero(), RMat4::Zero()}; }

// The chain as mass points in frames W = E A E A ...; Newton's law is projected on the exact derivatives of their
// positions:  M = sum m J^T J,  h = sum m J^T (a - g) + springs and dampers.
class LinearChain {
 public:
  LinearChain(const Machine& machine, const Model& model, const State& x) : machine_(machine), model_(model), x_(x) {
    const int nv = model.nv;
    M_ = RMat::Zero(nv, nv);
    h_ = RVec::Zero(nv);
    std::vector<std::vector<Jet<RMat4>>> columns;
    for (int j = 0; j < nv; ++j) columns.push_back(frames(VectorXd::Unit(nv, j)));
    const auto coasting = frames(x.v);
    const RVec3 g = machine.gravity.cast<Real>();
    for (int i = 1; i < model.body_count(); ++i) {
      for (const MassPoint& point : points(i)) {
        Eigen::Matrix<Real, 3, Eigen::Dynamic> J(3, nv);
        for (int j = 0; j < nv; ++j) J.col(j) = place(columns[j][i], i, point, VectorXd::Unit(nv, j)).d.tail<3>();
        const RVec3 a = place(coasting[i], i, point, x.v).dd.tail<3>();
        M_ += static_cast<Real>(point.mass) * (J.transpose() * J);
        h_ += static_cast<Real>(point.mass) * (J.transpose() * (a - g));
      }
      add_springs(i);
    }
  }

  VectorXd acceleration(const VectorXd& tau) const { return M_.ldlt().solve(tau.cast<Real>() - h_).cast<double>(); }
  MatrixXd mass() const { return M_.cast<double>(); }

 private:
  const BodySpec& spec(int i) const { return machine_.bodies[i - 1]; }
  std::vector<MassPoint> points(int i) const {
    const auto* rigid = std::get_if<RigidSpec>(&spec(i));
    return rigid != nullptr ? mass_points(*rigid) : std::get<ModalSpec>(spec(i)).points;
  }
  Jet<Real> mode(int i, int k, const VectorXd& v) const {
    return {x_.q[model_.first_mode_q(i) + k], v[model_.first_mode(i) + k], 0};
  }

  // A node of body i: 1 + (lambda eta)~ for its rotation.
  Jet<RMat4> node(int i, int which, const VectorXd& v) const {
    if (i == kGround || which == kBodyFrame) return constant(RMat4::Identity());
    const auto* rigid = std::get_if<RigidSpec>(&spec(i));
    const Node& n = rigid != nullptr ? rigid->nodes[which] : std::get<ModalSpec>(spec(i)).nodes[which];
    Jet<RMat4> out = constant(homogeneous({n.rotation, n.position}));
    for (int k = 0; k < mode_count(spec(i)); ++k) {
      RMat4 step = RMat4::Zero();
      step.bottomLeftCorner<3, 1>() = n.translation.col(k).cast<Real>();
      step.bottomRightCorner<3, 3>() = skew(n.turn.col(k).cast<Real>()) * n.rotation.cast<Real>();
      out = out + mode(i, k, v) * constant(step);
    }
    return out;
  }

  std::vector<Jet<RMat4>> frames(const VectorXd& v) const {
    std::vector<Jet<RMat4>> W = {constant(RMat4::Identity())};
    for (int i = 1; i < model_.body_count(); ++i) {
      const Joint& joint = model_.joints[i];
      Jet<RMat4> A = constant(RMat4::Identity());
      if (joint.kind == JointKind::revolute) {
        const RVec3 axis = joint.axis.cast<Real>();
        const Real q = x_.q[joint.q], rate = v[joint.v];
        const Jet<RMat3> R = rotation_by(Jet<RVec3>{axis * q, axis * rate, RVec3::Zero()});
        A.x.bottomRightCorner<3, 3>() = R.x;
        A.d.bottomRightCorner<3, 3>() = R.d;
        A.dd.bottomRightCorner<3, 3>() = R.dd;
      }
      const RMat4 to_frame = node(i, joint.child_node, VectorXd::Zero(model_.nv)).x.inverse();  // constant
      W.push_back(W[i - 1] * node(i - 1, joint.parent.node, v) * constant(homogeneous(joint.origin)) * A *
                  constant(to_frame));
    }
    return W;
  }

  Jet<RVec4> place(const Jet<RMat4>& W, int i, const MassPoint& point, const VectorXd& v) const {
    Jet<RVec4> out{RVec4::Zero(), RVec4::Zero(), RVec4::Zero()};
    out.x << 1, point.position.cast<Real>();
    for (int k = 0; k < mode_count(spec(i)); ++k) {
      RVec4 shape = RVec4::Zero();
      shape.tail<3>() = point.shape.col(k).cast<Real>();
      out = out + mode(i, k, v) * Jet<RVec4>{shape, RVec4::Zero(), RVec4::Zero()};
    }
    return W * out;
  }

  void add_springs(int i) {
    const Joint& joint = model_.joints[i];
    if (joint.kind == JointKind::revolute) {
      if (joint.stiffness.size() > 0) h_[joint.v] += joint.stiffness[0] * x_.q[joint.q];
      if (joint.damping.size() > 0) h_[joint.v] += joint.damping[0] * x_.v[joint.v];
      if (joint.armature.size() > 0) M_(joint.v, joint.v) += joint.armature[0];
    }
    const int n = mode_count(spec(i)), at = model_.first_mode(i);
    if (n == 0) return;
    const auto& modal = std::get<ModalSpec>(spec(i));
    h_.segment(at, n) += (modal.stiffness * x_.q.segment(model_.first_mode_q(i), n)).cast<Real>();
    h_.segment(at, n) += (modal.damping * x_.v.segment(at, n)).cast<Real>();
  }

  const Machine& machine_;
  const Model& model_;
  const State& x_;
  RMat M_;
  RVec h_;
};

// ---- chains -----------------------------------------------------------------------------------------

TreeOptions book_options(std::uint64_t seed) { return rotary_chain(seed, 0); }

// Rigid bodies may be attached at their nodes, which are fixed to them.
Machine machine_of(const TreeOptions& o, std::uint64_t seed) {
  Machine m = random_machine(o, seed);
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    if (std::holds_alternative<RigidSpec>(m.bodies[i])) m.joints[i].child_node = static_cast<int>((seed + i) % 4) - 1;
  }
  return m;
}

// The state with all deflections and their rates times `factor`.
State deflected(const Model& model, State x, double factor) {
  for (int i = 1; i < model.body_count(); ++i) {
    x.q.segment(model.first_mode_q(i), model.body(i).modes) *= factor;
    x.v.segment(model.first_mode(i), model.body(i).modes) *= factor;
  }
  return x;
}

VectorXd forward(const Model& model, const State& x, const VectorXd& tau) {
  BookWorkspace ws(model);
  VectorXd vdot(model.nv);
  EXPECT_EQ(book(model, x, {tau, {}}, ws, vdot), Status::ok);
  return vdot;
}

TEST(Book, IsTheMachineOfItsOwnKinematics) {
  Worst worst("book_relative_1e-9");
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Machine machine = machine_of(book_options(seed), seed);
    const Model model = make_model(machine);
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    const LinearChain reference(machine, model, s.x);
    const VectorXd vdot = forward(model, s.x, s.tau), expected = reference.acceleration(s.tau);
    EXPECT_CLOSE(vdot, expected, 1e-9 * expected.norm()) << describe(book_options(seed), seed);
    worst.add((vdot - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST(Book, KeepsTheInertiaMatrixInItsUpperTriangle) {
  // The factor is below; the coupling of joints with modes, [Book] (68)-(71), is above and right of the diagonal.
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Machine machine = machine_of(book_options(seed), seed);
    const Model model = make_model(machine);
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    BookWorkspace ws(model);
    VectorXd vdot(model.nv);
    ASSERT_EQ(book(model, s.x, {s.tau, {}}, ws, vdot), Status::ok);
    const MatrixXd M = LinearChain(machine, model, s.x).mass();
    const MatrixXd error = (ws->J - M).triangularView<Eigen::StrictlyUpper>();
    EXPECT_LE(error.norm(), 64 * kEps * model.body_count() * M.norm()) << describe(book_options(seed), seed);
  }
}

TEST(Book, IsAbaWithoutDeformation) {
  Worst worst("book_aba_relative_1e-9");
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    TreeOptions o = book_options(seed);
    o.beams = 0.5;
    const Model model = make_model(machine_of(o, seed));
    if (model.nv == 0) continue;
    const Sample s = random_sample(model, seed);
    const State x = deflected(model, s.x, 0);
    Engine engine(model);
    for (const VectorXd& expected : {engine.forward(x, s.tau), engine.dense_forward(x, s.tau)}) {
      const VectorXd vdot = forward(model, x, s.tau);
      EXPECT_CLOSE(vdot, expected, 1e-9 * expected.norm()) << describe(o, seed);
      worst.add((vdot - expected).norm(), 1e-9 * expected.norm());
    }
  }
}

TEST(Book, IsAbaWhereNothingSitsOnATurningNode) {
  // A single link has no outboard joint; its deflections are linear for all algorithms.  So are links that only
  // translate.
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    TreeOptions o = book_options(seed);
    o.bodies = 1 + static_cast<int>(seed % 3);
    o.modes = 5;
    o.flexible = 1;
    Machine machine = machine_of(o, seed);
    for (BodySpec& body : machine.bodies) {
      for (Node& node : std::get<ModalSpec>(body).nodes) node.turn.setZero();
    }
    const Model model = make_model(machine);
    const Sample s = random_sample(model, seed);
    const VectorXd expected = Engine(model).forward(s.x, s.tau);
    EXPECT_CLOSE(forward(model, s.x, s.tau), expected, 1e-9 * expected.norm()) << describe(o, seed);
  }
}

TEST(Book, LeavesAbaWithTheFirstPowerOfTheDeflections) {
  // Positions to second order: 1 + u~ is the rotation exp(u~) to first order.  Modal equations contain the derivative
  // of positions in deflections, which is accurate to one order less, and the inertia of a modal acceleration with it.
  int measured = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    TreeOptions o = book_options(seed);
    o.bodies = 3;
    o.modes = 3;
    o.flexible = 1;
    o.parent_on_frame = 0;
    const Model model = make_model(machine_of(o, seed));
    const Sample s = random_sample(model, seed);
    Engine engine(model);
    const auto errors = [&](double factor) {
      const State x = deflected(model, s.x, factor);
      BookWorkspace ws(model);
      VectorXd vdot(model.nv);
      EXPECT_EQ(book(model, x, {s.tau, {}}, ws, vdot), Status::ok);
      const Pose tip = body_pose(engine.kinematics(x), 3);
      return std::pair{(Vector3d(ws->links[3].W.bottomLeftCorner<3, 1>()) - tip.p).norm(),
                       (vdot - engine.forward(x, s.tau)).norm()};
    };
    const auto coarse = errors(2e-3), fine = errors(1e-3);
    EXPECT_NEAR(std::log2(coarse.first / fine.first), 2, 0.1) << "seed " << seed;
    EXPECT_NEAR(std::log2(coarse.second / fine.second), 1, 0.1) << "seed " << seed;
    ++measured;
  }
  EXPECT_EQ(measured, 60);
}

// ---- refusals and failure ---------------------------------------------------------------------------

void expect_refused(const Machine& machine, const std::string& words) {
  const Model model = make_model(machine);
  try {
    make_forward_dynamics(model, "book");
    ADD_FAILURE() << "not refused: " << words;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("'book'"), std::string::npos) << error.what();
  }
}

Machine plain_chain(int bodies, int modes = 0) {
  TreeOptions o{.bodies = bodies, .modes = modes, .joints = {JointKind::revolute}, .chain = true, .flexible = 1};
  o.child_on_node = 0;
  return random_machine(o, 7);
}

TEST(Book, RefusesWhatThePaperDoesNotCover) {
  for (const JointKind kind : kAllJoints) {
    if (kind == JointKind::revolute || kind == JointKind::fixed) continue;
    Machine m = plain_chain(2);
    m.joints[1].stiffness = m.joints[1].damping = m.joints[1].armature = VectorXd();
    m.joints[1].kind = kind;
    expect_refused(m, "joint 'j2' is " + std::string(to_string(kind)));
  }
  Machine branches = plain_chain(3);
  branches.joints[2].parent.body = 1;
  expect_refused(branches, "body 'b3' branches off");
  Machine two_arms = plain_chain(2);
  two_arms.joints[1].parent = {};
  expect_refused(two_arms, "body 'b2' branches off");
  Machine on_node = plain_chain(2, 2);
  on_node.joints[1].child_node = 0;
  expect_refused(on_node, "joint 'j2' holds 'b2'");
  Machine coarse = plain_chain(2);
  coarse.fidelity = Fidelity::ruthless;
  expect_refused(coarse, "fidelity ruthless");
  coarse.fidelity = Fidelity::stiffened;
  expect_refused(coarse, "fidelity stiffened");
}

TEST(Book, RefusesForcesOnNodes) {
  const Model model = make_model(plain_chain(2));
  const Sample s = random_sample(model, 1);
  BookWorkspace ws(model);
  VectorXd vdot(model.nv);
  EXPECT_THROW(static_cast<void>(book(model, s.x, {s.tau, s.wrenches}, ws, vdot)), InputError);
  const VectorXd shorter = s.tau.head(model.nv - 1);
  EXPECT_THROW(static_cast<void>(book(model, s.x, {shorter, {}}, ws, vdot)), InputError);
}

TEST(Book, UsesNoHeapAndGivesTheSameBits) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    expect_repeatable<BookWorkspace>(make_model(machine_of(book_options(seed), seed)), seed, book, false);
}

TEST(Book, NumbersThatAreNoneStayBehind) {
  const Model model = make_model(plain_chain(3, 3));
  const Sample s = random_sample(model, 3);
  BookWorkspace ws(model);
  VectorXd before(model.nv), after(model.nv);
  ASSERT_EQ(book(model, s.x, {s.tau, {}}, ws, before), Status::ok);
  for (int j = 0; j < model.nv; ++j) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      State x = s.x;
      x.q[j] = bad;
      EXPECT_NE(book(model, x, {s.tau, {}}, ws, after), Status::ok) << model.coordinates[j];
      x = s.x;
      x.v[j] = bad;
      EXPECT_NE(book(model, x, {s.tau, {}}, ws, after), Status::ok) << model.speeds[j];
      VectorXd tau = s.tau;
      tau[j] = bad;
      EXPECT_NE(book(model, s.x, {tau, {}}, ws, after), Status::ok) << model.speeds[j];
    }
  }
  ASSERT_EQ(book(model, s.x, {s.tau, {}}, ws, after), Status::ok);
  EXPECT_TRUE(is_same_bits(before, after));
}

TEST(Book, SeesACoordinateWithoutInertia) {
  // A rod that rotates about its own axis, given in rotated frames, where rounding makes some inertia.
  Random random(3);
  for (int k = 0; k < 30; ++k) {
    const Matrix3d R = random.rotation();
    RigidSpec rod;
    rod.mass = 2;
    rod.com = R * Vector3d(0.7, 0, 0);
    const Matrix3d J = R * Vector3d(0, 1, 1).asDiagonal() * R.transpose();
    rod.inertia = 0.5 * (J + J.transpose());
    Machine m = plain_chain(2);
    m.bodies[1] = rod;
    m.joints[1].axis = R * Vector3d::UnitX();
    m.joints[1].parent.node = kBodyFrame;
    m.joints[1].armature = VectorXd();
    const Model model = make_model(m);
    BookWorkspace ws(model);
    VectorXd vdot(2);
    const VectorXd tau = VectorXd::Ones(2);
    EXPECT_EQ(book(model, random_sample(model, k).x, {tau, {}}, ws, vdot), Status::singular_mass);
    m.joints[1].armature = VectorXd::Constant(1, 0.1);
    const Model good = make_model(m);
    EXPECT_EQ(book(good, random_sample(good, k).x, {tau, {}}, ws, vdot), Status::ok);
  }
}

}  // namespace
}  // namespace limber::test
