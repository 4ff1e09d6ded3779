// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <limits>
#include <new>

#include "limber/files/detail/quantity.hpp"
#include "limber/scenario/run.hpp"
#include "limber/study/sweep.hpp"
#include "study/results.hpp"

namespace limber {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kAttempts = 3;

std::vector<double> numbers_of(const Overrides& values) {
  std::vector<double> out;
  for (const Override& one : values) {
    double x = std::numeric_limits<double>::quiet_NaN();
    const auto quantity = parse_quantity(one.value);
    if (quantity)
      x = quantity->value;
    else
      std::from_chars(one.value.data(), one.value.data() + one.value.size(), x);
    out.push_back(x);
  }
  return out;
}

// Reduces the records of a run without storing them.
class CaseListener : public RunListener {
 public:
  CaseListener(ResultCollector& collector, const GoOn& go_on) : collector_(collector), go_on_(go_on) {}
  void record(const Record& record) override { collector_.record(record); }
  bool go_on(double, const StepCounts&) override { return !go_on_ || go_on_(); }

 private:
  ResultCollector& collector_;
  const GoOn& go_on_;
};

// One run.  Passes on all exceptions.
void run_once(const Study& study, const Overrides& values, const GoOn& go_on, CaseResult& out) {
  Simulation simulation(read_scenario(study.scenario_file, values));
  ResultCollector collector(study, simulation);
  CaseListener listener(collector, go_on);
  const RunResult result = simulation.run(listener);
  out.interrupted = result.interrupted;
  const bool complete = result.status == Status::ok && !result.interrupted;
  if (!complete) {
    out.row.status = "diverged";
    out.row.message = fmt::format("at t = {:.6g} s: {}", result.t,
                                  result.failure.empty() ? to_string(result.status) : result.failure);
  }
  out.row.results = collector.finish(simulation.tracking(), complete, numbers_of(values));
}

// Repeats the run with a recording; its results are identical.
void record_case(const Study& study, const Overrides& values, const std::string& recording, CaseResult& out) {
  std::filesystem::create_directories(std::filesystem::path(recording).parent_path());
  RunOutputs outputs;
  outputs.recording = recording;
  outputs.flush = 60;
  try {
    out.row.kept = record_run(read_scenario(study.scenario_file, values), outputs).records > 0;
  } catch (const InputError&) {  // refused: nothing to record
  } catch (const NumericalError&) {
  }
}

void set_status(CaseResult& out, const char* status, const std::string& why) {
  out.row.status = status;
  out.row.message = why;
}

}  // namespace

CaseResult run_case(const Study& study, const Overrides& values, const std::string& recording, const GoOn& go_on) {
  CaseResult out;
  const auto begin = Clock::now();
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    out.row = {};
    out.row.results.assign(study.results.size(), std::numeric_limits<double>::quiet_NaN());
    try {
      run_once(study, values, go_on, out);
      if (!recording.empty() && !out.interrupted) record_case(study, values, recording, out);
      break;
    } catch (const InputError& e) {
      set_status(out, "refused", e.what());
      break;
    } catch (const NumericalError& e) {
      set_status(out, "diverged", e.what());
      break;
    } catch (const std::bad_alloc&) {
      set_status(out, "failed", "out of memory");
    } catch (const std::exception& e) {
      set_status(out, "failed", e.what());
    }
    ++out.lost;
  }
  out.row.wall = std::chrono::duration<double>(Clock::now() - begin).count();
  return out;
}

CaseResult run_case(const Study& study, const StudySamples& samples, long run, const std::string& folder,
                    const GoOn& go_on) {
  const KeepChoice& keep = study.keep;
  const bool chosen = keep.kind == KeepChoice::Kind::all || std::binary_search(keep.runs.begin(), keep.runs.end(), run);
  const std::string recording = (std::filesystem::path(folder) / fmt::format("{}.h5", run)).string();
  const Overrides values = samples.overrides(run);
  CaseResult out = run_case(study, values, chosen ? recording : "", go_on);
  if (keep.kind == KeepChoice::Kind::failed && out.row.status == "diverged" && !out.interrupted)
    record_case(study, values, recording, out);
  out.row.index = run;
  return out;
}

// ---- before the first run --------------------------------------------------------------------------------

namespace {

Scenario read_nominal(const Study& study) {
  try {
    return read_scenario(study.scenario_file);
  } catch (const FileError& e) {
    throw InputError(fmt::format("{}: scenario {}; write its path from the folder of the study", study.file, e.what()));
  }
}

// The first, middle or last run with admissible values; throws if all are refused.
Scenario read_trial(const Study& study, const StudySamples& samples) {
  std::string fault;
  for (const long run : {0L, samples.runs() / 2, samples.runs() - 1}) {
    try {
      return read_scenario(study.scenario_file, samples.overrides(run));
    } catch (const InputError& e) {
      if (fault.empty()) fault = fmt::format("{}: run {}: {}", study.file, run, e.what());
    }
  }
  throw InputError(fault);
}

// Refuses two paths to the same value.
void check_twice(const Study& study, const Scenario& scenario) {
  for (std::size_t k = 0; k < scenario.set.size(); ++k) {
    for (std::size_t j = 0; j < k; ++j) {
      if (scenario.set[j].path == scenario.set[k].path)
        throw InputError(fmt::format("{}: two parameters are {}; remove one", study.file, scenario.set[k].path));
    }
  }
}

void fill_parameters(const Study& study, const StudySamples& samples, StudyData& out) {
  for (const StudyParameter& parameter : study.parameters) {
    StudyColumn column;
    column.name = parameter.path;
    column.text = parameter.text;
    out.parameters.push_back(std::move(column));
  }
  const auto runs = static_cast<std::size_t>(samples.runs());
  for (std::size_t run = 0; run < runs; ++run) {
    const Overrides values = samples.overrides(static_cast<long>(run));
    const std::vector<double> numbers = numbers_of(values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (study.parameters[k].numbers)
        out.parameters[k].values.push_back(numbers[k]);
      else
        out.parameters[k].words.push_back(values[k].value);
    }
    out.seeds.push_back(samples.seed(static_cast<long>(run)));
  }
}

}  // namespace

StudyData prepare_study(const Study& study, const StudySamples& samples) {
  StudyData out;
  const Scenario nominal = read_nominal(study);
  out.name = study.name;
  out.study_text = study.text;
  out.scenario_text = nominal.text;
  out.model_text = nominal.model_text;
  out.method = to_string(study.sampling.method);
  out.seed = study.sampling.seed;
  const Scenario trial = read_trial(study, samples);
  check_twice(study, trial);
  std::vector<std::string> units;
  try {
    Simulation simulation(trial);
    const ResultCollector collector(study, simulation);
    units = collector.units();
    if (!simulation.tracking().names.empty())
      collector.finish(simulation.tracking(), true, numbers_of(samples.overrides(0)));
  } catch (const NumericalError&) {  // this one does not start, but the file's own values may
    Simulation simulation(nominal);
    units = ResultCollector(study, simulation).units();
  }
  for (std::size_t k = 0; k < study.results.size(); ++k) {
    StudyColumn column;
    column.name = study.results[k].name;
    column.unit = units[k];
    column.text = study.results[k].text;
    out.results.push_back(std::move(column));
  }
  fill_parameters(study, samples, out);
  out.status.resize(static_cast<std::size_t>(samples.runs()));
  out.message.resize(out.status.size());
  out.wall.resize(out.status.size());
  out.kept.resize(out.status.size());
  return out;
}

}  // namespace limber
