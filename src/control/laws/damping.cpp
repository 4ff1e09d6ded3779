// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Active damping of vibration: accelerations of the driven joints that extract power from the modes.  docs/control.md,
// Damping.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "control/configuration.hpp"
#include "control/laws/laws.hpp"
#include "control/vibration_rates.hpp"
#include "limber/linear/riccati.hpp"
#include "limber/spatial/detail/solvers.hpp"

namespace limber {
namespace {

constexpr double kMaxRatioStep = 0.05;

class Damping final : public Law {
 public:
  explicit Damping(const ControlOptions& options)
      : model_(*options.model),
        joints_(options.driven),
        period_(1 / options.rate),
        gain_(compute_damping_gain(options)),
        vibration_(options),
        rnea_(model_),
        forces_(VectorXd::Zero(model_.nv)) {}

  Status start(const State& /*x*/) override {
    vibration_.reset();
    return Status::ok;
  }

  // Accelerations proportional to M_JF times the modal rates, with a slow return, as an offset to the desired motion.
  Status update(ControlSample& s) override {
    multiply_mass(model_, *s.estimate, vibration_.update(s), rnea_, forces_);
    for (int k = 0; k < joints_.size(); ++k) {
      const double a = gain_.gain * forces_[joints_.v[k]] - 2 * gain_.back * s.offset_rate[k] -
                       gain_.back * gain_.back * s.offset[k];
      s.move_offset(k, a, period_);
    }
    return Status::ok;
  }

  void transfer(Archive& archive) override { archive(vibration_); }

 private:
  const Model& model_;
  const DrivenJoints& joints_;
  double period_;
  DampingGain gain_;
  VibrationRates vibration_;
  RneaWorkspace rnea_;
  VectorXd forces_;  // (nv)
};

// Modal coordinates y of the vibrations, with the driven joints following their offsets:
//   y'' + 2 zeta w y' + w^2 y = -G^T a,   a = o'' = c G y' - 2 r o' - r^2 o,   G = M_JF Phi,
// with a held over a period.
struct DampedModes {
  DampedModes(const ControlOptions& options, const State& x, const std::vector<Vibration>& vibrations);
  // The pole of the sampled loop with gain c, converted to continuous time.
  std::complex<double> nearest_pole(double c, std::complex<double> to) const;

  MatrixXd coupling;  // G (driven x modes)

 private:
  double period_, return_;
  Sampled step_;  // of (y, y', o, o')
};

DampedModes::DampedModes(const ControlOptions& options, const State& x, const std::vector<Vibration>& vibrations)
    : period_(1 / options.rate), return_(kReturn * vibrations[0].frequency) {
  const Model& model = *options.model;
  const auto n = static_cast<Eigen::Index>(vibrations.size());
  const Eigen::Index h = options.driven.size(), size = 2 * (n + h);
  coupling.setZero(h, n);
  RneaWorkspace ws(model);
  VectorXd forces(model.nv);
  MatrixXd A = MatrixXd::Zero(size, size), B = MatrixXd::Zero(size, h);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Vibration& one = vibrations[static_cast<std::size_t>(k)];
    multiply_mass(model, x, one.shape, ws, forces);
    coupling.col(k) = forces(options.driven.v);
    A(k, n + k) = 1;
    A(n + k, k) = -one.frequency * one.frequency;
    A(n + k, n + k) = -2 * one.ratio * one.frequency;
  }
  A.block(2 * n, 2 * n + h, h, h).setIdentity();
  B.middleRows(n, n) = -coupling.transpose();
  B.bottomRows(h).setIdentity();
  step_ = sample(A, B, period_);
}

std::complex<double> DampedModes::nearest_pole(double c, std::complex<double> to) const {
  const Eigen::Index h = coupling.rows(), n = coupling.cols();
  MatrixXd K = MatrixXd::Zero(h, step_.A.rows());
  K.middleCols(n, n) = c * coupling;
  K.middleCols(2 * n, h).diagonal().setConstant(-return_ * return_);
  K.rightCols(h).diagonal().setConstant(-2 * return_);
  std::complex<double> best = to;
  double least = std::numeric_limits<double>::infinity();
  for (const std::complex<double> z : eigenvalues_general(step_.A + step_.B * K)) {
    const std::complex<double> pole = std::log(z) / period_;
    if (std::abs(pole - to) >= least) continue;
    least = std::abs(pole - to);
    best = pole;
  }
  return best;
}

}  // namespace

DampingGain compute_damping_gain(const ControlOptions& options) {
  const Model& model = *options.model;
  const State end = desired_configuration(options, options.end);
  const auto vibrations = compute_vibrations(model, end, options.driven.mask);
  if (vibrations.empty()) return {};
  const DampedModes modes(options, end, vibrations);
  const double w = vibrations[0].frequency, own = vibrations[0].ratio, asked = options.damping->ratio;
  const double square = modes.coupling.col(0).squaredNorm();
  if (!(square > 0) || asked <= own) return {0, kReturn * w};
  // The pole is continued from c = 0 in small steps; the last ones use the secant method.
  constexpr int kSteps = 50;
  constexpr double kExact = 1e-9;
  std::complex<double> pole = w * std::complex<double>(-own, std::sqrt(1 - own * own));
  double gain = 0, ratio = own, slope = square / (2 * w);
  for (int k = 0; k < kSteps && std::abs(asked - ratio) > kExact * asked; ++k) {
    const double step = std::clamp(asked - ratio, -kMaxRatioStep, kMaxRatioStep) / slope, before = ratio;
    pole = modes.nearest_pole(gain + step, pole);
    ratio = -pole.real() / std::abs(pole);
    slope = (ratio - before) / step;
    gain += step;
    if (!(slope > 0)) break;  // more gain gives no more damping
  }
  return {gain, kReturn * w};
}

std::unique_ptr<Law> make_damping_law(const ControlOptions& options) {
  return options.damping ? std::make_unique<Damping>(options) : nullptr;
}

}  // namespace limber
