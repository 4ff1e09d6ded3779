// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "support/random_tree.hpp"

#include <Eigen/Geometry>
#include <array>
#include <numbers>

#include "limber/spatial/detail/solvers.hpp"
#include "support/random.hpp"

namespace limber::test {
namespace {

constexpr double kPi = std::numbers::pi;

std::array<MatrixXd, 3> random_second(Random& random, int n) {
  std::array<MatrixXd, 3> Xi;
  for (MatrixXd& X : Xi) {
    const MatrixXd a = random.matrix(n, n, 0.15);
    X = a + a.transpose();
    // Some pairs are zero, as in a beam.
    if (n > 1 && random.chance(0.5)) X(0, n - 1) = X(n - 1, 0) = 0;
  }
  return Xi;
}

// Number k of its body.
Node random_node(Random& random, int k, int n, bool second) {
  Node node;
  node.name = "n" + std::to_string(k);
  node.position = random.vector3(0.5);
  node.rotation = random.rotation();
  node.translation = random.matrix(3, n, 0.4);
  node.turn = random.matrix(3, n, 0.4);
  if (second && n > 0) node.second = random_second(random, n);
  return node;
}

RigidSpec random_rigid(Random& random) {
  RigidSpec spec;
  spec.mass = random.uniform(0.5, 2);
  spec.com = random.vector3(0.4);
  // From second moments, so that the inertia is physical.
  const MatrixXd C = random.positive(3, 0.05, 0.2);
  spec.inertia = C.trace() * Matrix3d::Identity() - Matrix3d(C);
  return spec;
}

// The same modal body in other coordinates: eta = V eta'.
void change_basis(ModalSpec& spec, const MatrixXd& V) {
  const auto second = [&](std::array<MatrixXd, 3>& Xi) {
    for (MatrixXd& X : Xi) {
      if (X.size() > 0) X = (V.transpose() * X * V).eval();
    }
  };
  for (MassPoint& p : spec.points) {
    p.shape = (p.shape * V).eval();
    second(p.second);
  }
  for (Node& node : spec.nodes) {
    node.translation = (node.translation * V).eval();
    node.turn = (node.turn * V).eval();
    second(node.second);
  }
  const auto form = [&](const MatrixXd& A) {
    const MatrixXd B = V.transpose() * A * V;
    return MatrixXd(0.5 * (B + B.transpose()));
  };
  spec.stiffness = form(spec.stiffness);
  spec.damping = form(spec.damping);
}

// Shapes for which G is the identity and K is diagonal.
void diagonalise(ModalSpec& spec) {
  const Eigen::Index n = spec.stiffness.rows();
  MatrixXd G = MatrixXd::Zero(n, n);
  for (const MassPoint& p : spec.points) G += p.mass * p.shape.transpose() * p.shape;
  change_basis(spec, eigen_generalized(spec.stiffness, G).vectors);
}

ModalSpec random_modal(Random& random, int n, bool second, bool diagonal) {
  ModalSpec spec;
  const int points = 4 + (n + 2) / 2;  // 3 points > n + 6, so that all shapes and rigid motions are independent
  for (int i = 0; i < points; ++i) {
    MassPoint p;
    p.mass = random.uniform(0.2, 1.4);
    p.position = random.vector3(0.6);
    p.shape = random.matrix(3, n, 0.5);
    if (second) p.second = random_second(random, n);
    spec.points.push_back(p);
  }
  spec.stiffness = random.positive(n, 20, 50);
  spec.damping = random.positive(n, 0.05, 0.1);
  for (int k = 0; k < 3; ++k) spec.nodes.push_back(random_node(random, k, n, second));
  if (diagonal) diagonalise(spec);
  return spec;
}

BeamSpec random_beam(Random& random, int modes) {
  BeamSpec spec;
  spec.length = random.uniform(0.8, 1.5);
  spec.mass_per_length = random.uniform(0.5, 2);
  spec.EIy = random.uniform(5, 20);
  spec.EIz = random.uniform(5, 20);
  spec.EA = random.uniform(100, 200);
  spec.GJ = random.uniform(2, 5);
  spec.rotary_inertia_y = random.uniform(0.02, 0.05);
  spec.rotary_inertia_z = random.uniform(0.02, 0.05);
  constexpr std::array bases = {BeamBasis::clamped_free, BeamBasis::polynomial, BeamBasis::free_free};
  spec.basis = bases[random.index(3)];
  const int first = random.index(4);
  for (int k = 0; k < modes; ++k) ++spec.modes[(first + k) % 4];
  spec.damping = {0.01};
  spec.nodes = {{"middle", 0.5, random.rotation()}};
  return spec;
}

BodySpec random_body(Random& random, const TreeOptions& o) {
  const bool flexible = o.modes > 0 && random.chance(o.flexible);
  const int n = flexible ? 1 + random.index(o.modes) : 0;
  if (flexible && random.chance(o.beams)) return random_beam(random, n);
  if (flexible) {
    const bool diagonal =
        o.modal_mass == ModalMass::diagonal || (o.modal_mass == ModalMass::mixed && random.chance(0.5));
    return random_modal(random, n, o.fidelity == Fidelity::stiffened, diagonal);
  }
  RigidSpec rigid = random_rigid(random);
  for (int k = 0; k < 3; ++k) rigid.nodes.push_back(random_node(random, k, 0, false));
  return rigid;
}

// Index of a node; the order of a beam's middle, root and tip does not matter.
int random_node_index(Random& random) { return random.index(3); }

VectorXd random_constants(Random& random, const Joint& joint, double low, double high) {
  VectorXd k(speed_count(joint.kind));
  for (double& e : k) e = random.uniform(low, high);
  // The three of a spherical joint are equal.
  if (joint.kind == JointKind::spherical || joint.kind == JointKind::free) k.head<3>().setConstant(k[0]);
  return k;
}

Joint random_joint(Random& random, const TreeOptions& o, int body) {
  Joint joint;
  joint.kind = body == 1 && o.free_base ? JointKind::free : o.joints[random.index(static_cast<int>(o.joints.size()))];
  joint.axis = random.direction();
  joint.axis2 = random.direction();
  while (std::abs(joint.axis.dot(joint.axis2)) > 0.7) joint.axis2 = random.direction();
  if (body > 1) {
    joint.parent.body = o.chain ? body - 1 : 1 + random.index(body - 1);
    joint.parent.node = random.chance(o.parent_on_frame) ? kBodyFrame : random_node_index(random);
  }
  joint.origin = {random.rotation(), random.vector3(0.3)};
  joint.child_node = random.chance(o.child_on_node) ? random_node_index(random) : kBodyFrame;
  if (o.armature && random.chance(0.5)) joint.armature = random_constants(random, joint, 0.05, 0.2);
  if (o.springs && random.chance(0.5)) joint.stiffness = random_constants(random, joint, 1, 5);
  if (o.springs && random.chance(0.5)) joint.damping = random_constants(random, joint, 0.1, 1);
  return joint;
}

double random_angle(Random& random, double special) {
  constexpr std::array values = {0.0, kPi / 2, -kPi / 2, kPi, -kPi, 1e-300, 1e-160, 1e-17, 1e-9, -1e-4, 2 * kPi};
  if (random.chance(special)) return values[random.index(static_cast<int>(values.size()))];
  return random.uniform(-kPi, kPi);
}

// A random axis and angle, with w of both signs.
Eigen::Vector4d random_quaternion(Random& random, double special) {
  if (!random.chance(special)) return random.quaternion();
  const double half = random_angle(random, 1) / 2;
  Eigen::Vector4d q;
  q << std::cos(half), std::sin(half) * random.direction();
  return q.normalized();
}

void random_joint_position(Random& random, const Joint& joint, double special, VectorXd& q) {
  const bool ball = joint.kind == JointKind::spherical || joint.kind == JointKind::free;
  if (ball) {
    q.segment<4>(joint.q) = random_quaternion(random, special);
    if (joint.kind == JointKind::free) q.segment<3>(joint.q + 4) = random.vector3();
    return;
  }
  for (int k = 0; k < position_count(joint.kind); ++k) q[joint.q + k] = random_angle(random, special);
}

}  // namespace

Machine random_machine(const TreeOptions& options, std::uint64_t seed) {
  Random random(seed * 0x9e3779b97f4a7c15U + 1);
  Machine machine;
  machine.fidelity = options.fidelity;
  machine.gravity = random.vector3(5);
  for (int i = 1; i <= options.bodies; ++i) {
    machine.bodies.push_back(random_body(random, options));
    machine.joints.push_back(random_joint(random, options, i));
  }
  return machine;
}

std::string describe(const TreeOptions& o, std::uint64_t seed) {
  return "seed " + std::to_string(seed) + ", " + std::to_string(o.bodies) + " bodies, up to " +
         std::to_string(o.modes) + " modes, " + to_string(o.fidelity);
}

Sample random_sample(const Model& model, std::uint64_t seed, const SampleOptions& o) {
  Random random(seed * 0xd1342543de82ef95U + 2);
  Sample s;
  s.x = make_zero_state(model);
  for (int i = 1; i < model.body_count(); ++i) {
    random_joint_position(random, model.joints[i], o.special, s.x.q);
    const int n = model.body(i).modes;
    s.x.q.segment(model.first_mode_q(i), n) = random.vector(n, o.modal);
  }
  s.x.v = random.vector(model.nv, o.speed);
  s.tau = random.vector(model.nv, 3);
  s.vdot = random.vector(model.nv, 2);
  for (int k = 0; k < o.wrenches; ++k) {
    NodeWrench w;
    w.at.body = 1 + random.index(model.body_count() - 1);
    w.at.node = random.index(1 + static_cast<int>(model.body(w.at.body).nodes.size())) - 1;
    w.wrench = random.vector(6, 2);
    w.frame = random.chance(0.5) ? Frame::world : Frame::node;
    s.wrenches.push_back(w);
  }
  return s;
}

VectorXd moved(const Model& model, const VectorXd& q, const VectorXd& dv) {
  VectorXd out = q;
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (joint.kind == JointKind::spherical || joint.kind == JointKind::free) {
      const Eigen::Quaterniond a(q[joint.q], q[joint.q + 1], q[joint.q + 2], q[joint.q + 3]);
      const Vector3d u = dv.segment<3>(joint.v);
      const double angle = u.norm();
      const Vector3d axis = angle > 0 ? Vector3d(u / angle) : Vector3d::UnitX();
      const Eigen::Quaterniond b = a * Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis));
      out.segment<4>(joint.q) << b.w(), b.x(), b.y(), b.z();
      if (joint.kind == JointKind::free)
        out.segment<3>(joint.q + 4) += a.toRotationMatrix() * dv.segment<3>(joint.v + 3);
    } else {
      out.segment(joint.q, speed_count(joint.kind)) += dv.segment(joint.v, speed_count(joint.kind));
    }
    const int n = model.body(i).modes;
    out.segment(model.first_mode_q(i), n) += dv.segment(model.first_mode(i), n);
  }
  return out;
}

}  // namespace limber::test
