// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Batches on a GPU: accelerations against aba, evaluations per second, a rollout against that on the CPU.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string_view>

#include "apps/chains.hpp"
#include "gpu_law.hpp"
#include "limber/dynamics/aba.hpp"
#include "limber/dynamics/dca.hpp"
#include "limber/dynamics/gpu.hpp"
#include "limber/dynamics/rnea.hpp"

namespace limber {
namespace {

using Clock = std::chrono::steady_clock;

struct States {
  States(const Model& model, int items) : q(model.nq, items), v(model.nv, items), tau(model.nv, items) {
    const apps::Sample s = apps::make_sample(model);
    std::mt19937 random(7);
    const auto between = [&](double most) { return most * (2.0 * random() / 4294967295.0 - 1); };
    for (int k = 0; k < items; ++k) {
      for (int j = 0; j < model.nv; ++j) {
        q(j, k) = s.x.q[j] * (1 + between(0.5));
        v(j, k) = s.x.v[j] * (1 + between(0.5));
        tau(j, k) = s.tau[j] * (1 + between(0.5));
      }
    }
  }
  BatchArray q, v, tau;
};

// The largest relative difference from aba for some of the items.
double compare(const Model& model, const States& s, const BatchArray& vdot, int step) {
  AbaWorkspace ws(model);
  VectorXd expected(model.nv);
  double worst = 0;
  for (Eigen::Index k = 0; k < s.q.cols(); k += step) {
    const VectorXd tau = s.tau.col(k);
    if (aba(model, {0, s.q.col(k), s.v.col(k)}, {tau}, ws, expected) != Status::ok) return 1;
    const double error = (vdot.col(k) - expected).norm() / expected.norm();
    worst = error > worst || error != error ? error : worst;
  }
  return worst;
}

void evaluations(const apps::ChainSpec& spec, int items) {
  const Model model = apps::make_chain(spec);
  const States s(model, items);
  GpuBatch gpu(model, items);
  gpu.set_state(s.q, s.v);
  gpu.set_forces(s.tau);
  double best = 1e9;
  for (int i = 0; i < 10; ++i) {
    gpu.forward();
    best = std::min(best, gpu.seconds());
  }
  BatchArray vdot(model.nv, items), tau(model.nv, items);
  gpu.get_accelerations(vdot);
  const double worst = compare(model, s, vdot, std::max(1, items / 500));
  gpu.inverse();
  const double inverse = gpu.seconds();
  gpu.get_forces(tau);
  fmt::print(
      "{}x{} {:9} items {:8}: {:9.3f} ms, {:.3e} evaluations/s, off aba {:.1e}; inverse {:.3e}/s, off tau {:.1e}\n",
      spec.bodies, spec.modes, to_string(spec.fidelity), items, 1e3 * best, items / best, worst, items / inverse,
      (tau - s.tau).norm() / s.tau.norm());
  if (items >= 65536) fmt::print("  {}\n", gpu.kernel());
}

void rollout(const char* method, int items, int steps, int compared) {
  const Model model = apps::make_chain({apps::Topology::chain, 10, 5, Fidelity::full});
  const States s(model, items);
  GpuBatch gpu(model, items);
  gpu.set_state(s.q, s.v);
  gpu.set_forces(BatchArray::Zero(model.nv, items));
  gpu.forward();  // initialises the device
  RolloutOptions options;
  options.method = method;
  options.step = 1e-4, options.steps = steps;
  gpu.rollout(options);
  const double seconds = gpu.seconds();
  BatchArray q(model.nq, items), v(model.nv, items);
  gpu.get_state(q, v);
  BatchAba cpu(model, compared);
  BatchArray cq = s.q.leftCols(compared), cv = s.v.leftCols(compared), before(4, compared), after(4, compared),
             device(4, compared);
  cpu.energy(cq, cv, before);
  const auto start = Clock::now();
  cpu.rollout(options, cq, cv, BatchArray::Zero(model.nv, compared));
  const double host = std::chrono::duration<double>(Clock::now() - start).count();
  cpu.energy(cq, cv, after);
  cpu.energy(q.leftCols(compared), v.leftCols(compared), device);
  const Eigen::RowVectorXd total = after.colwise().sum(), on_device = device.colwise().sum(),
                           at_start = before.colwise().sum();
  fmt::print(
      "rollout of {} arms 10x5, {} {} steps of {} s: {:.3f} s, {:.3e} steps/s ({} evaluations each); "
      "the processor: {:.3e} steps/s\n",
      items, steps, method, options.step, seconds, double(items) * steps / seconds,
      options.method == "rk4" ? 4 : options.passes, double(compared) * steps / host);
  fmt::print(
      "  {} of them on the processor: q off {:.1e}, v off {:.1e}, energy off {:.1e} J (dissipated {:.1f} J of "
      "{:.1f})\n",
      compared, (q.leftCols(compared) - cq).norm() / cq.norm(), (v.leftCols(compared) - cv).norm() / cv.norm(),
      (total - on_device).cwiseAbs().maxCoeff(), (at_start - total).mean(), at_start.mean());
}

// Torques of a law, step by step, on the host and on the device, against the same law on the CPU.
void laws(int items, int steps) {
  const Model model = apps::make_chain({apps::Topology::chain, 10, 5, Fidelity::full});
  const States s(model, items);
  const BatchArray none = BatchArray::Zero(model.nv, items);
  RolloutOptions options;
  options.step = 1e-4, options.steps = steps;
  const auto law = [&](const BatchArray& q, const BatchArray& v) -> BatchArray { return -20 * q - 5 * v; };
  constexpr int compared = 16;
  BatchArray q[2], v[2], tape(steps * model.nv, compared);  // torques of the law on the host
  double seconds[2] = {};
  for (int device = 0; device < 2; ++device) {
    GpuBatch gpu(model, items);
    gpu.set_state(s.q, s.v);
    gpu.set_forces(none);
    q[device] = s.q, v[device] = s.v;
    gpu.forward();
    gpu.seconds();
    const auto start = Clock::now();
    gpu.rollout(options, [&](int step) {
      if (device == 1) return apply_law(gpu.device_q(), gpu.device_v(), gpu.device_forces(), model.nv * items);
      gpu.get_state(q[0], v[0]);
      const BatchArray tau = law(q[0], v[0]);
      tape.middleRows(step * model.nv, model.nv) = tau.leftCols(compared);
      gpu.set_forces(tau);
    });
    gpu.seconds();
    seconds[device] = std::chrono::duration<double>(Clock::now() - start).count();
    gpu.get_state(q[device], v[device]);
  }
  BatchAba cpu(model, compared);
  BatchArray cq = s.q.leftCols(compared), cv = s.v.leftCols(compared);
  cpu.rollout(options, cq, cv, tape);
  fmt::print(
      "laws, {} arms 10x5, {} steps: host {:.3e} steps/s, device {:.3e} steps/s; host and device differ by {:.1e}; q "
      "off "
      "the processor {:.1e}\n",
      items, steps, double(items) * steps / seconds[0], double(items) * steps / seconds[1],
      (q[0] - q[1]).norm() / q[0].norm(), (q[1].leftCols(compared) - cq).norm() / cq.norm());
}

// One long chain by the divide-and-conquer algorithm.
void halves(int links, int modes) {
  const Model model = apps::make_chain({apps::Topology::chain, links, modes, Fidelity::full});
  const apps::Sample s = apps::make_sample(model);
  GpuChain chain(model);
  chain.set_state(s.x.q, s.x.v);
  chain.set_forces(s.tau);
  VectorXd vdot(model.nv), again(model.nv), expected(model.nv);
  double best = 1e9, serial = 1e9;
  for (int i = 0; i < 20; ++i) {
    chain.forward();
    best = std::min(best, chain.seconds());
  }
  const Status status = chain.get_accelerations(vdot);
  chain.forward();
  const bool same = chain.get_accelerations(again) == status && again == vdot;
  AbaWorkspace ws(model);
  for (int i = 0; i < 10; ++i) {
    const auto start = Clock::now();
    if (aba(model, s.x, {s.tau}, ws, expected) != Status::ok) fmt::print("aba has no solution\n");
    serial = std::min(serial, std::chrono::duration<double>(Clock::now() - start).count());
  }
  DcaWorkspace dca_ws(model);
  double parallel = 1e9;
  VectorXd by_dca(model.nv);
  for (int i = 0; i < 10; ++i) {
    const auto start = Clock::now();
    if (dca(model, s.x, {s.tau}, dca_ws, by_dca) != Status::ok) fmt::print("dca has no solution\n");
    parallel = std::min(parallel, std::chrono::duration<double>(Clock::now() - start).count());
  }
  fmt::print(
      "divide and conquer {:6} links x {:2}, {:2} levels: {:8.1f} us; aba {:9.1f} us, dca on all cores {:9.1f} us; off "
      "aba "
      "{:.1e}, off dca {:.1e}, dca off aba {:.1e}{}{}\n",
      links, modes, chain.levels(), 1e6 * best, 1e6 * serial, 1e6 * parallel,
      (vdot - expected).norm() / expected.norm(), (vdot - by_dca).norm() / by_dca.norm(),
      (by_dca - expected).norm() / expected.norm(), chain.answered_serially() ? ", answered by aba" : "",
      same ? ", same bits" : ", OTHER BITS");
}

}  // namespace
}  // namespace limber

// Arguments select the parts forward, others, rollout, laws and chain; long: one chain of 100 000 links.
int main(int count, char** words) {
  using namespace limber;
  const auto wanted = [&](std::string_view part) {
    return count == 1 || std::find(words + 1, words + count, part) != words + count;
  };
  if (gpu_count() == 0) {
    fmt::print("no GPU, or a build without CUDA\n");
    return 1;
  }
  try {
    fmt::print("{}\n", gpu_name(0));
    using apps::Topology;
    if (wanted("forward"))
      for (const int items : {4096, 65536, 1048576}) evaluations({Topology::chain, 10, 5, Fidelity::full}, items);
    if (wanted("others")) {
      evaluations({Topology::chain, 10, 0, Fidelity::full}, 1048576);
      evaluations({Topology::chain, 10, 10, Fidelity::full}, 65536);
      evaluations({Topology::chain, 40, 5, Fidelity::full}, 65536);
      evaluations({Topology::tree, 10, 5, Fidelity::full}, 65536);
      evaluations({Topology::chain, 10, 5, Fidelity::stiffened}, 16384);
      evaluations({Topology::chain, 10, 5, Fidelity::ruthless}, 65536);
    }
    if (wanted("rollout")) rollout("implicit", 65536, 1000, 64), rollout("rk4", 65536, 100, 64);
    if (wanted("laws")) laws(4096, 50);
    if (wanted("chain"))
      for (const int modes : {0, 5, 10})
        for (const int links : {1000, 10000, 100000}) halves(links, modes);
    if (count > 1 && wanted("long")) halves(100000, 5);
  } catch (const Error& error) {
    fmt::print("{}\n", error.what());
    return 1;
  }
  return 0;
}
