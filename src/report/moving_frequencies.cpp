// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "report/moving_frequencies.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/linear/analysis.hpp"
#include "limber/linear/campbell.hpp"

namespace limber {
namespace {

constexpr double kSlow = 0.1;       // of the lowest omega: the change of stiffness, by its square, is then small
constexpr int kMaxForFloquet = 40;  // coordinates: limits the time to make a page
constexpr double kTurn = 2 * std::numbers::pi;

double fastest_joint(const Model& model, const State& x) {
  double fastest = 0;  // rad/s
  for (int i = 1; i < model.body_count(); ++i)
    fastest = std::max(fastest, x.v.segment(model.joints[i].v, speed_count(model.joints[i].kind)).norm());
  return fastest;
}

// The state with the joint speeds, and modes at rest.
State without_vibration(const Model& model, State x) {
  for (int i = 1; i < model.body_count(); ++i) x.v.segment(model.first_mode(i), model.body(i).modes).setZero();
  return x;
}

std::vector<double> frozen_frequencies(const Model& model, const State& x, const LinearizeOptions& options) {
  std::vector<double> hertz;
  for (const VibrationMode& mode : compute_modes(linearize(model, x, options)))
    if (mode.frequency > 0 && mode.growth == 0) hertz.push_back(mode.frequency / kTurn);
  return hertz;
}

// Frequencies of the steady motion, with one rotating rotor and all other joints at rest.
std::vector<double> rotor_frequencies(const Model& model, const State& x) {
  RotorOptions options;
  options.held.assign(static_cast<std::size_t>(model.body_count()), 1);
  for (const int i : find_rotors(model))
    if (std::abs(x.v[model.joints[i].v]) > 0.99 * fastest_joint(model, x)) options.rotor = i;
  if (options.rotor < 0 || model.nv > kMaxForFloquet) return {};
  options.held[static_cast<std::size_t>(options.rotor)] = 0;
  const double speed = x.v[model.joints[options.rotor].v];
  State others = x;
  others.v[model.joints[options.rotor].v] = 0;
  if (fastest_joint(model, others) > 1e-3 * std::abs(speed)) return {};
  std::vector<double> hertz;
  for (const RotorMode& mode : compute_rotor_modes(model, x, options, speed).modes)
    if (mode.frequency > 0) hertz.push_back(mode.frequency / kTurn);
  return hertz;
}

}  // namespace

bool set_moving_frequencies(const Model& model, const State& x, FrequencyFacts& found) {
  if (!model.closures.empty()) return false;
  LinearizeOptions options;
  options.held.assign(static_cast<std::size_t>(model.body_count()), 1);
  std::vector<double> hertz;
  bool slow = false;
  try {
    hertz = frozen_frequencies(model, x, options);
    slow = !hertz.empty() && fastest_joint(model, x) <= kSlow * kTurn * hertz.front();
    const State steady = without_vibration(model, x);
    if (!slow && !check_motion(model, linearize(model, steady, options), options).has_constant_matrix())
      hertz = rotor_frequencies(model, steady);
  } catch (const Error&) {  // no inertia, or no steady motion: not known
    hertz.clear();
  }
  const bool locked = !found.joints_locked.empty();
  (locked ? found.joints_locked : found.joints_free) = hertz;
  // With free joints, the frequencies of a model that rotates fast compared with them are not known.
  if (locked && !slow) found.joints_free.clear();
  return true;
}

}  // namespace limber
