// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/control/learning.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kPerCutoff = 20;  // records per period of the cutoff frequency
constexpr double kWidth = 4;       // standard deviations of the Gauss filter that are summed up
constexpr double kMostRecords = 1e5;

// The error of each record.
class ErrorWatch : public RunListener {
 public:
  ErrorWatch(const ControlLoop& loop, Eigen::Index records)
      : loop_(loop), error_(MatrixXd::Zero(records, loop.driven_joints().size())) {}
  void record(const Record& record) override {
    if (next_ == error_.rows()) return;
    const DrivenJoints& driven = loop_.driven_joints();
    const std::vector<Signal>& desired = loop_.controller().options().desired;
    for (int k = 0; k < driven.size(); ++k) {
      error_(next_, k) =
          desired[static_cast<std::size_t>(k)].at(record.motion.x.t).value - record.motion.x.q[driven.q[k]];
    }
    ++next_;
  }
  const MatrixXd& error() const { return error_; }

 private:
  const ControlLoop& loop_;
  MatrixXd error_;
  Eigen::Index next_ = 0;
};

}  // namespace

MatrixXd learn_offsets(const MatrixXd& offsets, const MatrixXd& error, double step, double cutoff) {
  // exp(-(2 pi f sigma)^2 / 2) is 3 dB down at f = cutoff.
  const double sigma = std::sqrt(std::numbers::ln2) / (2 * std::numbers::pi * cutoff);
  const auto reach = static_cast<Eigen::Index>(std::ceil(kWidth * sigma / step));
  MatrixXd out = offsets;
  for (Eigen::Index k = 0; k < error.rows(); ++k) {
    VectorXd sum = VectorXd::Zero(error.cols());
    double weights = 0;
    for (Eigen::Index j = k - reach; j <= k + reach; ++j) {
      const double t = static_cast<double>(j - k) * step / sigma, weight = std::exp(-0.5 * t * t);
      weights += weight;
      if (j >= 0) sum += weight * error.row(std::min(j, error.rows() - 1)).transpose();  // before, nothing was off
    }
    // A smooth beginning from zero, within a period of the cutoff.
    const double x = std::min(1.0, static_cast<double>(k) * step * cutoff);
    out.row(k) += x * x * x * (10 - 15 * x + 6 * x * x) / weights * sum.transpose();
  }
  return out;
}

std::vector<Signal> make_offsets(const VectorXd& t, const MatrixXd& offsets) {
  std::vector<Signal> out;
  for (Eigen::Index k = 0; k < offsets.cols(); ++k)
    out.push_back(Signal::table(t, offsets.col(k), Interpolation::quintic));
  return out;
}

LearnedMove learn_move(const Model& plant, const SensorOptions& sensors, const ControlOptions& control,
                       const SolverOptions& solver, const State& start, double duration,
                       const LearningOptions& options) {
  if (options.runs < 1) throw InputError("learning needs at least one run");
  if (!(options.cutoff > 0 && options.cutoff <= control.rate / 4))
    throw InputError("the cutoff of learning must be above 0 and at most a quarter of the controller's rate");
  const double count = std::ceil(duration * options.cutoff * kPerCutoff);
  if (!(count < kMostRecords)) throw InputError("the move is too long for this cutoff; lower it");
  const auto intervals = static_cast<Eigen::Index>(std::max(count, 10.0));
  const double step = duration / static_cast<double>(intervals);
  LearnedMove out;
  out.t = VectorXd::LinSpaced(intervals + 1, 0, duration);
  out.offsets = MatrixXd::Zero(intervals + 1, control.driven.size());
  MatrixXd next = out.offsets;
  for (int run = 0; run < options.runs; ++run) {
    out.offsets = next;
    ControlOptions told = control;
    if (run > 0) told.learned = make_offsets(out.t, out.offsets);
    ControlLoop loop(plant, sensors, told);
    System system(plant, {});
    ErrorWatch watch(loop, intervals + 1);
    const RunResult result = simulate(system, solver, {duration, step}, start, watch, &loop);
    if (result.status != Status::ok)
      throw InputError("run " + std::to_string(run + 1) + " of the learning failed: " + result.failure);
    const Tracking tracking = loop.tracking();
    out.rms.push_back(tracking.rms().maxCoeff());
    out.largest.push_back(tracking.largest.maxCoeff());
    next = learn_offsets(out.offsets, watch.error(), step, options.cutoff);
  }
  return out;
}

}  // namespace limber
