// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "apps/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "apps/commands.hpp"
#include "apps/json.hpp"
#include "apps/terminal.hpp"
#include "limber/files/text_file.hpp"
#include "limber/linear/facts.hpp"

namespace limber::apps {
namespace {

using Clock = std::chrono::steady_clock;

struct BenchOptions {
  std::string filter, algorithm, elimination = "automatic";
  double seconds = 0.2;
  int once = 0, batch = 0, threads = 0;
  bool json = false, quiet = false, list = false, gpu = false, peers = false;
};

constexpr const char* kBenchExample = R"(Example:
  limber bench --filter "chain 10x"
  limber bench --algorithm denoc --filter 10x5
  limber bench --json --seconds 0.5 > results.json
  limber bench --filter aba/chain/10x5/full --once 100
  limber bench --batch 4096 --threads 2 --filter 10x5/full
  limber bench --batch 1048576 --gpu --filter 10x5/full
  limber bench --peers --seconds 3

The machines are arms of flexible links, and binary trees of them; a name is ALGORITHM/TOPOLOGY/BODIESxMODES/FIDELITY.
rnea solves for forces, mass_matrix computes the mass matrix only, the others solve for accelerations. All cases are timed
in turn, many times, and the best time of each is reported. --once does not measure time: it calls limber_bench_evaluate
exactly N times per case, for `valgrind --tool=callgrind --toggle-collect=limber_bench_evaluate` (see bench/instructions).
--batch evaluates N states of one machine at a time (BatchAba) and compares with aba; times are per state. It uses the
widest registers of the processor, on one thread and on --threads (default: all cores); with --gpu, the GPU.
--peers evaluates the same arm in MuJoCo and Simbody, with each link divided into as many pieces as it has modes, if this
program was built with them. scripts/plot_bench plots the output of --json.)";

double seconds_of(Evaluator& evaluator, long repeats) {
  const auto start = Clock::now();
  for (long i = 0; i < repeats; ++i) limber_bench_evaluate(&evaluator);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Timing of one case.
struct Runner {
  std::unique_ptr<Evaluator> evaluator;
  long batch = 1;  // evaluations per clock reading
  double best = 0;

  // Runs for about `slice` seconds, at least one batch.
  void run(double slice) {
    for (double spent = 0; spent == 0 || spent < slice;) {
      const double took = seconds_of(*evaluator, batch);
      spent += took;
      best = best == 0 ? took / batch : std::min(best, took / batch);
    }
  }
  // A batch is long compared with the clock resolution, short compared with a slice.
  void set_batch() {
    constexpr double kBatchSeconds = 20e-6;
    seconds_of(*evaluator, 1);  // warm-up
    batch = std::max(1L, static_cast<long>(kBatchSeconds / std::max(1e-9, seconds_of(*evaluator, 1))));
  }
};

// Runs all cases alternately many times: temporary disturbances then affect all cases equally.
void time_cases(std::vector<BenchCase>& cases, const BenchOptions& options) {
  constexpr int kRounds = 20;
  std::vector<Runner> runners;
  for (const BenchCase& entry : cases) runners.push_back({make_evaluator(entry.algorithm, entry.machine)});
  for (Runner& runner : runners) runner.set_batch();
  const bool progress = !options.quiet && is_terminal(stderr);
  for (int round = 1; round <= kRounds; ++round) {
    if (progress) write_output(fmt::format("\rround {} of {} ", round, kRounds), stderr);
    for (Runner& runner : runners) runner.run(options.seconds / kRounds);
  }
  if (progress) write_output("\r\x1b[K", stderr);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].ns = 1e9 * runners[i].best;
}

std::string processor() {
  try {
    const std::string text = read_text_file("/proc/cpuinfo");
    const std::size_t at = text.find("model name");
    if (at == std::string::npos) return "this machine";
    const std::size_t from = text.find(':', at) + 2;
    return text.substr(from, text.find('\n', from) - from);
  } catch (const InputError&) {
    return "this machine";
  }
}

// The same case with rigid bodies, if it was timed.
const BenchCase* rigid_of(const std::vector<BenchCase>& cases, const BenchCase& of) {
  const auto same = [&](const BenchCase& other) {
    return other.algorithm == of.algorithm && other.machine.topology == of.machine.topology &&
           other.machine.bodies == of.machine.bodies && other.machine.modes == 0;
  };
  const auto found = std::find_if(cases.begin(), cases.end(), same);
  return found == cases.end() ? nullptr : &*found;
}

std::string with_marks(double ns) {
  std::string digits = fmt::format("{:.0f}", ns);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

// 2.45, or 1/46.
std::string ratio_text(double ratio) {
  return ratio < 0.1 ? fmt::format("1/{:.0f}", 1 / ratio) : fmt::format("{:.2f}", ratio);
}

// Rows that are compared with the preceding aba row.
bool is_batch(const BenchCase& entry) {
  const std::vector<std::string> known = bench_algorithms();
  return std::find(known.begin(), known.end(), entry.algorithm) == known.end();
}

std::string table_text(const std::vector<BenchCase>& cases) {
  const Style style = style_for(stdout);
  std::string out = fmt::format("limber {} on {}: the best of many, in nanoseconds\n", LIMBER_VERSION, processor());
  constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);
  using Align = Table::Align;
  Table table;
  table.column("algorithm").column("topology").column("bodies", Align::right).column("modes", Align::right);
  table.column("fidelity").column("evaluation", Align::right).column("per body", Align::right);
  table.column("x rigid", Align::right);
  const bool batches = std::any_of(cases.begin(), cases.end(), is_batch);
  if (batches) table.column("x aba", Align::right);
  const BenchCase* before = nullptr;
  double aba_ns = 0;
  for (const BenchCase& entry : cases) {
    const bool same = before != nullptr && (before->algorithm == entry.algorithm || is_batch(entry)) &&
                      before->machine.topology == entry.machine.topology &&
                      before->machine.bodies == entry.machine.bodies;
    if (!same && before != nullptr) table.rule();
    const BenchCase* rigid = rigid_of(cases, entry);
    const int modes = entry.machine.modes;
    std::vector<std::string> cells = {entry.algorithm,
                                      to_string(entry.machine.topology),
                                      std::to_string(entry.machine.bodies),
                                      modes == 0 ? "rigid" : std::to_string(modes),
                                      modes == 0 ? "" : to_string(entry.machine.fidelity),
                                      with_marks(entry.ns),
                                      with_marks(entry.ns / entry.machine.bodies),
                                      rigid == nullptr ? "" : fmt::format("{:.2f}", entry.ns / rigid->ns)};
    if (entry.algorithm == "aba") aba_ns = entry.ns;
    if (batches) cells.push_back(is_batch(entry) ? ratio_text(aba_ns / entry.ns) : "");
    table.row(cells);
    before = &entry;
  }
  return out + table.render(style, kNoLimit, "cases");
}

std::string json_output(const std::vector<BenchCase>& cases) {
  Json out = Json::array();
  for (const BenchCase& entry : cases)
    out.push_back({{"algorithm", entry.algorithm},
                   {"topology", to_string(entry.machine.topology)},
                   {"bodies", entry.machine.bodies},
                   {"modes", entry.machine.modes},
                   {"fidelity", to_string(entry.machine.fidelity)},
                   {"ns", entry.ns}});
  return out.dump(2) + "\n";
}

void run_once(const std::vector<BenchCase>& cases, const BenchOptions& options) {
  for (const BenchCase& entry : cases) {
    const auto evaluator = make_evaluator(entry.algorithm, entry.machine);
    for (int i = 0; i < options.once; ++i) limber_bench_evaluate(evaluator.get());
    if (!options.quiet) write_output(fmt::format("{} evaluated {} times\n", entry.name(), options.once), stdout);
  }
}

int run_bench(const BenchOptions& options) {
  if (!std::isfinite(options.seconds)) throw InputError("limber bench: --seconds must be a number from 0 to 3600");
  if (options.peers) {
    const std::vector<BenchCase> timed = time_peers(options.filter, options.seconds);
    if (timed.empty()) throw InputError("limber bench: no arm matches all words of the filter; write e.g. 10x5");
    write_output(options.json ? json_output(timed) : table_text(timed), stdout);
    return 0;
  }
  if (options.batch > 0 || options.gpu) {
    const std::vector<BenchCase> timed =
        time_batches(options.filter, options.batch > 0 ? options.batch : 65536, options.threads,
                     options.batch > 0 && !options.gpu, options.gpu, options.seconds);
    if (timed.empty()) throw InputError("limber bench: no batch matches all words of the filter; write e.g. 10x5/full");
    write_output(options.json ? json_output(timed) : table_text(timed), stdout);
    return 0;
  }
  std::vector<BenchCase> cases = bench_cases(options.filter, options.algorithm);
  if (cases.empty())
    throw InputError("limber bench: no case matches all words of the filter; `limber bench --list` shows the names");
  const auto choices = {Elimination::automatic, Elimination::all_modes, Elimination::active};
  for (const Elimination choice : choices) {
    if (options.elimination != to_string(choice)) continue;
    for (BenchCase& entry : cases) entry.machine.elimination = choice;
  }
  if (options.list) {
    for (const BenchCase& entry : cases) write_output(entry.name() + "\n", stdout);
  } else if (options.once > 0) {
    run_once(cases, options);
  } else {
    time_cases(cases, options);
    write_output(options.json ? json_output(cases) : table_text(cases), stdout);
  }
  return 0;
}

}  // namespace

void add_bench(CLI::App& program, Action& action) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* command = program.add_subcommand("bench", "measure the speed of every algorithm on this machine");
  command->add_option("--filter", options->filter, "only cases whose names contain these words")->type_name("WORDS");
  command->add_option("--algorithm", options->algorithm, fmt::format("only {}", fmt::join(bench_algorithms(), ", ")))
      ->type_name("NAME")
      ->check(CLI::IsMember(bench_algorithms()).description(""));
  command->add_option("--seconds", options->seconds, "time for each case (default 0.2)")
      ->type_name("S")
      ->check(CLI::Range(0.0, 3600.0).description(""));
  command
      ->add_option("--elimination", options->elimination,
                   "elimination of modes: automatic (default), all_modes, active")
      ->type_name("NAME")
      ->check(CLI::IsMember({"automatic", "all_modes", "active"}).description(""));
  command->add_option("--once", options->once, "evaluate each case N times without timing")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000000).description(""));
  command->add_option("--batch", options->batch, "evaluate N states of one machine at a time")
      ->type_name("N")
      ->check(CLI::Range(1, 100000000).description(""));
  command->add_option("--threads", options->threads, "threads for batches; 0 (default): all cores")
      ->type_name("N")
      ->check(CLI::Range(0, 4096).description(""));
  command->add_flag("--gpu", options->gpu, "batches on the GPU");
  command->add_flag("--peers", options->peers, "the same arm in other engines, if this program was built with them");
  command->add_flag("--list", options->list, "print the names of the cases");
  command->add_flag("--json", options->json, "print a JSON list");
  command->add_flag("-q,--quiet", options->quiet, "no progress line");
  command->footer(kBenchExample);
  command->callback([options, &action] { action = [options] { return run_bench(*options); }; });
}

}  // namespace limber::apps
