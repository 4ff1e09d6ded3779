// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Contacts: a point or a sphere against the signed distance of a shape.
#include <algorithm>
#include <cmath>

#include "frames.hpp"

namespace limber {
namespace {

using Grip = ContactPart::Grip;

constexpr double kNoSlip = 1e-9;      // m/s: a contact with less initial slip sticks at once
constexpr double kInside = 1 - 1e-9;  // friction at the end of a slip, relative to the friction cone

// Signed distance of a point from a shape, with gradient and Hessian, in the frame of the shape.
struct Distance {
  double value;
  Vector3d n;
  Matrix3d H;
};

Distance plane_distance(const Vector3d& y) { return {y.z(), Vector3d::UnitZ(), Matrix3d::Zero()}; }

Distance box_distance(const Vector3d& y, const Vector3d& size) {
  const Vector3d beyond = y.cwiseAbs() - 0.5 * size;
  Distance out{0, Vector3d::Zero(), Matrix3d::Zero()};
  int face = 0;
  out.value = beyond.maxCoeff(&face);
  const auto sign = [&](int k) { return y[k] < 0 ? -1.0 : 1.0; };
  int outside = 0;
  for (int k = 0; k < 3; ++k) outside += beyond[k] > 0 ? 1 : 0;
  if (outside <= 1) {  // inside, or closest to a face
    out.n[face] = sign(face);
    return out;
  }
  // Closest to an edge or a corner.
  Matrix3d P = Matrix3d::Zero();
  for (int k = 0; k < 3; ++k) {
    if (!(beyond[k] > 0)) continue;
    out.n[k] = sign(k) * beyond[k];
    P(k, k) = 1;
  }
  out.value = out.n.norm();
  out.n /= out.value;
  out.H = (P - out.n * out.n.transpose()) / out.value;
  return out;
}

Distance cylinder_distance(const Vector3d& y, double radius, double length) {
  const double rho = std::hypot(y.x(), y.y());
  const Vector3d radial = rho > 0 ? Vector3d(y.x() / rho, y.y() / rho, 0) : Vector3d::UnitX();
  const Vector3d axial = y.z() < 0 ? Vector3d(-Vector3d::UnitZ()) : Vector3d::UnitZ();
  const Vector3d around = Vector3d::UnitZ().cross(radial);
  const double side = rho - radius, end = std::abs(y.z()) - 0.5 * length;
  const double turning = rho > 0 ? 1 / rho : 0;
  if (side > 0 && end > 0) {  // closest to the rim
    const double value = std::hypot(side, end);
    const Vector3d n = (side * radial + end * axial) / value, m = (end * radial - side * axial) / value;
    return {value, n, m * m.transpose() / value + side / value * turning * around * around.transpose()};
  }
  if (side >= end) return {side, radial, turning * around * around.transpose()};
  return {end, axial, Matrix3d::Zero()};
}

Distance distance(const Contact& c, const Vector3d& y) {
  if (c.shape == Contact::Shape::plane) return plane_distance(y);
  if (c.shape == Contact::Shape::box) return box_distance(y, c.size);
  return cylinder_distance(y, c.size[0], c.size[1]);
}

template <class S>
struct Touch {
  S depth, rate, normal;
  Vector3<S> place;       // of the point, in the frame of the shape
  Vector3<S> n, at;       // world: normal, contact point
  Vector3<S> slip;        // velocity of a relative to b along the surface
  Vector3<S> along;       // slipping: unit vector opposite to friction
  Vector3<S> stretch;     // sticking: stretch of the tangential spring, in world
  Vector3<S> tangential;  // friction on a
  Eigen::Matrix<S, 12, 1> wrench;
};

template <class S>
Vector3<S> along_surface(const Vector3<S>& a, const Vector3<S>& n) {
  return a - times(dot(n, a), n);
}

// Friction on the point: a spring and a damper while it sticks; mu N while it slips, opposite to
//   v - a d + sqrt(a^2 + s^2) d,   a = v . d,   s = slip_speed
// with v the slip velocity and d its direction when the slip began or was last updated.  Thus friction is continuous
// when the slip begins, and when v reverses, which ends the phase: a step across the reversal is smooth.  For a sphere
// friction is mu N v / sqrt(v^2 + s^2).
template <class S>
Vector3<S> friction(const ContactPart& part, const Matrix3<S>& R, Touch<S>& t) {
  using std::sqrt;
  const Contact& c = *part.of;
  const Vector3<S> zero(S(0), S(0), S(0));
  t.along = t.stretch = zero;
  if (c.friction == 0) return zero;
  if (c.radius > 0) {
    const S speed = sqrt(S(dot(t.slip, t.slip) + S(c.slip_speed * c.slip_speed)));
    return times(S(S(-c.friction) * t.normal / speed), t.slip);
  }
  if (part.grip == Grip::sticking) {
    const Vector3<S> anchor = part.anchor.template cast<S>();
    t.stretch = along_surface(turn(R, Vector3<S>(t.place - anchor)), t.n);
    return -times(S(c.stick_stiffness), t.stretch) - times(S(part.stick_damping), t.slip);
  }
  if (part.grip == Grip::none) return zero;
  const Vector3<S> d = along_surface(turn(R, Vector3<S>(part.direction.template cast<S>())), t.n);
  const S a = dot(t.slip, d);
  const Vector3<S> w = t.slip + times(S(sqrt(S(a * a + S(c.slip_speed * c.slip_speed))) - a), d);
  const S size = sqrt(dot(w, w));
  if (!(value_of(size) > 0)) return zero;
  t.along = times(S(S(1) / size), w);
  return times(S(S(-c.friction) * t.normal), t.along);
}

template <class S>
Touch<S> touch(const ContactPart& part, const EndFrame<S>& a, const EndFrame<S>& b) {
  const Contact& c = *part.of;
  Touch<S> t;
  t.place = turn_back(b.R, Vector3<S>(a.p - b.p));
  const Vector3d y = value_of(t.place);
  const Distance found = distance(c, y);
  const Matrix3d rows = Matrix3d(found.n * Vector3d::UnitX().transpose()).transpose();  // first row: the gradient
  const S apart = chained(t.place, Vector3d(found.value, 0, 0), rows)[0];
  t.n = turn(b.R, chained(t.place, found.n, found.H));
  t.depth = S(c.radius) - apart;
  const Vector3<S> to_contact = times(S(-apart), t.n);
  t.at = a.p + to_contact;
  const Vector3<S> from_b = t.at - b.p;
  const Vector3<S> relative = a.v + cross(a.w, to_contact) - b.v - cross(b.w, from_b);
  t.rate = -dot(t.n, relative);
  t.slip = relative + times(t.rate, t.n);
  const bool pushes = part.phase == PushPhase::pushing;
  t.normal = pushes ? S(S(c.stiffness) * t.depth + S(part.damping) * t.rate) : S(0);
  t.tangential = pushes ? friction(part, b.R, t) : Vector3<S>(S(0), S(0), S(0));
  const Vector3<S> force = times(t.normal, t.n) + t.tangential, back = -force;
  t.wrench = node_wrenches(a, b, force, cross(to_contact, force), back, cross(from_b, back));
  return t;
}

template <class S>
Touch<S> touch_now(const ElementLoads::Data& data, const ContactPart& part) {
  const auto a = make_end(data.node_of(part.a), data.velocity(part.a), part.a.at, false, S(0));
  const auto b = make_end(data.node_of(part.b), data.velocity(part.b), part.b.at, true, S(0));
  return touch<S>(part, a, b);
}

// Energy of the springs, and the heat flow: power absorbed by the forces minus the rate of that energy.
void set_flows(const ElementLoads::Data& data, const Touch<double>& t, ContactPart& part) {
  const Contact& c = *part.of;
  const double depth = std::max(0.0, t.depth);
  part.stored = 0.5 * c.stiffness * depth * depth;
  double storing = c.stiffness * depth * t.rate;
  if (part.phase == PushPhase::pushing && part.grip == Grip::sticking) {
    part.stored += 0.5 * c.stick_stiffness * t.stretch.squaredNorm();
    // dy: rate of `place` in the frame of the shape.  The stretch is normal to n, which varies along the surface.
    const Pose b = data.pose(part.b);
    const Vector6 V = data.velocity(part.b), U = data.velocity(part.a);
    const Pose a = data.pose(part.a);
    const Vector3d va = U.tail<3>() + U.head<3>().cross(a.p - data.node_of(part.a).p);
    const Vector3d vb = V.tail<3>() + V.head<3>().cross(a.p - data.node_of(part.b).p);
    const Vector3d dy = b.R.transpose() * (va - vb), xi = b.R.transpose() * t.stretch;
    const Distance found = distance(c, t.place);
    storing += c.stick_stiffness * (xi.dot(dy) - xi.dot(found.H * dy) * found.n.dot(t.place - part.anchor));
  } else if (part.grip == Grip::slipping) {
    part.stored += part.frozen;
  }
  part.heating = t.normal * t.rate - t.tangential.dot(t.slip) - storing;
}

// Effective inertia along the normal, 1 / (n^T J M^-1 J^T n).
double inertia_along_normal(const State& x, ElementLoads::Data& data, const ContactPart& part) {
  if (!data.aba) {
    data.aba = std::make_unique<AbaWorkspace>(data.model);
    data.operational = std::make_unique<OperationalWorkspace>(data.model);
  }
  if (factor_mass(data.model, x, *data.aba, data.prescribed) != Status::ok) return 0;
  const NodeRef nodes[] = {part.of->point.node, part.of->on.node};
  MatrixXd response(12, 12);
  compute_operational_inertia(data.model, nodes, *data.aba, *data.operational, response);
  Vector12 unit;
  const Vector3d arm_a = part.point - data.node_of(part.a).p, arm_b = part.point - data.node_of(part.b).p;
  unit << arm_a.cross(part.n), part.n, -arm_b.cross(part.n), -part.n;
  const double compliance = unit.dot(response * unit);
  return compliance > 0 ? 1 / compliance : 0;
}

// Begins a contact: sticking unless it slips.
void begin_contact(const State& x, ElementLoads::Data& data, ContactPart& part) {
  const Contact& c = *part.of;
  part.damping = c.damping;
  if (c.restitution) {
    const double m = inertia_along_normal(x, data, part);
    part.damping = m > 0 ? damping_of_restitution(*c.restitution, c.stiffness, m) : 0;
  }
  part.stick_damping = c.stick_damping;
  if (c.friction == 0 || c.radius > 0 || data.frictionless) return;
  const Pose b = data.pose(part.b);
  part.frozen = 0;
  if (part.slip.norm() > kNoSlip) {
    part.grip = Grip::slipping;
    part.direction = b.R.transpose() * part.slip.normalized();
  } else {
    part.grip = Grip::sticking;
    part.anchor = part.place;
  }
}

// Updates sticking, slipping and the slip direction.  Returns whether something changed.
bool update_grip(ElementLoads::Data& data, ContactPart& part) {
  const Contact& c = *part.of;
  const double cone = c.friction * std::max(0.0, part.normal);
  const Pose b = data.pose(part.b);
  if (part.grip == Grip::sticking && part.tangential.norm() > cone) {
    part.grip = Grip::slipping;
    part.direction = b.R.transpose() * -part.tangential.normalized();
    const double depth = std::max(0.0, part.depth);
    part.frozen = part.stored - 0.5 * c.stiffness * depth * depth;
    return true;
  }
  if (part.grip == Grip::slipping && part.turned >= 0) {
    if (part.slip.norm() > c.slip_speed) {  // slips on in another direction
      part.direction = b.R.transpose() * part.slip.normalized();
      return true;
    }
    part.grip = Grip::sticking;
    const Vector3d stretch =
        kInside * cone / c.stick_stiffness * part.along - part.stick_damping / c.stick_stiffness * part.slip;
    part.anchor = part.place - b.R.transpose() * stretch;
    data.heat += part.frozen - 0.5 * c.stick_stiffness * stretch.squaredNorm();
    part.frozen = 0;
    return true;
  }
  return false;
}

}  // namespace

void compute_contact(const ElementLoads::Data& data, ContactPart& part, Vector12& wrench) {
  const Touch<double> t = touch_now<double>(data, part);
  part.depth = t.depth;
  part.rate = t.rate;
  part.normal = t.normal;
  part.n = t.n;
  part.point = t.at;
  part.slip = t.slip;
  part.along = t.along;
  part.place = t.place;
  part.tangential = t.tangential;
  const Vector3d d = along_surface<double>(data.pose(part.b).R * part.direction, t.n);
  part.turned = (t.slip - t.slip.dot(d) * d).norm() - t.slip.dot(d);
  part.force = t.normal * t.n + t.tangential;
  set_flows(data, t, part);
  wrench = t.wrench;
}

void compute_contact_tangent(const ElementLoads::Data& data, const ContactPart& part, Matrix12& by_pose,
                             Matrix12& by_velocity) {
  split(touch_now<Dual>(data, part).wrench, by_pose, by_velocity);
}

bool update_contact(const State& x, ElementLoads::Data& data, ContactPart& part) {
  Vector12 wrench;
  compute_contact(data, part, wrench);
  const PushPhase before = part.phase;
  if (before == PushPhase::open && part.depth > 0) begin_contact(x, data, part);
  const bool beyond = part.depth > 0, pushes = part.push() > 0;
  part.phase = !beyond ? PushPhase::open : pushes ? PushPhase::pushing : PushPhase::recoiling;
  if (part.phase == before) return part.phase == PushPhase::pushing && update_grip(data, part);
  if (before == PushPhase::pushing) {  // the tangential spring is released
    const double depth = std::max(0.0, part.depth);
    data.heat += part.stored - 0.5 * part.of->stiffness * depth * depth;
    part.grip = Grip::none;
    part.frozen = 0;
  } else if (before == PushPhase::recoiling && part.phase == PushPhase::pushing) {
    const double damping = part.damping;
    begin_contact(x, data, part);
    part.damping = damping;
  }
  return true;
}

}  // namespace limber
