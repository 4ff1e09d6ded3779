// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/drive_reader.hpp"

#include <fmt/format.h>

#include <array>

#include "limber/files/detail/quantity.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/friction.hpp"

namespace limber {
namespace {

// Units of one quantity at a rotational and at a sliding joint.
struct Units {
  std::string_view key, turning, sliding;
};
constexpr Units kDriveUnits[] = {{"ratio", "1", "rad/m"},         {"inertia", "kg m^2", "kg m^2"},
                                 {"stiffness", "N m/rad", "N/m"}, {"damping", "N m s/rad", "N s/m"},
                                 {"backlash", "rad", "m"},        {"efficiency", "1", "1"}};
constexpr Units kLoadUnits[] = {{"coefficient", "1", "1"}, {"static", "1", "1"}, {"radius", "m", "m"}};
constexpr Units kMotorUnits[] = {{"torque_constant", "N m/A", ""},
                                 {"back_emf", "V s/rad", ""},
                                 {"resistance", "ohm", ""},
                                 {"current", "A", ""},
                                 {"voltage", "V", ""}};
constexpr Units kFrictionUnits[] = {
    {"viscous", "N m s/rad", "N s/m"}, {"coulomb", "N m", "N"},    {"static", "N m", "N"},
    {"stribeck", "rad/s", "m/s"},      {"presliding", "rad", "m"}, {"damping", "N m s/rad", "N s/m"}};

template <std::size_t N>
void check_all_units(const Reader& map, const Units (&table)[N], bool turns) {
  for (const Units& units : table) {
    if (const auto at = map.find(units.key)) check_units(*at, {std::string(turns ? units.turning : units.sliding)});
  }
}

// The map of a key that is allowed for joints with one coordinate only.
std::optional<Reader> find_map(const Reader& joint_at, std::string_view key, const Joint& joint) {
  const auto at = joint_at.find(key);
  if (!at) return at;
  const JointTraits& traits = joint_traits(joint.kind);
  if (traits.positions.size() != 1 || !traits.driven)
    at->fail(
        fmt::format("has no meaning for type {}; only joints with one coordinate have it, e.g. revolute and prismatic",
                    to_string(joint.kind)));
  return at;
}

bool turns(const Joint& joint) { return force_units(joint.kind)[0] == "N m"; }

double read_or(const Reader& map, std::string_view key, double none) {
  const auto at = map.find(key);
  return at ? at->not_negative() : none;
}

Motor read_motor(const Reader& at) {
  at.check_keys({"torque_constant", "back_emf", "resistance", "current", "voltage", "curve"});
  check_all_units(at, kMotorUnits, true);
  Motor out;
  out.torque_constant = read_or(at, "torque_constant", 0);
  out.back_emf = read_or(at, "back_emf", out.torque_constant);
  if (const auto resistance = at.find("resistance")) out.resistance = resistance->positive();
  const auto current = at.find("current"), voltage = at.find("voltage");
  if (current) out.current = current->positive();
  if (voltage) out.voltage = voltage->positive();
  if ((current || voltage) && !(out.torque_constant > 0)) at.at("torque_constant", "torque_constant: 0.1").positive();
  if (voltage && !(out.resistance > 0)) at.at("resistance", "resistance: 0.5");
  const auto curve = at.find("curve");
  if (!curve) {
    if (!current && !voltage && !(out.torque_constant > 0))
      at.fail("has neither limits nor commands; write a torque_constant, current, voltage or a curve");
    return out;
  }
  for (const Reader& point : curve->list()) {
    check_units(point, {"rad/s", "N m"});
    const VectorXd pair = point.numbers();
    if (pair.size() != 2) point.fail("must be a speed (rad/s) and the largest torque (N m) there, as [0, 1.5]");
    const double before = out.curve.empty() ? -1 : out.curve.back()[0];
    if (out.curve.empty() ? pair[0] != 0 : pair[0] <= before)
      point.fail("is out of order: the speeds of a curve must increase from 0");
    if (pair[1] < 0) point.fail("has a torque below 0");
    out.curve.push_back({pair[0], pair[1]});
  }
  if (out.curve.size() < 2) curve->fail("needs two points or more, as [[0, 1.5], [300, 0]]");
  return out;
}

constexpr std::array<std::string_view, 2> kSides = {"motor", "link"};

Brake read_brake(const Reader& at, bool turns) {
  at.check_keys({"torque", "static", "side", "presliding"});
  Brake out;
  if (const auto side = at.find("side")) out.at_joint = side->choice(kSides) == 1;
  const auto presliding = at.find("presliding");
  if (presliding) check_units(*presliding, {turns ? "rad" : "m"});
  for (const std::string_view key : {"torque", "static"}) {
    if (const auto value = at.find(key)) check_units(*value, {turns || !out.at_joint ? "N m" : "N"});
  }
  out.torque = at.at("torque", "torque: 3").positive();
  out.breakaway = read_or(at, "static", out.torque);
  if (out.breakaway < out.torque)
    at.at("static", "").fail(fmt::format("must not be below torque, which is {}", out.torque));
  if (presliding) out.presliding = presliding->positive();
  return out;
}

// A plain number is the coefficient.
LoadFriction read_load(const Reader& at, bool turns) {
  LoadFriction out;
  if (!at.is_map()) {
    if (turns) at.fail("needs the radius of the bearing; write load: {coefficient: 0.1, radius: 10 mm}");
    check_units(at, {"1"});
    out.coefficient = out.breakaway = at.positive();
    return out;
  }
  at.check_keys({"coefficient", "static", "radius"});
  check_all_units(at, kLoadUnits, turns);
  out.coefficient = at.at("coefficient", "coefficient: 0.1").positive();
  out.breakaway = read_or(at, "static", out.coefficient);
  if (out.breakaway < out.coefficient)
    at.at("static", "").fail(fmt::format("must not be below coefficient, which is {}", out.coefficient));
  const auto radius = at.find("radius");
  if (radius && !turns) radius->fail("belongs to revolute joints; remove it");
  if (turns) out.radius = at.at("radius", "radius: 10 mm").positive();
  return out;
}

void read_losses(const Reader& at, bool turns, Drive& drive) {
  if (const auto backlash = at.find("backlash")) {
    drive.backlash = backlash->not_negative();
    if (!drive.elastic()) backlash->fail("has no effect without a stiffness; give one, or remove it");
  }
  if (const auto efficiency = at.find("efficiency")) {
    drive.efficiency = efficiency->positive();
    if (drive.efficiency > 1)
      efficiency->fail("must be at most 1: the power that leaves the gear over that which enters");
    if (drive.efficiency < 1 && drive.axis && !drive.elastic())
      efficiency->fail("of a rigid gear cannot be combined with an axis; give a stiffness, or remove one of the two");
  }
  if (const auto brake = at.find("brake")) drive.brake = read_brake(*brake, turns);
}

}  // namespace

void read_drive(const Reader& joint_at, Joint& joint) {
  const auto at = find_map(joint_at, "drive", joint);
  if (!at) return;
  at->check_keys({"ratio", "inertia", "axis", "stiffness", "damping", "backlash", "efficiency", "motor", "brake"});
  check_all_units(*at, kDriveUnits, turns(joint));
  Drive drive;
  if (const auto ratio = at->find("ratio")) {
    drive.ratio = ratio->number();
    if (drive.ratio == 0) ratio->fail("must not be 0");
  } else if (!turns(joint)) {
    at->at("ratio", "ratio: 628 rad/m");
  }
  drive.inertia = read_or(*at, "inertia", 0);
  if (const auto stiffness = at->find("stiffness")) {
    drive.stiffness = stiffness->positive();
    if (!(drive.inertia > 0)) at->at("inertia", "inertia: 1e-4").positive();
  }
  if (const auto damping = at->find("damping")) {
    drive.damping = damping->not_negative();
    if (!drive.elastic()) damping->fail("has no effect without a stiffness; give one, or remove it");
  }
  if (const auto axis = at->find("axis")) {
    drive.axis = axis->vector3();
    if (!(drive.axis->norm() > 0)) axis->fail("has length 0; write e.g. axis: [0, 0, 1]");
    if (!(drive.inertia > 0)) axis->fail("has no effect without an inertia; give one, or remove it");
  }
  if (const auto motor = at->find("motor")) drive.motor = read_motor(*motor);
  read_losses(*at, turns(joint), drive);
  joint.drive = std::make_shared<const Drive>(drive);
}

void read_friction(const Reader& joint_at, Joint& joint) {
  const auto at = find_map(joint_at, "friction", joint);
  if (!at) return;
  at->check_keys({"viscous", "coulomb", "static", "stribeck", "presliding", "damping", "load"});
  check_all_units(*at, kFrictionUnits, turns(joint));
  JointFriction friction;
  friction.viscous = read_or(*at, "viscous", 0);
  friction.coulomb = read_or(*at, "coulomb", 0);
  friction.breakaway = read_or(*at, "static", friction.coulomb);
  if (friction.breakaway < friction.coulomb)
    at->at("static", "").fail(fmt::format("must not be below coulomb, which is {}", friction.coulomb));
  if (const auto load = at->find("load")) {
    if (joint.kind != JointKind::revolute && joint.kind != JointKind::prismatic)
      load->fail(
          fmt::format("has no meaning for type {}; revolute and prismatic joints take it", to_string(joint.kind)));
    friction.load = read_load(*load, turns(joint));
  }
  friction.stribeck = read_or(*at, "stribeck", 0);
  const bool falls =
      friction.breakaway > friction.coulomb || (friction.load && friction.load->breakaway > friction.load->coefficient);
  if (friction.stribeck > 0 && !falls)
    at->at("stribeck", "").fail("has no effect unless static is above coulomb; give static, or remove it");
  const auto presliding = at->find("presliding"), damping = at->find("damping");
  if (presliding) friction.presliding = presliding->positive();
  if (damping) friction.damping = damping->not_negative();
  if (!friction.dry() && (presliding || damping))
    (presliding ? presliding : damping)->fail("has no effect without coulomb or load; give one, or remove it");
  joint.friction = std::make_shared<const JointFriction>(friction);
}

}  // namespace limber
