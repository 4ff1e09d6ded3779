// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/simulate/detail/element_forces.hpp"

#include <algorithm>

#include "limber/dynamics/rnea.hpp"

namespace limber {
namespace {

std::size_t count_lines(const ForceElements& elements) {
  return static_cast<std::size_t>(std::count_if(elements.list.begin(), elements.list.end(), [](const ForceElement& e) {
    return e.kind != ForceElement::Kind::bushing;
  }));
}

}  // namespace

ElementForces::ElementForces(const Model& m, std::vector<std::uint8_t> prescribed)
    : model(m), loads(m), operational_(m), sweep_(m), lu_(static_cast<Eigen::Index>(6 * loads.nodes().size())) {
  loads.set_prescribed(std::move(prescribed));
  commands.assign(m.elements ? m.elements->list.size() : 0, 0);
  control = commands;
  values = loads.values();
  const auto size = static_cast<Eigen::Index>(6 * loads.nodes().size());
  C_.setZero(size, size);
  by_pose_ = by_velocity_ = S_ = CS_ = C_;
  J_.setZero(size, m.nv);
  Ja_.setZero(size);
  lambda_ = Ja_;
  change_.setZero(m.nv);
  unit_ = Ja_;
  force_ = change_;
  responses_.setZero(m.nv, size);
  scratch_.setZero(6, m.nv);
  implicit_.reserve(loads.nodes().size());
}

void ElementForces::compute(const State& x, const Kinematics& kin) {
  loads.compute(x, kin, commands);
  values = loads.values();
  implicit_.clear();
}

std::span<const NodeWrench> ElementForces::with(const std::vector<NodeWrench>& others) {
  all_ = others;
  const auto own = loads.wrenches();
  all_.insert(all_.end(), own.begin(), own.end());
  all_.insert(all_.end(), implicit_.begin(), implicit_.end());
  return all_;
}

void ElementForces::add_implicit(const Kinematics& kin, double c_D, double c_K, ConstVec a) {
  if (loads.nodes().empty()) return;
  loads.tangent(by_pose_, by_velocity_);
  C_ = -c_D * by_velocity_ - c_K * by_pose_;
  for (std::size_t k = 0; k < loads.nodes().size(); ++k)
    compute_node_jacobian(model, kin, loads.nodes()[k], J_.middleRows<6>(6 * static_cast<Eigen::Index>(k)));
  Ja_.noalias() = J_ * a;
  lambda_.noalias() = C_ * Ja_;
  for (std::size_t k = 0; k < loads.nodes().size(); ++k)
    implicit_.push_back({loads.nodes()[k], lambda_.segment<6>(6 * static_cast<Eigen::Index>(k)), Frame::world});
}

// (1 + C S) y = C J a
void ElementForces::solve_correction(const MatrixXd& S, ConstVec a) {
  CS_.noalias() = C_ * S;
  CS_.diagonal().array() += 1;
  lu_.compute(CS_);
  Ja_.noalias() = J_ * a;
  lambda_.noalias() = C_ * Ja_;
  Ja_ = lu_.solve(lambda_);
  Ja_ = -Ja_;
}

void ElementForces::correct(AbaWorkspace& ws, Vec a) {
  if (implicit_.empty()) return;
  compute_operational_inertia(model, loads.nodes(), ws, operational_, S_);
  solve_correction(S_, a);
  respond(model, loads.nodes(), Ja_, ws, operational_, change_);
  a += change_;
}

// The prescribed rows of A da - J^T y - C^T dlambda (all others are 0); y are the wrenches of solve_correction.
void ElementForces::correct_needed(AbaWorkspace& ws, Vec forces) {
  if (implicit_.empty()) return;
  multiply_mass(model, ws.kinematics(), change_, sweep_, force_);
  add_implicit_force(model, ws, change_, force_);
  force_.noalias() -= J_.transpose() * Ja_;
  if (closure_rows_.rows() > 0) force_.noalias() -= closure_rows_.transpose() * right_;
  forces += force_;
}

void ElementForces::add_implicit_inertia(ConstVec a, Vec forces) {
  if (implicit_.empty()) return;
  Ja_.noalias() = J_ * a;
  lambda_.noalias() = C_ * Ja_;
  forces.noalias() += J_.transpose() * lambda_;
}

void ElementForces::add_change(ConstVec dq, ConstVec dv, Vec forces) {
  if (implicit_.empty()) return;
  Ja_.noalias() = J_ * dq;
  lambda_.noalias() = by_pose_ * Ja_;
  Ja_.noalias() = J_ * dv;
  lambda_.noalias() += by_velocity_ * Ja_;
  forces.noalias() += J_.transpose() * lambda_;
}

Status ElementForces::correct_closed(AbaWorkspace& ws, ClosureWorkspace& cw, Vec a, Vec closure_forces) {
  if (implicit_.empty()) return Status::ok;
  closure_rows_.resize(cw.count(), model.nv);  // at the first call
  right_.resize(cw.count());
  multipliers_.resize(cw.count(), J_.rows());
  closure_forces_.resize(closure_forces.size(), J_.rows());
  compute_closure_jacobian(model, ws.kinematics(), cw, scratch_, closure_rows_);
  for (Eigen::Index i = 0; i < J_.rows(); ++i) {
    unit_.setZero();
    unit_[i] = 1;
    respond(model, loads.nodes(), unit_, ws, operational_, change_);
    right_.noalias() = closure_rows_ * change_;
    right_ = -right_;
    if (const Status status = solve_closures(model, ws, right_, cw); status != Status::ok) return status;
    multipliers_.col(i) = cw.lambda();
    closure_forces_.col(i) = cw.forces();
    force_.noalias() = closure_rows_.transpose() * cw.lambda();
    responses_.col(i) = change_;
    solve_factored(model, force_, ws, change_);
    responses_.col(i) += change_;
  }
  S_.noalias() = J_ * responses_;
  solve_correction(S_, a);
  change_.noalias() = responses_ * Ja_;
  a += change_;
  right_.noalias() = multipliers_ * Ja_;
  closure_forces.noalias() += closure_forces_ * Ja_;
  return Status::ok;
}

// Phases as in ElementLoads::memory: one per line, then per contact the phase and its memory.  1: in contact.
bool ElementForces::holds() const {
  const std::vector<double> memory = loads.memory();
  const std::size_t lines = model.elements ? count_lines(*model.elements) : 0;
  const std::size_t each =
      model.contacts && !model.contacts->list.empty() ? (memory.size() - lines) / model.contacts->list.size() : 1;
  for (std::size_t k = 0; k < memory.size(); k += k < lines ? 1 : each)
    if (memory[k] == 1) return true;
  return false;
}

void ElementForces::transfer(Archive& archive) {
  std::vector<double> memory = loads.memory();
  archive(memory, control);
  if (archive.reads()) loads.set_memory(memory);
}

}  // namespace limber
