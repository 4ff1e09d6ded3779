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

}  // namespace

void BatchData::prepare_poses(const std::vector<NodeRef>& nodes) {
  if (posing == nullptr || !is_same(nodes, posed)) {
    BatchChoice with = own.choice;
    with.worlds = true;
    with.pose_nodes = nodes;
    posing = std::make_unique<BatchMachine>(*own.model, with);
    posed = nodes;
  }
  reserve(posing->tables(), 0, 12 * static_cast<int>(nodes.size()) + 4);
}

void BatchData::prepare_steps(double c_D, double c_K) {
  if (stepping == nullptr || c_D != implicit_c_D || c_K != implicit_c_K) {
    BatchChoice with = own.choice;
    with.c_D = implicit_c_D = c_D;
    with.c_K = implicit_c_K = c_K;
    stepping = std::make_unique<BatchMachine>(*own.model, with);
  }
  reserve(stepping->tables(), own.model->nq + kBatchStepRows * own.model->nv, 0);
}

void BatchAba::rollout(const RolloutOptions& options, BatchRef q, BatchRef v, ConstBatch tau) {
  BatchData& d = *data_;
  const int nq = d.own.model->nq, nv = d.own.model->nv;
  if (std::any_of(d.own.choice.prescribed.begin(), d.own.choice.prescribed.end(), [](auto p) { return p != 0; }))
    throw InputError("rollout: joints are prescribed; drive them by torques, or take forward() in steps of your own");
  refuse_in_rollouts(*d.own.model);
  make_stepping(options);  // its checks come first
  const bool held = tau.rows() == nv;
  const Eigen::Index rows = held ? nv : static_cast<Eigen::Index>(options.steps) * nv;
  if (q.rows() != nq || q.cols() != d.own.count || v.rows() != nv || v.cols() != d.own.count || tau.rows() != rows ||
      tau.cols() != d.own.count) {
    throw InputError("rollout: q must be nq x items, v nv x items, tau nv x items or (steps nv) x items");
  }
  BatchWork work;
  work.q = {q.data(), q.outerStride(), nq};
  work.v = {v.data(), v.outerStride(), nv};
  work.u = {tau.data(), tau.outerStride(), nv};
  work.torque_steps = held ? 1 : options.steps;
  BatchStepping& s = work.stepping;
  s = make_stepping(options);
  s.steps = held ? options.steps : 1;
  const bool implicit = options.method == "implicit";
  if (implicit) {
    d.a.resize(nv, d.own.count);
    forward(q, v, tau.topRows(nv), d.a);
    d.prepare_steps(implicit_damping(s), implicit_stiffness(s));
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
