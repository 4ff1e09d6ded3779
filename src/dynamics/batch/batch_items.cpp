// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// What differs from item to item, and what acts on them.
#include "batch_data.hpp"

namespace limber {
namespace {

// The rows of a body's own parameters, made on first use with the numbers of the model.
int own_rows(BatchData& data, int body) {
  const Model& model = *data.model;
  if (body < 1 || body >= model.body_count()) {
    throw InputError("batch: body " + std::to_string(body) + " is not there; the model has bodies 1 to " +
                     std::to_string(model.body_count() - 1));
  }
  if (data.choice.varied.empty()) data.choice.varied.assign(model.bodies.size(), -1);
  int& row = data.choice.varied[body];
  if (row >= 0) return row;
  row = static_cast<int>(data.parameters.rows());
  data.parameters.conservativeResize(row + kBatchRows, data.items);
  const BatchLink& link = data.machine->links[body];
  const double numbers[kBatchRows] = {link.m,    link.s[0], link.s[1], link.s[2], link.J[0], link.J[1],
                                      link.J[2], link.J[3], link.J[4], link.J[5], 1,         1};
  for (int k = 0; k < kBatchRows; ++k) data.parameters.row(row + k).setConstant(numbers[k]);
  data.prepare();
  return row;
}

void check_count(const char* what, std::size_t count, int items) {
  if (count == static_cast<std::size_t>(items)) return;
  throw InputError("batch: " + std::string(what) + " has " + std::to_string(count) + " entries; give one per item, " +
                   std::to_string(items));
}

}  // namespace

void BatchAba::set_rigid(int body, const std::vector<RigidSpec>& specs) {
  BatchData& d = *data_;
  check_count("set_rigid", specs.size(), d.items);
  const int row = own_rows(d, body);
  if (d.model->body(body).modes > 0)
    throw InputError("batch: body '" + d.model->body_names[body] + "' has modes; set_rigid is for rigid bodies");
  for (int k = 0; k < d.items; ++k) {
    const Body made = make_rigid_body(specs[k]);
    const Matrix3d& C = made.c(0, 0);
    const Matrix3d J = C.trace() * Matrix3d::Identity() - C;
    const double numbers[kRigidRows] = {made.mass, made.S(0, 0), made.S(1, 0), made.S(2, 0), J(0, 0),
                                        J(1, 1),   J(2, 2),      J(0, 1),      J(0, 2),      J(1, 2)};
    for (int i = 0; i < kRigidRows; ++i) d.parameters(row + i, k) = numbers[i];
  }
}

void BatchAba::set_stiffness(int body, ConstVec stiffness, ConstVec damping) {
  BatchData& d = *data_;
  check_count("set_stiffness: stiffness", static_cast<std::size_t>(stiffness.size()), d.items);
  check_count("set_stiffness: damping", static_cast<std::size_t>(damping.size()), d.items);
  if (!((stiffness.array() >= 0).all() && (damping.array() >= 0).all() && stiffness.allFinite() && damping.allFinite()))
    throw InputError("batch: a factor of stiffness or damping is negative or not finite; 1 leaves the model's");
  const int row = own_rows(d, body) + kRigidRows;
  d.parameters.row(row) = stiffness.transpose();
  d.parameters.row(row + 1) = damping.transpose();
}

void BatchAba::set_prescribed(const std::vector<std::uint8_t>& prescribed) {
  BatchData& d = *data_;
  if (!prescribed.empty() && prescribed.size() != d.model->bodies.size())
    throw InputError("batch: `prescribed` needs one entry per body, " + std::to_string(d.model->bodies.size()) +
                     ", or none");
  d.choice.prescribed = prescribed;
  d.prepare();
}

void BatchAba::set_wrenches(const std::vector<NodeRef>& nodes, const std::vector<Frame>& frames, ConstBatch values) {
  BatchData& d = *data_;
  if (frames.size() != nodes.size() || values.rows() != static_cast<Eigen::Index>(6 * nodes.size()) ||
      (values.cols() != d.items && !nodes.empty())) {
    throw InputError("batch: wrenches need one frame per node, and values of 6 rows per node, " +
                     std::to_string(d.items) + " columns");
  }
  const BatchChoice before = d.choice;
  d.choice.load_nodes = nodes;
  d.choice.load_frames = frames;
  try {
    const BatchMachine tried(*d.model, d.choice);
  } catch (...) {
    d.choice = before;
    throw;
  }
  d.loads = values;
  d.prepare();
}

}  // namespace limber
