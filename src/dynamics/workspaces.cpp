// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/dynamics/detail/aba.hpp"
#include "limber/dynamics/detail/book.hpp"
#include "limber/dynamics/detail/closed_inverse.hpp"
#include "limber/dynamics/detail/closures.hpp"
#include "limber/dynamics/detail/crba.hpp"
#include "limber/dynamics/detail/dca.hpp"
#include "limber/dynamics/detail/denoc.hpp"
#include "limber/dynamics/detail/derivatives.hpp"
#include "limber/dynamics/detail/operational.hpp"
#include "limber/dynamics/detail/operators.hpp"
#include "limber/dynamics/detail/two_stage.hpp"
#include "limber/dynamics/detail/workspace.hpp"

// Public members of all workspaces.
namespace limber {
namespace {

const Model& built(const Model& model) {
  if (!model.layout)
    throw InputError("the model is empty; make it by ModelBuilder::build, or read it by read_model or parse_model");
  return model;
}

}  // namespace

void throw_moved_from() { throw InputError("the workspace was moved from; assign another to it, or make a new one"); }

template class Workspace<Kinematics>;
template class Workspace<LinearSweep>;
template class Workspace<RneaData>;
template class Workspace<CrbaData>;
template class Workspace<AbaData>;
template class Workspace<OperationalData>;
template class Workspace<ClosureData>;
template class Workspace<ClosedInverseData>;
template class Workspace<DcaData>;
template class Workspace<DerivativesData>;
template class Workspace<BookData>;
template class Workspace<DenocData>;
template class Workspace<TwoStageData>;
template class Workspace<OperatorsData>;

KinematicsWorkspace::KinematicsWorkspace(const Model& model) : Workspace(new Kinematics(built(model))) {}
SweepWorkspace::SweepWorkspace(const Model& model) : Workspace(new LinearSweep(built(model))) {}

RneaWorkspace::RneaWorkspace(const Model& model) : Workspace(new RneaData(built(model))) {}
Kinematics& RneaWorkspace::kinematics() { return (*this)->kin; }
const Kinematics& RneaWorkspace::kinematics() const { return (*this)->kin; }

CrbaWorkspace::CrbaWorkspace(const Model& model) : Workspace(new CrbaData(built(model))) {}
Kinematics& CrbaWorkspace::kinematics() { return (*this)->rnea.kin; }
const Kinematics& CrbaWorkspace::kinematics() const { return (*this)->rnea.kin; }

AbaWorkspace::AbaWorkspace(const Model& model) : Workspace(new AbaData(built(model))) {}
Kinematics& AbaWorkspace::kinematics() {
  complete_kinematics(*this);
  return (*this)->kin;
}
const Kinematics& AbaWorkspace::kinematics() const { return const_cast<AbaWorkspace&>(*this).kinematics(); }
int AbaWorkspace::failure() const { return (*this)->failure; }

OperationalWorkspace::OperationalWorkspace(const Model& model) : Workspace(new OperationalData(built(model))) {}

ClosureWorkspace::ClosureWorkspace(const Model& model) : Workspace(new ClosureData(built(model))) {}
int ClosureWorkspace::count() const { return (*this)->count(); }
const VectorXd& ClosureWorkspace::error() const { return (*this)->error; }
const VectorXd& ClosureWorkspace::rate() const { return (*this)->rate; }
double ClosureWorkspace::closure_error(int closure) const { return (*this)->closure_error(closure); }
const VectorXd& ClosureWorkspace::lambda() const { return (*this)->lambda; }
const VectorXd& ClosureWorkspace::forces() const { return (*this)->forces; }
int ClosureWorkspace::rank() const { return (*this)->rank; }
double ClosureWorkspace::margin() const { return (*this)->margin; }

ClosedInverseWorkspace::ClosedInverseWorkspace(const Model& model, std::span<const std::uint8_t> actuated)
    : Workspace(new ClosedInverseData(built(model), actuated)) {}
const VectorXd& ClosedInverseWorkspace::lambda() const { return (*this)->closures.lambda; }
const VectorXd& ClosedInverseWorkspace::closure_forces() const { return (*this)->closures.forces; }
const VectorXd& ClosedInverseWorkspace::closure_error() const { return (*this)->closures.error; }
const VectorXd& ClosedInverseWorkspace::residual() const { return (*this)->residual; }
const VectorXd& ClosedInverseWorkspace::closure_acceleration() const { return (*this)->closure_acceleration; }

DcaWorkspace::DcaWorkspace(const Model& model, const DcaOptions& options)
    : Workspace(new DcaData(built(model), options)) {}
bool DcaWorkspace::answered_serially() const { return (*this)->answered_serially; }
int DcaWorkspace::failure() const { return (*this)->failure; }

DerivativesWorkspace::DerivativesWorkspace(const Model& model) : Workspace(new DerivativesData(built(model))) {}
const Kinematics& DerivativesWorkspace::kinematics() const { return (*this)->rnea.kin; }
const MatrixXd& DerivativesWorkspace::node_dq() const { return (*this)->node_dq; }
const MatrixXd& DerivativesWorkspace::node_dv() const { return (*this)->node_dv; }
int DerivativesWorkspace::failure() const { return (*this)->aba.failure; }

BookWorkspace::BookWorkspace(const Model& model) : Workspace(new BookData(built(model))) {}

DenocWorkspace::DenocWorkspace(const Model& model) : Workspace(new DenocData(built(model))) {}
int DenocWorkspace::failure() const { return (*this)->failure; }

TwoStageWorkspace::TwoStageWorkspace(const Model& model) : Workspace(new TwoStageData(built(model))) {}
int TwoStageWorkspace::failure() const { return (*this)->failure; }

OperatorsWorkspace::OperatorsWorkspace(const Model& model) : Workspace(new OperatorsData(built(model))) {}
int OperatorsWorkspace::failure() const { return (*this)->failure; }

}  // namespace limber
