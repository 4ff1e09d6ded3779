// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "limber/files/model_writer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "files/body_reader.hpp"
#include "files/element_writer.hpp"
#include "files/rpy.hpp"
#include "limber/body/detail/content.hpp"
#include "limber/body/part.hpp"
#include "limber/files/detail/output.hpp"
#include "limber/model/drive.hpp"
#include "limber/model/friction.hpp"
#include "limber/model/segments.hpp"
#include "limber/spatial/rotation.hpp"

namespace limber {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& body, const std::string& what) {
  throw InputError("body '" + body + "': cannot be written: " + what);
}

template <class Vector>
Json list(const Vector& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(value);
  return out;
}

Json rows(const MatrixXd& m) {
  Json out = Json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) out.push_back(list(VectorXd(m.row(i))));
  return out;
}

// ---- rounding by the reader -------------------------------------------------------------------------

// A direction from which the reader (and, for a joint, the builder) computes exactly this unit vector.
Vector3d direction_of(const Vector3d& axis, bool of_joint) {
  constexpr int kTries = 4096;
  for (int k = 0; k < kTries; ++k) {
    const Vector3d given = (1 + k / 1024.0) * axis;
    Vector3d read = given.stableNormalized();
    if (of_joint) read = Vector3d(read / read.norm());
    if (read == axis) return given;
  }
  return axis;
}

// ---- bodies -----------------------------------------------------------------------------------------

void add_rotation(const Matrix3d& R, Json& out) {
  if (R != Matrix3d::Identity()) out["rpy"] = list(rpy_of(R));
}

Json second(const std::array<MatrixXd, 3>& Xi, Eigen::Index n) {
  Json out = Json::array();
  for (const MatrixXd& X : Xi) out.push_back(rows(X.size() > 0 ? X : MatrixXd::Zero(n, n)));
  return out;
}

bool has_second(const std::array<MatrixXd, 3>& Xi) {
  return std::any_of(Xi.begin(), Xi.end(), [](const MatrixXd& X) { return X.size() > 0; });
}

Json fixed_node(const Node& node) {
  Json out = {{"name", node.name}, {"position", list(node.position)}};
  add_rotation(node.rotation, out);
  return out;
}

Json visual_json(const Visual& visual) {
  Json out = Json::object();
  switch (visual.kind) {
    case VisualKind::box:
      out["box"] = list(visual.size);
      break;
    case VisualKind::cylinder:
      out["cylinder"] = {{"radius", visual.size[0]}, {"length", visual.size[1]}};
      break;
    case VisualKind::sphere:
      out["sphere"] = {{"radius", visual.size[0]}};
      break;
    case VisualKind::mesh:
      out["mesh"] = visual.file;
      out["scale"] = list(visual.size);
  }
  Json origin = Json::object();
  if (!visual.pose.p.isZero(0)) origin["xyz"] = list(visual.pose.p);
  add_rotation(visual.pose.R, origin);
  if (!origin.empty()) out["origin"] = std::move(origin);
  return out;
}

void add_rigid(const RigidSpec& spec, Json& out) {
  const Matrix3d J = 0.5 * (spec.inertia + spec.inertia.transpose());
  out["rigid"] = {{"mass", spec.mass},
                  {"com", list(spec.com)},
                  {"inertia", list(Vector6{{J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)}})}};
  for (const Node& node : spec.nodes) out["nodes"].push_back(fixed_node(node));
  for (const Visual& visual : spec.visuals) out["visual"].push_back(visual_json(visual));
}

void add_modal(const ModalSpec& spec, Json& out) {
  const Eigen::Index n = spec.stiffness.rows();
  Json points = Json::array();
  for (const MassPoint& point : spec.points) {
    Json item = {{"mass", point.mass}, {"position", list(point.position)}};
    if (n > 0) item["shape"] = rows(point.shape);
    if (n > 0 && has_second(point.second)) item["second"] = second(point.second, n);
    points.push_back(std::move(item));
  }
  out["modal"] = {{"points", std::move(points)}, {"stiffness", rows(spec.stiffness)}};
  if (spec.damping.size() > 0) out["modal"]["damping"] = rows(spec.damping);
  for (const Node& node : spec.nodes) {
    Json item = fixed_node(node);
    if (n > 0) item["translation"] = rows(node.translation);
    if (n > 0) item["rotation"] = rows(node.turn);
    if (n > 0 && has_second(node.second)) item["second"] = second(node.second, n);
    out["nodes"].push_back(std::move(item));
  }
}

void add_section(const BeamSection& section, Json& out) {
  out["mass_per_length"] = section.mass_per_length;
  const auto add = [&](const char* key, double value) {
    if (value != 0) out[key] = value;
  };
  add("EIy", section.EIy);
  add("EIz", section.EIz);
  add("EA", section.EA);
  add("GJ", section.GJ);
  if (section.rotary_inertia_y != 0 || section.rotary_inertia_z != 0)
    out["rotary_inertia_per_length"] = {section.rotary_inertia_y, section.rotary_inertia_z};
}

Json station_json(const BeamStation& station) {
  Json out = {{"at", station.at}};
  if (!station.section) {
    add_section(station, out);
    return out;
  }
  const SectionTraits& traits = section_traits()[static_cast<std::size_t>(station.section->kind)];
  Json sizes = Json::object();
  for (std::size_t i = 0; i < traits.sizes.size(); ++i) sizes[std::string(traits.sizes[i])] = station.section->size[i];
  out["section"] = {{std::string(traits.name), std::move(sizes)}};
  out["material"] = {{"E", station.material.E}, {"G", station.material.G}, {"density", station.material.density}};
  return out;
}

void add_beam(const BeamSpec& spec, int segments, Json& out) {
  Json beam = {{"length", spec.length}};
  if (spec.stations.empty()) add_section(spec, beam);
  for (const BeamStation& station : spec.stations) beam["stations"].push_back(station_json(station));
  if (segments == 1) beam["basis"] = kBases[static_cast<std::size_t>(spec.basis)];
  if (spec.tip_mass != 0 || spec.tip_inertia != 0)
    beam["tip"] = {{"mass", spec.tip_mass}, {"inertia", spec.tip_inertia}};
  const bool custom = spec.basis == BeamBasis::custom;
  Json families = Json::object();
  for (std::size_t f = 0; f < kFamilies.size(); ++f) {
    const std::string key(kFamilies[f]);
    if (custom && !spec.shapes[f].empty()) families[key] = spec.shapes[f];
    if (!custom && spec.modes[f] > 0) families[key] = spec.modes[f];
  }
  beam[custom ? "shapes" : "modes"] = std::move(families);
  if (spec.damping.size() == 1) beam["damping"] = spec.damping[0];
  if (spec.damping.size() > 1) beam["damping"] = list(spec.damping);
  if (segments > 1) beam["segments"] = segments;
  out["beam"] = std::move(beam);
  for (const BeamNode& node : spec.nodes) {
    Json item = {{"name", node.name}, {"at", node.at}};
    add_rotation(node.rotation, item);
    out["nodes"].push_back(std::move(item));
  }
}

void add_plate(const PlateSpec& spec, Json& out) {
  Json plate = {
      {"length", spec.length},   {"width", spec.width},    {"D", spec.D},        {"mass_per_area", spec.mass_per_area},
      {"poisson", spec.poisson}, {"edges", Json::array()}, {"modes", spec.modes}};
  for (const PlateEdge edge : spec.edges) plate["edges"].push_back(kPlateEdges[static_cast<std::size_t>(edge)]);
  if (spec.damping.size() == 1) plate["damping"] = spec.damping[0];
  if (spec.damping.size() > 1) plate["damping"] = list(spec.damping);
  out["plate"] = std::move(plate);
  for (const PlateNode& node : spec.nodes) {
    Json item = {{"name", node.name}, {"at", list(node.at)}};
    add_rotation(node.rotation, item);
    out["nodes"].push_back(std::move(item));
  }
}

// C = (tr J / 2) 1 - J + m c c^T, solved for J.
RigidSpec rigid_spec(const Body& body) {
  RigidSpec spec;
  spec.mass = body.mass;
  if (body.mass > 0) spec.com = body.S.col(0) / body.mass;
  const Matrix3d C = body.C[0] - body.mass * spec.com * spec.com.transpose();
  spec.inertia = C.trace() * Matrix3d::Identity() - C;
  spec.nodes = body.nodes;
  return spec;
}

constexpr const char* kOtherNumbers =
    "its numbers are not those of its specification; write what was added, such as a payload, as a body of its own on "
    "a fixed joint";

// A segmented beam, written once for all its segments.
Json segmented_json(const Model& model, const SegmentedBeam& beam, bool second_order) {
  Json out = {{"name", beam.name}};
  const std::vector<Body> made = make_segments(beam.spec(), second_order);
  for (std::size_t j = 0; j < made.size(); ++j)
    if (content_key(made[j]) != content_key(model.body(beam.bodies[j]))) refuse(beam.name, kOtherNumbers);
  add_beam(beam.spec(), beam.segments(), out);
  return out;
}

Json body_json(const std::string& name, const Body& body, bool second_order) {
  Json out = {{"name", name}};
  Body made;
  if (const PartSpec* part = part_of(body)) {
    out["file"] = part->path;
    return out;
  }
  if (body.beam) {
    made = make_beam_body(*body.beam, second_order);
    add_beam(*body.beam, 1, out);
  } else if (body.plate) {
    made = make_plate_body(*body.plate, second_order);
    add_plate(*body.plate, out);
  } else if (body.modal) {
    made = make_modal_body(*body.modal, second_order);
    add_modal(*body.modal, out);
  } else {
    if (body.modes > 0) refuse(name, "it was made without a specification; use make_beam_body or make_modal_body");
    const RigidSpec spec = body.rigid ? *body.rigid : rigid_spec(body);
    made = make_rigid_body(spec);
    add_rigid(spec, out);
  }
  if (content_key(made) != content_key(body)) refuse(name, kOtherNumbers);
  return out;
}

// ---- joints -----------------------------------------------------------------------------------------

std::string place(const Model& model, NodeRef at) {
  if (at.body == kGround) return "world";
  const std::string& body = model.body_names[at.body];
  return at.node == kBodyFrame ? body : body + "." + model.body(at.body).nodes[static_cast<std::size_t>(at.node)].name;
}

template <class Connection>
void add_axes(const Connection& of, bool of_joint, Json& out) {
  const int axes = joint_traits(of.kind).axes;
  if (axes > 0) out["axis"] = list(direction_of(of.axis, of_joint));
  if (axes > 1) out["axis2"] = list(direction_of(of.axis2, of_joint));
}

void add_limits(const Joint& joint, Json& out) {
  Json limits = Json::object();
  if (joint.effort_limit > 0) limits["effort"] = joint.effort_limit;
  if (joint.velocity_limit > 0) limits["velocity"] = joint.velocity_limit;
  if (joint.stop && (std::isfinite(joint.stop->lower) || std::isfinite(joint.stop->upper))) {
    if (std::isfinite(joint.stop->lower)) limits["lower"] = joint.stop->lower;
    if (std::isfinite(joint.stop->upper)) limits["upper"] = joint.stop->upper;
    limits["stiffness"] = joint.stop->stiffness;
    limits["damping"] = joint.stop->damping;
  }
  if (!limits.empty()) out["limits"] = std::move(limits);
}

void add_drive(const Joint& joint, Json& out) {
  const auto add = [](Json& to, const char* key, double value, double none) {
    if (value != none) to[key] = value;
  };
  if (joint.drive) {
    const Drive& drive = *joint.drive;
    Json& to = out["drive"] = {{"ratio", drive.ratio}};
    add(to, "inertia", drive.inertia, 0);
    if (drive.axis) to["axis"] = list(direction_of(*drive.axis, true));
    add(to, "stiffness", drive.stiffness, 0);
    add(to, "damping", drive.damping, 0);
    add(to, "backlash", drive.backlash, 0);
    add(to, "efficiency", drive.efficiency, 1);
    if (drive.brake) {
      Json& brake = to["brake"] = {{"torque", drive.brake->torque}};
      add(brake, "static", drive.brake->breakaway, drive.brake->torque);
      if (drive.brake->at_joint) brake["side"] = "link";
      add(brake, "presliding", drive.brake->presliding, Brake{}.presliding);
    }
    if (drive.motor) {
      Json& motor = to["motor"] = Json::object();
      add(motor, "torque_constant", drive.motor->torque_constant, 0);
      add(motor, "back_emf", drive.motor->back_emf, drive.motor->torque_constant);
      add(motor, "resistance", drive.motor->resistance, 0);
      add(motor, "current", drive.motor->current, 0);
      add(motor, "voltage", drive.motor->voltage, 0);
      if (!drive.motor->curve.empty()) motor["curve"] = drive.motor->curve;
    }
  }
  if (!joint.friction) return;
  const JointFriction& friction = *joint.friction;
  Json& to = out["friction"] = {{"coulomb", friction.coulomb}};
  add(to, "viscous", friction.viscous, 0);
  add(to, "static", friction.breakaway, friction.coulomb);
  add(to, "stribeck", friction.stribeck, 0);
  if (!friction.dry()) return;
  if (friction.load) {
    Json& load = to["load"] = {{"coefficient", friction.load->coefficient}};
    add(load, "static", friction.load->breakaway, friction.load->coefficient);
    add(load, "radius", friction.load->radius, 0);
  }
  add(to, "presliding", friction.presliding, JointFriction{}.presliding);
  add(to, "damping", friction.damping, JointFriction{}.damping);
}

Json joint_json(const Model& model, int i) {
  const Joint& joint = model.joints[i];
  Json out = {{"name", joint.name}, {"type", to_string(joint.kind)}};
  add_axes(joint, true, out);
  out["parent"] = place(model, joint.parent);
  out["child"] = place(model, {i, joint.child_node});
  Json origin = Json::object();
  if (!joint.origin.p.isZero(0)) origin["xyz"] = list(joint.origin.p);
  add_rotation(joint.origin.R, origin);
  if (!origin.empty()) out["origin"] = std::move(origin);
  const auto add = [&](const char* key, const VectorXd& values) {
    if (values.size() > 0 && !values.isZero(0)) out[key] = list(values);
  };
  add("stiffness", joint.stiffness);
  add("damping", joint.damping);
  add("armature", joint.armature);
  add_limits(joint, out);
  add_drive(joint, out);
  add_joint_elements(model, i, out);
  return out;
}

Json closure_json(const Model& model, const Closure& closure) {
  Json out = {{"name", closure.name}, {"type", to_string(closure.kind)}};
  add_axes(closure, false, out);
  out["a"] = place(model, closure.a);
  out["b"] = place(model, closure.b);
  return out;
}

// One item a line.
std::string lines(const char* key, const std::vector<Json>& items) {
  std::string out = std::string(",\n \"") + key + "\": [";
  for (std::size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "\n  " : ",\n  ") + items[i].dump();
  return out + "\n ]";
}

}  // namespace

std::string model_text(const Model& model) {
  std::vector<Json> bodies, joints, closures;
  const bool second_order = model.fidelity == Fidelity::stiffened;
  for (int i = 1; i < model.body_count(); ++i) {
    if (joins_segments(model, i)) continue;
    const SegmentedBeam* beam = find_segmented(model, i);
    bodies.push_back(beam != nullptr ? segmented_json(model, *beam, second_order)
                                     : body_json(model.body_names[i], model.body(i), second_order));
    joints.push_back(joint_json(model, i));
  }
  for (const Closure& closure : model.closures) closures.push_back(closure_json(model, closure));
  std::string out = "{\"limber\": 1";
  if (!model.name.empty()) out += ",\n \"name\": " + Json(model.name).dump();
  out += ",\n \"gravity\": " + list(model.gravity).dump();
  out += std::string(",\n \"fidelity\": \"") + to_string(model.fidelity) + "\"";
  out += lines("bodies", bodies) + lines("joints", joints);
  if (!closures.empty()) out += lines("closures", closures);
  const std::vector<Json> elements = elements_json(model), contacts = contacts_json(model);
  if (!elements.empty()) out += lines("elements", elements);
  if (!contacts.empty()) out += lines("contacts", contacts);
  return out + "\n}\n";
}

namespace {

// A model file contains its format name near the beginning.
bool is_model(const std::string& path) { return OutputKind::starts_with(path, "limber", 4096); }
constexpr OutputKind kModelKind = {"a model of limber", &is_model};

}  // namespace

void write_model(const Model& model, const std::string& path) {
  write_whole_file(path, kModelKind, {}, model_text(model));
}

}  // namespace limber
