// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/linear/campbell.hpp"
#include "limber/linear/detail/balance.hpp"
#include "limber/simulate/equilibrium.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "motion_matrix.hpp"
#include "multiblade.hpp"

namespace limber {
namespace {

using Complex = std::complex<double>;
constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kSameMatrix = 1e-9;  // change of A along a motion, relative to its size, in balanced coordinates
constexpr double kKept = 0.05;        // smallest share of a harmonic that is kept
constexpr int kParts = 64, kMaxParts = 1024;
constexpr double kPartDecay = 5;  // largest exponent by which solutions may diverge within a part

// The model along its steady motion, or at rest, in multi-blade coordinates for sets of equal blades.
class RotorSystem {
 public:
  RotorSystem(const Model& model, const RotorOptions& options, const State& start)
      : model_(model), matrix_(model, options), blades_(model, options, matrix_.place()) {
    const Joint& rotor = model.joints[options.rotor];
    angle_ = start.q[rotor.q];
    std::vector<bool> turning(static_cast<std::size_t>(model.body_count()), false);
    for (int i = options.rotor; i < model.body_count(); ++i) {
      turning[static_cast<std::size_t>(i)] =
          i == options.rotor || turning[static_cast<std::size_t>(model.joints[i].parent.body)];
      for (int k = model.joints[i].v; k < model.first_mode(i) + model.body(i).modes; ++k) {
        const int at = matrix_.place()[static_cast<std::size_t>(k)];
        if (turning[static_cast<std::size_t>(i)] && at >= 0 && k != rotor.v && !blades_.holds(at))
          rotating_.push_back(at);
      }
    }
  }

  void state_matrix(const SteadyMotion& motion, double t, MatrixXd& A) {
    matrix_.compute(motion.at(model_, t), motion.torque, A);
    blades_.transform(angle_ + motion.speed * t, motion.speed, A);
  }
  MatrixXd rest_matrix(const State& x, double torque) {
    MatrixXd A;
    matrix_.compute(x, torque, A);
    blades_.transform(angle_, 0, A);
    return A;
  }
  MatrixXd mean_mass(const SteadyMotion& motion) {
    constexpr int kSamples = 16;
    MatrixXd sum = MatrixXd::Zero(matrix_.coordinates(), matrix_.coordinates());
    for (int k = 0; k < kSamples; ++k) {
      const double t = motion.period() * k / kSamples;
      sum += mass(motion.at(model_, t), angle_ + motion.speed * t) / kSamples;
    }
    return sum;
  }
  MatrixXd rest_mass(const State& x) { return mass(x, angle_); }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const int k : matrix_.free()) out.push_back(model_.speeds[static_cast<std::size_t>(k)]);
    blades_.rename(out);
    return out;
  }
  bool has_blades() const { return !blades_.empty(); }
  const std::vector<int>& rotating() const { return rotating_; }
  int coordinates() const { return matrix_.coordinates(); }

 private:
  MatrixXd mass(const State& x, double angle) {
    MatrixXd M = matrix_.mass(x);
    blades_.transform_mass(angle, M);
    return M;
  }
  const Model& model_;
  MotionMatrix matrix_;
  MultiBlade blades_;
  double angle_ = 0;           // of the rotor at t = 0
  std::vector<int> rotating_;  // coordinates that rotate with the rotor and are not in multi-blade coordinates
};

// Mass-weighted mean square displacement.
double weight(const MatrixXd& M, const VectorXcd& u) { return u.dot(M * u).real(); }

void scale_harmonic(VectorXcd& shape) {
  Eigen::Index largest = 0;
  if (shape.size() > 0 && shape.cwiseAbs().maxCoeff(&largest) > 0) shape /= shape[largest];
}

// Frequency, damping and frame of a mode from its exponent and first harmonic.
void name_mode(const MatrixXd& M, const std::vector<int>& rotating, RotorMode& mode) {
  const bool vibrates = mode.exponent.imag() > 0;
  mode.frequency = vibrates ? std::abs(mode.exponent) : 0;
  mode.damping = vibrates ? -mode.exponent.real() / mode.frequency : 0;
  const VectorXcd& shape = mode.harmonics.front().shape;
  VectorXcd inside = shape;
  for (const int k : rotating) inside[k] = 0;
  mode.rotating = weight(M, shape - inside) > weight(M, inside);
}

// The mode of one exponent: p at the starts of the parts in `samples` (2 n x parts), rates of x there in `rates`.
RotorMode resolve(const Complex exponent, const MatrixXcd& samples, const MatrixXcd& rates, const MatrixXd& M,
                  double speed) {
  const Eigen::Index n = M.rows(), parts = samples.cols();
  // The mean frequency, sum Im(q* M q') / sum q* M q, determines the central harmonic.
  double power = 0, whole = 0;
  for (Eigen::Index k = 0; k < parts; ++k) {
    const VectorXcd q = samples.col(k).head(n);
    power += q.dot(M * rates.col(k).head(n)).imag();
    whole += weight(M, q);
  }
  const double mean = whole > 0 ? power / whole : 0;
  const auto center = static_cast<int>(std::lround((mean - exponent.imag()) / speed));
  RotorMode mode;
  double all = 0;
  for (Eigen::Index j = -parts / 2; j < parts / 2; ++j) {
    const int h = center + static_cast<int>(j);
    VectorXcd c = VectorXcd::Zero(n);
    for (Eigen::Index k = 0; k < parts; ++k)
      c += samples.col(k).head(n) *
           std::polar(1.0 / static_cast<double>(parts), -kTurn * h * static_cast<double>(k) / parts);
    const double share = weight(M, c);
    all += share;
    mode.harmonics.push_back({h, share, c});
  }
  std::stable_sort(mode.harmonics.begin(), mode.harmonics.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  for (auto& harmonic : mode.harmonics) harmonic.share = all > 0 ? harmonic.share / all : 0;
  // No harmonic has half of the total: the rotor turns so slowly that the frequency varies with its angle; report the
  // mean.
  if (mode.harmonics.front().share < 0.5) {
    const auto is_center = [&](const RotorMode::Harmonic& h) { return h.order == center; };
    const auto at = std::find_if(mode.harmonics.begin(), mode.harmonics.end(), is_center);
    std::rotate(mode.harmonics.begin(), at, at + 1);
  }
  const auto small = [](const RotorMode::Harmonic& h) { return h.share < kKept; };
  mode.harmonics.erase(std::find_if(mode.harmonics.begin() + 1, mode.harmonics.end(), small), mode.harmonics.end());
  mode.exponent = exponent;
  return mode;
}

// Orders are relative to the first harmonic, whose frequency is positive.
void set_first(double speed, RotorMode& mode) {
  const int first = mode.harmonics.front().order;
  mode.exponent += Complex(0, first * speed);
  for (auto& harmonic : mode.harmonics) harmonic.order -= first;
  for (auto& harmonic : mode.harmonics) scale_harmonic(harmonic.shape);
  if (mode.exponent.imag() >= 0) return;
  mode.exponent = std::conj(mode.exponent);
  for (auto& harmonic : mode.harmonics) {
    harmonic.order = -harmonic.order;
    harmonic.shape = harmonic.shape.conjugate().eval();
  }
}

// Modes of a constant A.
void constant_modes(const MatrixXd& A, const std::vector<int>& rotating, RotorModes& out) {
  const Balanced balanced = balance(A);
  const auto [poles, vectors] = eigen_general(balanced.A);
  const Eigen::Index n = out.mass.rows();
  for (Eigen::Index k = 0; k < poles.size(); ++k) {
    if (poles[k].imag() < 0) continue;
    RotorMode& mode = out.modes.emplace_back();
    mode.exponent = poles[k];
    mode.harmonics.push_back({0, 1, (balanced.scale.asDiagonal() * vectors.col(k)).head(n)});
    scale_harmonic(mode.harmonics[0].shape);
    name_mode(out.mass, rotating, mode);
  }
  if (out.speed != 0) out.multipliers = (poles * kTurn / std::abs(out.speed)).array().exp();
}

int parts_for(const MatrixXd& A, double period) {
  const VectorXcd poles = eigenvalues_general(balance(A).A);
  const double apart = period * (poles.real().maxCoeff() - poles.real().minCoeff());
  int parts = kParts;
  while (parts < kMaxParts && apart > kPartDecay * parts) parts *= 2;
  return parts;
}

void floquet_modes(const SteadyMotion& motion, RotorSystem& system, RotorModes& out) {
  const double speed = std::abs(motion.speed), period = motion.period();
  const PeriodicSystem periodic{period, [&](double t, MatrixXd& A) { system.state_matrix(motion, t, A); }};
  MatrixXd A;
  periodic.state_matrix(0, A);
  const int parts = parts_for(A, period);
  const FloquetSolutions found = compute_floquet(compute_transition(periodic, parts).parts, period);
  std::vector<MatrixXcd> rates;  // (part)
  for (int k = 0; k < parts; ++k) {
    periodic.state_matrix(period * k / parts, A);
    rates.emplace_back(A * found.vectors[static_cast<std::size_t>(k)]);
  }
  out.multipliers = (found.exponents * period).array().exp();
  MatrixXcd samples(A.rows(), parts), rate = samples;
  for (Eigen::Index i = 0; i < found.exponents.size(); ++i) {
    if (found.exponents[i].imag() < 0) continue;  // one of each pair; real multipliers have no conjugate
    for (int k = 0; k < parts; ++k) {
      samples.col(k) = found.vectors[static_cast<std::size_t>(k)].col(i);
      rate.col(k) = rates[static_cast<std::size_t>(k)].col(i);
    }
    RotorMode& mode = out.modes.emplace_back(resolve(found.exponents[i], samples, rate, out.mass, speed));
    set_first(speed, mode);
    name_mode(out.mass, system.rotating(), mode);
  }
}

// Whether A is the same at several points of a revolution.
bool is_constant_along(const SteadyMotion& motion, RotorSystem& system, MatrixXd& A) {
  MatrixXd other;
  system.state_matrix(motion, 0, A);
  const Balanced balanced = balance(A);
  const double size = balanced.A.size() == 0 ? 0 : balanced.A.cwiseAbs().maxCoeff();
  for (const double share : {0.11, 0.29, 0.47, 0.63, 0.86}) {
    system.state_matrix(motion, share * motion.period(), other);
    const MatrixXd change = balanced.scale.cwiseInverse().asDiagonal() * (other - A) * balanced.scale.asDiagonal();
    if (change.size() > 0 && change.cwiseAbs().maxCoeff() > kSameMatrix * size) return false;
  }
  return true;
}

// State with the held joints and the rotor at rest, under constant inputs.
State rest_state(const Model& model, const State& start, const RotorOptions& options, double& torque) {
  Inputs inputs;
  for (int k = 0; k < static_cast<int>(options.tau.size()); ++k)
    if (options.tau[k] != 0) inputs.speeds.push_back({k, Signal(options.tau[k]), "tau"});
  for (const NodeWrench& wrench : options.wrenches) {
    WrenchInput& input = inputs.wrenches.emplace_back();
    input.at = wrench.at;
    input.frame = wrench.frame;
    for (int k = 0; k < 6; ++k) input.wrench[static_cast<std::size_t>(k)] = Signal(wrench.wrench[k]);
  }
  std::vector<std::uint8_t> held = options.held;
  held.resize(model.bodies.size(), 0);
  held[static_cast<std::size_t>(options.rotor)] = 1;
  for (int i = 1; i < model.body_count(); ++i) {
    if (held[static_cast<std::size_t>(i)] == 0) continue;
    MotionInput& motion = inputs.motions.emplace_back(MotionInput{i, {}, "hold"});
    for (int k = 0; k < position_count(model.joints[i].kind); ++k)
      motion.motion.emplace_back(start.q[model.joints[i].q + k]);
  }
  State at = start;
  at.v.setZero();
  const State x = find_equilibrium(model, inputs, at).x;
  AbaWorkspace ws(model);
  VectorXd vdot = VectorXd::Zero(model.nv), needed(model.nv);
  const VectorXd tau = options.tau.size() == 0 ? VectorXd::Zero(model.nv) : options.tau;
  check_solved(model, hybrid(model, x, Forces{tau, options.wrenches}, held, ws, vdot, needed), ws.failure());
  torque = options.free ? needed[model.joints[options.rotor].v] - tau[model.joints[options.rotor].v] : 0;
  return x;
}

}  // namespace

const char* to_string(RotorMethod method) {
  switch (method) {
    case RotorMethod::rest:
      return "at rest";
    case RotorMethod::constant:
      return "constant A";
    case RotorMethod::multi_blade:
      return "multi-blade";
    case RotorMethod::floquet:
      return "Floquet";
  }
  return "unknown";
}

RotorModes compute_rotor_modes(const Model& model, const State& start, const RotorOptions& options, double speed,
                               const SteadyMotion* guess) {
  check_rotor(model, start, options);
  RotorSystem system(model, options, start);
  RotorModes out;
  out.speed = speed;
  out.names = system.names();
  if (system.coordinates() == 0) return out;
  if (speed == 0) {
    const State x = rest_state(model, start, options, out.torque);
    out.mass = system.rest_mass(x);
    constant_modes(system.rest_matrix(x, out.torque), system.rotating(), out);
  } else {
    out.motion = find_steady_motion(model, start, options, speed, guess);
    out.torque = out.motion.torque;
    out.mass = system.mean_mass(out.motion);
    MatrixXd A;
    if (is_constant_along(out.motion, system, A)) {
      out.method = system.has_blades() ? RotorMethod::multi_blade : RotorMethod::constant;
      constant_modes(A, system.rotating(), out);
    } else {
      out.method = RotorMethod::floquet;
      floquet_modes(out.motion, system, out);
    }
  }
  std::stable_sort(out.modes.begin(), out.modes.end(),
                   [](const RotorMode& a, const RotorMode& b) { return a.exponent.imag() < b.exponent.imag(); });
  return out;
}

}  // namespace limber
