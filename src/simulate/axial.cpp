// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/aba.hpp"
#include "limber/dynamics/detail/rnea.hpp"
#include "limber/simulate/detail/element_forces.hpp"
#include "limber/simulate/system.hpp"

namespace limber {
namespace {

// Distributed axial loads such as weight cause buckling like this fraction of them at the tip: critical loads pi^2/4
// and 7.837 EI/L^2.  [Timoshenko, Gere, Theory of Elastic Stability] §2.12.
constexpr double kSpread = 0.315;

// The axial force in a beam comes from the bodies it carries, the forces on its nodes and the reaction at its root.
void read_axial_forces(const Model& model, const Kinematics& kin, const LinearSweep& sweep,
                       std::span<const NodeWrench> wrenches, VectorXd& axial) {
  const Layout& layout = *model.layout;
  const auto is_beam = [&](int i) { return layout.links[i].n > 0 && model.body(i).beam; };
  axial.setZero();
  for (int i = 1; i < model.body_count(); ++i) {
    if (!is_beam(i)) continue;
    const Link& link = layout.links[i];
    for (int h = link.attachment_begin; h < link.attachment_end; ++h)
      axial[i] -= to_vector(sweep.attachment_f[h].lin).x();
  }
  for (const NodeWrench& outer : wrenches) {
    if (outer.at.body == kGround || !is_beam(outer.at.body)) continue;
    Vector3d force = outer.wrench.tail<3>();
    if (outer.frame == Frame::node) force = node_pose(model, kin, outer.at).R * force;
    axial[outer.at.body] += (body_pose(kin, outer.at.body).R.transpose() * force).x();
  }
  for (int i = 1; i < model.body_count(); ++i)
    if (is_beam(i)) axial[i] += kSpread * (-to_vector(sweep.f[i].lin).x() - axial[i]);
}

}  // namespace

// Computes the wrenches between the bodies in the sweep of rnea_, and poses in world if wrenches act.
Kinematics& System::compute_held_forces(const State& x, AbaWorkspace& solved) {
  // At the state of the last solve, plus the wrenches of closures and inputs.
  RneaData& found = rnea_;
  const bool solved_here = !other_ && solved->kin.stamp > 0;
  outer_.clear();
  for (std::size_t k = 0; k < model_.closures.size(); ++k) {
    const Vector6 wrench = closure_force_.segment<6>(6 * static_cast<Eigen::Index>(k));
    outer_.push_back({model_.closures[k].b, wrench, Frame::world});
    outer_.push_back({model_.closures[k].a, -wrench, Frame::world});
  }
  outer_.insert(outer_.end(), wrenches_.begin(), wrenches_.end());
  if (elements_) outer_.insert(outer_.end(), elements_->loads.wrenches().begin(), elements_->loads.wrenches().end());
  const bool known = solved_here && outer_.empty() && inputs_.gravities.empty() &&
                     is_state(x, solved->q.data(), solved->v.data()) && is_current(x, found.kin);
  Kinematics& kin = solved_here && !known ? solved.kinematics() : found.kin;
  if (solved_here) {
    if (!outer_.empty()) compute_world_poses(model_, kin);
    apply_wrenches(model_, outer_, kin);
    compute_joint_forces(model_, kin, last_, found.sweep, needed_);
  } else {
    if (!inputs_.gravities.empty()) set_gravity(model_.gravity + gravity_, kin);
    rnea(model_, x, last_, outer_, rnea_, needed_);
    if (!outer_.empty()) compute_world_poses(model_, kin);
  }
  return kin;
}

const VectorXd& System::compute_axial_forces(const State& x) {
  RneaData& found = rnea_;
  const Kinematics& kin = compute_held_forces(x, implicit_ ? *implicit_ : aba_);
  read_axial_forces(model_, kin, found.sweep, outer_, axial_);
  return axial_;
}

}  // namespace limber
