// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/simulate.hpp"

#include <cmath>

#include "limber/simulate/time_loop.hpp"

namespace limber {
namespace {

constexpr double kRounding = 1e-12;  // relative to the duration

}  // namespace

long record_count(const RunOptions& options) {
  return static_cast<long>(std::ceil(options.duration / options.record_every * (1 - kRounding))) + 1;
}

double record_time(const RunOptions& options, long k) {
  return k + 1 >= record_count(options) ? options.duration : static_cast<double>(k) * options.record_every;
}

void check_run(const RunOptions& options) {
  if (!(options.duration > 0) || !std::isfinite(options.duration) || !(options.record_every > 0)) {
    throw InputError("duration and the time between records must be above 0");
  }
}

RunResult simulate(System& system, const SolverOptions& solver, const RunOptions& options, const State& start,
                   RunListener& listener, Sampler* sampler) {
  check_run(options);
  TimeLoop loop(system, solver, options.duration, sampler);
  if (loop.start(start)) run_records(loop, options, start.t, 0, listener);
  return loop.result();
}

void run_records(TimeLoop& loop, const RunOptions& options, double start, long first, RunListener& listener) {
  const long records = record_count(options);
  for (long k = first; k < records; ++k) {
    if (loop.advance_to(start + record_time(options, k), &listener) != TimeLoop::Outcome::reached) return;
    if (!loop.evaluate()) return;
    loop.observe();
    listener.record(loop.record());
  }
  (void)loop.complete_step(&listener);
}

}  // namespace limber
