// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/model/model.hpp"

#include <algorithm>
#include <cmath>

#include "checks.hpp"
#include "limber/body/payload.hpp"
#include "limber/model/detail/layout.hpp"
#include "limber/model/segments.hpp"
#include "limber/spatial/detail/text.hpp"

namespace limber {

const char* to_string(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::ruthless:
      return "ruthless";
    case Fidelity::full:
      return "full";
    case Fidelity::stiffened:
      return "stiffened";
  }
  return "unknown";
}

int Model::find_body(const std::string& body_name) const {
  if (const SegmentedBeam* beam = find_segmented(*this, body_name)) return beam->bodies[0];
  if (body_names.empty()) return -1;  // never built
  const auto found = std::find(body_names.begin() + 1, body_names.end(), body_name);
  return found == body_names.end() ? -1 : static_cast<int>(found - body_names.begin());
}

int Model::find_joint(const std::string& joint_name) const {
  for (int i = 1; i < body_count(); ++i) {
    if (joints[i].name == joint_name) return i;
  }
  return -1;
}

namespace {

[[noreturn]] void refuse_name(const std::string& name, const char* what, const char* list,
                              const std::vector<std::string_view>& known) {
  throw InputError(show(name) + " is not a " + what + ";" + suggest(name, known) + " " + list + ": " +
                   (known.empty() ? "none" : join(known)));
}

// `names`: all coordinates or all speeds.
int find_coordinate(const Model& model, const std::string& name, const std::vector<std::string>& names,
                    const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  // The parts of a joint with several coordinates, or of a body with modes.
  std::vector<std::string_view> parts;
  for (const std::string& each : names) {
    if (each.starts_with(name + ".")) parts.push_back(each);
  }
  if (!parts.empty())
    throw InputError(show(name) + " has " + std::to_string(parts.size()) + " " + what + "s; name one: " + join(parts));
  if (const int joint = model.find_joint(name); joint > 0)
    throw InputError("joint " + show(name) + " is fixed and has no " + what);
  refuse_name(name, what, (std::string(what) + "s").c_str(), views(names));
}

}  // namespace

int Model::body_index(const std::string& body_name) const {
  if (const int found = find_body(body_name); found >= 0) return found;
  if (const int joint = find_joint(body_name); joint > 0)
    throw InputError(show(body_name) + " is a joint, not a body; it carries body '" + body_names[joint] + "'");
  std::vector<std::string_view> known;
  for (int i = 1; i < body_count(); ++i)
    if (leads_segments(*this, i)) known.push_back(body_names[i]);
  refuse_name(body_name, "body", "bodies", known);
}

int Model::joint_index(const std::string& joint_name) const {
  if (const int found = find_joint(joint_name); found >= 0) return found;
  if (const int of = find_body(joint_name); of > 0)
    throw InputError(show(joint_name) + " is a body, not a joint; joint '" + joints[of].name + "' carries it");
  std::vector<std::string_view> known;
  for (int i = 1; i < body_count(); ++i)
    if (!joins_segments(*this, i)) known.push_back(joints[i].name);
  refuse_name(joint_name, "joint", "joints", known);
}

int Model::closure_index(const std::string& closure_name) const {
  std::vector<std::string_view> known;
  for (const Closure& closure : closures) {
    if (closure.name == closure_name) return static_cast<int>(&closure - closures.data());
    known.push_back(closure.name);
  }
  refuse_name(closure_name, "closure", "closures", known);
}

NodeRef Model::node(const std::string& path) const {
  std::vector<std::string> names;
  std::vector<int> index;
  for (int i = 1; i < body_count(); ++i) {
    if (!leads_segments(*this, i)) continue;
    names.push_back(body_names[i]);
    index.push_back(i);
  }
  const NodeRef found = model_impl::find_node(path, names, "", [&](std::size_t k) {
    const SegmentedBeam* beam = find_segmented(*this, index[k]);
    return std::pair<int, const Body*>(index[k], beam != nullptr ? beam->whole.get() : &body(index[k]));
  });
  const SegmentedBeam* beam = found.node == kBodyFrame ? nullptr : find_segmented(*this, found.body);
  return beam != nullptr ? beam->nodes[static_cast<std::size_t>(found.node)] : found;
}

int Model::coordinate(const std::string& coordinate_name) const {
  return find_coordinate(*this, coordinate_name, coordinates, "coordinate");
}

int Model::speed(const std::string& speed_name) const { return find_coordinate(*this, speed_name, speeds, "speed"); }

void Model::set_limits(int joint, double effort, double velocity) {
  if (joint < 1 || joint >= body_count()) throw InputError("set_limits: there is no joint " + std::to_string(joint));
  Joint& of = joints.value_[joint];
  model_impl::check_limit(of, effort, "effort limit");
  model_impl::check_limit(of, velocity, "velocity limit");
  of.effort_limit = effort;
  of.velocity_limit = velocity;
}

void Model::add_closure(Closure closure) {
  model_impl::check_closure(closure);
  model_impl::check_node(*this, "closure", closure.name, closure.a);
  model_impl::check_node(*this, "closure", closure.name, closure.b);
  for (const Closure& other : closures) {
    if (other.name == closure.name) model_impl::refuse("closure", closure.name, "name used twice; rename one");
  }
  closures.value_.push_back(std::move(closure));
}

void Model::set_body(int i, Body body) {
  if (i < 1 || i >= body_count()) throw InputError("set_body: there is no body " + std::to_string(i));
  const Body& now = this->body(i);
  const std::string& body_name = body_names[i];
  try {
    check_body(body);
  } catch (const InputError& e) {
    model_impl::refuse("body", body_name, e.what());
  }
  model_impl::check_order("body", body_name, fidelity, body);
  const bool nodes_fit = std::equal(now.nodes.begin(), now.nodes.end(), body.nodes.begin(), body.nodes.end(),
                                    [](const Node& a, const Node& b) { return a.name == b.name; });
  if (body.mode_names != now.mode_names || !nodes_fit)
    model_impl::refuse("body", body_name, "the new body has other modes or nodes; build a new model");
  body.name.clear();
  bodies.value_[i] = std::make_shared<const Body>(std::move(body));
  layout = std::make_shared<const Layout>(make_layout(*this, layout->choice, layout.get()));
}

Model with_payload(const Model& bare, const std::string& node, const RigidSpec& load) {
  const NodeRef at = bare.node(node);
  if (at.body == kGround) throw InputError("a payload on the world moves nothing; name a body or a node");
  Model out = bare;
  out.set_body(at.body, with_payload(bare.body(at.body), at.node, load));
  return out;
}

State make_zero_state(const Model& model) {
  State x{0, VectorXd::Zero(model.nq), VectorXd::Zero(model.nv)};
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (joint_traits(joint.kind).quaternion) x.q[joint.q] = 1;
  }
  return x;
}

void check_state(const Model& model, const State& x) {
  const auto check = [](const VectorXd& given, int wanted, const char* what, const std::vector<std::string>& names) {
    if (given.size() != wanted) {
      throw InputError(std::string(what) + " has " + std::to_string(given.size()) + " numbers; the model needs " +
                       std::to_string(wanted));
    }
    for (int k = 0; k < wanted; ++k) {
      if (!std::isfinite(given[k])) {
        throw InputError(std::string(what) + "[" + std::to_string(k) + "] ('" + names[k] +
                         "') is not finite; write a number");
      }
    }
  };
  if (!std::isfinite(x.t)) throw InputError("the time t is not finite; write a number");
  check(x.q, model.nq, "q", model.coordinates);
  check(x.v, model.nv, "v", model.speeds);
  constexpr double kUnitTolerance = 1e-6;  // tolerance for values printed to seven digits
  for (int i = 1; i < model.body_count(); ++i) {
    const Joint& joint = model.joints[i];
    if (!joint_traits(joint.kind).quaternion) continue;
    const double length = x.q.segment<4>(joint.q).norm();
    if (std::abs(length - 1) > kUnitTolerance) {
      throw InputError("joint '" + joint.name + "': its quaternion q[" + std::to_string(joint.q) + "..." +
                       std::to_string(joint.q + 3) + "] (w, x, y, z) has length " + std::to_string(length) +
                       "; write one of length 1");
    }
  }
}

}  // namespace limber
