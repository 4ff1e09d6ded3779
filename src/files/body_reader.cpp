// SPDX-FileCopyrightText: limber contributors
// SPDX-License-Identifier: Apache-2.0
#include "files/body_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "files/names.hpp"
#include "files/section_reader.hpp"
#include "limber/body/segmented.hpp"
#include "limber/files/detail/text.hpp"
#include "limber/spatial/status.hpp"

namespace limber {
namespace {

constexpr Eigen::Index kMaxModes = 1000;  // of a modal body
constexpr int kMaxBeamModes = 200;        // of one family of a beam

Vector3d vector3_or_zero(const Reader& map, std::string_view key) {
  const auto given = map.find(key);
  return given ? given->vector3() : Vector3d::Zero();
}

double not_negative_or_zero(const Reader& map, std::string_view key) {
  const auto given = map.find(key);
  return given ? given->not_negative() : 0.0;
}

// Adds the file and the body to errors of a constructor.
template <class Make>
Body make_at(const Reader& at, const Make& make) {
  try {
    return make();
  } catch (const InputError& e) {
    at.fail_item(e.what());
  }
}

std::vector<Reader> node_list(const Reader& body) {
  const auto nodes = body.find("nodes");
  if (!nodes) return {};
  nodes->length(kMaxNodes);
  return nodes->list();
}

constexpr std::string_view kNodeName = "name: tip";

// ---- rigid --------------------------------------------------------------------------------------

// `above`: the previous nodes, whose frames it may refer to.
Node read_fixed_node(const Reader& node, const std::vector<Node>& above) {
  Node out;
  out.position = node.at("position", "position: [0.1, 0, 0]").vector3();
  if (const auto rpy = node.find("rpy")) out.rotation = rpy->rpy();
  const auto frame = node.find("frame");
  if (!frame || frame->text() == "body") return out;
  const auto found = std::find_if(above.begin(), above.end(), [&](const Node& n) { return n.name == frame->text(); });
  if (found == above.end())
    frame->fail(fmt::format("must be body, or a node of this body listed above, but is {}", show(frame->text())));
  out.position = found->position + found->rotation * out.position;
  out.rotation = (found->rotation * out.rotation).eval();
  return out;
}

// xx yy zz xy xz yz
Matrix3d symmetric(const VectorXd& i) {
  Matrix3d m;
  m << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
  return m;
}

// A visual shape of a rigid body.
Visual read_visual(const Reader& item) {
  item.check_keys({"box", "cylinder", "sphere", "mesh", "scale", "origin"});
  Visual out;
  const std::string_view kind = item.one_of({"box", "cylinder", "sphere", "mesh"});
  const Reader shape = item.at(kind, "");
  if (const auto scale = item.find("scale"); scale && kind != "mesh") scale->fail("belongs to a mesh; remove it");
  if (kind == "box") {
    out.kind = VisualKind::box;
    out.size = shape.vector3();
  } else if (kind == "cylinder") {
    shape.check_keys({"radius", "length"});
    out.kind = VisualKind::cylinder;
    out.size = {shape.at("radius", "radius: 0.05").not_negative(), shape.at("length", "length: 0.3").not_negative(), 0};
  } else if (kind == "sphere") {
    shape.check_keys({"radius"});
    out.kind = VisualKind::sphere;
    out.size = {shape.at("radius", "radius: 0.05").not_negative(), 0, 0};
  } else {
    out.kind = VisualKind::mesh;
    out.file = shape.one_line(kLongestPath);
    if (const auto scale = item.find("scale")) out.size = scale->vector3();
  }
  if (out.kind != VisualKind::mesh && out.size.minCoeff() < 0) shape.fail("must not be negative");
  if (const auto origin = item.find("origin")) {
    origin->check_keys({"xyz", "rpy"});
    if (const auto xyz = origin->find("xyz")) out.pose.p = xyz->vector3();
    if (const auto rpy = origin->find("rpy")) out.pose.R = rpy->rpy();
  }
  return out;
}

Body read_rigid(const Reader& body, BodyFiles& files) {
  const Reader rigid = body.at("rigid", "");
  rigid.check_keys({"mass", "com", "inertia"});
  DrawnSpec spec;
  spec.mass = rigid.at("mass", "mass: 3").not_negative();
  spec.com = vector3_or_zero(rigid, "com");
  if (const auto inertia = rigid.find("inertia")) spec.inertia = symmetric(inertia->numbers(6));
  if (const auto visuals = body.find("visual"))
    for (const Reader& item : visuals->list()) {
      spec.visuals.push_back(read_visual(item));
      spec.meshes.push_back(item.has("mesh") ? files.read_mesh(item.at("mesh", "")) : nullptr);
    }
  Names names;
  for (const Reader& node : node_list(body)) {
    node.check_keys({"name", "position", "rpy", "frame"});
    Node made = read_fixed_node(node, spec.nodes);
    made.translation.resize(3, 0);
    made.turn.resize(3, 0);
    made.name = names.take(node, kNodeName);
    spec.nodes.push_back(std::move(made));
  }
  Body made = make_at(rigid, [&] { return make_rigid_body(spec); });
  if (std::any_of(spec.meshes.begin(), spec.meshes.end(), [](const auto& mesh) { return mesh != nullptr; }))
    made.rigid = share_drawn(std::move(spec));
  return made;
}

// ---- modal --------------------------------------------------------------------------------------

MassPoint read_point(const Reader& point, Eigen::Index n) {
  point.check_keys({"mass", "position", "shape", "second"});
  MassPoint out;
  out.mass = point.at("mass", "mass: 1").not_negative();
  out.position = point.at("position", "position: [0, 0, 0]").vector3();
  out.shape = Matrix3Xd::Zero(3, n);
  if (n > 0) out.shape = point.at("shape", "shape: [[x of each mode], [y], [z]]").matrix(3, n);
  if (const auto shape = point.find("shape"); shape && n == 0) shape->matrix(3, n);
  if (const auto second = point.find("second")) out.second = second->three_matrices(n);
  return out;
}

Node read_modal_node(const Reader& node, Eigen::Index n, const std::vector<Node>& above) {
  node.check_keys({"name", "position", "rpy", "frame", "translation", "rotation", "second"});
  Node out = read_fixed_node(node, above);
  const auto translation = node.find("translation"), rotation = node.find("rotation"), second = node.find("second");
  out.translation = translation ? translation->matrix(3, n) : MatrixXd::Zero(3, n);
  out.turn = rotation ? rotation->matrix(3, n) : MatrixXd::Zero(3, n);
  if (second) out.second = second->three_matrices(n);
  return out;
}

Body read_modal(const Reader& body, bool second_order) {
  const Reader modal = body.at("modal", "");
  modal.check_keys({"points", "stiffness", "damping"});
  ModalSpec spec;
  const Reader stiffness = modal.at("stiffness", "stiffness: [100, 400], one number or one row per mode");
  const Eigen::Index n = stiffness.length(kMaxModes);
  spec.stiffness = stiffness.square_or_diagonal(n);
  if (const auto damping = modal.find("damping")) spec.damping = damping->square_or_diagonal(n);
  for (const Reader& point : modal.at("points", "points: [{mass: 1, position: [0, 0, 0], shape: [...]}]").list())
    spec.points.push_back(read_point(point, n));
  Names names;
  for (const Reader& node : node_list(body)) {
    Node made = read_modal_node(node, n, spec.nodes);
    made.name = names.take(node, kNodeName);
    spec.nodes.push_back(std::move(made));
  }
  return make_at(modal, [&] { return make_modal_body(spec, second_order); });
}

// ---- beam ---------------------------------------------------------------------------------------

void read_tip(const Reader& beam, BeamSpec& spec) {
  const auto tip = beam.find("tip");
  if (!tip) return;
  tip->check_keys({"mass", "inertia"});
  spec.tip_mass = not_negative_or_zero(*tip, "mass");
  spec.tip_inertia = not_negative_or_zero(*tip, "inertia");
}

// Coefficients of (x/L)^k, one list per mode.
void read_custom_shapes(const Reader& beam, BeamSpec& spec) {
  const Reader shapes = beam.at("shapes", "shapes: {bending_y: [[0, 0, 1], [0, 0, 0, 1]]}");
  shapes.check_keys(kFamilies);
  for (std::size_t family = 0; family < kFamilies.size(); ++family) {
    const auto given = shapes.find(kFamilies[family]);
    if (!given) continue;
    given->length(kMaxBeamModes);
    for (const Reader& mode : given->list()) {
      const VectorXd coefficients = mode.numbers();
      spec.shapes[family].emplace_back(coefficients.begin(), coefficients.end());
    }
    spec.modes[family] = static_cast<int>(spec.shapes[family].size());
  }
}

// The number of modes of each family; for custom shapes it is known already and may be repeated.
void read_modes(const Reader& beam, BeamSpec& spec) {
  const bool custom = spec.basis == BeamBasis::custom;
  if (custom) read_custom_shapes(beam, spec);
  if (const auto shapes = beam.find("shapes"); shapes && !custom) shapes->fail("needs 'basis: custom'");
  if (custom && !beam.has("modes")) return;
  const Reader modes = beam.at("modes", "modes: {bending_y: 2, bending_z: 2}");
  modes.check_keys(kFamilies);
  for (std::size_t family = 0; family < kFamilies.size(); ++family) {
    const auto given = modes.find(kFamilies[family]);
    if (!given) continue;
    const int count = given->whole_number(0, kMaxBeamModes);
    if (custom && count != spec.modes[family])
      given->fail(fmt::format("is {}, but shapes has {}; leave modes out", count, spec.modes[family]));
    spec.modes[family] = count;
  }
}

BeamNode read_beam_node(const Reader& node) {
  node.check_keys({"name", "at", "rpy"});
  BeamNode out;
  const Reader at = node.at("at", "at: 0.5");
  out.at = at.number();
  if (out.at < 0 || out.at > 1) at.fail("must be from 0 (root) to 1 (tip)");
  if (const auto rpy = node.find("rpy")) out.rotation = rpy->rpy();
  return out;
}

// Sections along a tapered beam; `material` may be given once for all.
void read_stations(const Reader& beam, BeamSpec& spec) {
  for (const std::string_view key :
       {"mass", "mass_per_length", "EIy", "EIz", "EA", "GJ", "rotary_inertia_per_length", "section"})
    if (const auto given = beam.find(key)) given->fail("is given by stations; leave it out, or leave stations out");
  const auto common = beam.find("material");
  constexpr Eigen::Index kMaxStations = 100;
  const Reader stations = beam.at("stations", "");
  stations.length(kMaxStations);
  for (const Reader& item : stations.list()) {
    item.check_keys(
        {"at", "mass_per_length", "EIy", "EIz", "EA", "GJ", "rotary_inertia_per_length", "section", "material"});
    BeamStation station;
    station.at = item.at("at", "at: 0").number();
    if (item.has("section")) {
      const auto own = item.find("material");
      if (!own && !common) item.at("material", "material: steel");
      for (const std::string_view key : {"mass_per_length", "EIy", "EIz", "EA", "GJ", "rotary_inertia_per_length"})
        if (const auto given = item.find(key)) given->fail("follows from section and material; leave it out");
      station.section = read_section(item.at("section", ""));
      station.material = read_material(own ? *own : *common);
    } else {
      read_beam_section(item, 0, station);
    }
    spec.stations.push_back(station);
  }
}

// All data of a beam as a byte string.
std::string beam_key(const BeamSpec& spec, bool second_order) {
  std::string key;
  const auto add = [&key](const auto& x) { key.append(reinterpret_cast<const char*>(&x), sizeof x); };
  const auto add_all = [&](const auto& list) {
    add(list.size());
    for (const auto& x : list) add(x);
  };
  for (const double x : {spec.length, spec.mass_per_length, spec.EIy, spec.EIz, spec.EA, spec.GJ, spec.rotary_inertia_y,
                         spec.rotary_inertia_z, spec.tip_mass, spec.tip_inertia})
    add(x);
  for (const BeamStation& station : spec.stations) {
    for (const double x : {station.at, station.mass_per_length, station.EIy, station.EIz, station.EA, station.GJ,
                           station.rotary_inertia_y, station.rotary_inertia_z, station.material.E, station.material.G,
                           station.material.density})
      add(x);
    add(station.section ? static_cast<int>(station.section->kind) : -1);
    if (station.section) add(station.section->size);
  }
  add(spec.basis);
  add_all(spec.modes);
  for (const auto& family : spec.shapes) {
    add(family.size());
    for (const auto& shape : family) add_all(shape);
  }
  add_all(spec.damping);
  for (const BeamNode& node : spec.nodes) {
    key += node.name + '\n';
    add(node.at);
    for (int k = 0; k < 9; ++k) add(node.rotation.data()[k]);
  }
  return key += second_order ? '2' : '1';
}

// The number of segments of the beam; refuses keys that have no meaning with segments.
int read_segments(const Reader& beam, const BeamSpec& spec) {
  const auto given = beam.find("segments");
  const int segments = given ? given->whole_number(1, kMaxSegments) : 1;
  if (segments == 1) return 1;
  if (const auto basis = beam.find("basis"); basis && spec.basis != BeamBasis::polynomial)
    basis->fail("has no meaning with segments, which have shapes of their own; remove it, or segments");
  if (const auto tip = beam.find("tip"))
    tip->fail("has no meaning with segments, whose shapes suit any load; remove it, or segments");
  if (const auto damping = beam.find("damping"); damping && damping->is_list())
    damping->fail("must be one number with segments: the ratio of the first mode of the whole beam");
  return segments;
}

Body read_beam(const Reader& body, bool second_order, LastBeam& last) {
  const Reader beam = body.at("beam", "");
  beam.check_keys({"length", "mass", "mass_per_length", "EIy", "EIz", "EA", "GJ", "rotary_inertia_per_length",
                   "section", "material", "stations", "basis", "tip", "modes", "shapes", "damping", "segments"});
  BeamSpec spec;
  spec.length = beam.at("length", "length: 6").positive();
  if (beam.has("stations"))
    read_stations(beam, spec);
  else
    read_beam_section(beam, spec.length, spec);
  if (const auto basis = beam.find("basis")) spec.basis = static_cast<BeamBasis>(basis->choice(kBases));
  read_tip(beam, spec);
  read_modes(beam, spec);
  if (const auto damping = beam.find("damping")) {
    const int modes = std::accumulate(spec.modes.begin(), spec.modes.end(), 0);
    const VectorXd ratios = damping->is_list() ? damping->numbers() : damping->number_or_numbers(1);
    if (damping->is_list() && ratios.size() == 1 && modes > 1)
      damping->fail(fmt::format("has 1 number for {} modes; write the number alone for all, or one per mode", modes));
    spec.damping.assign(ratios.begin(), ratios.end());
  }
  Names names;
  for (const Reader& node : node_list(body)) {
    BeamNode made = read_beam_node(node);
    made.name = names.take(node, kNodeName);
    spec.nodes.push_back(std::move(made));
  }
  const int segments = read_segments(beam, spec);
  const std::string key = beam_key(spec, second_order) + std::to_string(segments);
  if (key != last.key) {
    last.body = make_at(beam, [&] {
      return segments > 1 ? make_segmented_beam(spec, segments, second_order) : make_beam_body(spec, second_order);
    });
    last.key = key;
  }
  return last.body;
}

}  // namespace

Body read_body(const Reader& body, const std::string& name, bool second_order, LastBeam& last, BodyFiles& files) {
  body.check_keys({"name", "rigid", "beam", "plate", "modal", "file", "nodes", "visual"});
  const std::string_view form = body.one_of({"rigid", "beam", "plate", "modal", "file"});
  if (const auto nodes = body.find("nodes"); nodes && form == "file")
    nodes->fail(
        "has no meaning with file: the interfaces of the part are its nodes; make it again with `limber modes`");
  if (const auto visual = body.find("visual"); visual && form != "rigid")
    visual->fail("is for rigid bodies; flexible ones are drawn deformed; remove it");
  Body made = form == "rigid"   ? read_rigid(body, files)
              : form == "beam"  ? read_beam(body, second_order, last)
              : form == "plate" ? read_plate(body, second_order)
              : form == "file"  ? files.read(body.at("file", ""), second_order)
                                : read_modal(body, second_order);
  made.name = name;
  return made;
}

}  // namespace limber
