// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "apps/info.hpp"
#include "apps/json.hpp"
#include "limber/model/detail/layout.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/segments.hpp"
#include "limber/simulate/segment_advice.hpp"

namespace limber::apps {
namespace {

template <class Vector>
Json list(const Vector& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(value);
  return out;
}

Json joint_json(const Model& model, int i) {
  const Joint& joint = model.joints[i];
  Json out = {{"name", joint.name}, {"type", to_string(joint.kind)}};
  const int axes = joint_traits(joint.kind).axes;
  if (axes > 0) out["axis"] = list(joint.axis);
  if (axes > 1) out["axis2"] = list(joint.axis2);
  out["parent"] = node_name(model, joint.parent);
  out["child"] = node_name(model, {i, joint.child_node});
  out["q"] = {{"first", joint.q}, {"count", position_count(joint.kind)}};
  out["v"] = {{"first", joint.v}, {"count", speed_count(joint.kind)}};
  if (const MotorIndex motor = motor_index(model, i); motor.v >= 0) {
    out["motor"] = {{"q", motor.q}, {"v", motor.v}};
    if (joint.drive->backlash > 0) out["motor"]["backlash"] = joint.drive->backlash;
  }
  return out;
}

Json mode_json(const ModeFacts& mode, const BodyFacts& body) {
  const auto fraction = [](const Vector3d& part, const Vector3d& whole) {
    Json out = Json::array();
    for (int k = 0; k < 3; ++k) out.push_back(whole[k] > 0 ? Json(part[k] / whole[k]) : Json());
    return out;
  };
  Json out = {{"name", mode.name}, {"hertz", mode.hertz}, {"modal_mass", mode.modal_mass}};
  out["damping_ratio"] = std::isfinite(mode.damping_ratio) ? Json(mode.damping_ratio) : Json();
  out["effective_mass"] = list(mode.effective_mass);
  out["effective_mass_fraction"] = fraction(mode.effective_mass, Vector3d::Constant(body.mass));
  out["effective_inertia"] = list(mode.effective_inertia);
  out["effective_inertia_fraction"] = fraction(mode.effective_inertia, body.inertia_about_frame);
  return out;
}

Json body_json(const Model& model, const ModelFacts& facts, int i) {
  const BodyFacts& body = facts.shapes[facts.shape_of[i]];
  Json out = {{"name", model.body_names[i]}, {"mass", body.mass}, {"com", list(body.com)}};
  out["inertia"] = list(body.inertia);
  out["nodes"] = Json::array();
  const SegmentedBeam* beam = find_segmented(model, i);
  for (const Node& node : (beam != nullptr ? *beam->whole : model.body(i)).nodes) out["nodes"].push_back(node.name);
  if (beam != nullptr) {
    out["segments"] = beam->segments();
    for (const int segment : beam->bodies)
      if (!joins_segments(model, segment)) i = segment;  // the joint of the beam
  }
  out["joint"] = joint_json(model, i);
  out["modes"] = Json::array();
  for (const ModeFacts& mode : body.modes) out["modes"].push_back(mode_json(mode, body));
  if (body.modes.empty()) return out;
  out["modes_are_combinations"] = body.mixed;
  out["elimination"] = to_string(model.layout->links[i].elimination);
  return out;
}

Json frequencies_json(const Model& model, const FrequencyFacts& facts, const std::string& where) {
  if (!facts.why_not.empty()) return {{"note", facts.why_not}};
  Json out = {{"note", "Hz at " + where + "; stiffness of " + stiff_parts(model) + ", no gravity"},
              {"rigid_motions", facts.rigid},
              {"joints_free", facts.joints_free}};
  if (!facts.joints_locked.empty()) out["joints_locked"] = facts.joints_locked;
  if (!facts.caution.empty()) out["caution"] = facts.caution;
  return out;
}

}  // namespace

std::string info_json(const Model& model, const ModelFacts& facts) {
  Json out = {{"name", model.name}, {"fidelity", to_string(model.fidelity)}, {"gravity", list(model.gravity)}};
  out["nq"] = model.nq;
  out["nv"] = model.nv;
  out["coordinates"] = model.coordinates.get();
  out["speeds"] = model.speeds.get();
  out["total_mass"] = facts.total_mass;
  out["center_of_mass"] = list(facts.center_of_mass);
  out["bodies"] = Json::array();
  for (int i = 1; i < model.body_count(); ++i)
    if (leads_segments(model, i)) out["bodies"].push_back(body_json(model, facts, i));
  out["closures"] = Json::array();
  for (const Closure& closure : model.closures)
    out["closures"].push_back({{"name", closure.name},
                               {"type", to_string(closure.kind)},
                               {"a", node_name(model, closure.a)},
                               {"b", node_name(model, closure.b)}});
  out["natural_frequencies"] = frequencies_json(model, facts.frequencies, facts.where);
  const std::vector<std::string> advice = segment_advice(model, facts.at);
  if (!advice.empty()) out["advice"] = advice;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace limber::apps
