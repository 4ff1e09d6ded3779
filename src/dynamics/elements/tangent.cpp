// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
//
// Derivatives of the forces of elements and contacts.
#include "limber/dynamics/derivatives.hpp"
#include "parts.hpp"

namespace limber {
namespace {

void scatter(const HeldEnd& a, const HeldEnd& b, const Matrix12& local, MatrixXd& out) {
  const int slots[] = {a.slot, b.slot};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      if (slots[i] >= 0 && slots[j] >= 0)
        out.block<6, 6>(6 * slots[i], 6 * slots[j]) += local.block<6, 6>(6 * i, 6 * j);
    }
  }
}

// Derivatives (nv) of one channel by q, along the directions of the speeds, and by v.
class ChannelRows {
 public:
  ChannelRows(const ElementLoads::Data& data, const State& x, const Kinematics& kin)
      : data_(data), x_(x), kin_(kin), J_(6, data.model.nv), by_q(data.model.nv), by_v(data.model.nv) {}

  void set(const StateChannel& c) {
    by_q.setZero();
    by_v.setZero();
    const Model& model = data_.model;
    switch (c.kind) {
      case StateChannel::Kind::coordinate:
        by_q[speed_of(c.index)] = 1;
        return;
      case StateChannel::Kind::rate:
        by_v[c.index] = 1;
        return;
      case StateChannel::Kind::position:
        compute_node_jacobian(model, kin_, c.node, J_);
        by_q = J_.row(3 + c.component);
        return;
      case StateChannel::Kind::velocity:
        compute_node_jacobian(model, kin_, c.node, J_);
        by_v = J_.row(3 + c.component);
        if (!x_.v.isZero(0)) by_q = velocity_rows(c.node).row(3 + c.component);
        return;
      default:
        set_length(c);
    }
  }

 private:
  // The speed that belongs to a coordinate.  Quaternions cannot be channels.
  int speed_of(int q) const {
    const Model& model = data_.model;
    for (int i = model.body_count() - 1; i > 0; --i) {
      const Joint& joint = model.joints[i];
      if (q < joint.q) continue;
      if (q >= model.first_mode_q(i)) return model.first_mode(i) + q - model.first_mode_q(i);
      return joint.v + q - joint.q - (position_count(joint.kind) - speed_count(joint.kind));
    }
    return 0;
  }

  // Derivative of J v by q: that of accelerations at rest with vdot = v.
  MatrixXd velocity_rows(NodeRef node) const {
    const int nv = data_.model.nv;
    DerivativesWorkspace ws(data_.model);
    watch_nodes(data_.model, std::span(&node, 1), ws);
    State still = x_;
    still.v.setZero();
    MatrixXd dq(nv, nv), dv(nv, nv);
    rnea_derivatives(data_.model, still, x_.v, {}, ws, dq, dv);
    return ws.node_dq();
  }

  // For the length of another element or its rate: d(g . P) and d(g . P').
  void set_length(const StateChannel& c) {
    for (const LinePart& line : data_.lines) {
      if (line.element != c.index) continue;
      const bool rate = c.kind == StateChannel::Kind::extension;
      if (line.points.empty()) {
        (rate ? by_v : by_q)[line.v] = 1;
        return;
      }
      add_line(line, rate);
    }
  }

  void add_line(const LinePart& line, bool rate) {
    // The tangent of a line with unit slope gives both rows: wrench = u dF, dF = u . dX or h . dX + u . dV.
    LinePart unit = line;
    unit.force = 0;
    unit.by_length = rate ? 0 : 1;
    unit.by_rate = rate ? 1 : 0;
    const auto size = static_cast<Eigen::Index>(6 * data_.nodes.size());
    MatrixXd by_pose = MatrixXd::Zero(size, size), by_velocity = by_pose;
    add_line_tangent(data_, unit, by_pose, by_velocity);
    VectorXd u = VectorXd::Zero(size);
    for (std::size_t j = 0; j < line.points.size(); ++j) {
      if (line.points[j].slot < 0) continue;
      auto own = u.segment<6>(6 * line.points[j].slot);
      own.head<3>() += line.r[j].cross(line.g[j]);
      own.tail<3>() += line.g[j];
    }
    if (u.squaredNorm() == 0) return;
    const VectorXd pose = by_pose.transpose() * u / u.squaredNorm();
    const VectorXd velocity = by_velocity.transpose() * u / u.squaredNorm();
    for (std::size_t k = 0; k < data_.nodes.size(); ++k) {
      const Eigen::Index at = 6 * static_cast<Eigen::Index>(k);
      compute_node_jacobian(data_.model, kin_, data_.nodes[k], J_);
      by_q += J_.transpose() * pose.segment<6>(at);
      by_v += J_.transpose() * velocity.segment<6>(at);
      if (rate && !x_.v.isZero(0)) by_q += velocity_rows(data_.nodes[k]).transpose() * velocity.segment<6>(at);
    }
  }

  const ElementLoads::Data& data_;
  const State& x_;
  const Kinematics& kin_;
  Matrix6X J_;

 public:
  VectorXd by_q, by_v;
};

}  // namespace

void ElementLoads::tangent(MatrixXd& by_pose, MatrixXd& by_velocity) {
  const auto size = static_cast<Eigen::Index>(6 * data_->nodes.size());
  by_pose.setZero(size, size);
  by_velocity.setZero(size, size);
  for (const LinePart& line : data_->lines) add_line_tangent(*data_, line, by_pose, by_velocity);
  Matrix12 pose, velocity;
  for (const BushingPart& part : data_->bushings) {
    compute_bushing_tangent(*data_, part, pose, velocity);
    scatter(part.a, part.b, pose, by_pose);
    scatter(part.a, part.b, velocity, by_velocity);
  }
  for (const ContactPart& part : data_->contacts) {
    if (part.phase != PushPhase::pushing) continue;
    compute_contact_tangent(*data_, part, pose, velocity);
    scatter(part.a, part.b, pose, by_pose);
    scatter(part.a, part.b, velocity, by_velocity);
  }
}

void ElementLoads::joint_slopes(Vec by_q, Vec by_v) const {
  by_q.setZero();
  by_v.setZero();
  for (const LinePart& line : data_->lines) {
    if (!line.points.empty()) continue;
    by_q[line.v] += line.by_length;
    by_v[line.v] += line.by_rate;
  }
}

void ElementLoads::add_derivatives(const State& x, const Kinematics& kin, const MatrixXd& velocity_q, MatrixXd& by_q,
                                   MatrixXd& by_v) {
  const Data& data = *data_;
  const int nv = data.model.nv;
  const auto size = static_cast<Eigen::Index>(6 * data.nodes.size());
  MatrixXd by_pose, by_velocity, J(size, nv);
  tangent(by_pose, by_velocity);
  for (std::size_t k = 0; k < data.nodes.size(); ++k)
    compute_node_jacobian(data.model, kin, data.nodes[k], J.middleRows<6>(6 * static_cast<Eigen::Index>(k)));
  by_q += J.transpose() * (by_pose * J + by_velocity * velocity_q);
  by_v += J.transpose() * (by_velocity * J);
  ChannelRows rows(data, x, kin);
  for (const LinePart& line : data.lines) {
    VectorXd along = VectorXd::Zero(nv);  // generalised force per unit force
    if (line.points.empty()) {
      by_q(line.v, line.v) += line.by_length;
      by_v(line.v, line.v) += line.by_rate;
      along[line.v] = 1;
    }
    for (std::size_t j = 0; j < line.points.size(); ++j) {
      if (line.points[j].slot < 0) continue;
      const auto Jj = J.middleRows<6>(6 * line.points[j].slot);
      along += Jj.topRows<3>().transpose() * line.r[j].cross(line.g[j]) + Jj.bottomRows<3>().transpose() * line.g[j];
    }
    for (std::size_t k = 0; k < line.of->channels.size(); ++k) {
      rows.set(line.of->channels[k]);
      by_q += line.slopes[2 + k] * along * rows.by_q.transpose();
      by_v += line.slopes[2 + k] * along * rows.by_v.transpose();
    }
  }
}

std::vector<double> ElementLoads::memory() const {
  std::vector<double> out;
  for (const LinePart& line : data_->lines) out.push_back(static_cast<double>(line.phase));
  for (const ContactPart& p : data_->contacts) {
    out.insert(out.end(),
               {static_cast<double>(p.phase), static_cast<double>(p.grip), p.damping, p.stick_damping, p.frozen,
                p.anchor[0], p.anchor[1], p.anchor[2], p.direction[0], p.direction[1], p.direction[2]});
  }
  return out;
}

void ElementLoads::set_memory(std::span<const double> memory) {
  const std::size_t wanted = data_->lines.size() + 11 * data_->contacts.size();
  if (memory.size() != wanted) throw InputError("the saved state does not fit: it is of another simulation");
  const double* next = memory.data();
  for (LinePart& line : data_->lines) line.phase = static_cast<PushPhase>(static_cast<int>(*next++));
  for (ContactPart& p : data_->contacts) {
    p.phase = static_cast<PushPhase>(static_cast<int>(next[0]));
    p.grip = static_cast<ContactPart::Grip>(static_cast<int>(next[1]));
    p.damping = next[2];
    p.stick_damping = next[3];
    p.frozen = next[4];
    p.anchor = {next[5], next[6], next[7]};
    p.direction = {next[8], next[9], next[10]};
    next += 11;
  }
}

}  // namespace limber
