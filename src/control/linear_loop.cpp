// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/linear_loop.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "control/bending.hpp"
#include "control/configuration.hpp"
#include "control/laws/laws.hpp"
#include "control/readings.hpp"
#include "limber/control/actuation.hpp"
#include "limber/control/loop.hpp"
#include "limber/linear/detail/balance.hpp"
#include "limber/linear/riccati.hpp"
#include "limber/model/drive.hpp"
#include "limber/spatial/detail/solvers.hpp"
#include "limber/spatial/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

// Signals of the loop, each as rows that multiply z.
class LoopBuilder {
 public:
  LoopBuilder(const Model& plant, const SensorOptions& sensors, const ControlOptions& options, double t,
              PlantShape shape, const ImplicitSteps& steps);
  LinearLoop build();

 private:
  void bend_model(const State& straight);
  void lay_out();
  void add_energy(LinearLoop& out) const;
  int add(int numbers) { return std::exchange(size_, size_ + numbers); }
  // Rows that select a part of z.
  MatrixXd part(int at, int rows) const {
    MatrixXd out = MatrixXd::Zero(rows, size_);
    out.middleCols(at, rows).setIdentity();
    return out;
  }
  MatrixXd step(bool fresh, bool arrives);
  MatrixXd read(bool fresh, MatrixXd& next);
  MatrixXd correct(const MatrixXd& y, bool arrives, MatrixXd& next) const;
  MatrixXd feed_back(const MatrixXd& y, const MatrixXd& estimate, MatrixXd& next) const;
  MatrixXd tracking_torques(const MatrixXd& estimate, const MatrixXd& wanted) const;
  MatrixXd offset_gain() const;

  const Model& plant_;
  const SensorOptions& sensors_;
  const ControlOptions& options_;
  const DrivenJoints& driven_;
  const TrackingOptions* law_;  // of tracking; nullptr: none
  bool collocated_;
  DrivenJoints of_plant_;
  MatrixXd spread_;  // of the plant, Actuation
  double period_, t_;
  int n_, m_, h_;  // speeds of plant and model; driven coordinates
  LinearSystem machine_;
  Predictor model_;
  Sampled plant_step_;
  Readings raw_, expected_;  // of the plant, with all speeds; of the model
  MatrixXd kalman_, lqr_, tracking_;
  ModalGain modal_;  // of the correction
  int size_ = 0;
  int x_ = 0, torque_ = 0, filter_ = 0, last_ = 0, estimate_ = 0, under_way_ = 0, integral_ = 0, slow_rate_ = 0,
      offset_ = 0, rate_ = 0, line_ = 0;
};

// A period in steps of the generalized-alpha method [Chung, Hulbert 1993], as the implicit solver makes them
// (simulate/implicit.cpp), none longer than steps.step.  For rho_inf below 1 its accelerations carry over from one
// period to the next and are states as well.
Sampled sample_by_steps(const MatrixXd& A, const MatrixXd& B, double period, const ImplicitSteps& steps) {
  const int count = std::max(1, static_cast<int>(std::ceil(period / steps.step - 1e-9)));
  const double h = period / count, rho = steps.rho_inf;
  const double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), share = 1 - af;
  const double g = 0.5 - am + af, b = 0.25 * (1 - am + af) * (1 - am + af);
  const Eigen::Index n = A.rows() / 2, inputs = B.cols(), states = rho < 1 ? 3 * n : 2 * n;
  const MatrixXd K = A.bottomLeftCorner(n, n), D = A.bottomRightCorner(n, n);  // accelerations K q + D v + forced
  MatrixXd forced = MatrixXd::Zero(n, 3 * n + inputs), q = forced, v = forced, a = forced;
  forced.rightCols(inputs) = B.bottomRows(n);
  q.leftCols(n).setIdentity();
  v.middleCols(n, n).setIdentity();
  a.middleCols(2 * n, n).setIdentity();
  const Lu factor(MatrixXd::Identity(n, n) - share / (1 - am) * (h * h * b * K + h * g * D));
  for (int k = 0; k < count; ++k) {
    // Known parts, without the contribution of the unknown acceleration: a' = (unknown - am a) / (1 - am).
    const MatrixXd q_known = h * v + h * h * ((0.5 - b) - b * am / (1 - am)) * a;
    const MatrixXd v_known = h * ((1 - g) - g * am / (1 - am)) * a;
    const MatrixXd unknown = factor.solve(MatrixXd(K * (q + share * q_known) + D * (v + share * v_known) + forced));
    q += q_known + h * h * b / (1 - am) * unknown;
    v += v_known + h * g / (1 - am) * unknown;
    a = ((unknown - am * a) / (1 - am)).eval();
  }
  MatrixXd all(3 * n, 3 * n + inputs);
  all << q, v, a;
  return {all.topLeftCorner(states, states), all.topRightCorner(states, inputs)};
}

LoopBuilder::LoopBuilder(const Model& plant, const SensorOptions& sensors, const ControlOptions& options, double t,
                         PlantShape shape, const ImplicitSteps& steps)
    : plant_(plant),
      sensors_(sensors),
      options_(options),
      driven_(options.driven),
      law_(options.tracking()),
      collocated_(options.collocated()),
      period_(1 / options.rate),
      t_(t),
      n_(plant.nv),
      m_(options.model->nv),
      h_(options.driven.size()) {
  of_plant_ = find_same_joints(*options.model, driven_, plant);
  const State own = desired_configuration(options, t);
  State there = translate_state(*options.model, own, plant);
  if (shape == PlantShape::bent) bend_as_desired(options, of_plant_, plant, there);
  machine_ = linearize_at_rest(plant, there, {});
  spread_ = compute_spread(plant, of_plant_, there);
  const MatrixXd B = machine_.B * spread_;
  plant_step_ = steps.step > 0 ? sample_by_steps(machine_.A, B, period_, steps) : sample(machine_.A, B, period_);
  SensorOptions all = sensors;
  all.encoders.assign(driven_.v.size(), {});  // raw speeds, without noise
  raw_ = make_readings(plant, of_plant_, all, there, {}, machine_);
  model_ = make_predictor(*options.model, driven_, own, period_, options.resolved);
  if (options.estimates()) {
    expected_ = make_readings(*options.model, driven_, options.sensors, own, options.kalman, model_.machine);
    if (options.senses())
      kalman_ = compute_kalman_gain(*options.model, driven_, options.sensors, model_, options.kalman);
  }
  if (options.lqr) lqr_ = compute_lqr_gain(*options.model, driven_, model_, *options.lqr);
  if (law_ != nullptr && !collocated_) tracking_ = compute_tracking_gain(*options.model, driven_, model_, *law_);
  if (collocated_) tracking_ = compute_joint_gain(driven_, model_, *law_);
  modal_ = compute_modal_gain(options);
  if (collocated_ && shape == PlantShape::bent) bend_model(own);
  lay_out();
}

// The observer of a bent machine, with the gains and the phase matrix of the straight one.  Without feedback of the
// estimate the loop shows only in this way whether the estimate diverges.  The actual machine may bend more: kMore.
void LoopBuilder::bend_model(const State& straight) {
  constexpr double kMore = 1.5;
  State bent = straight;
  bend_as_desired(options_, driven_, *options_.model, bent);
  for (int i = 1; i < options_.model->body_count(); ++i)
    bent.q.segment(options_.model->first_mode_q(i), options_.model->body(i).modes) *= kMore;
  const LinearSystem there = linearize_at_rest(*options_.model, bent, {});
  const MatrixXd one = MatrixXd::Identity(2 * m_, 2 * m_);
  const MatrixXd step = period_ * model_.phase * Lu(one - 0.5 * period_ * there.A).solve(one);
  model_.A = one + step * there.A;
  model_.B = step * there.B * compute_spread(*options_.model, driven_, bent);
}

void LoopBuilder::lay_out() {
  x_ = add(static_cast<int>(plant_step_.A.rows()));
  torque_ = add(h_);
  filter_ = add(h_);
  last_ = add(h_);
  if (options_.estimates()) estimate_ = add(2 * m_);
  if (kalman_.size() > 0) under_way_ = add(options_.sensors.delay * static_cast<int>(expected_.C.rows()));
  if (options_.pid) integral_ = add(h_);
  if (collocated_) slow_rate_ = add(h_);
  if (options_.damping || modal_.weight > 0) {
    offset_ = add(h_);
    rate_ = add(h_);
  }
  const int kept = std::max(sensors_.delay, sensors_.every > 1 ? 1 : 0);
  line_ = add(kept * static_cast<int>(raw_.C.rows()));
}

// The readings received by the controller: Sensors::read.
MatrixXd LoopBuilder::read(bool fresh, MatrixXd& next) {
  const int rows = static_cast<int>(raw_.C.rows()), kept = (size_ - line_) / rows;
  MatrixXd now = fresh ? MatrixXd(raw_.C * part(x_, 2 * n_) + raw_.D * spread_ * part(torque_, h_)) : part(line_, rows);
  for (int k = 0; k < h_; ++k) {
    if (sensors_.encoders.empty() || sensors_.encoders[static_cast<std::size_t>(k)].tachometer) continue;
    const MatrixXd f = part(filter_ + k, 1), last = part(last_ + k, 1);
    next.row(filter_ + k) = f;
    next.row(last_ + k) = last;
    if (!fresh) continue;
    const MatrixXd speed = f + kSpeedFilter * ((now.row(k) - last) / (sensors_.every * period_) - f);
    next.row(last_ + k) = now.row(k);
    next.row(filter_ + k) = now.row(h_ + k) = speed;
  }
  for (int k = 0; k < kept; ++k)
    next.middleRows(line_ + k * rows, rows) = k == 0 ? now : part(line_ + (k - 1) * rows, rows);
  return sensors_.delay == 0 ? now : part(line_ + (sensors_.delay - 1) * rows, rows);
}

// The estimate after the readings, and the delay line of predicted readings, the oldest first: Estimator::correct.
MatrixXd LoopBuilder::correct(const MatrixXd& y, bool arrives, MatrixXd& next) const {
  MatrixXd out = part(estimate_, 2 * m_);
  if (kalman_.size() == 0) return out;
  const int rows = static_cast<int>(expected_.C.rows()), delay = options_.sensors.delay;
  const auto expect = [&](const MatrixXd& x) {
    return MatrixXd(expected_.C * x + expected_.D * model_.spread * part(torque_, h_));
  };
  MatrixXd innovation = delay > 0 ? MatrixXd(-part(under_way_, rows)) : MatrixXd(-expect(out));
  for (int k = 0, row = 0; k < static_cast<int>(y.rows()); ++k) {
    const bool speed = k >= h_ && k < 2 * h_;
    if (speed && !options_.sensors.encoders[static_cast<std::size_t>(k - h_)].tachometer) continue;
    innovation.row(row++) += y.row(k);
  }
  if (!arrives) innovation.setZero();
  out += kalman_.topRows(2 * m_) * innovation;
  for (int j = 1; j < delay; ++j)
    next.middleRows(under_way_ + (j - 1) * rows, rows) =
        part(under_way_ + j * rows, rows) + kalman_.middleRows(2 * m_ + (j - 1) * rows, rows) * innovation;
  if (delay > 0) next.middleRows(under_way_ + (delay - 1) * rows, rows) = expect(out);
  return out;
}

// Torques of the driven joints for the wanted mean accelerations: MeanAccelerations::hybrid.  With
// Me = M + T/2 D + T^2/4 K:  Me a + K q + (D + T/2 K) v = torques on the driven joints.
MatrixXd LoopBuilder::tracking_torques(const MatrixXd& estimate, const MatrixXd& wanted) const {
  const double half = 0.5 * period_;
  const LinearSystem& own = model_.machine;
  const MatrixXd Me = own.M + half * own.damping + half * half * own.stiffness;
  const MatrixXd rest =
      own.stiffness * estimate.topRows(m_) + (own.damping + half * own.stiffness) * estimate.bottomRows(m_);
  std::vector<int> others;
  for (int k = 0; k < m_; ++k) {
    if (std::find(driven_.v.begin(), driven_.v.end(), k) == driven_.v.end()) others.push_back(k);
  }
  const auto block = [&](const std::vector<int>& rows, const std::vector<int>& cols) {
    return MatrixXd(Me(rows, cols));
  };
  MatrixXd out = block(driven_.v, driven_.v) * wanted + rest(driven_.v, Eigen::all);
  if (others.empty()) return out;
  const MatrixXd forces = block(others, driven_.v) * wanted + rest(others, Eigen::all);
  return out - block(driven_.v, others) * Lu(block(others, others)).solve(forces);
}

// Accelerations of the driven joints per modal rate: of the damping law, or NaturalGain::balance of the correction.
MatrixXd LoopBuilder::offset_gain() const {
  if (options_.damping) return compute_damping_gain(options_).gain * MatrixXd(model_.machine.M(driven_.v, Eigen::all));
  MatrixXd K = MatrixXd::Zero(m_, m_);
  for (int i = 1; i < options_.model->body_count(); ++i) {
    const int first = options_.model->first_mode(i), modes = options_.model->body(i).modes;
    K.block(first, first, modes, modes) = modal_.weight * options_.model->body(i).stiffness;
  }
  const double half = 0.5 * period_;
  const LinearSystem& own = model_.machine;
  const MatrixXd Me = own.M + half * own.damping + half * half * own.stiffness + K;
  return MatrixXd(Lu(Me).solve(MatrixXd(-2 * modal_.rate * K)))(driven_.v, Eigen::all);
}

// The commands of the laws, and the update of their states.
MatrixXd LoopBuilder::feed_back(const MatrixXd& y, const MatrixXd& estimate, MatrixXd& next) const {
  const bool tracking = law_ != nullptr && !collocated_;
  MatrixXd q = y.topRows(h_), v = y.middleRows(h_, h_), ahead = MatrixXd::Zero(h_, size_), out = ahead;
  if (tracking) {
    q = estimate(driven_.v, Eigen::all);
    for (int k = 0; k < h_; ++k) v.row(k) = estimate.row(m_ + driven_.v[k]);
  }
  if (!tracking) q += options_.latency * period_ * v;
  MatrixXd error = -q, error_rate = -v;
  if (options_.damping || modal_.weight > 0) {
    const MatrixXd offset = part(offset_, h_), rate = part(rate_, h_);
    const double back = options_.damping ? compute_damping_gain(options_).back : modal_.back;
    MatrixXd rates = estimate.bottomRows(m_);
    for (const int k : driven_.v) rates.row(k).setZero();
    for (int i = 1; i < options_.model->body_count(); ++i) {
      const Joint& joint = options_.model->joints[i];
      rates.middleRows(joint.v, speed_count(joint.kind)).setZero();
    }
    ahead = offset_gain() * rates - 2 * back * rate - back * back * offset;
    error += offset;
    error_rate += rate;
    next.middleRows(offset_, h_) = offset + period_ * (rate + 0.5 * period_ * ahead);
    next.middleRows(rate_, h_) = rate + period_ * ahead;
  }
  if (options_.pid) {
    const PidOptions& pid = *options_.pid;
    out += pid.kp.asDiagonal() * error + pid.kd.asDiagonal() * error_rate;
    out += pid.ki.asDiagonal() * part(integral_, h_);
    for (int k = 0; k < h_; ++k) {
      if (pid.ki[k] > 0) next.row(integral_ + k) = part(integral_ + k, 1) + period_ * error.row(k);
    }
    if (pid.gravity) out += MatrixXd(model_.machine.stiffness(driven_.v, driven_.v)) * y.topRows(h_);
  }
  if (options_.lqr) out -= lqr_ * estimate;
  if (collocated_) {
    const MatrixXd before = part(slow_rate_, h_);
    const MatrixXd slow = before + compute_rate_share(*law_, period_) * (error_rate - before);
    next.middleRows(slow_rate_, h_) = slow;
    out += tracking_.leftCols(h_) * error + tracking_.middleCols(h_, h_) * slow + tracking_.rightCols(h_) * error_rate;
  }
  if (tracking) {
    MatrixXd deviation = -estimate;
    for (int k = 0; k < h_; ++k) {
      deviation.row(driven_.v[k]) = error.row(k);
      deviation.row(m_ + driven_.v[k]) = error_rate.row(k);
    }
    out += tracking_torques(estimate, ahead + tracking_ * deviation);
  }
  return out;
}

// Controller::update.  With a latency the torques of this sample act from the next sample on: plant and estimate are
// first propagated under the previous torques, then the laws run.
MatrixXd LoopBuilder::step(bool fresh, bool arrives) {
  MatrixXd next = MatrixXd::Zero(size_, size_);
  const MatrixXd y = read(fresh, next), before = part(torque_, h_);
  const bool late = options_.latency > 0;
  MatrixXd estimate = options_.estimates() ? correct(y, arrives, next) : MatrixXd(MatrixXd::Zero(2 * m_, size_));
  if (late) estimate = (model_.A * estimate + model_.B * before).eval();
  const MatrixXd command = feed_back(y, estimate, next);
  MatrixXd torque = before;
  for (int k = 0; k < h_; ++k) {
    const double hertz = options_.servos[static_cast<std::size_t>(k)].bandwidth;
    const double share = hertz > 0 ? 1 - std::exp(-2 * std::numbers::pi * hertz * period_) : 1;
    torque.row(k) += share * (command.row(k) - torque.row(k));
  }
  next.middleRows(torque_, h_) = torque;
  const int states = static_cast<int>(plant_step_.A.rows());
  next.middleRows(x_, states) = plant_step_.A * part(x_, states) + plant_step_.B * (late ? before : torque);
  if (options_.estimates())
    next.middleRows(estimate_, 2 * m_) = late ? estimate : MatrixXd(model_.A * estimate + model_.B * torque);
  return next;
}

// Modes phi of the plant with unit modal mass: q = phi z / w, v = phi z'; w = 0.5 Hz for modes without stiffness.
void LoopBuilder::add_energy(LinearLoop& out) const {
  constexpr double kSlow = std::numbers::pi;
  const MatrixXd stiffness = 0.5 * (machine_.stiffness + machine_.stiffness.transpose());
  const SymmetricEigen modes = eigen_generalized(stiffness, machine_.M);
  const VectorXd w = modes.values.cwiseAbs().cwiseSqrt().cwiseMax(kSlow);
  out.energy = out.shapes = MatrixXd::Zero(2 * n_, 2 * n_);
  const MatrixXd inverse = modes.vectors.transpose() * machine_.M;
  out.energy.topLeftCorner(n_, n_) = w.asDiagonal() * inverse;
  out.energy.bottomRightCorner(n_, n_) = inverse;
  out.shapes.topLeftCorner(n_, n_) = modes.vectors * w.cwiseInverse().asDiagonal();
  out.shapes.bottomRightCorner(n_, n_) = modes.vectors;
}

LinearLoop LoopBuilder::build() {
  LinearLoop out;
  out.every = sensors_.every;
  out.arrival = sensors_.delay % sensors_.every;
  out.period = period_;
  out.core = line_;
  out.line = static_cast<int>(raw_.C.rows());
  out.states = 2 * n_;
  add_energy(out);
  out.fresh = step(true, out.arrival == 0);
  if (out.every > 1) out.held = step(false, false);
  if (out.arrival > 0) out.arriving = step(false, true);
  return out;
}

// z' of one sample; the shift of the delay line is done by copying, not by a product.
void advance(const LinearLoop& loop, int sample, VectorXd& z, VectorXd& scratch) {
  const MatrixXd& map = loop.map(sample);
  const Eigen::Index top = std::min<Eigen::Index>(z.size(), loop.core + loop.line), rest = z.size() - top;
  scratch.head(top).noalias() = map.topRows(top) * z;
  if (rest > 0) scratch.tail(rest) = z.segment(loop.core, rest);
  z.swap(scratch);
}

// The root of the recursion z2 + a z1 + b z0 = 0 fitted to three successive states by least squares.
std::complex<double> fit_root(const VectorXd& z0, const VectorXd& z1, const VectorXd& z2) {
  const double p = z1.dot(z1), q = z1.dot(z0), r = z0.dot(z0), det = p * r - q * q;
  if (!(det > 1e-12 * p * r)) return z1.dot(z2) / p;
  const double u = -z1.dot(z2), v = -z0.dot(z2), a = (u * r - v * q) / det, b = (v * p - u * q) / det;
  const std::complex<double> half = std::sqrt(std::complex<double>(0.25 * a * a - b));
  return a > 0 ? -0.5 * a - half : -0.5 * a + half;
}

// The power method.  Once it has converged to one pole or a conjugate pair, this is the root of the recursion of three
// successive states; otherwise the growth is that of the norm over the later half of the samples.
LoopPole iterate(const LinearLoop& loop) {
  constexpr double kConverged = 1e-6;
  const Eigen::Index size = loop.fresh.rows();
  VectorXd z(size), scratch(size);
  for (Eigen::Index k = 0; k < size; ++k) z[k] = std::sin(1.0 + 2.3 * static_cast<double>(k));
  const int rounds = std::max(4, kPowerSamples / loop.every);
  double log_growth = 0;
  for (int k = 0; k < rounds; ++k) {
    for (int i = 0; i < loop.every; ++i) advance(loop, i, z, scratch);
    const double norm = z.norm();
    if (!(norm > 0)) return {-1 / loop.period, 0};
    if (2 * k >= rounds) log_growth += std::log(norm);
    z /= norm;
  }
  std::vector<VectorXd> last = {z};
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < loop.every; ++i) advance(loop, i, z, scratch);
    last.push_back(z);
  }
  const double T = loop.every * loop.period;
  const std::complex<double> root = fit_root(last[0], last[1], last[2]);
  const VectorXd left = last[2] - 2 * root.real() * last[1] + std::norm(root) * last[0];
  const double growth = log_growth / ((rounds - rounds / 2) * T);
  return {left.norm() < kConverged ? std::log(std::abs(root)) / T : growth,
          std::abs(std::arg(root)) / (2 * std::numbers::pi * T)};
}

}  // namespace

std::optional<LinearLoop> linearize_loop(const Model& plant, const SensorOptions& sensors,
                                         const ControlOptions& options, double t, PlantShape shape,
                                         const ImplicitSteps& steps) {
  if (!plant.closures.empty() || has_elastic_drives(plant)) return std::nullopt;
  if (std::max(plant.nv, options.model->nv) > kMaxLoopSpeeds) return std::nullopt;
  return LoopBuilder(plant, sensors, options, t, shape, steps).build();
}

LoopPole find_dominant_pole(const LinearLoop& loop) {
  if (loop.fresh.rows() > kMaxLoopSize) return iterate(loop);
  MatrixXd map = loop.fresh;
  for (int k = 1; k < loop.every; ++k) map = (loop.map(k) * map).eval();
  const Eigen::VectorXcd poles = eigenvalues_general(balance(map).A);
  Eigen::Index worst = 0;
  const double radius = poles.cwiseAbs().maxCoeff(&worst), T = loop.every * loop.period;
  return {std::log(radius) / T, std::abs(std::arg(poles[worst])) / (2 * std::numbers::pi * T)};
}

}  // namespace limber
