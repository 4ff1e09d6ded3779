// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/scenario/learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "limber/files/model_file.hpp"
#include "limber/scenario/run.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr double kPerCutoff = 20;  // records per period of the cutoff frequency
constexpr double kMaxLearningSamples = 1e5;
constexpr int kMaxRuns = 1000;

// Records the tracking error.
class ErrorWatch : public RunListener {
 public:
  ErrorWatch(const ControlLoop& loop, Eigen::Index records, std::function<bool(double t)> go_on)
      : loop_(loop), go_on_(std::move(go_on)), error_(MatrixXd::Zero(records, loop.driven_joints().size())) {}

  void record(const Record& record) override {
    if (next_ == error_.rows()) return;
    const State& x = record.motion.x;
    for (int k = 0; k < loop_.driven_joints().size(); ++k) {
      const Signal& desired = loop_.controller().options().desired[static_cast<std::size_t>(k)];
      error_(next_, k) = desired.at(x.t).value - x.q[loop_.driven_joints().q[static_cast<std::size_t>(k)]];
    }
    ++next_;
  }
  bool go_on(double t, const StepCounts& /*counts*/) override { return go_on_(t); }
  const MatrixXd& error() const { return error_; }

 private:
  const ControlLoop& loop_;
  std::function<bool(double)> go_on_;
  MatrixXd error_;
  Eigen::Index next_ = 0;
};

void check_learning(const Scenario& scenario, const LearningOptions& options) {
  if (scenario.attitude) throw InputError("learning is for controllers of joints; this one controls an attitude");
  if (!scenario.control) throw InputError("there is no controller to learn for; add control:");
  if (options.runs < 1 || options.runs > kMaxRuns) throw InputError("the number of learning runs must be 1 to 1000");
  if (!(options.cutoff > 0 && options.cutoff <= scenario.control->options.rate / 4))
    throw InputError("the cutoff of learning must be above 0 and at most a quarter of the controller's rate");
  if (!(scenario.run.duration * options.cutoff * kPerCutoff < kMaxLearningSamples))
    throw InputError("the move is too long for this cutoff of learning; lower it");
}

}  // namespace

LearnedMove learn(const Scenario& scenario, const LearningOptions& options,
                  const std::function<bool(int run, double share)>& done) {
  in_scenario(scenario, [&] { check_learning(scenario, options); });
  const double duration = scenario.run.duration;
  const auto intervals = static_cast<Eigen::Index>(std::max(std::ceil(duration * options.cutoff * kPerCutoff), 10.0));
  const double step = duration / static_cast<double>(intervals);
  LearnedMove out;
  out.t = VectorXd::LinSpaced(intervals + 1, 0, duration);
  MatrixXd next = MatrixXd::Zero(intervals + 1, scenario.control->options.driven.size());
  const MatrixXd given = next;
  for (int run = 0; run < options.runs; ++run) {
    auto control = std::make_shared<ControlScenario>(*scenario.control);
    if (run > 0) control->options.learned = make_offsets(out.t, next);
    Scenario told = scenario;
    told.control = control;
    told.run.record_every = step;
    Simulation simulation(told);
    ErrorWatch watch(*simulation.controller(), intervals + 1,
                     [&](double t) { return !done || done(run, std::min(1.0, t / duration)); });
    const RunResult result = simulation.run(watch);
    if (result.interrupted) break;
    if (result.status != Status::ok) {
      throw InputError(fmt::format("{}: run {} of learning failed: {}", scenario.file, run + 1,
                                   result.failure.empty() ? to_string(result.status) : result.failure));
    }
    const Tracking tracking = simulation.controller()->tracking();
    out.rms.push_back(tracking.rms().maxCoeff());
    out.largest.push_back(tracking.largest.maxCoeff());
    out.residual.push_back(tracking.residual);
    out.offsets = next;
    next = learn_offsets(out.offsets, watch.error(), step, options.cutoff);
  }
  if (out.rms.empty()) out.offsets = given;
  return out;
}

LearnedFile read_learned(const Reader& root) {
  if (!root.is_map() || !root.has("learned")) root.fail_item("is not a file written by `limber learn`");
  check_version(root);
  root.check_keys({"limber", "learned", "t", "offsets"});
  const Reader times = root.at("t", "t: [0, 1]"), offsets = root.at("offsets", "offsets: {shoulder: [0, 0]}");
  LearnedFile out;
  out.t = times.numbers();
  if (out.t.size() < 2) times.fail("must have at least two times");
  for (const auto& [key, list] : offsets.entries()) {
    const VectorXd y = list.numbers(out.t.size());
    try {
      out.offsets.push_back(Signal::table(out.t, y, Interpolation::quintic));
    } catch (const InputError& e) {
      times.fail(fmt::format("does not fit: {}", e.what()));
    }
    out.names.push_back(key.text());
    out.largest = std::max(out.largest, y.cwiseAbs().maxCoeff());
  }
  if (out.names.empty()) offsets.fail("must name the driven joints: {shoulder: [0, 0]}");
  return out;
}

std::string learned_text(const Scenario& scenario, const LearnedMove& move) {
  const auto list = [](const VectorXd& values) {
    return fmt::format("[{:.17g}]", fmt::join(values.data(), values.data() + values.size(), ","));
  };
  const std::vector<std::string>& names = scenario.control->options.driven.names;
  std::string out = "{\"limber\": 1, \"learned\": \"offsets of joints\",\n\"t\": " + list(move.t) + ",\n\"offsets\": {";
  for (std::size_t k = 0; k < names.size(); ++k) {
    out +=
        fmt::format("{}\n\"{}\": {}", k > 0 ? "," : "", names[k], list(move.offsets.col(static_cast<Eigen::Index>(k))));
  }
  return out + "}}\n";
}

}  // namespace limber
