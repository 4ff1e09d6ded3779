// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/detail/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "limber/files/detail/text.hpp"
#include "limber/simulate/expression.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

struct NamedUnit {
  std::string_view name;
  double scale;
  Dimension dimension;  // m, kg, s, A, rad
  bool prefixes;        // takes the prefixes k, M, G, c, m, u
};

constexpr double kPi = std::numbers::pi;
constexpr NamedUnit kUnits[] = {{"m", 1, {1, 0, 0, 0, 0}, true},          {"in", 0.0254, {1, 0, 0, 0, 0}, false},
                                {"ft", 0.3048, {1, 0, 0, 0, 0}, false},   {"g", 1e-3, {0, 1, 0, 0, 0}, true},
                                {"t", 1e3, {0, 1, 0, 0, 0}, false},       {"lb", 0.45359237, {0, 1, 0, 0, 0}, false},
                                {"s", 1, {0, 0, 1, 0, 0}, true},          {"min", 60, {0, 0, 1, 0, 0}, false},
                                {"h", 3600, {0, 0, 1, 0, 0}, false},      {"Hz", 1, {0, 0, -1, 0, 0}, true},
                                {"rad", 1, {0, 0, 0, 0, 1}, true},        {"deg", kPi / 180, {0, 0, 0, 0, 1}, false},
                                {"°", kPi / 180, {0, 0, 0, 0, 1}, false}, {"rpm", kPi / 30, {0, 0, -1, 0, 1}, false},
                                {"N", 1, {1, 1, -2, 0, 0}, true},         {"Nm", 1, {2, 1, -2, 0, 0}, true},
                                {"Pa", 1, {-1, 1, -2, 0, 0}, true},       {"J", 1, {2, 1, -2, 0, 0}, true},
                                {"W", 1, {2, 1, -3, 0, 0}, true},         {"A", 1, {0, 0, 0, 1, 0}, true},
                                {"V", 1, {2, 1, -3, -1, 0}, true},        {"ohm", 1, {2, 1, -3, -2, 0}, true},
                                {"%", 0.01, {0, 0, 0, 0, 0}, false}};
constexpr std::pair<std::string_view, double> kPrefixes[] = {{"k", 1e3},  {"M", 1e6},  {"G", 1e9}, {"c", 1e-2},
                                                             {"m", 1e-3}, {"u", 1e-6}, {"µ", 1e-6}};

const NamedUnit* find_unit(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kUnits), std::end(kUnits), [&](const NamedUnit& u) { return u.name == name; });
  return found == std::end(kUnits) ? nullptr : found;
}

// One factor without its exponent: "mm", "kN", "min".
std::optional<Unit> parse_factor(std::string_view name) {
  if (const NamedUnit* plain = find_unit(name)) return Unit{plain->scale, plain->dimension};
  for (const auto& [prefix, scale] : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    const NamedUnit* rest = find_unit(name.substr(prefix.size()));
    if (rest != nullptr && rest->prefixes) return Unit{scale * rest->scale, rest->dimension};
  }
  return std::nullopt;
}

// Its exponent: ^2, ², -1 ...; removed from the end of the factor.
int take_power(std::string_view& factor) {
  for (const auto& [mark, power] : {std::pair<std::string_view, int>{"²", 2}, {"³", 3}}) {
    if (!factor.ends_with(mark)) continue;
    factor.remove_suffix(mark.size());
    return power;
  }
  const std::size_t hat = factor.find('^');
  if (hat == std::string_view::npos) return 1;
  int power = 0;
  const std::string_view digits = factor.substr(hat + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), power);
  if (error != std::errc() || end != digits.data() + digits.size() || power == 0 || std::abs(power) > 6) return 0;
  factor = factor.substr(0, hat);
  return power;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::optional<double> plain_number(std::string_view& text) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// "pi/2", "2*pi/3".
std::optional<double> constant(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  const bool written =
      text.find_first_of("*/^(") != std::string_view::npos || text.find("pi") != std::string_view::npos;
  if (text.size() > kLongest || !written) return std::nullopt;
  try {
    const Expression expression(text);
    const double value = expression.at(0).value;
    if (!expression.is_constant() || !std::isfinite(value)) return std::nullopt;
    return value;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// Permitted SI units of a key; "|" separates alternatives.  A key may be qualified by its parents, "gyro.noise", "*"
// for any; the first match applies.
struct KeyUnits {
  std::string_view key, units;
};
constexpr KeyUnits kJointKeys[] = {{"stiffness", "N/m|N m/rad"},
                                   {"damping", "N s/m|N m s/rad"},
                                   {"armature", "kg|kg m^2"},
                                   {"ratio", "%|rad/m"},
                                   {"inertia", "kg m^2"},
                                   {"torque_constant", "N m/A"},
                                   {"back_emf", "V s/rad"},
                                   {"resistance", "ohm"},
                                   {"current", "A"},
                                   {"voltage", "V"},
                                   {"curve", "rad/s|N m"},
                                   {"backlash", "m|rad"},
                                   {"efficiency", "%"},
                                   {"load.static", "%"},
                                   {"load", "%"},
                                   {"coefficient", "%"},
                                   {"radius", "m"},
                                   {"torque", "N|N m"},
                                   {"restitution", "%"},
                                   {"viscous", "N s/m|N m s/rad"},
                                   {"coulomb", "N|N m"},
                                   {"static", "N|N m"},
                                   {"stribeck", "m/s|rad/s"},
                                   {"presliding", "m|rad"},
                                   {"effort", "N|N m"},
                                   {"velocity", "m/s|rad/s"},
                                   {"lower", "m|rad"},
                                   {"upper", "m|rad"},
                                   {"rest", "m|rad"},
                                   {"xyz", "m"},
                                   {"rpy", "rad"}};
constexpr KeyUnits kBodyKeys[] = {{"length", "m"},
                                  {"width", "m"},
                                  {"height", "m"},
                                  {"thickness", "m"},
                                  {"diameter", "m"},
                                  {"wall", "m"},
                                  {"flange", "m"},
                                  {"web", "m"},
                                  {"radius", "m"},
                                  {"position", "m"},
                                  {"xyz", "m"},
                                  {"com", "m"},
                                  {"box", "m"},
                                  {"rpy", "rad"},
                                  {"mass", "kg"},
                                  {"mass_per_length", "kg/m"},
                                  {"mass_per_area", "kg/m^2"},
                                  {"inertia", "kg m^2"},
                                  {"rotary_inertia_per_length", "kg m"},
                                  {"EIy", "N m^2"},
                                  {"EIz", "N m^2"},
                                  {"GJ", "N m^2"},
                                  {"EA", "N"},
                                  {"E", "Pa"},
                                  {"G", "Pa"},
                                  {"density", "kg/m^3"},
                                  {"D", "N m"},
                                  {"poisson", "%"},
                                  {"damping", "%"},
                                  {"at", "%"}};
constexpr KeyUnits kElementKeys[] = {{"stiffness", "N/m|N m/rad"},
                                     {"damping", "N s/m|N m s/rad"},
                                     {"length", "m"},
                                     {"rest", "m|rad"},
                                     {"radius", "m"},
                                     {"a", "m"},
                                     {"b", "m"},
                                     {"over", "m"},
                                     {"xyz", "m"},
                                     {"rpy", "rad"},
                                     {"box", "m"},
                                     {"EA", "N"},
                                     {"force", "N|N m"},
                                     {"x", "m|rad"},
                                     {"y", "N|N m"},
                                     {"point", "m"},
                                     {"on", "m"},
                                     {"friction", "%"},
                                     {"coefficient", "%"},
                                     {"restitution", "%"},
                                     {"stick_stiffness", "N/m"},
                                     {"stick_damping", "N s/m"},
                                     {"slip_speed", "m/s"}};
constexpr KeyUnits kOtherKeys[] = {{"gravity", "m/s^2"},
                                   {"duration", "s"},
                                   {"every", "s"},
                                   {"step", "s"},
                                   {"max_step", "s"},
                                   {"until", "s"},
                                   {"t", "s"},
                                   {"begin", "s"},
                                   {"start", "s"},
                                   {"lead", "s"},
                                   {"dwell", "s"},
                                   {"delay", "s"},
                                   {"time", "s"},
                                   {"rate", "Hz"},
                                   {"frequency", "Hz"},
                                   {"frequencies", "Hz"},
                                   {"bandwidth", "Hz"},
                                   {"phase", "rad"},
                                   {"q", "m|rad"},
                                   {"v", "m/s|rad/s"},
                                   {"thrusters.list.force", "N"},
                                   {"force", "N|N m"},
                                   {"torque", "N|N m"},
                                   {"motion", "m|rad"},
                                   {"inputs.brake", "%"},
                                   {"current", "A"},
                                   {"voltage", "V"},
                                   {"xyz", "m"},
                                   {"rpy", "rad"},
                                   {"angle", "rad"},
                                   {"attitude.desired.limits.speed", "rad/s"},
                                   {"attitude.desired.limits.acceleration", "rad/s^2"},
                                   {"speed", "m/s|rad/s"},
                                   {"acceleration", "m/s^2|rad/s^2"},
                                   {"position", "m|rad"},
                                   {"vibration", "J"},
                                   {"tolerance", "m/s^2|rad/s^2"},
                                   {"kp", "N/m|N m/rad"},
                                   {"kd", "N s/m|N m s/rad"},
                                   {"ki", "N/m s|N m/rad s"},
                                   {"ratio", "%"},
                                   {"modal_ratio", "%"},
                                   {"adaptation.*.range", "%"},
                                   {"gear", "%|rad/m"},
                                   {"torque_constant", "N m/A|N/A"},
                                   {"max_torque_rate", "N/s|N m/s"},
                                   {"wheels.max_torque", "N m"},
                                   {"wheels.max_speed", "rad/s"},
                                   {"max_torque", "N|N m"},
                                   {"max_speed", "m/s|rad/s"},
                                   {"unload", "N m s"},
                                   {"period", "s"},
                                   {"deadband", "rad"},
                                   {"hysteresis", "rad"},
                                   {"minimum_pulse", "s"},
                                   {"bias_time", "s"},
                                   {"resolution", "m|rad"},
                                   {"speed_noise", "m/s|rad/s"},
                                   {"strains.noise", "rad/m"},
                                   {"accelerometers.noise", "m/s^2"},
                                   {"accelerometer.noise", "m/s^2"},
                                   {"accelerometer.bias", "m/s^2"},
                                   {"gyro.noise", "rad/s"},
                                   {"star_tracker.noise", "rad"},
                                   {"noise", "m|rad"},
                                   {"misalignment", "rad"},
                                   {"bias", "rad/s"},
                                   {"desired.samples", ""},
                                   {"desired.x", "m"},
                                   {"desired.y", "m"},
                                   {"desired.z", "m"},
                                   {"desired.*", "m|rad"}};

// "inputs[2].torque.pieces[0].value.table.y[1]" has the unit of "inputs.torque": the values of a signal.
std::string key_path(std::string_view path) {
  std::string out;
  bool inside = false;
  for (const char c : path) {
    if (c == '[') inside = true;
    if (!inside) out += c;
    if (c == ']') inside = false;
  }
  const auto strip = [&](std::string_view end) {
    if (!out.ends_with(end)) return false;
    out.resize(out.size() - end.size());
    return true;
  };
  while (strip(".pieces.value") || strip(".table.y") || strip(".sine.amplitude") || strip(".sine.offset")) {
  }
  if (out.ends_with(".table.t") || out.ends_with(".pieces.until")) return out.substr(out.rfind('.') + 1);
  return out;
}

// Whether the path ends with these keys.
bool path_ends(std::string_view path, std::string_view keys) {
  while (true) {
    const std::size_t a = path.rfind('.'), b = keys.rfind('.');
    const std::string_view last = path.substr(a == std::string_view::npos ? 0 : a + 1);
    const std::string_view wanted = keys.substr(b == std::string_view::npos ? 0 : b + 1);
    if (wanted != "*" && wanted != last) return false;
    if (b == std::string_view::npos) return true;
    if (a == std::string_view::npos) return false;
    path = path.substr(0, a);
    keys = keys.substr(0, b);
  }
}

// A value of a signal in pieces, of a table or a sine, and their parts.
template <class Action>
void for_each_value(const Reader& signal, const Action& action) {
  if (!signal.is_map()) return action(signal);
  const auto inner = [](const std::optional<Reader>& map, std::string_view key) {
    return map && map->is_map() ? map->find(key) : std::nullopt;
  };
  if (const auto pieces = signal.find("pieces"); pieces && pieces->is_list()) {
    for (const Reader& piece : pieces->list())
      if (const auto part = inner(piece, "value")) for_each_value(*part, action);
  }
  if (const auto y = inner(signal.find("table"), "y"); y && y->is_list()) {
    for (const Reader& value : y->list()) action(value);
  }
  for (const std::string_view key : {"amplitude", "offset"})
    if (const auto value = inner(signal.find("sine"), key)) action(*value);
}

}  // namespace

std::optional<Unit> parse_unit(std::string_view text) {
  Unit out;
  int sign = 1, factors = 0;
  while (!text.empty()) {
    const bool times = text[0] == '*' || text.starts_with("·");
    if (times && factors == 0) return std::nullopt;  // 2*t is an expression
    if (times || is_blank(text[0])) {
      text.remove_prefix(text.starts_with("·") ? std::string_view("·").size() : 1);
      continue;
    }
    if (text[0] == '/') {
      if (sign < 0 || factors == 0) return std::nullopt;  // a/b/c is ambiguous
      sign = -1;
      text.remove_prefix(1);
      continue;
    }
    std::size_t end = std::min(text.find_first_of(" \t*/"), text.size());
    end = std::min(end, std::min(text.find("·"), text.size()));
    std::string_view factor = text.substr(0, end);
    text.remove_prefix(end);
    const int power = take_power(factor);
    const std::optional<Unit> unit = parse_factor(factor);
    if (power == 0 || !unit || ++factors > 8) return std::nullopt;
    out.scale *= std::pow(unit->scale, sign * power);
    for (std::size_t i = 0; i < out.dimension.size(); ++i) out.dimension[i] += sign * power * unit->dimension[i];
  }
  if (factors == 0) return std::nullopt;
  return out;
}

std::optional<Quantity> parse_quantity(std::string_view text) {
  while (!text.empty() && is_blank(text[0])) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  const auto with = [](double value, std::string_view unit_text) -> std::optional<Quantity> {
    const std::optional<Unit> unit = parse_unit(unit_text);
    if (!unit) return std::nullopt;
    return Quantity{value * unit->scale, std::string(unit_text), unit->dimension};
  };
  std::string_view rest = text;
  if (const auto value = plain_number(rest); value && !rest.empty()) {
    while (!rest.empty() && is_blank(rest[0])) rest.remove_prefix(1);
    if (auto found = with(*value, rest)) return found;
  }
  if (const auto value = constant(text)) return Quantity{*value, "", {}};
  for (std::size_t blank = text.find(' '); blank != std::string_view::npos; blank = text.find(' ', blank + 1)) {
    const auto value = constant(text.substr(0, blank));
    if (!value) continue;
    if (auto found = with(*value, text.substr(blank + 1))) return found;
  }
  return std::nullopt;
}

std::string si_unit(const Dimension& dimension) {
  constexpr std::string_view kBase[] = {"m", "kg", "s", "A", "rad"};
  std::string out;
  for (std::size_t i = 0; i < dimension.size(); ++i) {
    if (dimension[i] == 0) continue;
    out += fmt::format("{}{}", out.empty() ? "" : " ", kBase[i]);
    if (dimension[i] != 1) out += fmt::format("^{}", dimension[i]);
  }
  return out;
}

std::string unknown_unit(std::string_view text) {
  std::string_view rest = text;
  if (!plain_number(rest) || rest.empty() || !is_blank(rest[0])) return "";
  while (!rest.empty() && is_blank(rest[0])) rest.remove_prefix(1);
  return std::string(rest);
}

bool same_quantity(const Dimension& a, const Dimension& b) {
  const bool bare = a[0] == 0 && a[1] == 0 && a[3] == 0;
  return std::equal(a.begin(), a.begin() + 4, b.begin()) && (!bare || a[4] == b[4]);
}

std::string_view units_at(const Reader& value) {
  const std::string path = key_path(value.path());
  const auto look = [&](const auto& keys) -> std::string_view {
    const auto* found =
        std::find_if(std::begin(keys), std::end(keys), [&](const KeyUnits& k) { return path_ends(path, k.key); });
    return found == std::end(keys) ? "" : found->units;
  };
  if (value.item().starts_with("joint ")) return look(kJointKeys);
  if (value.item().starts_with("body ")) return look(kBodyKeys);
  if (value.item().starts_with("element ") || value.item().starts_with("contact ")) return look(kElementKeys);
  return look(kOtherKeys);
}

void check_units(const Reader& value, const std::vector<std::string>& units) {
  if (units.empty()) return;
  if (value.is_list()) {
    const std::vector<Reader> items = value.list();
    for (std::size_t i = 0; i < items.size() && i < units.size(); ++i) check_units(items[i], {units[i]});
    return;
  }
  const std::optional<Unit> wanted = parse_unit(units[0]);
  for_each_value(value, [&](const Reader& one) {
    const std::optional<Quantity> given = one.is_scalar() ? parse_quantity(one.text()) : std::nullopt;
    if (!given || given->unit.empty()) return;
    if (!wanted) one.fail(fmt::format("takes no unit, but is {}; write the number alone", show(one.text())));
    if (same_quantity(given->dimension, wanted->dimension)) return;
    one.fail(fmt::format("must be in {} or a multiple of it, but is {}", units[0], show(one.text())));
  });
}

void check_units_each(const Reader& value, const std::vector<std::string>& units) {
  if (value.is_list()) return check_units(value, units);
  for (const std::string& unit : units) check_units(value, {unit});
}

std::vector<std::string> joint_units(JointKind kind, std::string_view key) {
  if (key == "effort") return force_units(kind);
  if (key == "velocity") return speed_units(kind);
  if (key == "lower" || key == "upper") return position_units(kind);
  std::vector<std::string> out = force_units(kind);
  for (std::string& unit : out) {
    const bool turns = unit == "N m";
    if (key == "stiffness") unit = turns ? "N m/rad" : "N/m";
    if (key == "damping") unit = turns ? "N m s/rad" : "N s/m";
    if (key == "armature") unit = turns ? "kg m^2" : "kg";
  }
  return out;
}

}  // namespace limber
