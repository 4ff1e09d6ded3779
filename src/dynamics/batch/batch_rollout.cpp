// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "batch_data.hpp"

namespace limber {
namespace {

bool is_same(const std::vector<NodeRef>& a, const std::vector<NodeRef>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](NodeRef x, NodeRef y) { return x.body == y.body && x.node == y.node; });
}

void check_options(const RolloutOptions& options) {
  if (options.method != "implicit" && options.method != "rk4")
    throw InputError("rollout: unknown method '" + options.method + "'; choose implicit or rk4");
  if (!(options.step > 0) || options.steps < 1) throw InputError("rollout: step and steps must be positive");
  if (!(options.rho_inf >= 0 && options.rho_inf <= 1) || options.passes < 1)
    throw InputError("rollout: rho_inf must be in 0 ... 1, passes 1 or more");
}

}  // namespace

void BatchData::prepare_poses(const std::vector<NodeRef>& nodes) {
  if (posing == nullptr || !is_same(nodes, posed)) {
    BatchChoice with = choice;
    with.worlds = true;
    with.pose_nodes = nodes;
    posing = std::make_unique<BatchMachine>(*model, with);
    posed = nodes;
  }
  reserve(posing->tables(), 0, 12 * static_cast<int>(nodes.size()) + 4);
}

void BatchData::prepare_steps(double c_D, double c_K) {
  if (stepping == nullptr || c_D != implicit_c_D || c_K != implicit_c_K) {
    BatchChoice with = choice;
    with.c_D = implicit_c_D = c_D;
    with.c_K = implicit_c_K = c_K;
    stepping = std::make_unique<BatchMachine>(*model, with);
  }
  reserve(stepping->tables(), model->nq + kBatchStepRows * model->nv, 0);
}

void BatchAba::rollout(const RolloutOptions& options, BatchRef q, BatchRef v, ConstBatch tau) {
  BatchData& d = *data_;
  const int nq = d.model->nq, nv = d.model->nv;
  check_options(options);
  if (std::any_of(d.choice.prescribed.begin(), d.choice.prescribed.end(), [](auto p) { return p != 0; }))
    throw InputError("rollout: joints are prescribed; drive them by torques, or take forward() in steps of your own");
  const bool held = tau.rows() == nv;
  const Eigen::Index rows = held ? nv : static_cast<Eigen::Index>(options.steps) * nv;
  if (q.rows() != nq || q.cols() != d.items || v.rows() != nv || v.cols() != d.items || tau.rows() != rows ||
      tau.cols() != d.items) {
    throw InputError("rollout: q must be nq x items, v nv x items, tau nv x items or (steps nv) x items");
  }
  BatchWork work;
  work.q = {q.data(), q.outerStride(), nq};
  work.v = {v.data(), v.outerStride(), nv};
  work.u = {tau.data(), tau.outerStride(), nv};
  work.torque_steps = held ? 1 : options.steps;
  BatchStepping& s = work.stepping;
  s.h = options.step;
  s.steps = held ? options.steps : 1;
  s.passes = options.passes;
  const bool implicit = options.method == "implicit";
  if (implicit) {
    const double rho = options.rho_inf;
    s.am = (2 * rho - 1) / (rho + 1), s.af = rho / (rho + 1), s.g = 0.5 - s.am + s.af;
    s.b = 0.25 * (1 - s.am + s.af) * (1 - s.am + s.af);
    const double share = 1 - s.af, h = s.h;
    d.a.resize(nv, d.items);
    forward(q, v, tau.topRows(nv), d.a);
    d.prepare_steps(share * s.g * h / (1 - s.am), share * s.b * h * h / (1 - s.am));
    work.given = {d.a.data(), d.a.outerStride(), nv};
  } else {
    d.prepare_steps(0, 0);
  }
  work.kernel = implicit ? d.kernels->implicit : d.kernels->rk4;
  work.machine = d.stepping.get();
  work.moved_q = {q.data(), q.outerStride(), nq};
  work.moved_v = {v.data(), v.outerStride(), nv};
  d.run(work);
}

}  // namespace limber
