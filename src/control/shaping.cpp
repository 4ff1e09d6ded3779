// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/shaping.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>

#include "limber/control/element_rnea.hpp"
#include "limber/linear/analysis.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

void check_vibration(const std::string& where, double frequency, double ratio) {
  if (!(frequency > 0 && std::isfinite(frequency)))
    throw InputError(where + ": the frequency is " + text(frequency) + " rad/s; it must be finite and above 0");
  if (!(std::abs(ratio) < 1))
    throw InputError(where + ": the damping ratio is " + text(ratio) +
                     "; it must be below 1: with more damping nothing vibrates");
}

}  // namespace

LinearSystem linearize_at_rest(const Model& model, const State& x, std::vector<std::uint8_t> locked) {
  LinearizeOptions options;
  for (int i = 1; i < model.body_count(); ++i) {
    const int first = locked.empty() || locked[i] == 0 ? model.joints[i].v : model.first_mode(i);
    for (int v = first; v < model.first_mode(i) + model.body(i).modes; ++v) options.inputs.push_back(v);
  }
  State still = x;
  still.v.setZero();
  options.tau.setZero(model.nv);
  ElementRnea inverse_dynamics(model);
  inverse_dynamics(still, VectorXd::Zero(model.nv), options.tau);
  options.held = std::move(locked);
  return linearize(model, still, options);
}

std::vector<Vibration> compute_vibrations(const Model& model, const State& x, std::span<const std::uint8_t> locked) {
  const LinearSystem machine = linearize_at_rest(model, x, {locked.begin(), locked.end()});
  std::vector<Vibration> out;
  if (machine.coordinates() == 0) return out;
  for (const VibrationMode& mode : compute_modes(machine)) {
    if (mode.frequency <= 0 || mode.growth != 0 || mode.damping >= 1) continue;  // does not vibrate
    VectorXd shape = mode.shape.real();
    shape /= std::sqrt(shape.dot(machine.M * shape));
    out.push_back({mode.frequency, mode.damping, machine.basis * shape});
  }
  return out;
}

std::vector<Signal::Impulse> make_shaper(Shaper kind, double frequency, double ratio) {
  check_vibration("make_shaper", frequency, ratio);
  const double damped = std::sqrt(1 - ratio * ratio);
  const double half = std::numbers::pi / (frequency * damped);    // half a damped period
  const double K = std::exp(-ratio * std::numbers::pi / damped);  // decay of the amplitude over it
  std::vector<Signal::Impulse> out;
  if (kind == Shaper::zv) {
    out = {{0, 1}, {half, K}};
  } else if (kind == Shaper::zvd) {
    out = {{0, 1}, {half, 2 * K}, {2 * half, K * K}};
  } else {
    out = {{0, 1 + kTolerated}, {half, 2 * (1 - kTolerated) * K}, {2 * half, (1 + kTolerated) * K * K}};
  }
  double sum = 0;
  for (const Signal::Impulse& impulse : out) sum += impulse.weight;
  for (Signal::Impulse& impulse : out) impulse.weight /= sum;
  return out;
}

std::vector<Signal::Impulse> convolve(const std::vector<Signal::Impulse>& a, const std::vector<Signal::Impulse>& b) {
  std::vector<Signal::Impulse> out;
  for (const Signal::Impulse& x : a) {
    for (const Signal::Impulse& y : b) out.push_back({x.delay + y.delay, x.weight * y.weight});
  }
  std::sort(out.begin(), out.end(), [](const auto& x, const auto& y) { return x.delay < y.delay; });
  return out;
}

// |sum A_k exp((ratio w + i w_d) t_k)| exp(-ratio w t_last).  [Singer, Seering 1990]
double residual_vibration(const std::vector<Signal::Impulse>& shaper, double frequency, double ratio) {
  check_vibration("residual_vibration", frequency, ratio);
  if (shaper.empty()) throw InputError("residual_vibration: the shaper has no impulses; give at least one of weight 1");
  const double damped = frequency * std::sqrt(1 - ratio * ratio);
  const double last = shaper.back().delay;
  std::complex<double> sum = 0;
  for (const Signal::Impulse& impulse : shaper) {
    sum += impulse.weight *
           std::exp(std::complex<double>(ratio * frequency * (impulse.delay - last), damped * impulse.delay));
  }
  return std::abs(sum);
}

}  // namespace limber
