// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "parts.hpp"

namespace limber {
namespace {

using Kind = ForceElement::Kind;
constexpr int kEvents = 3;  // per rope and per contact
constexpr int kBushingValues = 12;
constexpr int kContactValues = 8;

void add_wrench(ElementLoads::Data& data, const HeldEnd& end, const Vector6& wrench) {
  if (end.slot >= 0) data.held[static_cast<std::size_t>(end.slot)].wrench += wrench;
}

void add_elements(ElementLoads::Data& data, const ForceElements& elements) {
  for (std::size_t i = 0; i < elements.list.size(); ++i) {
    const ForceElement& e = elements.list[i];
    if (e.kind == Kind::bushing) {
      data.bushings.push_back({&e, data.hold(e.a), data.hold(e.b), e.K, e.D});
      continue;
    }
    LinePart line;
    line.of = &e;
    line.element = static_cast<int>(i);
    if (e.joint >= 0) {
      line.q = data.model.joints[e.joint].q;
      line.v = data.model.joints[e.joint].v;
    } else {
      line.points.push_back(data.hold(e.a));
      for (const ElementEnd& end : e.over) line.points.push_back(data.hold(end));
      line.points.push_back(data.hold(e.b));
    }
    line.r.assign(line.points.size(), Vector3d::Zero());
    line.P = line.velocity = line.g = line.r;
    line.values.assign(2 + e.channels.size(), 0);
    line.slopes = line.values;
    data.lines.push_back(std::move(line));
  }
}

void add_contacts(ElementLoads::Data& data, const Contacts& contacts) {
  for (const Contact& c : contacts.list) {
    ContactPart part;
    part.of = &c;
    part.a = data.hold(c.point);
    part.b = data.hold(c.on);
    part.damping = c.damping;
    part.stick_damping = c.stick_damping;
    data.contacts.push_back(part);
  }
}

// Visits the coordinates of joints whose springs have a rest position other than zero.
template <class Visit>
void for_each_rest(const Model& model, Visit visit) {
  if (!model.elements) return;
  for (const JointRest& rest : model.elements->rests) {
    const Joint& joint = model.joints[rest.joint];
    for (Eigen::Index k = 0; k < rest.position.size(); ++k)
      visit(joint.q + k, joint.v + k, joint.stiffness[k], rest.position[k]);
  }
}

// Event functions of a unilateral force; each rises above zero when the phase ends.
void push_events(PushPhase phase, double depth, double push, double* out) {
  out[0] = phase == PushPhase::open ? depth : -depth;
  if (phase == PushPhase::pushing) out[1] = -push;
  if (phase == PushPhase::recoiling) out[1] = push;
}

}  // namespace

bool has_elements(const Model& model) {
  return (model.elements && !(model.elements->list.empty() && model.elements->rests.empty())) ||
         (model.contacts && !model.contacts->list.empty());
}

HeldEnd ElementLoads::Data::hold(const ElementEnd& end) {
  if (end.node.body == kGround) return {-1, end.at};
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k].body == end.node.body && nodes[k].node == end.node.node) return {static_cast<int>(k), end.at};
  }
  nodes.push_back(end.node);
  held.push_back({end.node, {}, Vector6::Zero(), Vector6::Zero()});
  wrenches.push_back({end.node, Vector6::Zero(), Frame::world});
  return {static_cast<int>(nodes.size()) - 1, end.at};
}

void ElementLoads::Data::place(const State& x, const Kinematics& kin) {
  for (HeldNode& one : held) {
    one.X = node_pose(model, kin, one.node);
    one.V = node_velocity(model, kin, one.node, x.v);
  }
}

const Pose& ElementLoads::Data::node_of(const HeldEnd& end) const {
  static const Pose world;
  return end.slot < 0 ? world : held[static_cast<std::size_t>(end.slot)].X;
}
Pose ElementLoads::Data::pose(const HeldEnd& end) const { return node_of(end) * end.at; }
Vector6 ElementLoads::Data::velocity(const HeldEnd& end) const {
  return end.slot < 0 ? Vector6(Vector6::Zero()) : held[static_cast<std::size_t>(end.slot)].V;
}

ElementLoads::ElementLoads(const Model& model) : data_(std::make_unique<Data>(model)) {
  if (model.elements) {
    check_elements(model, *model.elements);
    add_elements(*data_, *model.elements);
  }
  if (model.contacts) {
    check_contacts(model, *model.contacts);
    add_contacts(*data_, *model.contacts);
  }
  data_->torques.setZero(model.nv);
  data_->values.setZero(static_cast<Eigen::Index>(3 * data_->lines.size() + kBushingValues * data_->bushings.size() +
                                                  kContactValues * data_->contacts.size()));
}
ElementLoads::~ElementLoads() = default;
ElementLoads::ElementLoads(ElementLoads&&) noexcept = default;

void ElementLoads::set_frictionless() { data_->frictionless = true; }
void ElementLoads::set_prescribed(std::vector<std::uint8_t> joints) { data_->prescribed = std::move(joints); }

bool ElementLoads::update(const State& x, const Kinematics& kin) {
  data_->place(x, kin);
  bool changed = false;
  for (LinePart& line : data_->lines) {
    if (line.of->kind != Kind::rope) continue;
    measure_line(*data_, x, line);
    const double by = line.length - line.of->length, push = by + line.of->damping / line.of->stiffness * line.rate;
    const PushPhase phase = !(by > 0) ? PushPhase::open : push > 0 ? PushPhase::pushing : PushPhase::recoiling;
    changed = changed || phase != line.phase;
    line.phase = phase;
  }
  for (ContactPart& part : data_->contacts) changed = update_contact(x, *data_, part) || changed;
  return changed;
}

double ElementLoads::take_heat() { return std::exchange(data_->heat, 0.0); }

void ElementLoads::compute(const State& x, const Kinematics& kin, std::span<const double> commands) {
  Data& data = *data_;
  const std::size_t elements = data.model.elements ? data.model.elements->list.size() : 0;
  if (!commands.empty() && commands.size() != elements)
    throw InputError("ElementLoads: " + std::to_string(commands.size()) + " commands; give one for each of the " +
                     std::to_string(elements) + " elements, or none");
  data.place(x, kin);
  data.work = data.dissipated = 0;
  data.torques.setZero();
  for (HeldNode& one : data.held) one.wrench.setZero();
  for (LinePart& line : data.lines) measure_line(data, x, line);
  for (LinePart& line : data.lines) {
    const double command = commands.empty() ? 0 : commands[static_cast<std::size_t>(line.element)];
    compute_line(data, x, kin, command, line);
  }
  Vector12 wrench;
  for (BushingPart& part : data.bushings) {
    compute_bushing(data, part, wrench);
    data.dissipated += part.xdot.dot(part.D * part.xdot);
    add_wrench(data, part.a, wrench.head<6>());
    add_wrench(data, part.b, wrench.tail<6>());
  }
  for (ContactPart& part : data.contacts) {
    compute_contact(data, part, wrench);
    data.dissipated += part.heating;
    add_wrench(data, part.a, wrench.head<6>());
    add_wrench(data, part.b, wrench.tail<6>());
  }
  for_each_rest(data.model, [&](Eigen::Index, Eigen::Index v, double k, double rest) { data.torques[v] += k * rest; });
  for (std::size_t k = 0; k < data.held.size(); ++k) data.wrenches[k].wrench = data.held[k].wrench;
}

std::span<const NodeWrench> ElementLoads::wrenches() const { return data_->wrenches; }
const VectorXd& ElementLoads::torques() const { return data_->torques; }
double ElementLoads::work() const { return data_->work; }
double ElementLoads::dissipated() const { return data_->dissipated; }
const std::vector<NodeRef>& ElementLoads::nodes() const { return data_->nodes; }

bool ElementLoads::finite() const {
  for (const NodeWrench& w : data_->wrenches) {
    if (!w.wrench.allFinite()) return false;
  }
  return data_->torques.allFinite();
}

const VectorXd& ElementLoads::values() const {
  VectorXd& out = data_->values;
  Eigen::Index at = 0;
  for (const LinePart& line : data_->lines) {
    out.segment<3>(at) << line.length, line.rate, line.of->kind == Kind::rope ? -line.force : line.force;
    at += 3;
  }
  for (const BushingPart& part : data_->bushings) {
    out.segment<12>(at) << part.x, part.Q;
    at += kBushingValues;
  }
  for (const ContactPart& part : data_->contacts) {
    out.segment<8>(at) << std::max(0.0, part.depth), part.normal, part.force, part.point;
    at += kContactValues;
  }
  return out;
}

double ElementLoads::energy(const State& x, const Kinematics& kin) const {
  Data& data = *data_;
  data.place(x, kin);
  double out = 0;
  for (LinePart& line : data.lines) {
    measure_line(data, x, line);
    out += line_energy(line);
  }
  Vector12 wrench;
  for (BushingPart& part : data.bushings) {
    compute_bushing(data, part, wrench);
    out += 0.5 * part.x.dot(part.K * part.x);
  }
  for (ContactPart& part : data.contacts) {
    compute_contact(data, part, wrench);
    out += part.stored;
  }
  for_each_rest(data.model,
                [&](Eigen::Index q, Eigen::Index, double k, double rest) { out += k * rest * (0.5 * rest - x.q[q]); });
  return out;
}

int ElementLoads::event_count() const {
  int ropes = 0;
  for (const LinePart& line : data_->lines) ropes += line.of->kind == Kind::rope ? 1 : 0;
  return kEvents * (ropes + static_cast<int>(data_->contacts.size()));
}

void ElementLoads::events(const State& x, const Kinematics& kin, Vec values, Vec scales) const {
  Data& data = *data_;
  data.place(x, kin);
  values.setConstant(-1);
  scales.setOnes();
  Eigen::Index at = 0;
  for (LinePart& line : data.lines) {
    if (line.of->kind != Kind::rope) continue;
    measure_line(data, x, line);
    const double by = line.length - line.of->length, lag = line.of->damping / line.of->stiffness;
    push_events(line.phase, by, by + lag * line.rate, &values[at]);
    scales[at] = 1 + line.length + line.of->length;
    scales[at + 1] = scales[at] + lag * std::abs(line.rate);
    at += kEvents;
  }
  Vector12 wrench;
  for (ContactPart& part : data.contacts) {
    compute_contact(data, part, wrench);
    push_events(part.phase, part.depth, part.push(), &values[at]);
    scales[at] = 1 + part.place.norm() + part.of->radius;
    scales[at + 1] = scales[at] + part.damping / part.of->stiffness * std::abs(part.rate);
    if (part.phase == PushPhase::pushing && part.grip == ContactPart::Grip::sticking) {
      const double k = part.of->stick_stiffness, cone = part.of->friction * std::max(0.0, part.normal) / k;
      const double held = part.tangential.squaredNorm() / (k * k);
      values[at + 2] = held - cone * cone;
      scales[at + 2] = held + cone * cone + cone * scales[at];
    }
    if (part.phase == PushPhase::pushing && part.grip == ContactPart::Grip::slipping) {
      values[at + 2] = part.turned;
      scales[at + 2] = part.of->slip_speed + part.slip.norm();
    }
    at += kEvents;
  }
}

}  // namespace limber
