// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/dca.hpp"

#include "dca_steps.hpp"
#include "dynamics/kinematics/body_motion.hpp"
#include "dynamics/thread_pool.hpp"
#include "limber/model/slider.hpp"

namespace limber {
namespace {

// Two halves with `bodies` bodies in total, in parallel if they are large enough.  The result does not depend on the
// threads: each half writes only to its own bodies.
template <typename First, typename Second>
void fork(const DcaJob& job, int bodies, const First& first, const Second& second) {
  if (job.threads && bodies > job.ws.grain) {
    at_the_same_time(first, second);
    return;
  }
  first();
  second();
}

// ---- single bodies, four at once ----

template <typename Step>
void for_groups(const DcaJob& job, int begin, int end, const Step& step) {
  if (end - begin <= 1) {
    if (begin < end) step(begin);
    return;
  }
  const int middle = begin + (end - begin) / 2;
  fork(
      job, kLanes * (end - begin), [&] { for_groups(job, begin, middle, step); },
      [&] { for_groups(job, middle, end, step); });
}

GroupScratch& scratch_of(const DcaJob& job) { return job.ws.scratch[job.threads ? thread_index() : 0]; }

// ---- motions relative to the first frame of each part, up the tree ----

void motions_of_branch(const DcaJob& job, int b);

void motions(const DcaJob& job, int p) {
  const DcaPart& part = job.ws.tree.parts[p];
  if (part.left < 0) {
    start_motion(job, part);
    if (part.branch >= 0) motions_of_branch(job, part.branch);
    return;
  }
  fork(
      job, part.bodies, [&] { motions(job, part.left); }, [&] { motions(job, part.right); });
  join_motion(job, part, job.ws.motions[p]);
}

void motions_of_branch(const DcaJob& job, int b) {
  const DcaBranch& branch = job.ws.tree.branches[b];
  if (branch.part >= 0) {
    motions(job, branch.part);
    attach_joint(job, job.ws.tree.parts[branch.part].first);
    return;
  }
  fork(
      job, branch.bodies, [&] { motions_of_branch(job, branch.left); }, [&] { motions_of_branch(job, branch.right); });
}

// ---- down the tree: motions in world ----

void enter_branches(const DcaJob& job, int b);

void enter(const DcaJob& job, int p) {
  const DcaPart& part = job.ws.tree.parts[p];
  if (part.left < 0) {
    enter_attachments(job, part);
    if (part.branch >= 0) enter_branches(job, part.branch);
    return;
  }
  enter_motion(job, part);
  fork(
      job, part.bodies, [&] { enter(job, part.left); }, [&] { enter(job, part.right); });
}

void enter_branches(const DcaJob& job, int b) {
  const DcaBranch& branch = job.ws.tree.branches[b];
  if (branch.part >= 0) {
    enter_branch_motion(job, job.ws.tree.parts[branch.part].first);
    enter(job, branch.part);
    return;
  }
  fork(
      job, branch.bodies, [&] { enter_branches(job, branch.left); }, [&] { enter_branches(job, branch.right); });
}

// ---- up the tree: assembly ----

void inward_branch(const DcaJob& job, int b);

void inward(const DcaJob& job, int p) {
  const DcaPart& part = job.ws.tree.parts[p];
  if (part.left < 0) {
    if (part.branch >= 0) inward_branch(job, part.branch);
    compute_body(job, p);
    return;
  }
  fork(
      job, part.bodies, [&] { inward(job, part.left); }, [&] { inward(job, part.right); });
  close_joint(job, part.right);
  join_parts(job, p);
}

void inward_branch(const DcaJob& job, int b) {
  DcaData& ws = job.ws;
  const DcaBranch& branch = ws.tree.branches[b];
  if (branch.part >= 0) {
    inward(job, branch.part);
    close_joint(job, branch.part);
    return;
  }
  fork(
      job, branch.bodies, [&] { inward_branch(job, branch.left); }, [&] { inward_branch(job, branch.right); });
  if (!branch.sum) return;
  ws.sums[b] = load_of(ws, branch.left);
  const DcaSum more = load_of(ws, branch.right);
  add(ws.sums[b].Gamma, more.Gamma);
  ws.sums[b].z += more.z;
}

// ---- down the tree: accelerations ----

void outward_branch(const DcaJob& job, int b);

// f: wrench at the outboard end.
void outward(const DcaJob& job, int p, Spatial f) {
  const DcaPart& part = job.ws.tree.parts[p];
  if (part.left < 0) {
    expand_body(job, p, f);
    if (part.branch >= 0) outward_branch(job, part.branch);
    return;
  }
  Spatial f_between, a_between;
  part_ends(job, p, f, f_between, a_between);
  enter_joint(job, part.right, a_between, f_between, f);
  fork(
      job, part.bodies, [&] { outward(job, part.left, f_between); }, [&] { outward(job, part.right, f); });
}

void outward_branch(const DcaJob& job, int b) {
  const DcaData& ws = job.ws;
  const DcaBranch& branch = ws.tree.branches[b];
  if (branch.part < 0) {
    fork(
        job, branch.bodies, [&] { outward_branch(job, branch.left); }, [&] { outward_branch(job, branch.right); });
    return;
  }
  const Link& link = job.layout.links[ws.tree.parts[branch.part].first];
  const Spatial a = link.attachment >= 0 ? ws.attachment_a[link.attachment] : ws.a[link.parent];
  const DcaEnds& ends = ws.ends[branch.part];
  enter_joint(job, branch.part, a, ends.P * a + ends.z, zero_spatial());
  outward(job, branch.part, zero_spatial());
}

// Returns false if too many digits are lost in the parts.
bool evaluate(const Model& model, std::span<const NodeWrench> wrenches, DcaJob& job) {
  const int ground = job.ws.tree.ground;
  if (ground < 0) return true;
  const Layout& layout = job.layout;
  Kinematics& kin = job.kin();
  const int groups = static_cast<int>(layout.groups.size()), nodes = static_cast<int>(layout.node_groups.size());
  const auto load = [&](int g) { load_bodies(layout, layout.groups[g], kin, scratch_of(job)); };
  for (std::size_t k = 0; k < layout.angles.size(); k += kLanes) compute_turns(layout, k, job.q, kin);
  for_groups(job, 0, groups, [&](int g) {
    for (const int i : layout.groups[g].bodies) copy_modes(layout.links[i], job.q, job.v, kin);
  });
  for_groups(job, 0, nodes, [&](int g) { start_nodes(job, g, scratch_of(job)); });
  motions_of_branch(job, ground);
  job.world = !wrenches.empty();
  enter_branches(job, ground);
  for_groups(job, 0, groups, load);
  if (!wrenches.empty()) apply_wrenches(model, wrenches, kin);
  inward_branch(job, ground);
  job.ws.loss = loss_of(job.ws, ground);
  if (!(job.ws.loss <= kMaxLoss)) return false;
  outward_branch(job, ground);
  return true;
}

// Motors of elastic transmissions, which only springs couple to their joints.
void accelerate_motors(const DcaJob& job) {
  for_motors(job.layout, [&](const Link& link, int, int m) {
    job.vdot[m] = (job.u[m] + motor_reaction(link, job.q, job.v)) / link.motor.inertia;
  });
}

bool run(const Model& model, std::span<const NodeWrench> wrenches, DcaJob& job) {
  DcaData& ws = job.ws;
  ws.failure = -1;
  job.threads = ws.threads.get() != nullptr;
  ws.serial.set_stage(AbaStage::none);  // its kinematics will be overwritten
  struct Call {
    const Model& model;
    std::span<const NodeWrench> wrenches;
    DcaJob& job;
    bool& strong;
  };
  bool strong = false;
  const Call call{model, wrenches, job, strong};
  const auto evaluate_call = [](const void* p) {
    const Call& c = *static_cast<const Call*>(p);
    c.strong = evaluate(c.model, c.wrenches, c.job);
  };
  job.threads ? run_on(*ws.threads.get(), evaluate_call, &call) : evaluate_call(&call);
  ws.answered_serially = !strong;
  if (strong) accelerate_motors(job);
  return strong;
}

int thread_count(const DcaOptions& options, int bodies, int grain) {
  if (bodies <= grain) return 1;
  return options.threads > 0 ? options.threads : core_count();
}

}  // namespace

DcaData::DcaData(const Model& model, const DcaOptions& options) : tree(*model.layout), serial(model) {
  refuse_sliders(model, "dca");
  const Layout& layout = *model.layout;
  refuse_rotors(model, "dca");
  if (options.grain > 0) grain = options.grain;
  ends.resize(tree.parts.size());
  motions.resize(tree.parts.size());
  sums.resize(tree.branches.size());
  PH.assign(model.nv, zero_spatial());
  BH = PH;
  D_inverse.assign(model.nv, 0);
  e = D_inverse;
  e_f.assign(layout.scalars, 0);
  d_inverse = e_f;
  mu.assign(layout.columns, zero_spatial());
  Y = mu;
  a.assign(layout.links.size(), zero_spatial());
  attachment_a.assign(layout.attachments.size(), zero_spatial());
  factor_begin.assign(layout.links.size(), 0);
  std::size_t size = 0;
  for (const DcaPart& part : tree.parts) {
    if (part.left >= 0 || part.direct) continue;
    const std::size_t n = layout.links[part.first].n;
    factor_begin[part.first] = size;
    size += n * n;
  }
  L.assign(size, 0);
  if (layout.ruthless) {
    constants.resize(tree.parts.size());
    compute_kinematics(model, make_zero_state(model), serial.kin);
    const DcaJob job{layout, nullptr, nullptr, nullptr, {}, nullptr, nullptr, *this};
    for (std::size_t p = 0; p < tree.parts.size(); ++p) compute_constant(job, static_cast<int>(p));
  }
  const int count = thread_count(options, model.body_count() - 1, grain);
  scratch.assign(count, GroupScratch(layout));
  threads = ThreadPool(count);
}

Status dca(const Model& model, const State& x, const Forces& forces, DcaData& ws, Vec vdot) {
  check_sizes(model, x, forces.tau, vdot);
  check_model(model, ws.serial.kin);
  DcaJob job{*model.layout, x.q.data(), x.v.data(), forces.tau.data(), {}, vdot.data(), nullptr, ws};
  if (run(model, forces.wrenches, job) && is_finite(vdot)) return Status::ok;
  const Status status = aba(model, x, forces, ws.serial, vdot);
  ws.answered_serially = true;
  ws.failure = ws.serial.failure;
  return status;
}

Status dca_hybrid(const Model& model, const State& x, const Forces& forces, std::span<const std::uint8_t> prescribed,
                  DcaData& ws, Vec vdot, Vec tau_out) {
  check_sizes(model, x, forces.tau, vdot);
  check_model(model, ws.serial.kin);
  if (static_cast<int>(prescribed.size()) != model.body_count() || tau_out.size() != model.nv) {
    throw InputError("dca_hybrid: `prescribed` needs one entry per body, `tau_out` one per speed");
  }
  tau_out = forces.tau;
  DcaJob job{*model.layout, x.q.data(), x.v.data(), forces.tau.data(), prescribed, vdot.data(), tau_out.data(), ws};
  if (run(model, forces.wrenches, job) && is_finite(vdot) && tau_out.allFinite()) return Status::ok;
  const Status status = hybrid(model, x, forces, prescribed, ws.serial, vdot, tau_out);
  ws.answered_serially = true;
  ws.failure = ws.serial.failure;
  return status;
}

}  // namespace limber
