// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/linear/campbell.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

// Modal assurance criterion (Allemang & Brown 1982) in the norm of the mass matrix: 1 for equal shapes.
double assurance(const MatrixXd& M, const VectorXcd& a, const VectorXcd& b) {
  const VectorXcd Mb = M * b;
  const double below = a.dot(M * a).real() * b.dot(Mb).real();
  return below > 0 ? std::norm(a.dot(Mb)) / below : 0;
}

// A possible continuation of a branch by a harmonic of a mode, scored by shape and frequency.
struct Match {
  std::size_t branch = 0, mode = 0, harmonic = 0;
  double score = 0;
};

double frequency_of(const RotorModes& at, const RotorMode& mode, std::size_t harmonic) {
  return mode.exponent.imag() + mode.harmonics[harmonic].order * std::abs(at.speed);
}

std::vector<Match> list_matches(const RotorModes& before, const RotorModes& now) {
  constexpr double kLeast = 0.2;  // smallest relative share of a harmonic that may continue a branch
  std::vector<Match> out;
  for (std::size_t b = 0; b < before.modes.size(); ++b) {
    const RotorMode& old = before.modes[b];
    if (old.harmonics.empty()) continue;
    for (std::size_t m = 0; m < now.modes.size(); ++m) {
      const RotorMode& mode = now.modes[m];
      for (std::size_t h = 0; h < mode.harmonics.size(); ++h) {
        const double f = frequency_of(now, mode, h), g = old.exponent.imag();
        if (h > 0 && mode.harmonics[h].share < kLeast * mode.harmonics[0].share) continue;
        const VectorXcd shape = f < 0 ? VectorXcd(mode.harmonics[h].shape.conjugate()) : mode.harmonics[h].shape;
        const double apart = std::abs(std::abs(f) - g) / (std::abs(f) + g + std::numeric_limits<double>::min());
        out.push_back({b, m, h, assurance(now.mass, old.harmonics[0].shape, shape) - apart});
      }
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Match& a, const Match& b) { return a.score > b.score; });
  return out;
}

// Makes another harmonic the first one.
void choose_harmonic(double speed, std::size_t harmonic, RotorMode& mode) {
  if (harmonic == 0) return;
  std::swap(mode.harmonics[0], mode.harmonics[harmonic]);
  const int first = mode.harmonics[0].order;
  mode.exponent += std::complex<double>(0, first * std::abs(speed));
  for (auto& h : mode.harmonics) h.order -= first;
  if (mode.exponent.imag() < 0) {
    mode.exponent = std::conj(mode.exponent);
    for (auto& h : mode.harmonics) h.order = -h.order, h.shape = h.shape.conjugate().eval();
  }
  mode.frequency = mode.exponent.imag() > 0 ? std::abs(mode.exponent) : 0;
  mode.damping = mode.frequency > 0 ? -mode.exponent.real() / mode.frequency : 0;
}

// Sorts the modes into the order of the branches at the previous speed; best matches first.
void join(const RotorModes& before, RotorModes& now) {
  RotorMode none;
  none.exponent = none.frequency = none.damping = std::numeric_limits<double>::quiet_NaN();
  std::vector<RotorMode> ordered(before.modes.size(), none);
  std::vector<bool> taken(now.modes.size(), false), filled(before.modes.size(), false);
  for (const Match& match : list_matches(before, now)) {
    if (filled[match.branch] || taken[match.mode]) continue;
    filled[match.branch] = taken[match.mode] = true;
    ordered[match.branch] = now.modes[match.mode];
    choose_harmonic(now.speed, match.harmonic, ordered[match.branch]);
  }
  for (std::size_t m = 0; m < now.modes.size(); ++m) {
    if (taken[m]) continue;
    const auto gap = std::find(filled.begin(), filled.end(), false);
    if (gap == filled.end()) {
      ordered.push_back(now.modes[m]);
    } else {
      ordered[static_cast<std::size_t>(gap - filled.begin())] = now.modes[m];
      *gap = true;
    }
  }
  now.modes = std::move(ordered);
}

}  // namespace

Campbell compute_campbell(const Model& model, const State& start, const RotorOptions& options,
                          const std::vector<double>& speeds, const std::function<void(double)>& progress) {
  Campbell out;
  std::size_t most = 0;
  const RotorModes* last = nullptr;  // the last speed with modes
  out.at.reserve(speeds.size());
  for (const double speed : speeds) {
    RotorModes& found = out.at.emplace_back();
    try {
      found = compute_rotor_modes(model, start, options, speed,
                                  last == nullptr || last->speed == 0 ? nullptr : &last->motion);
      if (last != nullptr) join(*last, found);
      last = &found;
    } catch (const NumericalError& error) {
      found.speed = speed;
      found.failure = error.what();
    }
    most = std::max(most, found.modes.size());
    if (progress) progress(static_cast<double>(out.at.size()) / static_cast<double>(speeds.size()));
  }
  if (last == nullptr && !out.at.empty()) throw NumericalError(out.at.front().failure);
  RotorMode none;
  none.exponent = none.frequency = none.damping = std::numeric_limits<double>::quiet_NaN();
  for (RotorModes& at : out.at) {
    at.modes.resize(most, none);
    if (at.names.empty()) at.names = last->names;
  }
  return out;
}

std::vector<int> find_rotors(const Model& model) {
  std::vector<int> out;
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    const bool spring = joint.stiffness.size() > 0 && joint.stiffness[0] != 0;
    if (joint.kind == JointKind::revolute && !joint.stop && !spring) out.push_back(i);
  }
  return out;
}

}  // namespace limber
