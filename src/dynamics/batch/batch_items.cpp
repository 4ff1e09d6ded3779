// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// What differs from item to item, and what acts on them.
#include "batch_data.hpp"

namespace limber {

void BatchAba::set_rigid(int body, const std::vector<RigidSpec>& specs) {
  data_->own.set_rigid(body, specs);
  data_->prepare();
}
void BatchAba::set_stiffness(int body, ConstVec stiffness, ConstVec damping) {
  data_->own.set_stiffness(body, stiffness, damping);
  data_->prepare();
}

void BatchAba::set_prescribed(const std::vector<std::uint8_t>& prescribed) {
  BatchData& d = *data_;
  if (!prescribed.empty() && prescribed.size() != d.own.model->bodies.size())
    throw InputError("batch: `prescribed` needs one entry per body, " + std::to_string(d.own.model->bodies.size()) +
                     ", or none");
  d.own.choice.prescribed = prescribed;
  d.prepare();
}

void BatchAba::set_wrenches(const std::vector<NodeRef>& nodes, const std::vector<Frame>& frames, ConstBatch values) {
  BatchData& d = *data_;
  if (frames.size() != nodes.size() || values.rows() != static_cast<Eigen::Index>(6 * nodes.size()) ||
      (values.cols() != d.own.count && !nodes.empty())) {
    throw InputError("batch: wrenches need one frame per node, and values of 6 rows per node, " +
                     std::to_string(d.own.count) + " columns");
  }
  const BatchChoice before = d.own.choice;
  d.own.choice.load_nodes = nodes;
  d.own.choice.load_frames = frames;
  try {
    const BatchMachine tried(*d.own.model, d.own.choice);
  } catch (...) {
    d.own.choice = before;
    throw;
  }
  d.loads = values;
  d.prepare();
}

}  // namespace limber
