// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/force_laws.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace limber {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool goes_on(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; }

bool ends_with(const std::string& name, std::string_view tail, std::string& rest) {
  if (name.size() <= tail.size() || !name.ends_with(tail)) return false;
  rest = name.substr(0, name.size() - tail.size());
  return true;
}

int index_in(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

bool find_element_channel(std::span<const ForceElement> elements, const std::string& name, StateChannel& out) {
  std::string rest;
  const bool length = ends_with(name, ".length", rest);
  if (!length && !ends_with(name, ".rate", rest)) return false;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (elements[k].name != rest || elements[k].kind == ForceElement::Kind::bushing) continue;
    out.kind = length ? StateChannel::Kind::length : StateChannel::Kind::extension;
    out.index = static_cast<int>(k);
    return true;
  }
  return false;
}

bool find_node_channel(const Model& model, const std::string& name, StateChannel& out) {
  for (int k = 0; k < 3; ++k) {
    const std::string axis(1, "xyz"[k]);
    std::string rest;
    const bool velocity = ends_with(name, ".v" + axis, rest);
    if (!velocity && !ends_with(name, "." + axis, rest)) continue;
    try {
      out.node = model.node(rest);
    } catch (const InputError&) {
      return false;
    }
    out.kind = velocity ? StateChannel::Kind::velocity : StateChannel::Kind::position;
    out.component = k;
    return out.node.body != kGround;
  }
  return false;
}

// The components of a quaternion are no displacements along speeds.
bool is_quaternion(const Model& model, int q) {
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (q >= joint.q && q < model.first_mode_q(i)) return joint_traits(joint.kind).quaternion && q < joint.q + 4;
  }
  return false;
}

}  // namespace

ExpressionLaw::ExpressionLaw(std::string text, std::span<const std::string> names)
    : text_(std::move(text)), expression_(text_, names) {}

double ExpressionLaw::force(double t, std::span<const double> values, std::span<double> slopes) const {
  return expression_.at(t, values, slopes);
}

TableLaw::TableLaw(const VectorXd& x, const VectorXd& force, Interpolation interpolation)
    : x_(x),
      force_(force),
      sums_(VectorXd::Zero(x.size())),
      interpolation_(interpolation),
      signal_(Signal::table(x, force, interpolation)) {
  for (Eigen::Index k = 1; k < x_.size(); ++k) sums_[k] = sums_[k - 1] + integral(x_[k - 1], x_[k]);
}

double TableLaw::force(double, std::span<const double> values, std::span<double> slopes) const {
  const Jet at = signal_.at(values[0]);
  std::fill(slopes.begin(), slopes.end(), 0.0);
  slopes[0] = at.rate;
  return at.value;
}

// Three-point Gauss rule: exact up to degree five.
double TableLaw::integral(double from, double to) const {
  const double half = 0.5 * (to - from), middle = 0.5 * (from + to), away = std::sqrt(0.6) * half;
  const auto at = [&](double x) { return signal_.at(x, middle).value; };
  return half * (5 * at(middle - away) + 8 * at(middle) + 5 * at(middle + away)) / 9;
}

std::optional<double> TableLaw::energy(double x) const {
  const auto next = std::upper_bound(x_.begin(), x_.end(), x) - x_.begin();
  if (next == 0) return -(x - x_[0]) * force_[0];
  const double from = x_[next - 1];
  return -sums_[next - 1] - (next == x_.size() ? (x - from) * force_[next - 1] : integral(from, x));
}

std::vector<std::string> names_in_expression(std::string_view text) {
  constexpr std::string_view kKnown[] = {"x",    "v",    "t",    "pi",   "e",    "sin", "cos", "tan", "asin",
                                         "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt"};
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isdigit(static_cast<unsigned char>(text[at])) != 0 || text[at] == '.') {  // 2e3 is a number
      while (at < text.size() && goes_on(text[at])) ++at;
      continue;
    }
    if (!begins_name(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && goes_on(text[at])) ++at;
    const std::string name(text.substr(begin, at - begin));
    if (std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown)) continue;
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

StateChannel find_state_channel(const Model& model, std::span<const ForceElement> elements, const std::string& name) {
  StateChannel out;
  out.name = name;
  if (const int q = index_in(model.coordinates, name); q >= 0 && !is_quaternion(model, q)) {
    out.index = q;
    return out;
  }
  std::string rest;
  if (ends_with(name, ".rate", rest)) {
    if (const int v = index_in(model.speeds, rest); v >= 0) {
      out.kind = StateChannel::Kind::rate;
      out.index = v;
      return out;
    }
  }
  if (find_node_channel(model, name, out) || find_element_channel(elements, name, out)) return out;
  throw InputError("'" + name.substr(0, 60) +
                   "' is not known; write x, v, t, a joint coordinate (elbow), its speed (elbow.rate), the place or "
                   "velocity of a node (boom.tip.z, boom.tip.vz), or the length of an element (strut.length, "
                   "strut.rate)");
}

}  // namespace limber
