// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "items.hpp"

namespace limber {
namespace {

void check_count(const char* what, std::size_t count, int items) {
  if (count == static_cast<std::size_t>(items)) return;
  throw InputError("batch: " + std::string(what) + " has " + std::to_string(count) + " entries; give one per item, " +
                   std::to_string(items));
}

// m, s and J of a rigid body.
void put_rigid(const Body& body, Eigen::Index row, Eigen::Index item, BatchArray& parameters) {
  const Matrix3d& C = body.c(0, 0);
  const Matrix3d J = C.trace() * Matrix3d::Identity() - C;
  const double numbers[kRigidRows] = {body.mass, body.S(0, 0), body.S(1, 0), body.S(2, 0), J(0, 0),
                                      J(1, 1),   J(2, 2),      J(0, 1),      J(0, 2),      J(1, 2)};
  for (int i = 0; i < kRigidRows; ++i) parameters(row + i, item) = numbers[i];
}

// The rows of a body's own parameters, made on first use with the numbers of the model.
int own_rows(BatchItems& items, int body) {
  const Model& model = *items.model;
  if (body < 1 || body >= model.body_count()) {
    throw InputError("batch: body " + std::to_string(body) + " is not there; the model has bodies 1 to " +
                     std::to_string(model.body_count() - 1));
  }
  items.changed = true;
  if (items.choice.varied.empty()) items.choice.varied.assign(model.bodies.size(), -1);
  int& row = items.choice.varied[body];
  if (row >= 0) return row;
  row = static_cast<int>(items.parameters.rows());
  items.parameters.conservativeResize(row + kBatchRows, items.count);
  for (int k = 0; k < items.count; ++k) put_rigid(model.body(body), row, k, items.parameters);
  items.parameters.bottomRows(kElasticRows).setOnes();
  return row;
}

}  // namespace

BatchItems::BatchItems(const Model& m, int items) : model(&m), count(items), parameters(0, items) {
  if (!m.layout)
    throw InputError(
        "batch: the model is empty; make it by ModelBuilder::build, or read it by read_model or parse_model");
  if (items < 1) throw InputError("batch: " + std::to_string(items) + " items; there must be at least one");
  if (!m.closures.empty()) throw InputError("batch: the model has closures; batches are for trees");
}

void BatchItems::set_rigid(int body, const std::vector<RigidSpec>& specs) {
  check_count("set_rigid", specs.size(), count);
  if (body > 0 && body < model->body_count() && model->body(body).modes > 0)
    throw InputError("batch: body '" + model->body_names[body] + "' has modes; set_rigid is for rigid bodies");
  const int row = own_rows(*this, body);
  for (int k = 0; k < count; ++k) put_rigid(make_rigid_body(specs[k]), row, k, parameters);
}

void BatchItems::set_stiffness(int body, const ConstVec& stiffness, const ConstVec& damping) {
  check_count("set_stiffness: stiffness", static_cast<std::size_t>(stiffness.size()), count);
  check_count("set_stiffness: damping", static_cast<std::size_t>(damping.size()), count);
  if (!((stiffness.array() >= 0).all() && (damping.array() >= 0).all() && stiffness.allFinite() && damping.allFinite()))
    throw InputError("batch: a factor of stiffness or damping is negative or not finite; 1 leaves the model's");
  const int row = own_rows(*this, body) + kRigidRows;
  parameters.row(row) = stiffness.transpose();
  parameters.row(row + 1) = damping.transpose();
}

void BatchItems::check(const char* name, const ConstBatch& x, int rows) const {
  if (x.rows() == rows && x.cols() == count) return;
  throw InputError("batch: " + std::string(name) + " is " + std::to_string(x.rows()) + " x " +
                   std::to_string(x.cols()) + "; it must be " + std::to_string(rows) + " x " + std::to_string(count) +
                   ": a row per coordinate, a column per item");
}

void refuse_in_rollouts(const Model& model) {
  const auto refuse = [](const std::string& what) {
    throw InputError("rollout: " + what +
                     ", which rollouts do not cover; run a scenario, or take forward() and what it " +
                     "adds in steps of your own");
  };
  for (const Joint& joint : model.joints) {
    if (joint.stop) refuse("joint '" + joint.name + "' has travel limits");
    if (joint.friction) refuse("joint '" + joint.name + "' has friction");
    if (joint.drive) refuse("joint '" + joint.name + "' has a drive");
  }
  if (model.elements) refuse("the model has force elements");
  if (model.contacts) refuse("the model has contacts");
}

BatchStepping make_stepping(const RolloutOptions& options) {
  if (options.method != "implicit" && options.method != "rk4")
    throw InputError("rollout: unknown method '" + options.method + "'; choose implicit or rk4");
  if (!(options.step > 0) || options.steps < 1) throw InputError("rollout: step and steps must be positive");
  if (!(options.rho_inf >= 0 && options.rho_inf <= 1) || options.passes < 1)
    throw InputError("rollout: rho_inf must be in 0 ... 1, passes 1 or more");
  const double rho = options.rho_inf;
  BatchStepping s;
  s.h = options.step;
  s.passes = options.passes;
  s.am = (2 * rho - 1) / (rho + 1), s.af = rho / (rho + 1), s.g = 0.5 - s.am + s.af;
  s.b = 0.25 * (1 - s.am + s.af) * (1 - s.am + s.af);
  return s;
}
double implicit_damping(const BatchStepping& s) { return (1 - s.af) * s.g * s.h / (1 - s.am); }
double implicit_stiffness(const BatchStepping& s) { return (1 - s.af) * s.b * s.h * s.h / (1 - s.am); }

Status batch_status(double failure, double broken, bool finite) {
  if (failure >= 0) return broken != 0 ? Status::not_finite : Status::singular_mass;
  return finite ? Status::ok : Status::not_finite;
}

}  // namespace limber
