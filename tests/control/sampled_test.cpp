// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Predictor and gains: against SciPy, against the simulated plant, and with noise.
#include <Eigen/Dense>
#include <fstream>
#include <map>
#include <sstream>

#include "limber/control/linear_loop.hpp"
#include "limber/control/prepare.hpp"
#include "limber/linear/riccati.hpp"
#include "support/arm.hpp"
#include "support/chain_arm.hpp"
#include "support/close.hpp"
#include "support/random.hpp"

namespace limber::test {
namespace {

constexpr double kPeriod = 1e-3;

// tests/data/control_reference.txt, by scripts/reference_control.
struct RadiusCase {
  int links, modes;
  double rate, damping;
  std::string law;
  double value;
};
struct ControlReference {
  std::map<std::string, MatrixXd> gains;
  std::vector<RadiusCase> radii;
};
ControlReference read_control_reference() {
  ControlReference out;
  std::ifstream file(LIMBER_TEST_DATA "/control_reference.txt");
  std::string line, word, name;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    word.clear();
    words >> word;
    if (word == "gain") {
      int rows = 0, columns = 0;
      words >> name >> rows >> columns;
      MatrixXd& gain = out.gains[name];
      gain.setZero(rows, columns);
      for (int i = 0; i < rows * columns; ++i) file >> gain(i / columns, i % columns);
    } else if (word == "radius") {
      RadiusCase one{};
      words >> one.links >> one.modes >> one.rate >> one.damping >> one.law >> one.value;
      out.radii.push_back(one);
    }
  }
  return out;
}

void expect_same_rows(const MatrixXd& gain, const MatrixXd& reference, const char* name) {
  ASSERT_EQ(gain.rows(), reference.rows()) << name;
  ASSERT_EQ(gain.cols(), reference.cols()) << name;
  for (Eigen::Index i = 0; i < gain.rows(); ++i)  // rows have units of their own
    EXPECT_LT((gain.row(i) - reference.row(i)).norm(), 1e-8 * reference.row(i).norm()) << name << ", row " << i;
}

TEST(SampledGains, AreThoseOfAnIndependentDesignWithDelays) {
  const ControlReference reference = read_control_reference();
  ASSERT_EQ(reference.gains.size(), 4u);
  const Model arm = make_chain_arm(2, 2, 1);
  const DrivenJoints driven = find_driven_joints(arm, {});
  const Predictor predictor = make_predictor(arm, driven, bent_chain(arm), kPeriod);
  ASSERT_LT(predictor.fastest, kResolved);
  SensorOptions sensors;
  sensors.encoders.assign(2, {});
  expect_same_rows(compute_kalman_gain(arm, driven, sensors, predictor, {}), reference.gains.at("kalman"), "kalman");
  sensors.delay = 2;
  expect_same_rows(compute_kalman_gain(arm, driven, sensors, predictor, {}), reference.gains.at("kalman_delay_2"),
                   "kalman, delay 2");
  LqrOptions options;
  options.torque = 100;
  options.vibration = 1e-3;
  const MatrixXd lqr = compute_lqr_gain(arm, driven, predictor, options);
  expect_same_rows(lqr, reference.gains.at("lqr"), "lqr");
  // With a latency the law gets the state predicted for the time at which its torques act.
  MatrixXd late(2, 2 * arm.nv + 2);
  late << lqr * predictor.A, lqr * predictor.B;
  expect_same_rows(late, reference.gains.at("lqr_latency_1"), "lqr, latency 1");
}

TEST(SampledLoop, HasTheSpectralRadiusThatScipyFinds) {
  const ControlReference reference = read_control_reference();
  ASSERT_GT(reference.radii.size(), 10u);
  for (const RadiusCase& c : reference.radii) {
    const Model arm = make_chain_arm(c.links, c.modes, c.damping);
    ControlOptions options;
    options.model = std::make_shared<const Model>(arm);
    options.driven = find_driven_joints(*options.model, {});
    options.rate = c.rate;
    options.desired.assign(options.driven.v.size(), Signal(kBent));
    if (c.law == "lqr") options.lqr = LqrOptions{};
    if (c.law == "correction") options.correction = TrackingOptions{0.5, 1, 1};
    if (c.law == "pid") options.pid = make_pid(arm, options.driven, bent_chain(arm), {0.2, 1});
    const auto loop = linearize_loop(arm, {}, prepare_control(options), 0);
    ASSERT_TRUE(loop);
    const double radius = std::exp(find_dominant_pole(*loop).growth / c.rate);
    EXPECT_NEAR(radius, c.value, 1e-6) << c.links << ' ' << c.modes << ' ' << c.rate << ' ' << c.damping << c.law;
  }
}

// At its design configuration the predictor is the exactly sampled plant if all poles are resolved; otherwise the
// resolved part is exact, and the rest is the quasi-static response to constant torques.
TEST(Predictor, IsExactForWhatIsSeenAndStaticForTheRest) {
  for (const double damping : {0.0, 10.0, 1000.0}) {
    const Model arm = make_chain_arm(2, 5, damping);
    const DrivenJoints driven = find_driven_joints(arm, {});
    for (const double rate : {50.0, 250.0, 20000.0}) {
      const Predictor p = make_predictor(arm, driven, bent_chain(arm), 1 / rate);
      const MatrixXd b = p.machine.B(Eigen::all, driven.v);
      // In q and v / rate, which have similar size: the exponential in q and v loses up to seven more digits.
      VectorXd scale = VectorXd::Ones(2 * arm.nv);
      scale.tail(arm.nv).setConstant(1 / rate);
      const auto scaled = [&](const MatrixXd& a) {
        return MatrixXd(scale.asDiagonal() * a * scale.cwiseInverse().asDiagonal());
      };
      const Sampled exact = sample(scaled(p.machine.A) / rate, scale.asDiagonal() * b / rate, 1);
      const MatrixXd to = p.to_seen * scale.cwiseInverse().asDiagonal(), from = scale.asDiagonal() * p.seen;
      const MatrixXd own = p.to_seen * p.A * p.seen;
      // Rounding is multiplied by the stiffness of the unresolved part.
      const double tolerance = 1e-12 * (1 + p.fastest * p.fastest);
      EXPECT_LT((to * exact.A * from - own).norm(), tolerance * own.norm()) << damping << ' ' << rate;
      EXPECT_LT((to * exact.B - p.to_seen * p.B).norm(), tolerance * (p.to_seen * p.B).norm())
          << damping << ' ' << rate;
      EXPECT_TRUE(is_close(p.to_seen * p.seen, MatrixXd::Identity(p.drift.rows(), p.drift.rows()), 1e-8));
      // One step of the midpoint rule with the phase is the predictor.
      const MatrixXd one = MatrixXd::Identity(2 * arm.nv, 2 * arm.nv);
      const MatrixXd stepped = one + p.phase * p.midpoint * p.machine.A;
      EXPECT_LT((scaled(stepped) - scaled(p.A)).norm(), 1e-6 * (1 + p.fastest)) << damping << ' ' << rate;
      if (p.drift.rows() == 2 * arm.nv) continue;
      EXPECT_GT(p.fastest, kResolved);
      const MatrixXd unseen = one - p.seen * p.to_seen;
      EXPECT_LT((p.machine.A * unseen * p.B + unseen * b).norm(), 1e-6 * b.norm()) << damping << ' ' << rate;
    }
  }
}

// Over lags up to 20, in standard deviations of white noise.
double largest_correlation(const std::vector<VectorXd>& signals) {
  double worst = 0;
  for (Eigen::Index j = 0; j < signals[0].size(); ++j) {
    double square = 0;
    for (const VectorXd& one : signals) square += one[j] * one[j];
    for (std::size_t lag = 1; lag <= 20; ++lag) {
      double sum = 0;
      for (std::size_t k = lag; k < signals.size(); ++k) sum += signals[k][j] * signals[k - lag][j];
      worst = std::max(worst, std::abs(sum / square) * std::sqrt(static_cast<double>(signals.size())));
    }
  }
  return worst;
}

// With the noise that the filter expects, its innovations are uncorrelated; with a third of the gain they are not.
TEST(Estimator, InnovationsAreWhite) {
  const Model arm = make_chain_arm(2, 2, 1);
  const DrivenJoints driven = find_driven_joints(arm, {});
  const Predictor predictor = make_predictor(arm, driven, bent_chain(arm), kPeriod);
  constexpr double kNoise = 2e-6, kSpeedNoise = 2e-5;  // small: the plant below is linear
  constexpr int kSamples = kSanitized ? 200 : 12000, kSkip = kSamples / 6;
  KalmanOptions kalman;
  kalman.acceleration = 2e-3;
  Eigen::SelfAdjointEigenSolver<MatrixXd> parts(compute_process_noise(predictor, 4e-6));
  const MatrixXd root = parts.eigenvectors() * parts.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  for (const int delay : {0, 3}) {
    for (const double share : {1.0, 0.3}) {
      SensorOptions sensors;
      EncoderOptions encoder;
      encoder.noise = kNoise;
      encoder.speed_noise = kSpeedNoise;
      sensors.encoders.assign(2, encoder);
      sensors.delay = delay;
      Schedule phase, gains;
      phase.add(0, predictor.phase);
      gains.add(0, share * compute_kalman_gain(arm, driven, sensors, predictor, kalman));
      Estimator estimator(arm, driven, sensors, phase, gains, kPeriod);
      ASSERT_EQ(estimator.start(bent_chain(arm)), Status::ok);
      std::mt19937_64 random(7);
      std::normal_distribution<double> normal;
      VectorXd x = VectorXd::Zero(2 * arm.nv), torques = VectorXd::Zero(2), w(2 * arm.nv);
      std::vector<Measurement> line;
      std::vector<VectorXd> innovations;
      for (int k = 0; k < kSamples; ++k) {
        Measurement y;
        y.t = k * kPeriod;
        y.q = y.v = VectorXd::Zero(2);
        for (int j = 0; j < 2; ++j) {
          y.q[j] = kBent + x[driven.v[j]] + kNoise * normal(random);
          y.v[j] = x[arm.nv + driven.v[j]] + kSpeedNoise * normal(random);
        }
        line.push_back(y);
        ASSERT_EQ(estimator.correct(line[static_cast<std::size_t>(std::max(0, k - delay))]), Status::ok);
        if (k >= kSkip) innovations.push_back(estimator.innovations());
        for (int j = 0; j < 2; ++j) torques[j] = -2 * x[driven.v[j]] - 2 * x[arm.nv + driven.v[j]];
        ASSERT_EQ(estimator.propagate(torques), Status::ok);
        for (double& one : w) one = normal(random);
        x = (predictor.A * x + predictor.B * torques + root * w).eval();
      }
      if (kSanitized) continue;
      const double worst = largest_correlation(innovations);
      if (share == 1) {
        EXPECT_LT(worst, 4.5) << "delay " << delay;
      } else {
        EXPECT_GT(worst, 6) << "delay " << delay;
      }
    }
  }
}

TEST(Trajectory, ATrapezoidTakesTheLeastTimeWithinItsLimits) {
  struct {
    double distance, speed, acceleration, least;
  } const cases[] = {{1, 0.5, 1, 2.5}, {2, 0.9, 1.43, 2 / 0.9 + 0.9 / 1.43}, {0.2, 0.5, 1, 2 * std::sqrt(0.2)}};
  for (const auto& c : cases) {
    const MoveLimits limits{Eigen::Vector2d(c.speed, c.speed), Eigen::Vector2d(c.acceleration, c.acceleration)};
    const JointPath path =
        make_path(Profile::trapezoid, Eigen::Vector2d(0, 0), 1, {{Eigen::Vector2d(c.distance, -0.1), 0, 0}}, limits);
    EXPECT_NEAR(path.end - 1, c.least, 1e-9);
    double most = 0, acceleration = 0;
    for (double t = 1; t < path.end; t += 1e-3) {
      for (const Signal& joint : path.joints) {
        const Jet jet = joint.at(t);
        most = std::max(most, std::abs(jet.rate));
        acceleration = std::max(acceleration, std::abs(jet.acceleration));
      }
    }
    EXPECT_LE(most, c.speed * (1 + 1e-9));
    EXPECT_LE(acceleration, c.acceleration * (1 + 1e-9));
    EXPECT_NEAR(path.joints[0].at(path.end).value, c.distance, 1e-12);
    EXPECT_NEAR(path.joints[1].at(path.end).value, -0.1, 1e-12);
  }
}

// The pole of the whole sampled loop, joints and observer included.
TEST(Damping, TheRatioThatIsAskedForIsReached) {
  const Model arm = make_arm({.damping = 0.005});
  for (const double asked : {0.05, 0.1, 0.2, 0.3}) {
    ControlOptions options;
    options.model = std::make_shared<const Model>(arm);
    options.driven = find_driven_joints(*options.model, {});
    options.desired.assign(3, Signal(0.2));
    options.computed_torque = TrackingOptions{};
    options.damping = DampingOptions{asked};
    const auto loop = linearize_loop(arm, {}, prepare_control(options), 0);
    ASSERT_TRUE(loop);
    const double w = compute_vibrations(
                         arm,
                         [&] {
                           State x = make_zero_state(arm);
                           for (const int q : options.driven.q) x.q[q] = 0.2;
                           return x;
                         }(),
                         options.driven.mask)[0]
                         .frequency;
    const std::complex<double> expected = w * std::complex<double>(-asked, std::sqrt(1 - asked * asked));
    double least = 1e9, ratio = 0;
    for (const std::complex<double> z : MatrixXd(loop->fresh).eigenvalues()) {
      const std::complex<double> pole = std::log(z) * options.rate;
      if (std::abs(pole - expected) >= least) continue;
      least = std::abs(pole - expected);
      ratio = -pole.real() / std::abs(pole);
    }
    EXPECT_NEAR(ratio, asked, 0.05 * asked);
  }
}

}  // namespace
}  // namespace limber::test
