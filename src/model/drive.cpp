// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/drive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "checks.hpp"
#include "drive_checks.hpp"
#include "limber/model/detail/layout.hpp"
#include "limber/model/friction.hpp"
#include "limber/model/slider.hpp"

namespace limber {

MotorIndex motor_index(const Model& model, int joint) {
  const Link& link = model.layout->links[joint];
  if (link.motor.v == 0) return {};
  return {link.q + link.motor.q, link.v + link.motor.v};
}

bool has_elastic_drives(const Model& model) { return !model.layout->motors.empty(); }

Model with_rigid_drives(const Model& model) {
  ModelBuilder out(model.name);
  out.gravity(model.gravity).fidelity(model.fidelity).elimination(model.layout->choice);
  for (int i = 1; i < model.body_count(); ++i) {
    Body body = model.body(i);
    body.name = model.body_names[i];
    Joint joint = model.joints[i];
    if (joint.drive && joint.drive->elastic()) {
      Drive drive = *joint.drive;
      drive.stiffness = drive.damping = drive.backlash = 0;
      drive.efficiency = 1;
      joint.drive = std::make_shared<const Drive>(drive);
    }
    out.add_joint(std::move(joint), out.add_body(std::move(body)));
  }
  for (const Closure& closure : model.closures) out.add_closure(closure);
  Model rigid = out.build();
  rigid.elements = model.elements;
  rigid.contacts = model.contacts;
  rigid.segments = model.segments;
  return rigid;
}

std::pair<double, double> motor_torque_range(const Drive& drive, double speed) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double least = -kNone, most = kNone;
  if (!drive.motor) return {least, most};
  const Motor& motor = *drive.motor;
  if (motor.voltage > 0) {
    most = motor.torque_constant * (motor.voltage - motor.back_emf * speed) / motor.resistance;
    least = -motor.torque_constant * (motor.voltage + motor.back_emf * speed) / motor.resistance;
  }
  double peak = motor.current > 0 ? motor.torque_constant * motor.current : kNone;
  if (!motor.curve.empty()) {
    const auto& curve = motor.curve;
    std::size_t k = 1;
    while (k < curve.size() && curve[k][0] < std::abs(speed)) ++k;
    double torque = curve.back()[1];
    if (k < curve.size()) {
      const double share = (std::abs(speed) - curve[k - 1][0]) / (curve[k][0] - curve[k - 1][0]);
      torque = curve[k - 1][1] + share * (curve[k][1] - curve[k - 1][1]);
    }
    peak = std::min(peak, torque);
  }
  return {std::clamp(least, -peak, peak), std::clamp(most, -peak, peak)};
}

std::string backlash_text(const Model& model, const State& x) {
  std::string out;
  for (const int i : model.layout->motors) {
    const Link& link = model.layout->links[i];
    if (link.motor.gap == 0) continue;
    const bool touches = link.motor.touches(&x.q[link.q], &x.v[link.v]);
    const char* flank = link.motor.twist(&x.q[link.q]) > 0 ? "upper" : "lower";
    out += (out.empty() ? "'" : ", '") + model.joints[i].name +
           (touches ? std::string("' on the ") + flank + " flank of its backlash" : "' in its backlash");
  }
  return out;
}

double torque_of_current(const Motor& motor, double current) { return motor.torque_constant * current; }

double torque_of_voltage(const Motor& motor, double voltage, double speed) {
  return motor.torque_constant * (voltage - motor.back_emf * speed) / motor.resistance;
}

void set_motor_at_rest(const Model& model, int joint, State& x) {
  const Link& link = model.layout->links[joint];
  if (link.motor.v == 0) return;
  x.q[link.q + link.motor.q] = link.motor.ratio * x.q[link.q];
  x.v[link.v + link.motor.v] = link.motor.ratio * x.v[link.v];
}

double sliding_friction(const JointFriction& friction, double rate) {
  if (rate == 0) return 0;
  double level = friction.coulomb;
  if (friction.stribeck > 0) {
    const double ratio = rate / friction.stribeck;
    level += (friction.breakaway - friction.coulomb) * std::exp(-ratio * ratio);
  }
  return std::copysign(level, rate);
}

namespace model_impl {
namespace {

void check_one_coordinate(const Joint& joint, const char* what) {
  const JointTraits& traits = joint_traits(joint.kind);
  if (traits.positions.size() == 1 && traits.driven) return;
  refuse("joint", joint.name,
         std::string("a ") + to_string(joint.kind) + " joint takes no " + what +
             "; joints with one coordinate do, as revolute and prismatic ones");
}

void check_at_least_zero(const Joint& joint, double value, const char* what) {
  if (!(value >= 0) || !std::isfinite(value))
    refuse("joint", joint.name, std::string(what) + " must be a finite number, 0 or more");
}

void check_brake(const Joint& joint, const Brake& brake) {
  if (!(brake.torque > 0) || !std::isfinite(brake.torque))
    refuse("joint", joint.name, "the torque of its brake must be a finite number above 0");
  if (!(brake.breakaway >= brake.torque) || !std::isfinite(brake.breakaway))
    refuse("joint", joint.name, "the static torque of its brake must be finite and not below its torque");
  if (!(brake.presliding > 0) || !std::isfinite(brake.presliding))
    refuse("joint", joint.name, "the presliding of its brake must be a finite number above 0");
}

void check_motor(const Joint& joint, const Motor& motor) {
  const std::pair<double, const char*> values[] = {{motor.torque_constant, "torque constant"},
                                                   {motor.back_emf, "back-EMF constant"},
                                                   {motor.resistance, "resistance"},
                                                   {motor.current, "largest current"},
                                                   {motor.voltage, "largest voltage"}};
  for (const auto& [value, what] : values) check_at_least_zero(joint, value, what);
  if ((motor.current > 0 || motor.voltage > 0) && !(motor.torque_constant > 0))
    refuse("joint", joint.name, "its motor has a largest current or voltage, and needs a torque constant above 0");
  if (motor.voltage > 0 && !(motor.resistance > 0))
    refuse("joint", joint.name, "its motor has a largest voltage, and needs a resistance above 0");
  for (std::size_t k = 0; k < motor.curve.size(); ++k) {
    const auto& [speed, torque] = motor.curve[k];
    if (!std::isfinite(speed + torque) || torque < 0 || (k == 0 ? speed != 0 : speed <= motor.curve[k - 1][0]))
      refuse("joint", joint.name, "the curve of its motor must be speeds that rise from 0 and torques of 0 or more");
  }
}

}  // namespace

void check_drive(Joint& joint) {
  if (!joint.drive) return;
  check_one_coordinate(joint, "drive");
  Drive drive = *joint.drive;
  if (!std::isfinite(drive.ratio) || drive.ratio == 0 || !std::isfinite(1 / drive.ratio))
    refuse("joint", joint.name, "the ratio of its drive must be a finite number other than 0");
  check_at_least_zero(joint, drive.inertia, "the rotor inertia of its drive");
  check_at_least_zero(joint, drive.stiffness, "the stiffness of its drive");
  check_at_least_zero(joint, drive.damping, "the damping of its drive");
  if (drive.elastic() && !(drive.inertia > 0))
    refuse("joint", joint.name, "its drive is elastic, so that its motor needs an inertia above 0");
  if (!drive.elastic() && drive.damping > 0)
    refuse("joint", joint.name, "the damping of its drive has no effect without a stiffness; give one, or remove it");
  check_at_least_zero(joint, drive.backlash, "the backlash of its drive");
  if (!drive.elastic() && drive.backlash > 0)
    refuse("joint", joint.name, "the backlash of its drive has no effect without a stiffness; give one, or remove it");
  if (!(drive.efficiency > 0 && drive.efficiency <= 1))
    refuse("joint", joint.name, "the efficiency of its drive must be above 0 and at most 1");
  if (drive.efficiency < 1 && drive.axis && !drive.elastic())
    refuse(
        "joint", joint.name,
        "the efficiency of a rigid gear cannot be combined with an axis of its rotor; give a stiffness, or remove one");
  if (drive.motor) check_motor(joint, *drive.motor);
  if (drive.brake) check_brake(joint, *drive.brake);
  if (!drive.axis) return;
  if (joint.kind == kSlider)
    refuse("joint", joint.name, "the drive of a slider has no axis: rotor spin is not supported; remove it");
  const double length = drive.axis->norm();
  if (!(length > 0) || !std::isfinite(length))
    refuse("joint", joint.name, "the axis of its drive has no direction; write three numbers that are not all zero");
  *drive.axis /= length;
  joint.drive = std::make_shared<const Drive>(drive);
}

void check_friction(const Joint& joint) {
  if (!joint.friction) return;
  check_one_coordinate(joint, "friction");
  const JointFriction& f = *joint.friction;
  const std::pair<double, const char*> values[] = {{f.viscous, "viscous friction"},
                                                   {f.coulomb, "Coulomb friction"},
                                                   {f.breakaway, "static friction"},
                                                   {f.stribeck, "Stribeck speed"},
                                                   {f.presliding, "presliding"}};
  for (const auto& [value, what] : values) check_at_least_zero(joint, value, what);
  if (f.breakaway < f.coulomb) refuse("joint", joint.name, "its static friction is below its Coulomb friction");
  if (f.load) {
    check_at_least_zero(joint, f.load->coefficient, "the coefficient of load-dependent friction");
    check_at_least_zero(joint, f.load->breakaway, "the static coefficient of load-dependent friction");
    check_at_least_zero(joint, f.load->radius, "the radius of load-dependent friction");
    if (f.load->breakaway < f.load->coefficient)
      refuse("joint", joint.name, "the static coefficient of its friction is below the coefficient of sliding");
    if (joint.kind != JointKind::revolute && joint.kind != JointKind::prismatic)
      refuse("joint", joint.name, "friction from its load belongs to revolute and prismatic joints");
    if ((f.load->radius > 0) != (joint.kind == JointKind::revolute))
      refuse("joint", joint.name,
             "friction from the load needs the radius of the bearing where a joint turns, and "
             "has none where it slides");
    if (!(f.load->breakaway > 0)) refuse("joint", joint.name, "friction from its load needs a coefficient above 0");
  }
  if (f.dry() && !(f.presliding > 0))
    refuse("joint", joint.name, "the presliding of its friction must be above 0: so far it moves before it slides");
  if (!std::isfinite(f.damping)) refuse("joint", joint.name, "the damping of its friction must be a finite number");
}

}  // namespace model_impl
}  // namespace limber
