// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// limber-mpi: `limber sweep` under mpirun.  Process 0 owns the table, distributes the runs one by one and does some
// itself; the others request, run and return them.  Two messages per run: its number, 8 bytes, and its row, 200 bytes
// and 8 for every result.
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "apps/interrupt.hpp"
#include "apps/sweep_run.hpp"
#include "apps/terminal.hpp"
#include "limber/spatial/status.hpp"

namespace limber::apps {
namespace {

constexpr int kAssign = 1, kAnswer = 2;
constexpr std::int64_t kNoMore = -1;
constexpr useconds_t kLookEvery = 200;  // us between two polls for messages

// A row as a message.
struct WireRow {
  std::int64_t index = 0;
  std::int32_t lost = 0, flags = 0;  // 1: kept, 2: interrupted
  double wall = 0;
  char status[kStudyStatusBytes] = {}, message[kStudyMessageBytes] = {};
};

void put_text(const std::string& text, char* out, std::size_t bytes) {
  std::memcpy(out, text.data(), std::min(bytes, text.size()));
}
std::string get_text(const char* text, std::size_t bytes) { return {text, strnlen(text, bytes)}; }

std::vector<char> pack(const CaseResult& result) {
  WireRow row;
  row.index = result.row.index;
  row.lost = result.lost;
  row.flags = (result.row.kept ? 1 : 0) | (result.interrupted ? 2 : 0);
  row.wall = result.row.wall;
  put_text(result.row.status, row.status, sizeof row.status);
  put_text(result.row.message, row.message, sizeof row.message);
  const std::size_t numbers = result.row.results.size() * sizeof(double);
  std::vector<char> out(sizeof row + numbers);
  std::memcpy(out.data(), &row, sizeof row);
  std::memcpy(out.data() + sizeof row, result.row.results.data(), numbers);
  return out;
}

CaseResult unpack(const std::vector<char>& bytes) {
  WireRow row;
  std::memcpy(&row, bytes.data(), sizeof row);
  CaseResult out;
  out.row.index = row.index;
  out.lost = row.lost;
  out.row.kept = (row.flags & 1) != 0;
  out.interrupted = (row.flags & 2) != 0;
  out.row.wall = row.wall;
  out.row.status = get_text(row.status, sizeof row.status);
  out.row.message = get_text(row.message, sizeof row.message);
  out.row.results.resize((bytes.size() - sizeof row) / sizeof(double));
  std::memcpy(out.row.results.data(), bytes.data() + sizeof row, bytes.size() - sizeof row);
  return out;
}

// Sleeps between polls: blocking calls of MPI use a full core.
bool has_message(int source, int tag, MPI_Status& status) {
  int there = 0;
  MPI_Iprobe(source, tag, MPI_COMM_WORLD, &there, &status);
  return there != 0;
}

// Process 0, with one thread for its own runs: MPI is called from the main thread only.
class MpiTeam : public Team {
 public:
  explicit MpiTeam(int size) : size_(size) {}
  ~MpiTeam() override {
    if (!opened_) open(0);
  }

  void run(const std::vector<long>& runs, const Work& work, const Events& events, const GoOn& go_on) override {
    open(1);
    left_.assign(runs.begin(), runs.end());
    waiting_.assign(static_cast<std::size_t>(size_), 0);
    std::thread own([&] { serve_here(work); });
    try {
      while (!left_.empty() || outstanding_ > 0) {
        if (!go_on()) left_.clear();
        const bool handed = hand_out(events);
        const bool taken = take_answers(events);
        if (!handed && !taken) usleep(kLookEvery);
      }
    } catch (...) {
      finish(own);
      throw;
    }
    finish(own);
  }

 private:
  void open(int go) {
    opened_ = true;
    MPI_Request request;
    MPI_Ibcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  // Number of runs queued per process: a tenth of a second's work, at least one run; none when few are left.  This
  // hides message latency, without making the others wait for a slow process at the end.
  int runs_ahead() const {
    constexpr double kSeconds = 0.1, kMax = 64;
    if (left_.size() <= 2 * static_cast<std::size_t>(size_)) return 1;
    return 1 + static_cast<int>(taken_ > 0 ? std::clamp(kSeconds * static_cast<double>(taken_) / wall_, 1.0, kMax) : 1);
  }

  bool hand_out(const Events& events) {
    bool any = false;
    for (int rank = 0; rank < size_ && !left_.empty(); ++rank) {
      if (waiting_[static_cast<std::size_t>(rank)] >= runs_ahead()) continue;
      const std::int64_t run = left_.front();
      left_.pop_front();
      events.begun(run);
      ++waiting_[static_cast<std::size_t>(rank)];
      ++outstanding_;
      any = true;
      if (rank > 0) {
        MPI_Send(&run, 1, MPI_INT64_T, rank, kAssign, MPI_COMM_WORLD);
      } else {
        const std::lock_guard lock(mutex_);
        todo_.push_back(run);
      }
    }
    return any;
  }

  void take(int rank, const CaseResult& result, const Events& events) {
    --waiting_[static_cast<std::size_t>(rank)];
    --outstanding_;
    ++taken_;
    wall_ += result.row.wall;
    events.done(result);
  }

  bool take_answers(const Events& events) {
    bool any = false;
    MPI_Status status;
    while (has_message(MPI_ANY_SOURCE, kAnswer, status)) {
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      std::vector<char> answer(static_cast<std::size_t>(bytes));
      MPI_Recv(answer.data(), bytes, MPI_BYTE, status.MPI_SOURCE, kAnswer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      take(status.MPI_SOURCE, unpack(answer), events);
      any = true;
    }
    std::deque<CaseResult> own;
    {
      const std::lock_guard lock(mutex_);
      own.swap(finished_);
    }
    for (const CaseResult& result : own) take(0, result, events);
    return any || !own.empty();
  }

  void serve_here(const Work& work) {
    while (true) {
      std::int64_t run = kNoMore;
      {
        const std::lock_guard lock(mutex_);
        if (closed_) return;
        if (!todo_.empty()) {
          run = todo_.front();
          todo_.pop_front();
        }
      }
      if (run == kNoMore) {
        usleep(kLookEvery);
        continue;
      }
      CaseResult result = work(run);
      const std::lock_guard lock(mutex_);
      finished_.push_back(std::move(result));
    }
  }

  void finish(std::thread& own) {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    for (int rank = 1; rank < size_; ++rank) MPI_Send(&kNoMore, 1, MPI_INT64_T, rank, kAssign, MPI_COMM_WORLD);
    own.join();
  }

  int size_;
  bool opened_ = false;
  std::deque<std::int64_t> left_;
  std::vector<int> waiting_;  // (rank) number of its queued runs
  long outstanding_ = 0, taken_ = 0;
  double wall_ = 0;   // s: of the completed runs
  std::mutex mutex_;  // guards the rest
  std::deque<std::int64_t> todo_;
  std::deque<CaseResult> finished_;
  bool closed_ = false;
};

// All other processes.
int serve(const SweepCommand& command) {
  int go = 0;
  MPI_Request request;
  MPI_Ibcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  for (int there = 0; there == 0; usleep(kLookEvery)) MPI_Test(&request, &there, MPI_STATUS_IGNORE);
  if (go == 0) return 0;
  const StopOnSignal stop;
  const Study study = read_study(command.study);
  const StudySamples samples(study);
  const std::string folder = recordings_folder(command.output);
  const GoOn go_on = [] { return !stop_requested(); };
  while (true) {
    MPI_Status status;
    while (!has_message(0, kAssign, status)) usleep(kLookEvery);
    std::int64_t run = kNoMore;
    MPI_Recv(&run, 1, MPI_INT64_T, 0, kAssign, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (run == kNoMore) return 0;
    const std::vector<char> answer = pack(run_case(study, samples, run, folder, go_on));
    MPI_Send(answer.data(), static_cast<int>(answer.size()), MPI_BYTE, 0, kAnswer, MPI_COMM_WORLD);
  }
}

int lead(const SweepCommand& command, int size) {
  MpiTeam team(size);  // its destructor ends the others
  return run_sweep(command, read_study(command.study), team, fmt::format("by {} processes", size));
}

int run_process(int argc, char** argv) {
  if (argc < 3) {
    write_output("limber-mpi: start it by `mpirun -n N limber sweep STUDY`\n", stderr);
    return 1;
  }
  const SweepCommand command = parse_mpi_arguments({argv + 1, argv + argc});
  int provided = 0, rank = 0, size = 1, code = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  try {
    code = rank == 0 ? lead(command, size) : serve(command);
  } catch (const std::exception& e) {
    write_output(fmt::format("{}\n", e.what()), stderr);
    if (rank != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}

}  // namespace
}  // namespace limber::apps

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit of the shell is reported like a full disk
  return limber::apps::run_process(argc, argv);
}
