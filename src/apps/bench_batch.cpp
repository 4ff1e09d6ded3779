// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Timing of batches, compared with one state at a time.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "apps/bench.hpp"
#include "apps/bench_peers.hpp"
#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/gpu.hpp"

namespace limber::apps {
namespace {

using BatchClock = std::chrono::steady_clock;

// One state of a model in all columns.
struct BatchStates {
  BatchStates(const Model& model, int items) : sample(make_sample(model)), out(model.nv, items) {
    q = sample.x.q.replicate(1, items);
    v = sample.x.v.replicate(1, items);
    tau = sample.tau.replicate(1, items);
  }
  Sample sample;
  BatchArray q, v, tau, out;
};

// An evaluation of `count` states, and its minimum time.
struct Timed {
  std::string name;
  int count;
  std::function<double()> run;  // seconds
  double best = 0;
};

double seconds_since(BatchClock::time_point start) {
  return std::chrono::duration<double>(BatchClock::now() - start).count();
}

// The variants for one model: aba, batches with one thread, all threads, the GPU.
std::vector<Timed> ways_of(const Model& model, BatchStates& s, AbaWorkspace& ws, std::vector<BatchAba>& batches,
                           std::unique_ptr<GpuBatch>& gpu, int items) {
  std::vector<Timed> ways;
  ways.push_back({"aba", 64, [&] {
                    VectorXd out(model.nv);
                    const auto start = BatchClock::now();
                    for (int i = 0; i < 64; ++i) {
                      if (aba(model, s.sample.x, {s.sample.tau}, ws, out) != Status::ok) return 1e9;
                    }
                    return seconds_since(start);
                  }});
  for (BatchAba& batch : batches) {
    ways.push_back(
        {fmt::format("batch x{} {} thread{}", batch.lanes(), batch.threads(), batch.threads() == 1 ? "" : "s"), items,
         [&batch, &s] {
           const auto start = BatchClock::now();
           batch.forward(s.q, s.v, s.tau, s.out);
           return seconds_since(start);
         }});
  }
  if (gpu != nullptr) {
    ways.push_back({"batch gpu", items, [&gpu] {
                      gpu->forward();
                      return gpu->seconds();
                    }});
  }
  return ways;
}

// Alternately, many times: temporary disturbances then affect all of them equally.
void time_in_turn(const ChainSpec& machine, double seconds, std::vector<Timed>& ways, std::vector<BenchCase>& out) {
  for (double spent = 0; spent < seconds * static_cast<double>(ways.size());) {
    for (Timed& way : ways) {
      const double took = way.run();
      spent += took + 1e-9;
      way.best = way.best == 0 ? took : std::min(way.best, took);
    }
  }
  for (const Timed& way : ways) out.push_back({way.name, machine, 1e9 * way.best / way.count});
}

void time_machine(const ChainSpec& machine, int items, int threads, bool cpu, bool on_gpu, double seconds,
                  std::vector<BenchCase>& out) {
  const Model model = make_chain(machine);
  BatchStates s(model, items);
  AbaWorkspace ws(model);
  std::vector<BatchAba> batches;
  if (cpu) {
    for (const int lanes : batch_lanes()) {
      if (lanes > 1) batches.emplace_back(model, items, BatchOptions{.threads = 1, .lanes = lanes});
    }
    if (batches.empty()) batches.emplace_back(model, items, BatchOptions{.threads = 1, .lanes = 1});
    if (threads != 1) batches.emplace_back(model, items, BatchOptions{.threads = threads});
  }
  std::unique_ptr<GpuBatch> gpu;
  if (on_gpu) {
    gpu = std::make_unique<GpuBatch>(model, items);
    gpu->set_state(s.q, s.v);
    gpu->set_forces(s.tau);
  }
  std::vector<Timed> ways = ways_of(model, s, ws, batches, gpu, items);
  time_in_turn(machine, seconds, ways, out);
}

// One evaluation by aba, and one by each engine of this build.
void time_peers_of(const ChainSpec& machine, double seconds, std::vector<BenchCase>& out) {
  const Model model = make_chain(machine);
  const Sample sample = make_sample(model);
  AbaWorkspace ws(model);
  VectorXd vdot(model.nv);
  std::vector<Timed> ways;
  ways.push_back({"aba", 16, [&] {
                    const auto start = BatchClock::now();
                    for (int i = 0; i < 16; ++i) {
                      if (aba(model, sample.x, {sample.tau}, ws, vdot) != Status::ok) return 1e9;
                    }
                    return seconds_since(start);
                  }});
  const BeamSpec beam = link_beam(0);
  const PeerBeam same = {beam.length, beam.mass_per_length, beam.EIz, beam.rotary_inertia_z};
  const std::vector<Peer> peers = {make_mujoco_arm(same, machine.modes), make_simbody_arm(same, machine.modes)};
  for (const Peer& peer : peers) {
    if (peer.name.empty()) continue;
    ways.push_back({peer.name, 1, [&peer] {
                      const auto start = BatchClock::now();
                      peer.evaluate();
                      return seconds_since(start);
                    }});
  }
  if (ways.size() == 1)
    throw InputError(
        "limber bench: --peers: this program was built without other engines; install libmujoco-dev or "
        "libsimbody-dev and configure with -DLIMBER_BENCH=ON");
  time_in_turn(machine, seconds, ways, out);
}

}  // namespace

std::vector<BenchCase> time_batches(const std::string& filter, int items, int threads, bool cpu, bool gpu,
                                    double seconds) {
  if (gpu && gpu_count() == 0)
    throw InputError("limber bench: --gpu: there is no GPU, or this program was built without CUDA");
  std::vector<BenchCase> out;
  for (const int modes : {0, 5, 10}) {
    for (const Fidelity fidelity : {Fidelity::ruthless, Fidelity::full, Fidelity::stiffened}) {
      if (modes == 0 && fidelity != Fidelity::full) continue;
      const ChainSpec machine{Topology::chain, 10, modes, fidelity};
      if (matches(BenchCase{"batch", machine, 0}.name(), filter))
        time_machine(machine, items, threads, cpu, gpu, seconds, out);
    }
  }
  return out;
}

std::vector<BenchCase> time_peers(const std::string& filter, double seconds) {
  std::vector<BenchCase> out;
  for (const int modes : {5, 10}) {
    const ChainSpec machine{Topology::chain, kPeerLinks, modes, Fidelity::full};
    if (matches(BenchCase{"peers", machine, 0}.name(), filter)) time_peers_of(machine, seconds, out);
  }
  return out;
}

}  // namespace limber::apps
