// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limber/files/reader.hpp"
#include "limber/model/joint_kind.hpp"

namespace limber {

// Exponents of metre, kilogram, second, ampere, radian.
using Dimension = std::array<int, 5>;

struct Unit {
  double scale = 1;  // into SI units
  Dimension dimension{};
};
// "mm", "kN", "N m/rad", "kg m^2", "deg/s", "%"; nothing: no unit.
std::optional<Unit> parse_unit(std::string_view text);

struct Quantity {
  double value = 0;  // in SI units
  std::string unit;  // as written; empty: none
  Dimension dimension{};
};
// "90 deg", "3mm", "2 kN", "pi/2", "-pi/4 rad"; nothing: neither a number with a unit nor a constant expression.  A
// plain number is not for this.
std::optional<Quantity> parse_quantity(std::string_view text);
// "kg m^2 s^-2": the SI unit of a dimension; empty: none.
std::string si_unit(const Dimension& dimension);
// The unknown unit of "12 parsec"; empty: the text is not a number with a unit.
std::string unknown_unit(std::string_view text);

// Whether two dimensions are the same quantity.  Radians count only without length and mass: N m/rad is N m, but 90 deg
// is not a ratio.
bool same_quantity(const Dimension& a, const Dimension& b);

// SI units that the value at this place may have, by its key and its item.  Empty: none.
std::string_view units_at(const Reader& value);

// A value that is written with a unit must be of the quantity of units[0], as "rad" or "N m", those of a list of the
// unit at their place; in a signal also those of its pieces, table or sine.  For places where the key alone does not
// tell.  "1": no unit. Throws InputError.
void check_units(const Reader& value, const std::vector<std::string>& units);
// The same; one value that stands for all is checked with every unit.
void check_units_each(const Reader& value, const std::vector<std::string>& units);
// Units of a joint's key: "stiffness", "damping", "armature", "effort", "velocity", "lower", "upper".
std::vector<std::string> joint_units(JointKind kind, std::string_view key);

}  // namespace limber
